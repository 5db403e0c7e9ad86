// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemTransfer

/// The task that runs a window's process, and handles the messages and drops from the window.
extension SceneHost {
  /// An internal error that cancels the other tasks once the session has ended.
  private struct SessionOver: Error {}

  /// Runs a window's process until it ends, or until a timeout ends it.
  func run(_ launch: SceneLaunch) async {
    let (connection, timeouts) = (launch.connection, timeouts)
    do {
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask {
          try await self.exchangeMessages(with: launch)
          throw SessionOver()
        }
        group.addTask {
          try await Task.sleep(for: timeouts.opening)
          if connection.session == nil {
            throw SceneHostError(.sceneGone, "the window did not connect within \(timeouts.opening)")
          }
        }
        group.addTask {
          for await _ in connection.endings {
            try await Task.sleep(for: timeouts.closing)
            throw SceneHostError(.sceneGone, "the window did not end within \(timeouts.closing)")
          }
        }
      }
    } catch {
      end(launch, error is SessionOver ? nil : error)
    }
  }

  private func exchangeMessages(with launch: SceneLaunch) async throws {
    let (id, connection) = (launch.session.id, launch.connection)
    try await DropStream.withSession(over: .process(program(launch.session))) { session in
      let process = session.childProcessIdentifier
      change(id) { $0.processIdentifier = process }
      _ = try await session.send(.connect(launch.session, activities: launch.activities))
      connection.connected(session)
      try await withThrowingDiscardingTaskGroup { group in
        group.addTask {
          // Sending fails if the window has ended, and the notice is then not needed.
          for await notice in connection.notices { _ = try? await session.send(notice) }
        }
        for try await drop in session.drops {
          guard let message = try await drop.sceneMessage() else { continue }
          switch message {
          case .drag(let target):
            // The transfer has its own task: it may take long, and its target may be the window that sends it.
            group.addTask { try await self.forward(drop, to: target) }
          case .open(let activity):
            group.addTask { try await self.respond(to: drop) { _ = try await self.open(activity) } }
          default:
            take(message, from: id, connection)
            try await drop.finishUnlessWithdrawn()
          }
        }
        // The window has ended, so its transfers are cancelled.
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

  /// Forwards a drop to a window, or opens a window for its activity, and returns the response to the source.
  private func forward(_ drop: IncomingDrop, to target: SceneTarget) async throws {
    try await respond(to: drop, action: nil) {
      let items = Array(drop.items.dropFirst())
      switch target {
      case .desktop:
        _ = try await self.open(try await Self.activity(of: items))
        try await drop.finish(.copy)
      case .scene(let name, let position):
        if let position, !SceneTarget.positions.contains(position) {
          throw SceneHostError(
            .invalidMessage, "position \(position) is outside the range 0 to \(SceneTarget.positions.upperBound)")
        }
        let scene = try self.scene(name)
        guard let session = self.connections[scene.id]?.session else { throw Self.sceneGone(scene, nil) }
        let receipt: DropReceipt
        do throws(DropStreamError) {
          receipt = try await session.send(.drop(position: position), with: items, allowing: drop.actions)
        } catch {
          // This error tells the source, whose own session continues, that the target has ended.
          if [.peerGone, .closed].contains(error.code) { throw Self.sceneGone(scene, error) }
          throw error
        }
        try await drop.finish(receipt.action, keeping: [0] + receipt.keptItems.map { $0 + 1 })
      }
    }
  }

  private static func sceneGone(_ scene: HostedScene, _ error: DropStreamError?) -> SceneHostError {
    SceneHostError(.sceneGone, "window \(scene.number) has ended", underlyingError: error)
  }

  private static func activity(of items: [ItemProvider]) async throws -> UserActivity {
    for item in items where item.hasRepresentation(conformingTo: .userActivity) {
      return try await item.value(as: UserActivity.self)
    }
    throw SceneHostError(.noActivity, "no item of the drop has a user activity to open")
  }

  /// Performs a window's request and finishes it with `action`; refuses it with the reason if `body` fails.
  ///
  /// If `action` is `nil`, `body` finishes the request itself.
  private func respond(
    to drop: IncomingDrop, action: DropAction? = .copy, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
      if let action { try await drop.finishUnlessWithdrawn(action) }
    } catch let error as DropStreamError where error.needsNoResponse {
      return
    } catch {
      let reason = (error as? DropStreamError)?.senderFailure?.reason ?? "\(error)"
      try await drop.refuseUnlessWithdrawn(because: reason)
    }
  }
}
