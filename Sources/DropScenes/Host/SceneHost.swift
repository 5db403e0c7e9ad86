// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
internal import ItemTransfer

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
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
  let restoration: SceneRestorationFile?
  let failed: @Sendable (any Error) -> Void
  let state = SharedListState<HostedScene>([])
  let launches: AsyncStream<Launch>.Continuation
  let saves: AsyncStream<Void>.Continuation
  /// Whether what there is may take the place of what was saved before.
  var mayReplaceSaved = true
  var connections: [SceneSession.ID: Connection] = [:]
  /// The one that was used last first.
  var recent: [SceneSession.ID] = []
  var lastNumber = 0
  var isEnding = false

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

  func command(for session: SceneSession) -> [String] { program(session) }
}
