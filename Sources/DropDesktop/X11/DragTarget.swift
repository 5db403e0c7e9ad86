// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropTransport

/// A window that can receive a drag.
struct DragTarget: Sendable, Hashable {
  /// The window.
  let window: X11Identifier
  /// The window that receives the messages: the window itself, or its proxy.
  let recipient: X11Identifier
  /// The version of the protocol that both ends use.
  let version: UInt8
}

/// A failure of the target of a drag.
enum DragTargetFailure: Error, Sendable, Hashable {
  /// The target has not responded to the last location.
  case silent
  /// The target has not reported that the drop is finished.
  case unfinished
  /// The window of the target was destroyed after the drop.
  case closed

  /// The error for the caller.
  var error: DesktopError {
    switch self {
    case .silent: DesktopError(.timedOut, "the program under the pointer does not respond to the drop")
    case .unfinished: DesktopError(.timedOut, "the program that received the drop has not reported its end")
    case .closed: DesktopError(.targetFailed, "the program that received the drop has closed its window")
    }
  }
}

/// A location of the pointer during a drag.
struct DragPoint: Sendable, Hashable {
  /// The horizontal position on the screen, in pixels.
  var x: Int16
  /// The vertical position on the screen, in pixels.
  var y: Int16
  /// The time of the event.
  var time: X11Time
  /// The action that the source proposes.
  var action: DropAction = .copy
}
