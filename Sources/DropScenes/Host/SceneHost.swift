// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
public import FoundationEssentials
public import ItemTransfer

/// An app whose windows are processes. It opens windows, routes activities to them, and forwards drops between them.
///
/// ```swift
/// try await SceneHost.run(router: router, opening: { session in ["/usr/bin/board", "--window"] }) { host in
///   try await host.open(UserActivity(activityType: "org.example.show-board"))
///   for try await change in host.changes { screen.draw(change.elements) }
/// }
/// ```
///
/// A window communicates with its app through its standard input and output; ``SceneWindow`` is the window's side. If a
/// window's process dies, its scene session is kept, and the next activity for the scene opens the window again. The
/// other windows are not affected. A window that does not open or close within its ``Timeouts`` is terminated.
public actor SceneHost {
  /// The timeouts for windows.
  public struct Timeouts: Sendable, Hashable {
    /// The time limit for a new window to accept the app's first message.
    public var opening: Duration
    /// The time limit for a window to end after the app has requested its end.
    public var closing: Duration

    /// Creates timeouts, 20 s for opening and 5 s for closing by default.
    public init(opening: Duration = .seconds(20), closing: Duration = .seconds(5)) {
      self.opening = opening
      self.closing = closing
    }
  }

  /// The router that chooses the window for an activity.
  let router: SceneRouter
  let program: @Sendable (SceneSession) -> [String]
  let restoration: SceneRestorationFile?
  let timeouts: Timeouts
  let onFailure: @Sendable (any Error) -> Void
  let state = SharedListState<HostedScene>([])
  let launches: AsyncStream<SceneLaunch>.Continuation
  let saves: AsyncStream<Void>.Continuation
  /// The result of loading the saved scene sessions, which are overwritten only after success; `nil` without a file.
  var saved: Result<Void, SceneRestorationError>?
  var connections: [SceneSession.ID: SceneConnection] = [:]
  /// The identifiers of the scene sessions, most recently used first.
  var recent: [SceneSession.ID] = []
  var lastNumber = 0
  var isEnding = false

  private init(
    router: SceneRouter, restoration: SceneRestorationFile?, timeouts: Timeouts,
    launches: AsyncStream<SceneLaunch>.Continuation,
    saves: AsyncStream<Void>.Continuation, program: @escaping @Sendable (SceneSession) -> [String],
    onFailure: @escaping @Sendable (any Error) -> Void
  ) {
    self.router = router
    self.restoration = restoration
    self.timeouts = timeouts
    self.launches = launches
    self.saves = saves
    self.program = program
    self.onFailure = onFailure
  }

  /// Runs an app while a closure runs.
  ///
  /// When the closure has returned or thrown, the call ends all windows and keeps their scene sessions.
  ///
  /// - Parameters:
  ///   - router: Chooses the window for an activity.
  ///   - restoration: The file that keeps scene sessions between runs; `nil` keeps none. When `body` begins, ``scenes``
  ///     has the sessions of the last run without processes; ``restore()`` opens their windows.
  ///   - timeouts: The time limits for windows to open and to close.
  ///   - program: Returns the command that shows a scene; its first word is looked up in `PATH`.
  ///   - onFailure: Receives errors that no call throws: a window has died, or scene sessions cannot be saved or
  ///     reopened.
  ///   - body: The work of the app, such as opening windows.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`.
  public static func run<Result: Sendable>(
    router: SceneRouter, restoration: SceneRestorationFile? = nil, timeouts: Timeouts = Timeouts(),
    opening program: @escaping @Sendable (SceneSession) -> [String],
    onFailure: @escaping @Sendable (any Error) -> Void = { _ in },
    _ body: @escaping @Sendable (SceneHost) async throws -> Result
  ) async throws -> Result {
    let (launches, launching) = AsyncStream.makeStream(of: SceneLaunch.self)
    let (saves, saving) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let host = SceneHost(
      router: router, restoration: restoration, timeouts: timeouts, launches: launching, saves: saving,
      program: program, onFailure: onFailure)
    await host.load()
    async let result = host.finishing(body)
    async let saver: Void = {
      for await _ in saves { await host.save() }
    }()
    await withDiscardingTaskGroup { group in
      for await launch in launches { group.addTask { await host.run(launch) } }
    }
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await result) } catch { outcome = .failure(error) }
    // The final save runs after all others, and also if the app was cancelled.
    saving.finish()
    await saver
    await Task { await host.save() }.value
    host.state.end(nil)
    return try outcome.get()
  }

  private nonisolated func finishing<Result: Sendable>(
    _ body: @Sendable (SceneHost) async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await body(self)
      await end()
      return result
    } catch {
      await end()
      throw error
    }
  }

  /// Requests that all windows end; windows that exceed the timeout are terminated.
  private func end() {
    isEnding = true
    launches.finish()
    for connection in connections.values { connection.disconnect() }
  }

  // MARK: Windows

  /// The windows in the order in which they were first opened, including windows without a process.
  public nonisolated var scenes: [HostedScene] { state.snapshot.elements }

  /// The changes of the windows, starting with all existing windows; the sequence ends with the app.
  public nonisolated var changes: SharedListChanges<HostedScene> { SharedListChanges(state: state) }

  /// Returns the window with a number, a title or an identifier.
  ///
  /// - Parameter name: The number, the identifier, the title, or a prefix of the title, without regard to case.
  /// - Returns: The window.
  /// - Throws: `unknownScene` if no window matches, or if several do.
  public nonisolated func scene(_ name: String) throws(SceneHostError) -> HostedScene {
    let scenes = scenes
    if let number = Int(name), let found = scenes.first(where: { $0.number == number }) { return found }
    if let found = scenes.first(where: { $0.id.uuidString == name.uppercased() }) { return found }
    let title = name.lowercased()
    var found = scenes.filter { $0.title.lowercased() == title }
    if found.isEmpty { found = scenes.filter { $0.title.lowercased().hasPrefix(title) } }
    guard found.count == 1, let scene = found.first else {
      throw SceneHostError(.unknownScene, Self.mismatch(of: name, found.isEmpty ? scenes : found, !found.isEmpty))
    }
    return scene
  }

  /// Returns the reason why a name does not denote one window, with the windows that the caller may mean.
  private static func mismatch(of name: String, _ scenes: [HostedScene], _ isAmbiguous: Bool) -> String {
    if name.isEmpty { return "expected the number or the title of a window" }
    let most = 8
    let list = scenes.prefix(most).map { "\($0.number) \($0.title.escapedForDisplay(limit: 40))" }.joined(
      separator: ", ")
    let rest = scenes.count > most ? " and \(scenes.count - most) more" : ""
    let name = name.escapedForDisplay()
    if isAmbiguous { return "\(scenes.count) windows match \(name): \(list)\(rest)" }
    return "no window matches \(name)" + (scenes.isEmpty ? "" : "; the windows are \(list)\(rest)")
  }

  func session(_ id: SceneSession.ID) -> SceneSession? {
    scenes.first { $0.id == id }?.session
  }

  func change(_ id: SceneSession.ID, _ body: (inout HostedScene) -> Void) {
    changeAll { scenes in
      guard let index = scenes.firstIndex(where: { $0.id == id }) else { return }
      body(&scenes[index])
    }
  }

  /// Changes all windows at once, so that observers never see a partial change.
  func changeAll(_ body: (inout [HostedScene]) -> Void) {
    var hasNewSessions = false
    try? state.change { snapshot throws(SharedListError) in
      let before = snapshot.elements
      body(&snapshot.elements)
      if snapshot.elements != before { snapshot.revision += 1 }
      hasNewSessions = snapshot.elements.map(\.session) != before.map(\.session)
    }
    if hasNewSessions { saves.yield() }
  }
}

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
      _ = try await session.send(.connect(launch.session, activities: launch.activities, style: launch.style))
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
          case .take(let drag, let position):
            group.addTask {
              try await self.respond(to: drop) { try await self.handOver(drag, to: id, position: position) }
            }
          case .open(let activity, let style):
            group.addTask {
              try await self.respond(to: drop) { _ = try await self.open(activity, presentationStyle: style) }
            }
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

  /// Asks the source of a drag on a desktop to send the items to the window on which they were dropped.
  private func handOver(_ drag: SceneDrag, to target: SceneSession.ID, position: Int?) async throws {
    guard let session = connections[drag.scene]?.session else {
      throw SceneHostError(.unknownScene, "the drag does not come from a window of this app")
    }
    let timeout = timeouts.closing
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask {
        guard (try? await Task.sleep(for: timeout)) != nil else { return }
        throw SceneHostError(.sceneGone, "the window of the drag did not respond within \(timeout)")
      }
      _ = try await session.send(.handOver(drag, to: target, position: position))
      group.cancelAll()
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

/// Methods that open windows for activities and configurations, and reopen the windows of the last run.
extension SceneHost {
  /// Continues an activity in an existing window or a new window.
  ///
  /// - Parameters:
  ///   - activity: The activity to continue.
  ///   - presentationStyle: The preferred style of a new window; an existing window stays where it is.
  /// - Returns: The window, which has received the activity.
  /// - Throws: `SceneRoutingError` if no window is suitable, `SceneHostError` or `DropStreamError` if its process
  ///   fails or refuses the activity; `CancellationError`.
  @discardableResult
  public func open(
    _ activity: UserActivity, presentationStyle: ScenePresentationStyle = .automatic
  ) async throws -> HostedScene {
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
      return try await open(session, [activity], presentationStyle)
    case .open(let configuration):
      var session = SceneSession(configuration)
      // Until the window sets its own conditions, the host uses the window only for this content.
      if let target = activity.targetContentIdentifier {
        session.activationConditions = SceneActivationConditions(
          canActivate: .never, prefersToActivate: .equal(to: target))
      }
      return try await open(session, [activity], presentationStyle)
    }
  }

  /// Opens a window of a configuration, without an activity.
  ///
  /// - Parameters:
  ///   - configuration: The configuration.
  ///   - presentationStyle: The preferred style of the window.
  /// - Returns: The window.
  /// - Throws: `SceneRoutingError.missingConfiguration` if the manifest lacks the configuration, `SceneHostError` if
  ///   the process fails; `CancellationError`.
  @discardableResult
  public func open(
    _ configuration: SceneConfiguration, presentationStyle: ScenePresentationStyle = .automatic
  ) async throws -> HostedScene {
    try router.require(configuration.name, configuration.role)
    return try await open(SceneSession(configuration), [], presentationStyle)
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

  private func open(
    _ session: SceneSession, _ activities: [UserActivity], _ style: ScenePresentationStyle
  ) async throws -> HostedScene {
    let connection = SceneConnection()
    let launch = SceneLaunch(session: session, activities: activities, style: style, connection: connection)
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
      _ = try await open(session, [session.stateRestorationActivity].compactMap(\.self), .automatic)
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
