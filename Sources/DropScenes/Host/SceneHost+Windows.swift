// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
internal import ItemTransfer

/// The process of one window: what it says, and what is dragged from it.
extension SceneHost {
  /// Runs a window's process to its end.
  func show(_ launch: Launch) async {
    let id = launch.session.id
    do {
      try await DropStream.withSession(over: .process(command(for: launch.session))) { session in
        _ = try await session.say(.connect(launch.session, activities: launch.activities))
        connected(id, session)
        try await withThrowingDiscardingTaskGroup { group in
          for try await drop in session.drops {
            let message = try await drop.sceneMessage()
            switch message {
            case .drag(let target):
              // What is dragged may take long, and be dragged to the window that it is dragged from.
              group.addTask { try await self.carry(drop, to: target) }
            case .open(let activity):
              group.addTask { try await self.answer(drop) { _ = try await self.open(activity) } }
            default:
              take(message, from: id)
              try await drop.finishIfHeard()
            }
          }
        }
      }
      await end(id, nil)
    } catch {
      await end(id, error)
    }
  }

  private func connected(_ id: SceneSession.ID, _ session: DropSession) {
    connections[id]?.session = session
    for waiting in connections[id]?.opening ?? [] { waiting.resume() }
    connections[id]?.opening = []
  }

  private func take(_ message: SceneMessage, from id: SceneSession.ID) {
    switch message {
    case .ready(let processIdentifier): change(id) { $0.processIdentifier = processIdentifier }
    case .content(let lines): change(id) { $0.show(lines) }
    case .state(let session):
      change(id) { scene in
        // Who it is, and of which kind, is the app's to say.
        var changed = session
        changed.configurationName = scene.session.configurationName
        changed.role = scene.session.role
        if changed.id == scene.id { scene.session = changed }
      }
    case .close: connections[id]?.isClosing = true
    default: break
    }
  }

  /// Carries a drop to where it is let go of, and the answer back.
  private func carry(_ drop: IncomingDrop, to target: SceneTarget) async throws {
    try await answer(drop, action: nil) {
      let items = Array(drop.items.dropFirst())
      switch target {
      case .desktop:
        _ = try await self.open(try await Self.activity(of: items))
        try await drop.finish(.copy)
      case .scene(let name, let position):
        let scene = try self.scene(name)
        guard let session = self.connections[scene.id]?.session else {
          throw SceneHostError(.sceneGone, "window \(scene.number) has ended")
        }
        let receipt = try await session.say(.drop(position: position), with: items, allowing: drop.actions)
        try await drop.finish(receipt.action, keeping: [0] + receipt.keptItems.map { $0 + 1 })
      }
    }
  }

  private static func activity(of items: [ItemProvider]) async throws -> UserActivity {
    for item in items where item.hasRepresentation(conformingTo: .userActivity) {
      return try await item.value(as: UserActivity.self)
    }
    throw SceneHostError(.noActivity, "nothing of what was dropped says how it is opened")
  }

  /// Does what a window asks for, and tells it why where that cannot be done.
  private func answer(
    _ drop: IncomingDrop, action: DropAction? = .copy, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
      if let action { try await drop.finish(action) }
    } catch let error as DropStreamError where [.withdrawn, .peerGone, .closed, .cancelled].contains(error.code) {
      // Nobody waits for an answer.
    } catch {
      let reason = (error as? DropStreamError)?.senderFailure?.reason ?? "\(error)"
      do throws(DropStreamError) {
        try await drop.refuse(because: reason)
      } catch {
        if ![.withdrawn, .peerGone, .closed, .cancelled].contains(error.code) { throw error }
      }
    }
  }
}

extension IncomingDrop {
  /// Says that it was heard; who has taken it back meanwhile need not know.
  func finishIfHeard() async throws {
    do throws(DropStreamError) {
      try await finish(.copy)
    } catch {
      if error.code != .withdrawn { throw error }
    }
  }
}
