// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What windows are told, and how they end.
extension SceneHost {
  /// Lets a window have what is typed, and no other.
  ///
  /// - Parameter id: The window.
  public func makeKey(_ id: SceneSession.ID) async {
    guard connections[id]?.session != nil else { return }
    makeRecent(id)
    for scene in scenes where scene.isKey != (scene.id == id) {
      change(scene.id) { $0.isKey = scene.id == id }
      // One that cannot hear it is ending.
      _ = try? await connections[scene.id]?.session?.say(.key(scene.id == id))
    }
  }

  /// Gives the key window what was typed.
  ///
  /// - Parameter text: A line.
  /// - Throws: `unknownScene` where no window is key, `sceneGone` where it ends meanwhile.
  public func type(_ text: String) async throws {
    guard let key = scenes.first(where: \.isKey), let session = connections[key.id]?.session else {
      throw SceneHostError(.unknownScene, "no window is key")
    }
    do {
      _ = try await session.say(.input(text))
    } catch {
      throw SceneHostError(.sceneGone, "window \(key.number) has ended", underlyingError: error)
    }
  }

  /// Asks a window to show anew what may have changed.
  ///
  /// - Parameter id: The window.
  public func refresh(_ id: SceneSession.ID) async {
    _ = try? await connections[id]?.session?.say(.refresh)
  }

  /// Tells a window how wide it is.
  ///
  /// - Parameters:
  ///   - id: The window.
  ///   - columns: In characters.
  public func resize(_ id: SceneSession.ID, columns: Int) async {
    _ = try? await connections[id]?.session?.say(.size(columns: columns))
  }

  // MARK: Ending

  /// Closes a window, and waits until its process has ended; its session ends with it.
  ///
  /// - Parameter id: The window; one that is not there is closed already.
  public func close(_ id: SceneSession.ID) async {
    if connections[id] != nil {
      connections[id]?.isClosing = true
      await disconnect(id, connections[id]?.session)
      await waitForEnd(of: id)
    }
    await remove(id)
  }

  func disconnect(_ id: SceneSession.ID, _ session: DropSession?) async {
    _ = try? await session?.say(.disconnect)
  }

  func waitForEnd(of id: SceneSession.ID) async {
    guard connections[id] != nil else { return }
    await withCheckedContinuation { connections[id]?.closing.append($0) }
  }

  private func remove(_ id: SceneSession.ID) async {
    guard let scene = scenes.first(where: { $0.id == id }) else { return }
    recent.removeAll { $0 == id }
    try? state.change { snapshot throws(SharedListError) in
      snapshot.elements.removeAll { $0.id == id }
      snapshot.revision += 1
    }
    saves.yield()
    if scene.isKey { await makeNextKey() }
  }

  private func makeNextKey() async {
    if let next = recent.first(where: { connections[$0]?.session != nil }) { await makeKey(next) }
  }

  /// Lets go of a process that has ended.
  func end(_ id: SceneSession.ID, _ error: (any Error)?) async {
    guard let connection = connections.removeValue(forKey: id) else { return }
    let wasKey = scenes.first { $0.id == id }?.isKey ?? false
    change(id) { scene in
      scene.processIdentifier = nil
      scene.isKey = false
      scene.content = []
      scene.failure = isEnding || connection.isClosing ? nil : error.map { "\($0)" }
    }
    let reason = SceneHostError(.sceneGone, "the window has ended", underlyingError: error)
    for waiting in connection.opening { waiting.resume(throwing: reason) }
    if let error, !isEnding, !connection.isClosing { failed(error) }
    if connection.isClosing { await remove(id) }
    for waiting in connection.closing { waiting.resume() }
    if wasKey, !isEnding { await makeNextKey() }
  }
}
