// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropTransport

/// The names of the atoms in the drag-and-drop protocol.
///
/// The raw value is the name on the wire.
enum DragName: String, CaseIterable, Sendable {
  case aware = "XdndAware"
  case proxy = "XdndProxy"
  case selection = "XdndSelection"
  case typeList = "XdndTypeList"
  case actionList = "XdndActionList"
  case enter = "XdndEnter"
  case position = "XdndPosition"
  case status = "XdndStatus"
  case leave = "XdndLeave"
  case drop = "XdndDrop"
  case finished = "XdndFinished"
  case copy = "XdndActionCopy"
  case move = "XdndActionMove"
  case link = "XdndActionLink"
  case directSave = "XdndDirectSave0"
  case plainText = "text/plain"
  /// The message of this package for a turn of the wheel, which the protocol lacks.
  case scroll = "_DRAGPIPE_SCROLL"
  /// The title of a window.
  case title = "_NET_WM_NAME"
}

/// The atoms of the drag-and-drop protocol.
typealias DragAtoms = X11AtomTable<DragName>

extension X11AtomTable<DragName> {
  /// Returns the atom of an action; `none` for no action.
  subscript(_ action: DropAction?) -> X11Atom {
    switch action {
    case .copy: self[.copy]
    case .move: self[.move]
    case .link: self[.link]
    case nil: .none
    }
  }

  /// Returns the action of an atom; `nil` for no action, and for actions that this package does not support.
  func action(_ atom: UInt32) -> DropAction? {
    guard atom != 0 else { return nil }
    return DropAction.allCases.first { self[$0].rawValue == atom }
  }
}

/// The versions of the drag-and-drop protocol.
enum DragVersion {
  /// The version that this package implements.
  static let own: UInt8 = 5
  /// The lowest supported version.
  ///
  /// All later versions share its messages.
  static let lowest: UInt8 = 3

  /// Returns the version that both ends use.
  ///
  /// - Parameter other: The version of the other program.
  /// - Returns: The lower of both versions; `nil` if the version of the other program is below ``lowest``.
  static func common(with other: UInt32) -> UInt8? {
    other < UInt32(lowest) ? nil : UInt8(min(other, UInt32(own)))
  }
}
