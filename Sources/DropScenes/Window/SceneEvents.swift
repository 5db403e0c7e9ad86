// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
public import ItemTransfer
internal import Synchronization

/// An event that an app sends to a window.
public enum SceneEvent: Sendable {
  /// The window should continue an activity.
  case activate(UserActivity)
  /// The window should refresh content that may have changed.
  case refresh
  /// The window has become the key window, or is no longer the key window.
  case key(Bool)
  /// The window has a new width in characters; on a desktop, of usual characters.
  case size(columns: Int)
  /// The window has a new size on a desktop, in points of 1/96 inch.
  case bounds(width: Double, height: Double)
  /// The window has received a line of input.
  case input(String)
}

/// A sequence of the events that an app sends to a window.
public struct SceneEvents: AsyncSequence, Sendable {
  let inbox: SceneInbox

  /// Returns an iterator; the sequence supports a single pass.
  public func makeAsyncIterator() -> Iterator {
    Iterator(inbox: inbox, messages: inbox.events.makeAsyncIterator())
  }

  /// An iterator over the events.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let inbox: SceneInbox
    fileprivate var messages: AsyncStream<SceneInbox.Event>.Iterator

    /// Waits for the next event.
    ///
    /// The call reports to the app that the previous input has been handled.
    ///
    /// - Parameter actor: The actor that waits.
    /// - Returns: The next event; `nil` when the window should end, or if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> SceneEvent? {
      await inbox.finishTyped()
      guard let next = await messages.next(isolation: actor) else { return nil }
      inbox.typed.withLock { $0 = next.typed }
      return next.event
    }
  }
}

@available(*, unavailable)
extension SceneEvents.Iterator: Sendable {}

/// A sequence of the drops on a window.
public struct SceneDrops: AsyncSequence, Sendable {
  let inbox: SceneInbox

  /// Returns an iterator; the sequence supports a single pass.
  public func makeAsyncIterator() -> Iterator {
    Iterator(drops: inbox.drops.makeAsyncIterator())
  }

  /// An iterator over the drops.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var drops: AsyncStream<SceneDrop>.Iterator

    /// Waits for the next drop.
    ///
    /// - Parameter actor: The actor that waits.
    /// - Returns: The next drop; `nil` when the window should end, or if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> SceneDrop? {
      await drops.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension SceneDrops.Iterator: Sendable {}

/// The messages of an app to a window, sorted into events and drops.
///
/// The buffer keeps the newest 256 events.
final class SceneInbox: Sendable {
  struct Event: Sendable {
    var event: SceneEvent
    /// The offer of an input from the app; `nil` for other events.
    var typed: IncomingDrop?
  }

  let events: AsyncStream<Event>
  let drops: AsyncStream<SceneDrop>
  /// The offer of the input that is being handled.
  let typed = Lock<IncomingDrop?>(nil)
  private let newEvents: AsyncStream<Event>.Continuation
  private let newDrops: AsyncStream<SceneDrop>.Continuation
  let handOvers: AsyncStream<SceneHandOver>
  private let newHandOvers: AsyncStream<SceneHandOver>.Continuation
  /// The present drag on the desktop, and whether another window has requested its items.
  let drag = Lock<(SceneDrag, isHandedOver: Bool)?>(nil)

  /// The width of the window in characters, which a terminal states.
  let width = Lock<Int?>(nil)
  /// Whether the window accepts drops.
  let takesDrops = Lock(false)

  init() {
    (events, newEvents) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(256))
    (drops, newDrops) = AsyncStream.makeStream(of: SceneDrop.self)
    (handOvers, newHandOvers) = AsyncStream.makeStream(of: SceneHandOver.self)
  }

  /// Reports to the app that the input has been handled.
  ///
  /// An error is ignored: if the app is gone, the events end.
  func finishTyped() async {
    try? await typed.withLock { $0.take() }?.finish(.copy)
  }

  /// Adds an event of the user interface in this process.
  func add(_ event: SceneEvent) {
    newEvents.yield(Event(event: event))
  }

  /// Adds a drop that reached this process without the app, or refuses it if the window does not accept drops.
  func add(_ drop: SceneDrop) async throws(DropStreamError) {
    guard takesDrops.withLock({ $0 }) else { return try await drop.refuse(because: Self.noDrops) }
    newDrops.yield(drop)
  }

  /// Ends both sequences, so that the window's closure returns.
  func finish() {
    newEvents.finish()
    newDrops.finish()
  }

  private static let noDrops = "this window does not accept drops"

  /// Sorts incoming messages until the session ends or the window should end.
  func fill(from connection: DropSession) async {
    defer { finish() }
    do {
      for try await drop in connection.drops {
        guard let said = try await drop.sceneMessage() else { continue }
        switch said {
        case .drop(let position): try await add(SceneDrop(drop, position: position))
        case .input(let text): newEvents.yield(Event(event: .input(text), typed: drop))
        case .handOver(let drag, let target, let position):
          let handOver = SceneHandOver(drag: drag, target: .scene(target.uuidString, position: position))
          if request(handOver) {
            try await drop.finishUnlessWithdrawn()
          } else {
            try await drop.refuseUnlessWithdrawn(because: "the drag is over")
          }
        case .disconnect: return try await drop.finishUnlessWithdrawn()
        case .activate(let activity): try await take(.activate(activity), drop)
        case .refresh: try await take(.refresh, drop)
        case .key(let isKey): try await take(.key(isKey), drop)
        case .size(let columns):
          width.withLock { $0 = columns }
          try await take(.size(columns: columns), drop)
        default: try await drop.refuseUnlessWithdrawn(because: "unsupported request to a window")
        }
      }
    } catch {
      // The window's next call to the app throws the error.
    }
  }

  /// Adds a request for the items of the present drag, which only one window gets.
  private func request(_ handOver: SceneHandOver) -> Bool {
    let isFirst = drag.withLock { drag in
      guard let (present, isHandedOver) = drag, present == handOver.drag, !isHandedOver else { return false }
      drag = (present, true)
      return true
    }
    if isFirst { newHandOvers.yield(handOver) }
    return isFirst
  }

  /// Adds an event, and responds that the window has received it.
  ///
  /// The response does not wait until the window has handled the event: the window may be waiting for the app, which
  /// waits for this response.
  private func take(_ event: SceneEvent, _ drop: IncomingDrop) async throws {
    add(event)
    try await drop.finishUnlessWithdrawn()
  }
}
