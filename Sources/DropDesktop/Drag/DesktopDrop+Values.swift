// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import DropTransport
public import UniformTypes

extension DesktopDrop {
  /// A location of a drag over a window.
  public struct Position: Sendable, Hashable {
    /// The horizontal position relative to the left edge of the window, in pixels.
    public let x: Int
    /// The vertical position relative to the upper edge of the window, in pixels.
    public let y: Int
    /// The names of the offered types, which are untrusted: MIME types and older names of X11.
    public let typeNames: [String]
    /// The uniform types of ``typeNames``, without names that have none, such as a list of addresses.
    public var types: [UTType] {
      typeNames.compactMap { name in
        let hint = name.hasPrefix(TargetName.hintPrefix) ? String(name.dropFirst(TargetName.hintPrefix.count)) : name
        return TargetName.type(for: hint)?.type
      }
    }
    /// The action that the source proposes, usually because of a modifier key.
    public let proposedAction: DropAction
    /// The actions that the source allows; always with ``/DropTransport/DropAction/copy``.
    public let actions: DropActions
  }

  /// The answer of the program to a location.
  public enum Answer: Sendable, Hashable {
    /// A drop is possible at the location. An action that the source does not allow becomes a copy.
    case accept(DropAction)
    /// A drop is not possible at the location.
    case refuse
  }

  /// A change of a drag over a window.
  public enum Event: Sendable {
    /// A drag has entered. The value is the untrusted names of its types.
    case entered([String])
    /// The pointer has moved. A later location replaces an unread location.
    case moved(Position)
    /// The user has turned the wheel of the pointer by a number of steps; a positive number shows what is below.
    ///
    /// Only drags of this package report it.
    case scrolled(Int)
    /// The drag has left, or was cancelled.
    case left
    /// The user has dropped the content.
    case dropped(Session)
  }
}
