// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemTransfer

/// The process of one window: what it says, and what is dragged from it.
extension SceneHost {
  /// What the session's task ends the others with.
  private struct SessionOver: Error {}

  /// Runs a window's process to its end, which is not long in coming when it is wanted.
  func show(_ launch: SceneLaunch) async {
    let (connection, patience) = (launch.connection, patience)
    do {
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask {
          try await self.talk(launch)
          throw SessionOver()
        }
        group.addTask {
          try await Task.sleep(for: patience.opening)
          if connection.session == nil { throw SceneHostError(.sceneGone, "the window has not said a word in time") }
        }
        group.addTask {
          for await _ in connection.endings {
            try await Task.sleep(for: patience.closing)
            throw SceneHostError(.sceneGone, "the window has not ended in time")
          }
        }
      }
    } catch {
      end(launch, error is SessionOver ? nil : error)
    }
  }

  private func talk(_ launch: SceneLaunch) async throws {
    let (id, connection) = (launch.session.id, launch.connection)
    try await DropStream.withSession(over: .process(program(launch.session))) { session in
      let process = session.childProcessIdentifier
      change(id) { $0.processIdentifier = process }
      _ = try await session.say(.connect(launch.session, activities: launch.activities))
      connection.connected(session)
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask {
          // What cannot be said to a window that is going need not be said.
          for await notice in connection.notices { _ = try? await session.say(notice) }
        }
        for try await drop in session.drops {
          guard let message = try await drop.sceneMessage() else { continue }
          switch message {
          case .drag(let target):
            // What is dragged may take long, and be dragged to the window that it is dragged from.
            group.addTask { try await self.carry(drop, to: target) }
          case .open(let activity):
            group.addTask { try await self.answer(drop) { _ = try await self.open(activity) } }
          default:
            take(message, from: id, connection)
            try await drop.finishIfHeard()
          }
        }
        // Nobody is there any more for whom something could be carried.
        group.cancelAll()
      }
    }
  }

  private func take(_ message: SceneMessage, from id: SceneSession.ID, _ connection: SceneConnection) {
    switch message {
    case .content(let lines, let number):
      guard connection.isNewContent(number) else { return }
      change(id) { $0.show(lines) }
    case .state(let session, let number):
      guard connection.isNewState(number) else { return }
      change(id) { $0.take(session) }
    case .close: connection.close()
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
        if let position, !SceneTarget.positions.contains(position) {
          throw SceneHostError(.invalidMessage, "there is no place \(position) in a window")
        }
        let scene = try self.scene(name)
        guard let session = self.connections[scene.id]?.session else { throw Self.gone(scene, nil) }
        let receipt: DropReceipt
        do throws(DropStreamError) {
          receipt = try await session.say(.drop(position: position), with: items, allowing: drop.actions)
        } catch {
          // What has become of the destination is nothing that the source could know by itself.
          if [.peerGone, .closed].contains(error.code) { throw Self.gone(scene, error) }
          throw error
        }
        try await drop.finish(receipt.action, keeping: [0] + receipt.keptItems.map { $0 + 1 })
      }
    }
  }

  private static func gone(_ scene: HostedScene, _ error: DropStreamError?) -> SceneHostError {
    SceneHostError(.sceneGone, "window \(scene.number) has ended", underlyingError: error)
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
      if let action { try await drop.finishIfHeard(action) }
    } catch let error as DropStreamError where error.leavesNobodyToAnswer {
      return
    } catch {
      let reason = (error as? DropStreamError)?.senderFailure?.reason ?? "\(error)"
      try await drop.refuseIfHeard(because: reason)
    }
  }
}
