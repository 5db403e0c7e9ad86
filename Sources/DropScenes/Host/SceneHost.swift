// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
internal import ItemTransfer

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

/// A scene of an app: the scene session, and the state of the process that shows it.
public struct HostedScene: Sendable, Hashable, Identifiable {
  /// The session, which outlives the process.
  public internal(set) var session: SceneSession
  /// The number of the window, starting at 1, with which users refer to the window.
  public let number: Int
  /// The content of the window, line by line, without characters that affect a terminal.
  public internal(set) var content: [String] = []
  /// Whether the window receives input.
  public internal(set) var isKey = false
  /// The process; `nil` before it starts and after it has ended.
  public internal(set) var processIdentifier: Int32?
  /// The reason for an unexpected end of the process; `nil` if there was none.
  public internal(set) var failure: String?

  /// The identifier of the session.
  public var id: SceneSession.ID { session.id }

  /// The title for display.
  public var title: String { session.title ?? session.configurationName }

  /// The maximum number of lines, and the maximum number of Unicode scalars in a line and in a title.
  static let maximumContent = (lines: 1000, characters: 500)

  /// Stores the window's content, truncated to the limits.
  mutating func show(_ lines: [String]) {
    content = lines.prefix(Self.maximumContent.lines).map(Self.shown)
  }

  /// Stores the window's changes to its scene session.
  ///
  /// The window cannot change the identifier, the configuration or the role, which belong to the app.
  mutating func take(_ session: SceneSession) {
    guard session.id == id else { return }
    var changed = session
    changed.configurationName = self.session.configurationName
    changed.role = self.session.role
    changed.title = session.title.map(Self.shown)
    self.session = changed
  }

  /// Returns a string truncated to the limit, with U+FFFD in place of characters that affect a terminal.
  private static func shown(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(maximumContent.characters) {
      shown.append(scalar.isInvisibleControl ? "\u{FFFD}" : scalar)
    }
    return String(shown)
  }
}

/// An error of an operation on a window.
public struct SceneHostError: Error, Sendable {
  /// The kinds of errors.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// No window matches, or several do; or there is no key window.
    case unknownScene
    /// The window's process could not be started, exceeded a timeout, or has ended.
    case sceneGone
    /// No item of the drop has an activity for opening a window.
    case noActivity
    /// The app is ending and opens no more windows.
    case ending
    /// A message from the peer is invalid.
    case invalidMessage
  }

  /// The kind of error.
  public let code: Code
  /// The reason as a phrase, safe to show on a terminal.
  public let reason: String
  /// The underlying error, if any.
  public let underlyingError: (any Error)?

  init(_ code: Code, _ reason: String, underlyingError: (any Error)? = nil) {
    self.code = code
    self.reason = reason
    self.underlyingError = underlyingError
  }
}

extension SceneHostError: CustomStringConvertible {
  /// The reason as a line.
  public var description: String { reason }
}
