// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import FoundationEssentials
public import ItemTransfer

/// Methods that open windows for activities and configurations, and reopen the windows of the last run.
extension SceneHost {
  /// Continues an activity in an existing window or a new window.
  ///
  /// - Parameter activity: The activity to continue.
  /// - Returns: The window, which has received the activity.
  /// - Throws: `SceneRoutingError` if no window is suitable, `SceneHostError` or `DropStreamError` if its process
  ///   fails or refuses the activity; `CancellationError`.
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
        // The process has ended, but its task has not removed it yet.
        await connection.waitForEnd()
      }
      return try await open(session, [activity])
    case .open(let configuration):
      var session = SceneSession(configuration)
      // Until the window sets its own conditions, the host uses the window only for this content.
      if let target = activity.targetContentIdentifier {
        session.activationConditions = SceneActivationConditions(
          canActivate: .never, prefersToActivate: .equal(to: target))
      }
      return try await open(session, [activity])
    }
  }

  /// Opens a window of a configuration, without an activity.
  ///
  /// - Parameter configuration: The configuration.
  /// - Returns: The window.
  /// - Throws: `SceneRoutingError.missingConfiguration` if the manifest lacks the configuration, `SceneHostError` if
  ///   the process fails; `CancellationError`.
  @discardableResult
  public func open(_ configuration: SceneConfiguration) async throws -> HostedScene {
    try router.require(configuration.name, configuration.role)
    return try await open(SceneSession(configuration), [])
  }

  /// Sends an activity to a window.
  ///
  /// - Returns: Whether the window has received the activity.
  private func activate(_ connection: SceneConnection, _ activity: UserActivity) async throws -> Bool {
    do {
      try await connection.waitForOpening()
      guard let session = connection.session else { return false }
      _ = try await session.send(.activate(activity))
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

  /// Reopens the windows of the last run with their content.
  ///
  /// If a window cannot be opened, its scene session is kept, the error is passed to `onFailure`, and the other windows
  /// open nevertheless.
  ///
  /// - Throws: `SceneRestorationError` if the file of scene sessions cannot be read. In that case, this run does not
  ///   overwrite the file.
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
      onFailure(error)
    } catch {
      // The task that runs the process has reported its error, and the end of the app is not an error of a window.
    }
  }

  /// Loads the scene sessions of the last run; call this before a new session can overwrite them.
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
      onFailure(error)
    }
  }
}
