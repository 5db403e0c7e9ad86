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
/// The window communicates with the app through the standard input and output of its process. ``show(_:)`` sets the
/// visible content. ``SceneHost`` is the app's side.
public final class SceneWindow: Sendable {
  private let connection: DropSession
  private let inbox: SceneInbox
  private let state: Lock<(content: SceneContent, number: UInt64)>
  /// The content for the user interface in this process, which may miss all but the latest.
  package let contents: AsyncStream<SceneContent>
  private let newContents: AsyncStream<SceneContent>.Continuation
  /// The activities for which the window was opened; empty if it was opened without an activity.
  public let activities: [UserActivity]
  /// The style that was requested when the window was opened; `automatic` for a restored window.
  public let presentationStyle: ScenePresentationStyle
  /// The events from the app in order, which finish when the window should end.
  ///
  /// A request for the next event reports to the app that the previous input has been handled. The sequence supports a
  /// single pass.
  public let events: SceneEvents
  /// The drops on the window, in order.
  ///
  /// Iterate over the drops and over ``events`` in two separate tasks. The sequence supports a single pass.
  public let drops: SceneDrops

  private init(
    _ connection: DropSession, _ session: SceneSession, _ activities: [UserActivity], _ style: ScenePresentationStyle,
    _ inbox: SceneInbox
  ) {
    self.connection = connection
    self.activities = activities
    presentationStyle = style
    self.inbox = inbox
    let content = SceneContent(session: session, rows: [])
    state = Lock((content, 0))
    (contents, newContents) = AsyncStream.makeStream(of: SceneContent.self, bufferingPolicy: .bufferingNewest(1))
    newContents.yield(content)
    events = SceneEvents(inbox: inbox)
    drops = SceneDrops(inbox: inbox)
  }

  /// Shows a scene while a closure runs.
  ///
  /// - Parameters:
  ///   - endpoint: The connection to the app.
  ///   - takesDrops: Whether the window iterates over ``drops``; if not, every drop is refused.
  ///   - isolation: The caller's isolation; omit it.
  ///   - body: Shows the scene; it should return when ``events`` finish.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`; `DropStreamError` if the connection fails; `SceneHostError.invalidMessage`.
  public static func run<Result>(
    over endpoint: DropEndpoint = .standardIO, takesDrops: Bool = false, isolation: isolated (any Actor)? = #isolation,
    _ body: (SceneWindow) async throws -> Result
  ) async throws -> Result {
    try await run(over: endpoint, takesDrops: { _ in takesDrops }, isolation: isolation, body)
  }

  /// Shows a scene, and decides by its session whether it accepts drops.
  package static func run<Result>(
    over endpoint: DropEndpoint = .standardIO, takesDrops: (SceneWindow) -> Bool,
    isolation: isolated (any Actor)? = #isolation, _ body: (SceneWindow) async throws -> Result
  ) async throws -> Result {
    try await DropStream.withSession(over: endpoint) { connection in
      var drops = connection.drops.makeAsyncIterator()
      guard let first = try await drops.next(),
        case .connect(let session, let activities, let style)? = try await first.sceneMessage()
      else { throw SceneHostError(.invalidMessage, "the app's first message is not a connection request") }
      let inbox = SceneInbox()
      let window = SceneWindow(connection, session, activities, style, inbox)
      inbox.takesDrops.withLock { $0 = takesDrops(window) }
      async let _: Void = inbox.fill(from: connection)
      try await first.finish(.copy)
      let result = try await body(window)
      await inbox.finishTyped()
      return result
    }
  }

  /// The session of the scene, which outlives this process.
  public var session: SceneSession { state.withLock { $0.content.session } }

  /// Changes the session: its title, restoration activity, conditions or user info.
  ///
  /// - Parameter body: Changes the session.
  /// - Throws: `DropStreamError` if the app is gone or cannot receive the message.
  public nonisolated(nonsending) func update(
    _ body: @Sendable (inout SceneSession) -> Void
  ) async throws(DropStreamError) {
    let (content, number) = change { body(&$0.session) }
    _ = try await connection.send(.state(content.session, number: number))
  }

  /// Shows lines of text in place of the previous lines.
  ///
  /// - Parameter lines: The lines from top to bottom; at most 1000 lines of 500 Unicode scalars are visible.
  /// - Throws: `DropStreamError` if the app is gone or cannot receive the message.
  public nonisolated(nonsending) func show(_ lines: [String]) async throws(DropStreamError) {
    try await show(rows: lines.map { SceneRow($0) })
  }

  /// Shows rows in place of the previous lines.
  ///
  /// - Parameter rows: The rows from top to bottom; at most 1000 lines of 500 Unicode scalars are visible.
  /// - Throws: `DropStreamError` if the app is gone or cannot receive the message.
  public nonisolated(nonsending) func show(rows: [SceneRow]) async throws(DropStreamError) {
    let (content, number) = change { $0.rows = rows }
    _ = try await connection.send(.content(content.rows.lines(width: inbox.width.withLock { $0 }), number: number))
  }

  /// Changes the content.
  ///
  /// The number is assigned before the first suspension, so that the later of two calls on an actor prevails.
  private func change(_ body: (inout SceneContent) -> Void) -> (SceneContent, number: UInt64) {
    state.withLock { state in
      body(&state.content)
      state.number += 1
      newContents.yield(state.content)
      return (state.content, state.number)
    }
  }

  /// Requests that the app continues an activity in a suitable window.
  ///
  /// - Parameters:
  ///   - activity: The activity to continue.
  ///   - presentationStyle: The preferred style of a new window; an existing window stays where it is.
  /// - Throws: `DropStreamError`: `refused` with the app's reason if no window is suitable or the window fails; other
  ///   codes if the session with the app fails.
  public func open(
    _ activity: UserActivity, presentationStyle: ScenePresentationStyle = .automatic
  ) async throws(DropStreamError) {
    _ = try await connection.send(.open(activity, style: presentationStyle))
  }

  /// Drags items to a window or to the desktop, and waits until the target has responded.
  ///
  /// - Parameters:
  ///   - items: The items, which the target loads on demand.
  ///   - target: The target of the drag.
  ///   - actions: The actions that the target may perform; it may always copy the items.
  /// - Returns: The items that were kept, and the action. Delete only items that were moved and kept.
  /// - Throws: `DropStreamError`: `refused` with the reason of the app or the target, `peerGone` and others.
  public func drag(
    _ items: [ItemProvider], to target: SceneTarget, allowing actions: DropActions = .copy
  ) async throws(DropStreamError) -> DropReceipt {
    try await connection.send(.drag(to: target), with: items, allowing: actions.union(.copy))
  }

  /// Reports to the app that the window is closed, so that its scene session ends with this process.
  ///
  /// The closure of `run` should then return.
  ///
  /// - Throws: `DropStreamError` if the app is gone.
  public func close() async throws(DropStreamError) {
    _ = try await connection.send(.close)
  }
}

/// The functions for the user interface in the window's process.
extension SceneWindow {
  /// Adds an event to ``events``.
  package func add(_ event: SceneEvent) { inbox.add(event) }

  /// Adds a drop to ``drops``, or refuses it if the window does not accept drops.
  package func add(_ drop: SceneDrop) async throws(DropStreamError) { try await inbox.add(drop) }

  /// The requests for the items of this window's drags, from windows of the same app.
  package var handOvers: AsyncStream<SceneHandOver> { inbox.handOvers }

  /// Begins a drag on the desktop, whose items other windows of the app can take.
  package func beginDrag() -> SceneDrag {
    let drag = SceneDrag(from: session.id)
    inbox.drag.withLock { $0 = (drag, false) }
    return drag
  }

  /// Returns whether the items of a drag were passed to another window.
  package func isHandedOver(_ drag: SceneDrag) -> Bool {
    inbox.drag.withLock { $0.map { $0 == drag && $1 } ?? false }
  }

  /// Requests the items of a drag that was dropped on this window; they arrive in ``drops``.
  ///
  /// - Throws: `DropStreamError`: `refused` if the drag is over, or does not come from a window of this app.
  package func take(_ drag: SceneDrag, position: Int?) async throws(DropStreamError) {
    _ = try await connection.send(.take(drag, position: position))
  }

  /// Ends ``events`` and ``drops``, so that the closure of `run` returns.
  package func endEvents() { inbox.finish() }
}
