// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import FoundationEssentials
public import ItemTransfer

/// Opening windows: for an activity, of a kind, and those of the last run.
extension SceneHost {
  /// Has an activity gone on with: by a window that is there, or by a new one.
  ///
  /// - Parameter activity: What is to be gone on with.
  /// - Returns: The window, which has been told of the activity.
  /// - Throws: `SceneRoutingError` where no window is for it, `SceneHostError` where its process fails;
  ///   `CancellationError`.
  @discardableResult
  public func open(_ activity: UserActivity) async throws -> HostedScene {
    let sessions = recent.filter { connections[$0]?.isClosing != true }.compactMap { session($0) }
    switch try router.route(activity, among: sessions) {
    case .activate(let id):
      makeRecent(id)
      guard let session = session(id) else { throw SceneHostError(.sceneGone, "the window was closed") }
      if let connection = connections[id] {
        if try await activate(connection, activity) {
          makeKey(id)
          return try scene(id.uuidString)
        }
        // It has ended, and nobody has noticed until now.
        await connection.waitForEnd()
      }
      return try await open(session, [activity])
    case .open(let configuration):
      var session = SceneSession(configuration)
      // Until it says something else, the window is for what it was opened for, and for nothing else.
      if let target = activity.targetContentIdentifier {
        session.activationConditions = SceneActivationConditions(
          canActivate: .never, prefersToActivate: .equal(to: target))
      }
      return try await open(session, [activity])
    }
  }

  /// Opens a window of a kind, with nothing to go on with.
  ///
  /// - Parameter configuration: The kind.
  /// - Returns: The window.
  /// - Throws: `SceneRoutingError.missingConfiguration` for a kind that the manifest does not have, `SceneHostError` where
  ///   the process fails; `CancellationError`.
  @discardableResult
  public func open(_ configuration: SceneConfiguration) async throws -> HostedScene {
    try router.require(configuration.name, configuration.role)
    return try await open(SceneSession(configuration), [])
  }

  /// - Returns: Whether the window has heard.
  private func activate(_ connection: SceneConnection, _ activity: UserActivity) async throws -> Bool {
    do {
      try await connection.waitForOpening()
      guard let session = connection.session else { return false }
      _ = try await session.say(.activate(activity))
      return true
    } catch let error as DropStreamError where [.peerGone, .closed].contains(error.code) {
      return false
    }
  }

  private func open(_ session: SceneSession, _ activities: [UserActivity]) async throws -> HostedScene {
    let connection = SceneConnection()
    let launch = SceneLaunch(session: session, activities: activities, connection: connection)
    guard !isEnding, case .enqueued = launches.yield(launch) else {
      throw SceneHostError(.ending, "the app is ending")
    }
    connections[session.id] = connection
    add(session)
    change(session.id) { $0.failure = nil }
    makeRecent(session.id)
    do {
      try await connection.waitForOpening()
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw SceneHostError(.sceneGone, "the window has ended", underlyingError: error)
    }
    makeKey(session.id)
    return try scene(session.id.uuidString)
  }

  private func add(_ session: SceneSession) {
    guard self.session(session.id) == nil else { return }
    lastNumber += 1
    let scene = HostedScene(session: session, number: lastNumber)
    changeAll { $0.append(scene) }
  }

  func makeRecent(_ id: SceneSession.ID) {
    recent.removeAll { $0 == id }
    recent.insert(id, at: 0)
  }

  // MARK: Restoration

  /// Opens the windows of the last run again, with what they showed.
  ///
  /// One that cannot be opened does not keep the others from it, and its session stays; `failed` of the app is told.
  ///
  /// - Throws: `SceneRestorationError` where what was saved cannot be read; it is left alone in this run then.
  public func restore() async throws {
    try saved?.get()
    await withDiscardingTaskGroup { group in
      for scene in scenes where connections[scene.id] == nil {
        group.addTask { await self.reopen(scene.session) }
      }
    }
  }

  private func reopen(_ session: SceneSession) async {
    do {
      try router.require(session.configurationName, session.role)
      _ = try await open(session, [session.stateRestorationActivity].compactMap(\.self))
    } catch let error as SceneRoutingError {
      failed(error)
    } catch {
      // Of a process that fails, whoever lets go of it tells.
    }
  }

  /// Reads the sessions of the last run, before anything could take their place.
  func load() async {
    guard let restoration else { return }
    do throws(SceneRestorationError) {
      for session in try await restoration.load() {
        add(session)
        recent.append(session.id)
      }
      saved = .success(())
    } catch {
      saved = .failure(error)
    }
  }

  func save() async {
    guard let restoration, case .success? = saved else { return }
    do {
      try await restoration.save(scenes.map(\.session))
    } catch {
      failed(error)
    }
  }
}
