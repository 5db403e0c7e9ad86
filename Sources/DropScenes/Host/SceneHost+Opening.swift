// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
public import ItemTransfer

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Opening windows: for an activity, of a kind, and those of the last run.
extension SceneHost {
  /// Has an activity gone on with: by a window that is there, or by a new one.
  ///
  /// - Parameter activity: What is to be gone on with.
  /// - Returns: The window, which has taken the activity.
  /// - Throws: `SceneRoutingError` where no window is for it, `SceneHostError` where its process fails.
  @discardableResult
  public func open(_ activity: UserActivity) async throws -> HostedScene {
    let sessions = recent.compactMap { id in scenes.first { $0.id == id }?.session }
    switch try router.route(activity, among: sessions) {
    case .activate(let id):
      makeRecent(id)
      if let session = connections[id]?.session {
        _ = try await session.say(.activate(activity))
      } else if let session = sessions.first(where: { $0.id == id }) {
        try await open(session, [activity])
      }
      await makeKey(id)
      return try scene(id.uuidString)
    case .open(let configuration):
      let session = SceneSession(configuration)
      try await open(session, [activity])
      return try scene(session.id.uuidString)
    }
  }

  /// Opens a window of a kind, with nothing to go on with.
  ///
  /// - Parameter configuration: The kind.
  /// - Returns: The window.
  /// - Throws: `SceneHostError` where its process fails.
  @discardableResult
  public func open(_ configuration: SceneConfiguration) async throws -> HostedScene {
    let session = SceneSession(configuration)
    try await open(session, [])
    return try scene(session.id.uuidString)
  }

  func open(_ session: SceneSession, _ activities: [UserActivity]) async throws {
    guard !isEnding else { throw SceneHostError(.ending, "the app is ending") }
    if scenes.contains(where: { $0.id == session.id }) {
      change(session.id) { $0.failure = nil }
    } else {
      lastNumber += 1
      let scene = HostedScene(session: session, number: lastNumber)
      try state.change { snapshot throws(SharedListError) in
        snapshot.elements.append(scene)
        snapshot.revision += 1
      }
      saves.yield()
    }
    makeRecent(session.id)
    if connections[session.id] == nil {
      connections[session.id] = Connection()
      launches.yield(Launch(session: session, activities: activities))
    }
    try await withCheckedThrowingContinuation { connections[session.id]?.opening.append($0) }
    await makeKey(session.id)
  }

  func makeRecent(_ id: SceneSession.ID) {
    recent.removeAll { $0 == id }
    recent.insert(id, at: 0)
  }

  /// Opens the windows of the last run again, with what they showed.
  ///
  /// - Throws: `SceneRestorationError`; what was saved is left alone in this run then.
  public func restore() async throws {
    guard let restoration else { return }
    let sessions: [SceneSession]
    do {
      sessions = try await restoration.load()
    } catch {
      mayReplaceSaved = false
      throw error
    }
    for session in sessions where !scenes.contains(where: { $0.id == session.id }) {
      try await open(session, [session.stateRestorationActivity].compactMap(\.self))
    }
  }

  func save() async {
    guard let restoration, mayReplaceSaved else { return }
    do {
      try await restoration.save(scenes.map(\.session))
    } catch {
      failed(error)
    }
  }
}
