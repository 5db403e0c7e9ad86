// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Synchronization

/// What an app says to a window, sorted into events and drops.
///
/// Of what nobody waits for, the newest is kept.
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

  private let takesDrops: Bool

  init(takesDrops: Bool) {
    self.takesDrops = takesDrops
    (events, newEvents) = AsyncStream.makeStream(of: Message.self, bufferingPolicy: .bufferingNewest(256))
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
        guard let said = try await drop.sceneMessage() else { continue }
        let message = Message(message: said, drop: drop)
        switch message.message {
        case .drop where takesDrops: newDrops.yield(message)
        case .drop: try await drop.refuseIfHeard(because: "nothing can be dropped on this window")
        case .input: newEvents.yield(message)
        case .disconnect: return try await drop.finishIfHeard()
        case .activate, .refresh, .key, .size:
          // Heard; nobody waits until it was acted upon, who might be the one that has to act.
          newEvents.yield(message)
          try await drop.finishIfHeard()
        default: try await drop.refuseIfHeard(because: "a window cannot do that")
        }
      }
    } catch {
      // Whoever says something next hears of it.
    }
  }
}
