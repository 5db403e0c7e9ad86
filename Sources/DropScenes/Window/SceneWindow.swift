// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import DropTransport
public import ItemTransfer
internal import Synchronization

/// A window of an app, in the process that shows it.
///
/// ```swift
/// try await SceneWindow.run { window in
///   try await window.show(["Heroes", "Atalanta"])
///   for await event in window.events {
///     if case .input(let line) = event { … }
///   }
/// }
/// ```
///
/// Its standard input and output belong to the app: what is to be seen goes through ``show(_:)``. ``SceneHost`` is the
/// other side.
public final class SceneWindow: Sendable {
  private let connection: DropSession
  private let state: Lock<(session: SceneSession, number: UInt64)>
  /// What the window was opened for; none for an empty one.
  public let activities: [UserActivity]
  /// What the app wants of the window, in its order; ends when the window is to end.
  ///
  /// The app knows that what was typed was acted upon when the next event is asked for. A single pass.
  public let events: SceneEvents
  /// What is dropped on the window, in its order.
  ///
  /// Meant to be gone through beside ``events``. A single pass.
  public let drops: SceneDrops

  private init(
    _ connection: DropSession, _ session: SceneSession, _ activities: [UserActivity], _ inbox: SceneInbox
  ) {
    self.connection = connection
    self.activities = activities
    state = Lock((session, 0))
    events = SceneEvents(inbox: inbox)
    drops = SceneDrops(inbox: inbox)
  }

  /// Shows a scene for as long as a closure runs.
  ///
  /// - Parameters:
  ///   - endpoint: Where the app is.
  ///   - takesDrops: Whether ``drops`` are gone through; else what is let go of over the window is refused.
  ///   - isolation: The caller's; leave it out.
  ///   - body: Shows the scene; it should return when ``events`` end.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; `DropStreamError` where the app cannot be talked to; `SceneHostError.invalidMessage`.
  public static func run<Result>(
    over endpoint: DropEndpoint = .standardIO, takesDrops: Bool = false, isolation: isolated (any Actor)? = #isolation,
    _ body: (SceneWindow) async throws -> Result
  ) async throws -> Result {
    try await DropStream.withSession(over: endpoint) { connection in
      var drops = connection.drops.makeAsyncIterator()
      guard let first = try await drops.next(),
        case .connect(let session, let activities)? = try await first.sceneMessage()
      else { throw SceneHostError(.invalidMessage, "the app has not said what is to be shown") }
      let inbox = SceneInbox(takesDrops: takesDrops)
      let window = SceneWindow(connection, session, activities, inbox)
      async let _: Void = inbox.fill(from: connection)
      try await first.finish(.copy)
      let result = try await body(window)
      await inbox.finishTyped()
      return result
    }
  }

  /// What of the scene outlives this process.
  public var session: SceneSession { state.withLock { $0.session } }

  /// Changes what outlives this process: title, restoration, conditions, user info.
  ///
  /// - Parameter body: Changes it.
  /// - Throws: `DropStreamError` where the app is gone.
  public nonisolated(nonsending) func update(
    _ body: @Sendable (inout SceneSession) -> Void
  ) async throws(DropStreamError) {
    let (session, number) = state.withLock { state in
      body(&state.session)
      state.number += 1
      return state
    }
    _ = try await connection.say(.state(session, number: number))
  }

  /// Shows lines of text in the place of those before.
  ///
  /// - Parameter lines: From top to bottom; of more than 1000, or of 500 characters in one, the rest is not seen.
  /// - Throws: `DropStreamError` where the app is gone.
  public nonisolated(nonsending) func show(_ lines: [String]) async throws(DropStreamError) {
    // Numbered before anything is waited for: of two calls of one actor, the later one counts.
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    _ = try await connection.say(.content(lines, number: number))
  }

  /// Asks the app to have an activity gone on with.
  ///
  /// - Parameter activity: What is to be gone on with.
  /// - Throws: `DropStreamError`: `refused`, with the app's words, where no window is for it.
  public func open(_ activity: UserActivity) async throws(DropStreamError) {
    _ = try await connection.say(.open(activity))
  }

  /// Drags items to a window or beside all, and waits until they were taken.
  ///
  /// - Parameters:
  ///   - items: What is dragged; loaded when the destination asks.
  ///   - target: Where it is let go of.
  ///   - actions: What the destination may do.
  /// - Returns: What it has kept, and what it did; only what was moved, and kept, may be let go of.
  /// - Throws: `DropStreamError`: `refused`, with the words of the app or the destination; `peerGone` and the like.
  public func drag(
    _ items: [ItemProvider], to target: SceneTarget, allowing actions: DropActions = .copy
  ) async throws(DropStreamError) -> DropReceipt {
    try await connection.say(.drag(to: target), with: items, allowing: actions.union(.copy))
  }

  /// Tells the app that the window is closed, and its session with it; the closure of `run` should
  /// return then.
  ///
  /// - Throws: `DropStreamError` where the app is gone.
  public func close() async throws(DropStreamError) {
    _ = try await connection.say(.close)
  }
}
