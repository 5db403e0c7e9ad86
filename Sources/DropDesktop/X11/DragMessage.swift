// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropTransport

/// A message of a drag, between the window of its source and the window of its target: XDND, version 5.
///
/// Each message names its sender. Any program can send any message, so the name is not trusted.
enum DragMessage: Sendable, Hashable {
  /// The pointer has entered the target. The message has at most three types. If there are more, a property of the
  /// source has all types.
  case enter(source: X11Identifier, version: UInt32, hasTypeList: Bool, types: [X11Atom])
  /// The pointer is at a location on the screen; the source proposes an action.
  case position(source: X11Identifier, x: Int16, y: Int16, time: X11Time, action: DropAction?)
  /// The user has turned the wheel by a number of steps; a positive number shows what is below.
  ///
  /// The source has grabbed the pointer, so the target does not get the turn as input.
  case scroll(source: X11Identifier, steps: Int)
  /// The pointer has left the target, or the drag is cancelled.
  case leave(source: X11Identifier)
  /// The button is released.
  case drop(source: X11Identifier, time: X11Time)
  /// The response of the target to a position.
  case status(target: X11Identifier, DragStatus)
  /// The target no longer needs the content.
  case finished(target: X11Identifier, isAccepted: Bool, action: DropAction?)

  /// Decodes a client message; `nil` if it does not belong to the drag protocol.
  init?(_ message: X11ClientMessage, _ atoms: DragAtoms) {
    guard case .words32(let words) = message.data, words.count == 5 else { return nil }
    let sender = X11Identifier(words[0])
    switch message.type {
    case atoms[.enter]:
      self = .enter(
        source: sender, version: words[1] >> 24, hasTypeList: words[1] & 1 != 0,
        types: words[2...].filter { $0 != 0 }.map { X11Atom($0) })
    case atoms[.position]:
      let (x, y) = Self.pair(words[2])
      self = .position(
        source: sender, x: Int16(bitPattern: x), y: Int16(bitPattern: y), time: X11Time(words[3]),
        action: atoms.action(words[4]))
    case atoms[.scroll]: self = .scroll(source: sender, steps: Int(Int32(bitPattern: words[1]).signum()))
    case atoms[.leave]: self = .leave(source: sender)
    case atoms[.drop]: self = .drop(source: sender, time: X11Time(words[2]))
    case atoms[.status]:
      let ((x, y), (width, height)) = (Self.pair(words[2]), Self.pair(words[3]))
      self = .status(
        target: sender,
        DragStatus(
          isAccepted: words[1] & 1 != 0, wantsAllPositions: words[1] & 2 != 0,
          quietArea: X11Rectangle(x: Int16(bitPattern: x), y: Int16(bitPattern: y), width: width, height: height),
          action: atoms.action(words[4])))
    case atoms[.finished]:
      self = .finished(target: sender, isAccepted: words[1] & 1 != 0, action: atoms.action(words[2]))
    default: return nil
    }
  }

  private static func pair(_ word: UInt32) -> (UInt16, UInt16) {
    (UInt16(truncatingIfNeeded: word >> 16), UInt16(truncatingIfNeeded: word))
  }

  /// Encodes the message.
  ///
  /// - Parameters:
  ///   - window: The window to which the message is addressed. Its proxy may receive the message instead.
  ///   - atoms: The atoms of the protocol.
  /// - Returns: The client message.
  func encoded(for window: X11Identifier, _ atoms: DragAtoms) -> X11ClientMessage {
    func word(_ high: UInt16, _ low: UInt16) -> UInt32 { UInt32(high) << 16 | UInt32(low) }
    let (name, words): (DragName, [UInt32]) =
      switch self {
      case .enter(let source, let version, let hasTypeList, let types):
        (
          .enter,
          [source.rawValue, version << 24 | (hasTypeList ? 1 : 0)] + types.prefix(3).map(\.rawValue)
        )
      case .position(let source, let x, let y, let time, let action):
        (
          .position,
          [
            source.rawValue, 0, word(UInt16(bitPattern: x), UInt16(bitPattern: y)), time.rawValue,
            atoms[action].rawValue,
          ]
        )
      case .scroll(let source, let steps):
        (.scroll, [source.rawValue, UInt32(bitPattern: Int32(clamping: steps)), 0, 0, 0])
      case .leave(let source): (.leave, [source.rawValue])
      case .drop(let source, let time): (.drop, [source.rawValue, 0, time.rawValue])
      case .status(let target, let status):
        (
          .status,
          [
            target.rawValue, (status.isAccepted ? 1 : 0) | (status.wantsAllPositions ? 2 : 0),
            word(UInt16(bitPattern: status.quietArea.x), UInt16(bitPattern: status.quietArea.y)),
            word(status.quietArea.width, status.quietArea.height), atoms[status.action].rawValue,
          ]
        )
      case .finished(let target, let isAccepted, let action):
        (.finished, [target.rawValue, isAccepted ? 1 : 0, atoms[action].rawValue])
      }
    return X11ClientMessage(window: window, type: atoms[name], data: .words32(words))
  }
}

/// The response of a target to a position.
struct DragStatus: Sendable, Hashable {
  /// Whether the target would accept a drop at the position.
  var isAccepted: Bool
  /// Whether the target also wants positions inside ``quietArea``.
  var wantsAllPositions = true
  /// The area of the screen in which the response stays the same; empty for none.
  var quietArea = X11Rectangle(x: 0, y: 0, width: 0, height: 0)
  /// The action that the target would take.
  var action: DropAction?

  /// Returns whether the target needs no message for a position.
  func coversSilently(x: Int16, y: Int16) -> Bool {
    let (dx, dy) = (Int(x) - Int(quietArea.x), Int(y) - Int(quietArea.y))
    return !wantsAllPositions && (0..<Int(quietArea.width)).contains(dx) && (0..<Int(quietArea.height)).contains(dy)
  }
}
