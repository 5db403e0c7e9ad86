// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
public import DropScenes
internal import DropSystem
internal import DropTransport
internal import Foundation
internal import Synchronization

/// An app whose windows are processes: it shows them in a terminal or on a desktop, and reads commands from a terminal or
/// a script.
///
/// ```swift
/// await SceneApp.main { window, _ in
///   try await window.show(["Hello"])
///   for await _ in window.events {}
/// } app: { arguments in
///   let help = SceneAppHelp(summary: "hello: a window with a line.", commands: [:])
///   let configuration = SceneConfiguration(name: "Hello")
///   let router = SceneRouter(manifest: SceneManifest(configurations: [configuration], activityTypes: []))
///   return try await SceneApp(arguments: arguments, help: help).run(router) { try await $0.open(configuration) }
/// }
/// ```
///
/// A line goes to the key window, unless it begins with a colon or is `help`. On a terminal, the windows are drawn side
/// by side above an input line. A line goes to the window that was key when the user began the line, which the prompt
/// names. `help` lists the commands and keys.
///
/// Colours are not used if the variable `NO_COLOR` is not empty. A screen is not drawn if the variable `TERM` is empty or
/// `dumb`, or if input or output is not a terminal.
public struct SceneApp: Sendable {
  /// A command of an app, in addition to the commands that all apps have.
  public typealias Command = @Sendable (SceneHost, _ words: [String]) async throws -> Void

  /// The active screen, or `nil` if output is not drawn on a terminal.
  static let screen = Mutex<Screen?>(nil)
  /// The first error of writing to standard output, with which the app ends.
  private static let outputFailure = Mutex<SystemError?>(nil)

  let help: SceneAppHelp
  let commands: [String: Command]
  private let script: String?
  private let isDesktop: Bool
  /// The environment variable that tells the processes of an app's windows to show them on the desktop.
  private static let desktopVariable = "DRAGPIPE_SCENE_DESKTOP"
  /// The first argument of the processes of windows.
  private static let windowOption = "--window"

  /// Creates an app for a script (`--script FILE`; `-` is standard input) or for interactive input.
  ///
  /// With `--desktop`, each window is shown on the display that the variable `WAYLAND_DISPLAY` or `DISPLAY` names.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - help: The options and commands of the app. The app reads the values of its options itself.
  ///   - commands: The commands of the app, whose names begin with a colon.
  /// - Throws: `SceneAppError` for an unknown option. For `--help`, an error that ``main(options:window:app:)`` handles.
  public init(arguments: [String], help: SceneAppHelp, commands: [String: Command] = [:]) throws {
    self.help = help
    self.commands = commands
    var words = arguments[...]
    while let word = words.popFirst() {
      if word == "--help" { throw HelpRequest(help: help) }
      if help.options.contains(where: { $0.usage == word }) { continue }
      guard help.options.contains(where: { $0.usage.hasPrefix(word + " ") }) else {
        let known = help.options.map(\.usage).joined(separator: ", ")
        throw SceneAppError(reason: "unknown option \(word); the options are \(known)")
      }
      words = words.dropFirst()
    }
    script = try Self.value(of: "--script", in: arguments)
    isDesktop = arguments.contains("--desktop")
    setenv(Self.desktopVariable, isDesktop ? "1" : "0", 1)
  }

  /// Prints a line to the screen or to standard output.
  public static func print(_ text: String) {
    if let screen = screen.withLock({ $0 }) { return screen.tell(text) }
    do throws(SystemError) {
      try RawTerminal.write(text + "\n")
    } catch {
      // A reader that has closed its pipe, as `head` does, needs no more lines.
      if error.errorNumber != EPIPE { outputFailure.withLock { $0 = $0 ?? error } }
    }
  }

  /// Prints an error to the screen or to standard output.
  public static func report(_ error: any Error) {
    let text = "error: \(reason(of: error))"
    if let screen = screen.withLock({ $0 }) { return screen.tell(text, isError: true) }
    print(text)
  }

  /// Shows lines on the screen in place of the windows, or prints them to standard output.
  public static func show(_ lines: [String], title: String) {
    if let screen = screen.withLock({ $0 }) { return screen.show(lines, title: title) }
    for line in lines { print(line) }
  }

  /// Returns the reason for an error.
  ///
  /// If the peer refused a drop, it is the peer's reason. For an error of Foundation, it is the innermost description.
  public static func reason(of error: any Error) -> String {
    if let reason = (error as? DropStreamError)?.senderFailure?.reason { return reason }
    let bridged = error as NSError
    // The domain of other errors is the name of their type.
    guard bridged.domain.hasPrefix("NS") else { return "\(error)" }
    if let underlying = bridged.userInfo[NSUnderlyingErrorKey] as? any Error { return reason(of: underlying) }
    return bridged.domain == NSPOSIXErrorDomain
      ? String(cString: strerror(Int32(bridged.code))) : bridged.localizedDescription
  }

  /// Runs this process as an app, or as a window of an app, and exits.
  ///
  /// If an error is thrown, it is printed, and the exit code is 1 or that of the `SceneAppError`. If standard output cannot
  /// be written, the exit code is 74. If the command line requests help, the help is printed and the exit code is 0.
  ///
  /// - Parameters:
  ///   - options: A closure that returns the options of a window.
  ///   - window: A closure that shows a window until its events end. It also receives the arguments that the app passes
  ///     to its windows.
  ///   - app: A closure that runs the app with the arguments of the command line. The exit code is 0 if it returns true,
  ///     and 1 otherwise.
  public static func main(
    options: (SceneWindow) -> SceneWindowOptions = { _ in SceneWindowOptions() },
    window: (_ window: SceneWindow, _ arguments: [String]) async throws -> Void,
    app: (_ arguments: [String]) async throws -> Bool
  ) async -> Never {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      var isAllWell = true
      if arguments.first == windowOption {
        try await show(options: options) { try await window($0, Array(arguments.dropFirst())) }
      } else {
        do {
          isAllWell = try await app(arguments)
        } catch let request as HelpRequest {
          for line in request.help.lines { print(line) }
        }
      }
      if let failure = outputFailure.withLock({ $0 }) {
        throw SceneAppError(reason: "cannot write: \(failure)", exitCode: 74)
      }
      exit(isAllWell ? 0 : 1)
    } catch {
      let start = arguments.first == windowOption ? "window: " : ""
      FileHandle.standardError.write(Data("\(start)\(reason(of: error))\n".utf8))
      exit((error as? SceneAppError)?.exitCode ?? 1)
    }
  }

  private static func show(
    options: (SceneWindow) -> SceneWindowOptions, _ body: (SceneWindow) async throws -> Void
  ) async throws {
    func takesDrops(_ window: SceneWindow) -> Bool { !options(window).dropTypes.isEmpty }
    try await SceneWindow.run(takesDrops: takesDrops) { window in
      guard getenv(desktopVariable).map({ String(cString: $0) }) == "1" else { return try await body(window) }
      let options = options(window)
      try await DesktopDisplay.withConnection(to: options.displayName) { display in
        let view = SceneView(window, display, options)
        async let showing: Void = view.run()
        try await body(window)
        view.end()
        try await showing
      }
    }
  }

  /// Returns the value of a command-line option, or `nil` if the option is not given.
  ///
  /// - Throws: `SceneAppError` if the value is missing.
  public static func value(of option: String, in arguments: [String]) throws -> String? {
    guard let index = arguments.firstIndex(of: option) else { return nil }
    guard index + 1 < arguments.count, !arguments[index + 1].hasPrefix("--") else {
      throw SceneAppError(reason: "\(option) needs a value")
    }
    return arguments[index + 1]
  }

  /// Runs the app until the input ends or is `:quit`, until a `:wait` of a script fails, or until the user has closed all
  /// windows of the desktop.
  ///
  /// - Parameters:
  ///   - router: Chooses the window for an activity.
  ///   - state: The directory that keeps scene sessions between runs, whose windows are opened first; `nil` keeps none.
  ///   - windowArguments: The arguments for the processes of windows.
  ///   - open: Opens the first windows, unless windows of the last run are open.
  /// - Returns: Whether every `:wait` of a script succeeded.
  /// - Throws: The errors of `open`; `SceneAppError` with the exit code 69 if there is no display for `--desktop`.
  public func run(
    _ router: SceneRouter, state: SceneStateDirectory? = nil, windowArguments: [String] = [],
    opening open: @escaping @Sendable (SceneHost) async throws -> Void
  ) async throws -> Bool {
    if isDesktop {
      do {
        try await DesktopDisplay.withConnection { _ in }
      } catch {
        throw SceneAppError(reason: "cannot show windows: \(error)", exitCode: 69)
      }
    }
    let command = [CommandLine.arguments[0], Self.windowOption] + windowArguments
    return try await SceneHost.run(
      router: router, restoration: state?.restoration, opening: { _ in command },
      onFailure: { error in
        // The terminal shows the reason why a window has ended in the window's place.
        if error is SceneRestorationError { Self.report(error) }
      },
      { host in
        do {
          try await host.restore()
        } catch {
          Self.report(error)
        }
        if host.scenes.isEmpty { try await open(host) }
        return try await perform(host)
      })
  }

  /// Performs commands.
  private func perform(_ host: SceneHost) async throws -> Bool {
    if isDesktop, script == nil {
      try await waitUntilWindowsAreClosed(host)
      return true
    }
    guard script == nil, RawTerminal.isUsable else {
      return try await perform(try ScriptLines.stream(script), host)
    }
    let screen = await Screen()
    Self.screen.withLock { $0 = screen }
    defer {
      Self.screen.withLock { $0 = nil }
      screen.leave()
    }
    return try await withThrowingTaskGroup(of: Bool?.self) { group in
      group.addTask {
        for try await change in host.changes { await resize(screen.show(change.elements), host) }
        return nil
      }
      group.addTask {
        for await _ in screen.resizes { await resize(screen.show(host.scenes), host) }
        return nil
      }
      group.addTask {
        for await window in screen.selections { await host.makeKey(window) }
        return nil
      }
      group.addTask {
        for await _ in screen.interrupts { return true }
        return nil
      }
      group.addTask {
        await perform(screen.lines, host, on: screen)
        return true
      }
      defer { group.cancelAll() }
      while let result = try await group.next() {
        if let result { return result }
      }
      return true
    }
  }

  private func resize(_ windows: [(SceneSession.ID, columns: Int)], _ host: SceneHost) async {
    for (window, columns) in windows { await host.resize(window, columns: columns) }
  }

  /// Performs the lines of a script one after the other.
  private func perform(_ lines: AsyncStream<InputLine>, _ host: SceneHost) async throws -> Bool {
    var isAllWell = true
    for await line in lines {
      if Self.words(of: line).first == ":quit" { break }
      if await !perform(line, host), Self.words(of: line).first == ":wait" { isAllWell = false }
      let canWrite = Self.outputFailure.withLock { $0 == nil }
      if Task.isCancelled || !canWrite || script != nil && !isAllWell { break }
    }
    return isAllWell
  }

  /// Performs the lines of a user, who need not wait until a window has handled the lines of another window.
  private func perform(_ lines: AsyncStream<InputLine>, _ host: SceneHost, on screen: Screen) async {
    await withDiscardingTaskGroup { group in
      var windows: [SceneSession.ID: AsyncStream<InputLine>.Continuation] = [:]
      var closing: Set<SceneSession.ID> = []
      for await line in lines {
        let words = Self.words(of: line)
        if words.first == ":quit" { break }
        // A window ends after its lines; after a second command, at once.
        var closed = words.first == ":close" && words.count > 1 ? try? host.scene(words[1]) : nil
        if let id = closed?.id, !closing.insert(id).inserted { closed = nil }
        let window = closed?.id ?? line.window ?? host.scenes.first(where: \.isKey)?.id
        guard let window, closed != nil || !Self.isCommand(line) else {
          await perform(line, host)
          screen.finish(line, host.scenes)
          continue
        }
        if windows[window] == nil {
          let (stream, continuation) = AsyncStream.makeStream(of: InputLine.self)
          windows[window] = continuation
          group.addTask {
            for await line in stream {
              await perform(line, host)
              screen.finish(line, host.scenes)
            }
          }
        }
        if closed == nil { await host.makeKey(window) }
        // The title of the window may have changed when it closes.
        let text = closed.map { ":close \($0.number)" } ?? line.text
        windows[window]?.yield(InputLine(text: text, window: window))
      }
      // The windows still handle the lines that the user has entered.
      for continuation in windows.values { continuation.finish() }
    }
  }

  private static func words(of line: InputLine) -> [String] { line.text.split(separator: " ").map(String.init) }

  /// Returns whether a line is for the app, and not for a window.
  private static func isCommand(_ line: InputLine) -> Bool {
    let words = words(of: line)
    return words.first?.hasPrefix(":") != false || words == ["help"]
  }

  /// Performs a line, and reports an error; returns whether there was none.
  @discardableResult
  private func perform(_ line: InputLine, _ host: SceneHost) async -> Bool {
    let words = Self.words(of: line)
    guard let first = words.first, !first.hasPrefix("#") else { return true }
    do {
      try await perform(first, Array(words.dropFirst()), line, host)
      return true
    } catch is CancellationError where Task.isCancelled {
      return true
    } catch {
      Self.report(error)
      return false
    }
  }

  private func waitUntilWindowsAreClosed(_ host: SceneHost) async throws {
    var hasOpened = false
    for try await change in host.changes {
      let isOpen = change.elements.contains { $0.processIdentifier != nil }
      if hasOpened, !isOpen { return }
      hasOpened = hasOpened || isOpen
    }
  }
}

/// An error of a command or an option.
public struct SceneAppError: Error, CustomStringConvertible {
  /// The reason as a phrase.
  public let reason: String
  /// The exit code of an app that ends with the error.
  public let exitCode: Int32

  /// Creates an error with a reason.
  public init(reason: String, exitCode: Int32 = 1) {
    (self.reason, self.exitCode) = (reason, exitCode)
  }

  /// The reason.
  public var description: String { reason }

  /// Returns the error for a line that is not a command.
  public static func unknownCommand(_ line: String) -> Self {
    Self(reason: "unknown command \(line.split(separator: " ").first ?? ""); type help for the commands")
  }
}
