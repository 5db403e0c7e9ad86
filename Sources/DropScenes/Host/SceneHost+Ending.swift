// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
public import FoundationEssentials

/// Methods that send input and notices to windows, and end windows.
extension SceneHost {
  /// Makes a window the only window that receives input.
  ///
  /// - Parameter id: The window; the call has no effect if the window has no connected process.
  public func makeKey(_ id: SceneSession.ID) {
    guard connections[id]?.session != nil else { return }
    makeRecent(id)
    let before = scenes
    changeAll { scenes in
      for index in scenes.indices { scenes[index].isKey = scenes[index].id == id }
    }
    for scene in before where scene.isKey != (scene.id == id) {
      connections[scene.id]?.post(.key(scene.id == id))
    }
  }

  /// Sends a line of input to a window, and waits until the window has handled it.
  ///
  /// - Parameters:
  ///   - text: The line.
  ///   - id: The window; `nil` for the key window.
  /// - Throws: `unknownScene` if there is no such window, `sceneGone` if the window ends meanwhile; `CancellationError`.
  public func sendInput(_ text: String, to id: SceneSession.ID? = nil) async throws {
    let target = scenes.first { scene in id.map { scene.id == $0 } ?? scene.isKey }
    guard let target, let session = connections[target.id]?.session else {
      throw SceneHostError(.unknownScene, id == nil ? "there is no key window" : "the window is closed")
    }
    do throws(DropStreamError) {
      _ = try await session.send(.input(text))
    } catch {
      if error.code == .cancelled { throw CancellationError() }
      throw SceneHostError(.sceneGone, "window \(target.number) has ended", underlyingError: error)
    }
  }

  /// Requests that a window refreshes content that may have changed.
  ///
  /// - Parameter id: The window.
  public func refresh(_ id: SceneSession.ID) {
    connections[id]?.post(.refresh)
  }

  /// Notifies a window of its width.
  ///
  /// - Parameters:
  ///   - id: The window.
  ///   - columns: The width in characters.
  public func resize(_ id: SceneSession.ID, columns: Int) {
    connections[id]?.post(.size(columns: columns))
  }

  // MARK: Ending

  /// Closes a window, ends its scene session, and waits until its process has ended.
  ///
  /// A process that does not end within the timeout is terminated.
  ///
  /// - Parameter id: The window; closing an unknown window has no effect.
  public func close(_ id: SceneSession.ID) async {
    if let connection = connections[id] {
      connection.close()
      connection.disconnect()
      await connection.waitForEnd()
    }
    remove(id)
  }

  private func remove(_ id: SceneSession.ID) {
    let wasKey = scenes.first { $0.id == id }?.isKey ?? false
    recent.removeAll { $0 == id }
    changeAll { $0.removeAll { $0.id == id } }
    if wasKey { makeNextKey() }
  }

  private func makeNextKey() {
    if let next = recent.first(where: { connections[$0]?.session != nil }) { makeKey(next) }
  }

  /// Updates a window whose process has ended, and removes the window if it was closed.
  ///
  /// - Parameters:
  ///   - launch: The window that the process showed.
  ///   - error: The error that it ended with; `nil` for a normal end.
  func end(_ launch: SceneLaunch, _ error: (any Error)?) {
    let (id, connection) = (launch.session.id, launch.connection)
    if connections[id] === connection { connections[id] = nil }
    let isMeant = isEnding || connection.isClosing || Task.isCancelled
    let wasKey = scenes.first { $0.id == id }?.isKey ?? false
    change(id) { scene in
      scene.processIdentifier = nil
      scene.isKey = false
      scene.content = []
      scene.failure = isMeant ? nil : error.map { "\($0)" }
    }
    if let error, !isMeant { onFailure(error) }
    if connection.isClosing { remove(id) }
    connection.ended(error ?? SceneHostError(.sceneGone, "the window has ended"))
    if wasKey, !isEnding { makeNextKey() }
  }
}
