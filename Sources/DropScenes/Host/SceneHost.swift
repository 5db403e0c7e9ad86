// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
public import ItemTransfer

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An app whose windows are processes: it opens them, finds the one that an activity is for, and carries what is dragged
/// from one to another.
///
/// ```swift
/// try await SceneHost.run(router: router, opening: { session in ["/usr/bin/board", "--window"] }) { host in
///   try await host.open(UserActivity(activityType: "org.example.show-board"))
///   for try await change in host.changes { screen.draw(change.elements) }
/// }
/// ```
///
/// A window talks to its app through its standard input and output: ``SceneWindow`` is that side. One that dies leaves
/// its session behind, and no other window notices; the next activity for it opens it again.
public actor SceneHost {
  struct Launch: Sendable {
    var session: SceneSession
    var activities: [UserActivity]
  }

  /// A window's process, from its start to its end.
  struct Connection {
    var session: DropSession?
    /// Who waits for it to be there, and for it to be gone.
    var opening: [CheckedContinuation<Void, any Error>] = []
    var closing: [CheckedContinuation<Void, Never>] = []
    /// Whether the session ends with it.
    var isClosing = false
  }

  /// Decides which window goes on with an activity.
  public let router: SceneRouter
  private let program: @Sendable (SceneSession) -> [String]
  private let restoration: SceneRestorationFile?
  private let failed: @Sendable (any Error) -> Void
  let state = SharedListState<HostedScene>([])
  private let launches: AsyncStream<Launch>.Continuation
  private let saves: AsyncStream<Void>.Continuation
  /// Whether what there is may take the place of what was saved before.
  private var mayReplaceSaved = true
  var connections: [SceneSession.ID: Connection] = [:]
  /// The one that was used last first.
  private var recent: [SceneSession.ID] = []
  private var lastNumber = 0
  private var isEnding = false

  private init(
    router: SceneRouter, restoration: SceneRestorationFile?, launches: AsyncStream<Launch>.Continuation,
    saves: AsyncStream<Void>.Continuation, program: @escaping @Sendable (SceneSession) -> [String],
    failed: @escaping @Sendable (any Error) -> Void
  ) {
    self.router = router
    self.restoration = restoration
    self.launches = launches
    self.saves = saves
    self.program = program
    self.failed = failed
  }

  /// Runs an app for as long as a closure does; then its windows are asked to end, and their sessions are kept.
  ///
  /// - Parameters:
  ///   - router: Decides which window goes on with an activity.
  ///   - restoration: Where sessions are kept from one run to the next; `nil` keeps none.
  ///   - program: The command that shows a scene, whose first word is looked for as a shell does.
  ///   - failed: Told what went wrong beside what is being done: a window that has died, sessions that cannot be kept.
  ///   - body: Opens windows, and whatever else the app does.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public static func run<Result: Sendable>(
    router: SceneRouter, restoration: SceneRestorationFile? = nil,
    opening program: @escaping @Sendable (SceneSession) -> [String],
    failed: @escaping @Sendable (any Error) -> Void = { _ in },
    _ body: @escaping @Sendable (SceneHost) async throws -> Result
  ) async throws -> Result {
    let (launches, launching) = AsyncStream.makeStream(of: Launch.self)
    let (saves, saving) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let host = SceneHost(
      router: router, restoration: restoration, launches: launching, saves: saving, program: program, failed: failed)
    async let result = host.finishing(body)
    async let _: Void = {
      for await _ in saves { await host.save() }
    }()
    await withDiscardingTaskGroup { group in
      for await launch in launches { group.addTask { await host.show(launch) } }
    }
    saving.finish()
    return try await result
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

  /// Asks all windows to end, and waits until they have.
  private func end() async {
    isEnding = true
    launches.finish()
    for (id, connection) in connections { await disconnect(id, connection.session) }
    for id in connections.keys { await waitForEnd(of: id) }
    await save()
  }

  // MARK: What there is

  /// The windows in the order in which they were opened.
  public nonisolated var scenes: [HostedScene] { state.snapshot.elements }

  /// How the windows change from now on, beginning with all that are there.
  public nonisolated var changes: SharedListChanges<HostedScene> { SharedListChanges(state: state) }

  /// The window that people mean by a number, a title or an identifier.
  ///
  /// - Parameter name: Of a title, enough of its beginning, in upper or lower case.
  /// - Returns: The window.
  /// - Throws: `unknownScene` where there is none, or more than one.
  public nonisolated func scene(_ name: String) throws(SceneHostError) -> HostedScene {
    let scenes = scenes
    if let number = Int(name), let found = scenes.first(where: { $0.number == number }) { return found }
    if let found = scenes.first(where: { $0.id.uuidString == name.uppercased() }) { return found }
    let title = name.lowercased()
    if let found = scenes.first(where: { $0.title.lowercased() == title }) { return found }
    let found = scenes.filter { $0.title.lowercased().hasPrefix(title) }
    guard found.count == 1, let scene = found.first else {
      let count = found.isEmpty ? "no window is" : "\(found.count) windows are"
      throw SceneHostError(.unknownScene, "\(count) called \(name.escapedForDisplay())")
    }
    return scene
  }

  func change(_ id: SceneSession.ID, _ body: (inout HostedScene) -> Void) {
    try? state.change { snapshot throws(SharedListError) in
      guard let index = snapshot.elements.firstIndex(where: { $0.id == id }) else { return }
      let before = snapshot.elements[index]
      body(&snapshot.elements[index])
      if snapshot.elements[index] != before { snapshot.revision += 1 }
      if snapshot.elements[index].session != before.session { saves.yield() }
    }
  }

  // MARK: Restoration

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

  private func save() async {
    guard let restoration, mayReplaceSaved else { return }
    do {
      try await restoration.save(scenes.map(\.session))
    } catch {
      failed(error)
    }
  }

  // MARK: Opening

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

  private func open(_ session: SceneSession, _ activities: [UserActivity]) async throws {
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

  private func makeRecent(_ id: SceneSession.ID) {
    recent.removeAll { $0 == id }
    recent.insert(id, at: 0)
  }

  // MARK: The key window

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

  private func disconnect(_ id: SceneSession.ID, _ session: DropSession?) async {
    _ = try? await session?.say(.disconnect)
  }

  private func waitForEnd(of id: SceneSession.ID) async {
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

  func command(for session: SceneSession) -> [String] { program(session) }
}
