// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// The drags of a connection.
///
/// A drag may begin while earlier ones wait for their targets. One window owns the selection for all of them, so its loss
/// always means that another program has taken it. A request names this window, and its sender and time tell which drag
/// it means.
final class RunningDrags: Sendable {
  /// The way in which a drag responds to a request.
  enum Response: Sendable, Hashable {
    /// The drag sends its content.
    case content
    /// The drag refuses the request, which means none of the running drags.
    case refusal
  }

  private struct Drag {
    let window: X11Identifier
    let time: X11Time
    /// The programs that own the windows of the latest target.
    var clients: Set<UInt32> = []
    var hasEnded = false
  }

  private struct State {
    var owner: X11Identifier?
    /// The drags in the order of their starts, until all of them have ended.
    ///
    /// An ended drag stays, so that a late request for it does not receive the content of another drag.
    var drags: [Drag] = []

    /// Returns the drag that a request means.
    func drag(for client: UInt32, at time: X11Time) -> Drag? {
      guard drags.count > 1 else { return drags.first }
      let matches = drags.filter { $0.clients.contains(client) }
      // Some programs, such as Chromium, request without a time.
      guard time != .current else { return matches.last { !$0.hasEnded } }
      return (matches.isEmpty ? drags : matches).last { !$0.time.isLater(than: time) }
    }
  }

  private let state = Lock(State())

  /// Adds a drag.
  ///
  /// - Parameters:
  ///   - window: The source window of the drag.
  ///   - time: The time at which it takes the selection.
  ///   - createOwner: Creates the owner of the selection. Called if no drag runs.
  /// - Returns: The window that owns the selection.
  /// - Throws: The error of `createOwner`.
  func begin(
    _ window: X11Identifier, at time: X11Time, createOwner: () throws -> X11Identifier
  ) throws -> X11Identifier {
    try state.withLock { state in
      let owner = try state.owner ?? createOwner()
      state.owner = owner
      state.drags.append(Drag(window: window, time: time))
      return owner
    }
  }

  /// Sets the programs that own the windows of a drag's target.
  func enter(_ clients: Set<UInt32>, by window: X11Identifier) {
    state.withLock { state in
      for index in state.drags.indices where state.drags[index].window == window {
        state.drags[index].clients = clients
      }
    }
  }

  /// Ends a drag.
  ///
  /// - Returns: The owner of the selection, if no drag needs it any more.
  func end(_ window: X11Identifier) -> X11Identifier? {
    state.withLock { state in
      for index in state.drags.indices where state.drags[index].window == window { state.drags[index].hasEnded = true }
      guard state.drags.allSatisfy(\.hasEnded) else { return nil }
      state.drags = []
      return state.owner.take()
    }
  }

  /// Returns what a drag does with the request of a program; `nil` if another drag responds.
  func response(of window: X11Identifier, to client: UInt32, at time: X11Time) -> Response? {
    state.withLock { state in
      if let drag = state.drag(for: client, at: time), !drag.hasEnded { return drag.window == window ? .content : nil }
      return state.drags.first { !$0.hasEnded }?.window == window ? .refusal : nil
    }
  }
}
