// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
internal import Synchronization

/// What an app says to a window, sorted into events and drops.
///
/// It holds no more than the offers that a session lets be open at once.
final class SceneInbox: Sendable {
  struct Message: Sendable {
    var message: SceneMessage
    var drop: IncomingDrop
  }

  let events: AsyncStream<Message>
  let drops: AsyncStream<Message>
  /// What was typed and is being acted upon.
  let typed = Lock<IncomingDrop?>(nil)
  private let newEvents: AsyncStream<Message>.Continuation
  private let newDrops: AsyncStream<Message>.Continuation

  init() {
    (events, newEvents) = AsyncStream.makeStream(of: Message.self)
    (drops, newDrops) = AsyncStream.makeStream(of: Message.self)
  }

  /// Tells the app that what was typed was acted upon; one that is gone is noticed by what comes next: nothing.
  func finishTyped() async {
    try? await typed.withLock { $0.take() }?.finish(.copy)
  }

  /// Sorts what comes until there is no more, or the window is to end.
  func fill(from connection: DropSession) async {
    defer {
      newEvents.finish()
      newDrops.finish()
    }
    do {
      for try await drop in connection.drops {
        let message = Message(message: try await drop.sceneMessage(), drop: drop)
        switch message.message {
        case .drop: newDrops.yield(message)
        case .input: newEvents.yield(message)
        case .disconnect: return try await drop.finishIfHeard()
        case .activate, .refresh, .key, .size:
          // Heard; nobody waits until it was acted upon, who might be the one that has to act.
          newEvents.yield(message)
          try await drop.finishIfHeard()
        default: try await drop.refuse(because: "a window cannot do that")
        }
      }
    } catch {
      // Whoever says something next hears of it.
    }
  }
}
