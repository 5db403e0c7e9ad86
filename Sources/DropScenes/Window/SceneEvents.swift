// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import DropTransport
public import ItemTransfer
internal import Synchronization

/// What an app wants of a window.
public enum SceneEvent: Sendable {
  /// Go on with this.
  case activate(UserActivity)
  /// Show anew what may have changed.
  case refresh
  /// What is typed comes here from now on, or no more.
  case key(Bool)
  /// The window is so many characters wide now.
  case size(columns: Int)
  /// This was typed.
  case input(String)
}

/// The events of a window.
public struct SceneEvents: AsyncSequence, Sendable {
  let inbox: SceneInbox

  /// A single pass.
  public func makeAsyncIterator() -> Iterator {
    Iterator(inbox: inbox, messages: inbox.events.makeAsyncIterator())
  }

  /// Goes through the events.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let inbox: SceneInbox
    fileprivate var messages: AsyncStream<SceneInbox.Message>.Iterator

    /// Tells the app that what was typed last was acted upon, and waits for the next; `nil` when the window is to end.
    ///
    /// - Parameter actor: Where it waits.
    /// - Returns: The next event.
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

/// What is dropped on a window.
public struct SceneDrops: AsyncSequence, Sendable {
  let inbox: SceneInbox

  /// A single pass.
  public func makeAsyncIterator() -> Iterator {
    Iterator(messages: inbox.drops.makeAsyncIterator())
  }

  /// Goes through the drops.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var messages: AsyncStream<SceneInbox.Message>.Iterator

    /// Waits for the next drop; `nil` when the window is to end.
    ///
    /// - Parameter actor: Where it waits.
    /// - Returns: The next drop.
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

/// Items that were let go of over a window.
public struct SceneDrop: Sendable {
  private let drop: IncomingDrop
  /// The place in the window; `nil` where none is meant.
  public let position: Int?

  init(_ drop: IncomingDrop, position: Int?) {
    self.drop = drop
    self.position = position
  }

  /// What was dropped, in the source's order.
  public var items: [ItemProvider] { Array(drop.items.dropFirst()) }

  /// What the source lets the window do.
  public var actions: DropActions { drop.actions }

  /// Tells the source what was kept; one that has gone or has taken the drop back need not know.
  ///
  /// - Parameters:
  ///   - action: What was done; one of ``actions``.
  ///   - kept: The items that were kept, by index; `nil` stands for all.
  /// - Returns: Whether the source has heard: only then is what was moved the window's.
  /// - Throws: As `IncomingDrop.finish(_:keeping:)`, but for a source that is gone or has taken the drop back.
  @discardableResult
  public func finish(_ action: DropAction, keeping kept: [Int]? = nil) async throws(DropStreamError) -> Bool {
    do throws(DropStreamError) {
      try await drop.finish(action, keeping: kept.map { kept in [0] + kept.map { $0 + 1 } })
      return true
    } catch {
      if error.leavesNobodyToAnswer { return false }
      throw error
    }
  }

  /// Tells the source that nothing is kept, and why; one that has gone or has taken the drop back need not know.
  ///
  /// - Parameter reason: For whoever looks at the source.
  /// - Throws: `DropStreamError` when the session fails.
  public func refuse(because reason: String) async throws(DropStreamError) {
    try await drop.refuseIfHeard(because: reason)
  }
}
