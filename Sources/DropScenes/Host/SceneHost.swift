// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer

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
/// its session behind, and no other window notices; the next activity for it opens it again. One that does not answer in
/// time is ended: see ``Patience``.
public actor SceneHost {
  /// How long windows may take.
  public struct Patience: Sendable, Hashable {
    /// To say the first word.
    public var opening: Duration
    /// To end when they are asked to; then they are made to.
    public var closing: Duration

    /// Twenty seconds and five, unless something else is said.
    public init(opening: Duration = .seconds(20), closing: Duration = .seconds(5)) {
      self.opening = opening
      self.closing = closing
    }
  }

  /// Decides which window goes on with an activity.
  public let router: SceneRouter
  let program: @Sendable (SceneSession) -> [String]
  let restoration: SceneRestorationFile?
  let patience: Patience
  let failed: @Sendable (any Error) -> Void
  let state = SharedListState<HostedScene>([])
  let launches: AsyncStream<SceneLaunch>.Continuation
  let saves: AsyncStream<Void>.Continuation
  /// What came of reading what was saved; only then may something else take its place.
  var saved: Result<Void, SceneRestorationError>?
  var connections: [SceneSession.ID: SceneConnection] = [:]
  /// The one that was used last first.
  var recent: [SceneSession.ID] = []
  var lastNumber = 0
  var isEnding = false

  private init(
    router: SceneRouter, restoration: SceneRestorationFile?, patience: Patience,
    launches: AsyncStream<SceneLaunch>.Continuation,
    saves: AsyncStream<Void>.Continuation, program: @escaping @Sendable (SceneSession) -> [String],
    failed: @escaping @Sendable (any Error) -> Void
  ) {
    self.router = router
    self.restoration = restoration
    self.patience = patience
    self.launches = launches
    self.saves = saves
    self.program = program
    self.failed = failed
  }

  /// Runs an app for as long as a closure does; then its windows are asked to end, and their sessions are kept.
  ///
  /// - Parameters:
  ///   - router: Decides which window goes on with an activity.
  ///   - restoration: Where sessions are kept from one run to the next; `nil` keeps none. Those of the last run are
  ///     there, without windows, when `body` begins: see ``restore()``.
  ///   - patience: How long windows may take to open and to close.
  ///   - program: The command that shows a scene, whose first word is looked for as a shell does.
  ///   - failed: Told what went wrong beside what is being done: a window that has died, sessions that cannot be kept.
  ///   - body: Opens windows, and whatever else the app does.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public static func run<Result: Sendable>(
    router: SceneRouter, restoration: SceneRestorationFile? = nil, patience: Patience = Patience(),
    opening program: @escaping @Sendable (SceneSession) -> [String],
    failed: @escaping @Sendable (any Error) -> Void = { _ in },
    _ body: @escaping @Sendable (SceneHost) async throws -> Result
  ) async throws -> Result {
    let (launches, launching) = AsyncStream.makeStream(of: SceneLaunch.self)
    let (saves, saving) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let host = SceneHost(
      router: router, restoration: restoration, patience: patience, launches: launching, saves: saving,
      program: program, failed: failed)
    await host.load()
    async let result = host.finishing(body)
    async let saver: Void = {
      for await _ in saves { await host.save() }
    }()
    await withDiscardingTaskGroup { group in
      for await launch in launches { group.addTask { await host.show(launch) } }
    }
    let outcome: Swift.Result<Result, any Error>
    do { outcome = .success(try await result) } catch { outcome = .failure(error) }
    // The last one, when nobody else saves; also of an app that was cancelled.
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

  /// Asks all windows to end; those that do not are made to.
  private func end() {
    isEnding = true
    launches.finish()
    for connection in connections.values { connection.disconnect() }
  }

  // MARK: What there is

  /// The windows in the order in which they were opened.
  public nonisolated var scenes: [HostedScene] { state.snapshot.elements }

  /// How the windows change from now on, beginning with all that are there; ends with the app.
  public nonisolated var changes: SharedListChanges<HostedScene> { SharedListChanges(state: state) }

  /// The window that people mean by a number, a title or an identifier.
  ///
  /// - Parameter name: Of a title, all of it, or enough of its beginning; in upper or lower case.
  /// - Returns: The window.
  /// - Throws: `unknownScene` where there is none, or more than one.
  public nonisolated func scene(_ name: String) throws(SceneHostError) -> HostedScene {
    let scenes = scenes
    if let number = Int(name), let found = scenes.first(where: { $0.number == number }) { return found }
    if let found = scenes.first(where: { $0.id.uuidString == name.uppercased() }) { return found }
    let title = name.lowercased()
    var found = scenes.filter { $0.title.lowercased() == title }
    if found.isEmpty { found = scenes.filter { $0.title.lowercased().hasPrefix(title) } }
    guard found.count == 1, let scene = found.first else {
      let count = found.isEmpty ? "no window is" : "\(found.count) windows are"
      throw SceneHostError(.unknownScene, "\(count) called \(name.escapedForDisplay())")
    }
    return scene
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

  /// Changes all windows at once, so that nobody sees half of it.
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
