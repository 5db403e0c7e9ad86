// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import DropTransport
public import ItemTransfer
internal import Synchronization

/// An event that an app sends to a window.
public enum SceneEvent: Sendable {
  /// The window should continue an activity.
  case activate(UserActivity)
  /// The window should refresh content that may have changed.
  case refresh
  /// The window has become the key window, or is not the key window any more.
  case key(Bool)
  /// The window has a new width in characters.
  case size(columns: Int)
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
    fileprivate var messages: AsyncStream<SceneInbox.Message>.Iterator

    /// Waits for the next event.
    ///
    /// The call reports to the app that the previous input has been handled.
    ///
    /// - Parameter actor: The actor that waits.
    /// - Returns: The next event; `nil` when the window should end, or if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> SceneEvent? {
      await inbox.finishTyped()
      while let message = await messages.next(isolation: actor) {
        switch message.message {
        case .activate(let activity): return .activate(activity)
        case .refresh: return .refresh
        case .key(let isKey): return .key(isKey)
        case .size(let columns): return .size(columns: columns)
        case .input(let text):
          inbox.typed.withLock { $0 = message.drop }
          return .input(text)
        default: continue
        }
      }
      return nil
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
    Iterator(messages: inbox.drops.makeAsyncIterator())
  }

  /// An iterator over the drops.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var messages: AsyncStream<SceneInbox.Message>.Iterator

    /// Waits for the next drop.
    ///
    /// - Parameter actor: The actor that waits.
    /// - Returns: The next drop; `nil` when the window should end, or if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> SceneDrop? {
      guard let message = await messages.next(isolation: actor), case .drop(let position) = message.message else {
        return nil
      }
      return SceneDrop(message.drop, position: position)
    }
  }
}

@available(*, unavailable)
extension SceneDrops.Iterator: Sendable {}

/// Items that were dropped on a window.
public struct SceneDrop: Sendable {
  private let drop: IncomingDrop
  /// The position in the window; `nil` if the source gave none.
  public let position: Int?

  init(_ drop: IncomingDrop, position: Int?) {
    self.drop = drop
    self.position = position
  }

  /// The dropped items, in the source's order.
  public var items: [ItemProvider] { Array(drop.items.dropFirst()) }

  /// The actions that the source allows.
  public var actions: DropActions { drop.actions }

  /// Reports to the source which items were kept.
  ///
  /// - Parameters:
  ///   - action: The action that was performed, one of ``actions``.
  ///   - kept: The indices of the kept items; `nil` for all.
  /// - Returns: Whether the source has received the report. Moved items belong to the window only if the result is
  ///   `true`. The result is `false` if the source is gone or has withdrawn the drop, or if the task is cancelled.
  /// - Throws: As `IncomingDrop.finish(_:keeping:)`, except in these cases.
  @discardableResult
  public func finish(_ action: DropAction, keeping kept: [Int]? = nil) async throws(DropStreamError) -> Bool {
    do throws(DropStreamError) {
      try await drop.finish(action, keeping: kept.map { kept in [0] + kept.map { $0 + 1 } })
      return true
    } catch {
      if error.needsNoResponse { return false }
      throw error
    }
  }

  /// Refuses the drop with a reason; does nothing if the source is gone or has withdrawn the drop.
  ///
  /// - Parameter reason: The reason, which the source may show.
  /// - Throws: `DropStreamError` if the session fails.
  public func refuse(because reason: String) async throws(DropStreamError) {
    try await drop.refuseUnlessWithdrawn(because: reason)
  }
}

/// The messages of an app to a window, sorted into events and drops.
///
/// The buffer keeps the newest 256 events.
final class SceneInbox: Sendable {
  struct Message: Sendable {
    var message: SceneMessage
    var drop: IncomingDrop
  }

  let events: AsyncStream<Message>
  let drops: AsyncStream<Message>
  /// The offer of the input that is being handled.
  let typed = Lock<IncomingDrop?>(nil)
  private let newEvents: AsyncStream<Message>.Continuation
  private let newDrops: AsyncStream<Message>.Continuation

  private let takesDrops: Bool

  init(takesDrops: Bool) {
    self.takesDrops = takesDrops
    (events, newEvents) = AsyncStream.makeStream(of: Message.self, bufferingPolicy: .bufferingNewest(256))
    (drops, newDrops) = AsyncStream.makeStream(of: Message.self)
  }

  /// Reports to the app that the input has been handled.
  ///
  /// An error is ignored: if the app is gone, the events end.
  func finishTyped() async {
    try? await typed.withLock { $0.take() }?.finish(.copy)
  }

  /// Sorts incoming messages until the session ends or the window should end.
  func fill(from connection: DropSession) async {
    defer {
      newEvents.finish()
      newDrops.finish()
    }
    do {
      for try await drop in connection.drops {
        guard let said = try await drop.sceneMessage() else { continue }
        let message = Message(message: said, drop: drop)
        switch message.message {
        case .drop where takesDrops: newDrops.yield(message)
        case .drop: try await drop.refuseUnlessWithdrawn(because: "this window does not accept drops")
        case .input: newEvents.yield(message)
        case .disconnect: return try await drop.finishUnlessWithdrawn()
        case .activate, .refresh, .key, .size:
          // The response means that the window has received the message, not that it has handled it. The window may be
          // waiting for the app, which waits for this response.
          newEvents.yield(message)
          try await drop.finishUnlessWithdrawn()
        default: try await drop.refuseUnlessWithdrawn(because: "unsupported request to a window")
        }
      }
    } catch {
      // The window's next call to the app throws the error.
    }
  }
}
