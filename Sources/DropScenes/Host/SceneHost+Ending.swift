// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
public import FoundationEssentials

/// What windows are told, and how they end.
extension SceneHost {
  /// Lets a window have what is typed, and no other.
  ///
  /// - Parameter id: The window; of one without a process, nothing happens.
  public func makeKey(_ id: SceneSession.ID) {
    guard connections[id]?.session != nil else { return }
    makeRecent(id)
    let before = scenes
    changeAll { scenes in
      for index in scenes.indices { scenes[index].isKey = scenes[index].id == id }
    }
    for scene in before where scene.isKey != (scene.id == id) {
      connections[scene.id]?.tell(.key(scene.id == id))
    }
  }

  /// Gives the key window what was typed, and waits until it has acted upon it.
  ///
  /// - Parameter text: A line.
  /// - Throws: `unknownScene` where no window is key, `sceneGone` where it ends meanwhile; `CancellationError`.
  public func type(_ text: String) async throws {
    guard let key = scenes.first(where: \.isKey), let session = connections[key.id]?.session else {
      throw SceneHostError(.unknownScene, "no window is key")
    }
    do throws(DropStreamError) {
      _ = try await session.say(.input(text))
    } catch {
      if error.code == .cancelled { throw CancellationError() }
      throw SceneHostError(.sceneGone, "window \(key.number) has ended", underlyingError: error)
    }
  }

  /// Asks a window to show anew what may have changed.
  ///
  /// - Parameter id: The window.
  public func refresh(_ id: SceneSession.ID) {
    connections[id]?.tell(.refresh)
  }

  /// Tells a window how wide it is.
  ///
  /// - Parameters:
  ///   - id: The window.
  ///   - columns: In characters.
  public func resize(_ id: SceneSession.ID, columns: Int) {
    connections[id]?.tell(.size(columns: columns))
  }

  // MARK: Ending

  /// Closes a window, and waits until its process has ended; its session ends with it.
  ///
  /// - Parameter id: The window; one that is not there is closed already. One that does not end in time is made to.
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

  /// Lets go of a process that has ended.
  ///
  /// - Parameters:
  ///   - launch: The window that it has shown.
  ///   - error: What it has ended with; `nil` where it has ended by itself.
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
    if let error, !isMeant { failed(error) }
    if connection.isClosing { remove(id) }
    connection.ended(error ?? SceneHostError(.sceneGone, "the window has ended"))
    if wasKey, !isEnding { makeNextKey() }
  }
}
