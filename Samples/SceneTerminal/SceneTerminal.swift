// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import DropScenes
import DropTransport
import Foundation
import SceneDesktop
import Synchronization

/// The user interface of the sample apps: it shows their windows, and reads input from a terminal or a script.
///
/// A line goes to the key window, unless it begins with a colon:
///
///     :say TEXT             prints the text
///     :show [WINDOW]        shows all windows, or the lines of a window
///     :key WINDOW           makes a window the key window
///     :wait WINDOW TEXT     waits until the window shows the text, at most a minute
///     :resize WINDOW N      sets the width of a window to N characters
///     :refresh WINDOW       requests that a window refreshes its content
///     :close WINDOW         closes a window and its session
///     :kill WINDOW          kills a window's process
///     :quit                 ends the app and keeps its sessions, as an interrupt does
public struct SceneTerminal: Sendable {
  /// A command of a sample, in addition to the commands of ``SceneTerminal``.
  public typealias Command = @Sendable (SceneHost, _ words: [String]) async throws -> Void

  /// The active screen, or `nil` if output is not drawn on a terminal.
  private static let screen = Mutex<Screen?>(nil)

  private let commands: [String: Command]
  private let script: String?
  private let isScreen: Bool
  private let isDesktop: Bool
  /// The environment variable that tells the processes of an app's windows to show them on the desktop.
  private static let desktopVariable = "DRAGPIPE_SAMPLE_DESKTOP"

  /// Creates a user interface for a script (`--script FILE`; `-` is standard input) or for interactive input.
  ///
  /// With `--desktop`, each window is shown on the display that the variable `DISPLAY` names. Without a display, the
  /// terminal shows the windows.
  ///
  /// - Parameters:
  ///   - arguments: The command line.
  ///   - option: A further option and its value, such as `--state DIRECTORY`, which the sample reads itself.
  ///   - commands: The commands of the sample.
  /// - Throws: `SceneTerminalError` for an unknown option.
  public init(arguments: [String], option: String? = nil, commands: [String: Command] = [:]) throws {
    self.commands = commands
    let options = [option, "--script FILE"].compactMap(\.self)
    var words = arguments[...]
    while let word = words.popFirst() {
      if word == "--desktop" { continue }
      guard options.contains(where: { $0.hasPrefix(word + " ") }) else {
        let known = (options + ["--desktop"]).joined(separator: ", ")
        throw SceneTerminalError(reason: "unknown option \(word); the options are \(known)")
      }
      words = words.dropFirst()
    }
    script = try Self.value(of: "--script", in: arguments)
    isDesktop = arguments.contains("--desktop") && SceneDesktop.hasDisplay
    setenv(Self.desktopVariable, isDesktop ? "1" : "0", 1)
    isScreen = script == nil && !isDesktop && isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1
  }

  /// Prints a line to the screen or to standard output.
  public static func print(_ text: String) {
    if let screen = screen.withLock({ $0 }) { return screen.tell(text) }
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  /// Returns the reason for an error.
  ///
  /// If the peer refused a drop, it is the peer's reason.
  public static func reason(of error: any Error) -> String {
    (error as? DropStreamError)?.senderFailure?.reason ?? "\(error)"
  }

  /// Runs a window in this process until the app ends it.
  ///
  /// If an error is thrown, it is printed and the process exits with 1.
  ///
  /// - Parameters:
  ///   - takesDrops: Whether the window iterates over its drops.
  ///   - body: A closure that shows the window.
  public static func window(takesDrops: Bool = false, _ body: (SceneWindow) async throws -> Void) async {
    do {
      if getenv(desktopVariable).map({ String(cString: $0) }) == "1" {
        try await SceneDesktop.window(takesDrops: takesDrops, body)
      } else {
        try await SceneWindow.run(takesDrops: takesDrops, body)
      }
    } catch {
      FileHandle.standardError.write(Data("window: \(error)\n".utf8))
      exit(1)
    }
  }

  /// Runs an app in this process, then exits: with 0 if `body` returns true, otherwise with 1.
  ///
  /// If an error is thrown, it is printed.
  public static func app(_ body: () async throws -> Bool) async -> Never {
    do {
      exit(try await body() ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  /// Returns the value of a command-line option, or `nil` if the option is not given.
  ///
  /// - Throws: `SceneTerminalError` if the value is missing.
  public static func value(of option: String, in arguments: [String]) throws -> String? {
    guard let index = arguments.firstIndex(of: option) else { return nil }
    guard index + 1 < arguments.count else { throw SceneTerminalError(reason: "\(option) needs a value") }
    return arguments[index + 1]
  }

  /// Performs commands until the input ends or is `:quit`, or until a `:wait` of a script fails.
  ///
  /// - Returns: Whether every `:wait` succeeded.
  public func run(_ host: SceneHost) async throws -> Bool {
    if isDesktop, script == nil {
      try await waitUntilWindowsAreClosed(host)
      return true
    }
    let screen = isScreen ? Screen() : nil
    Self.screen.withLock { $0 = screen }
    let drawing = Task {
      guard let screen else { return }
      var widths: [SceneSession.ID: Int] = [:]
      for try await change in host.changes {
        screen.draw(change.elements)
        // Each window is as wide as the pane in which it is drawn.
        let width = screen.paneWidth(of: change.elements)
        for scene in change.elements where scene.processIdentifier != nil && widths[scene.id] != width {
          widths[scene.id] = width
          await host.resize(scene.id, columns: width)
        }
      }
    }
    defer { drawing.cancel() }
    var isAllWell = true
    let lines = try ScriptLines(script)
    // Signals end the input instead of the process, so that the screen is restored before the app ends.
    if screen != nil { lines.endAtInterrupts() }
    for await line in lines.stream {
      let words = line.split(separator: " ").map(String.init)
      guard let first = words.first, !first.hasPrefix("#") else {
        screen?.prompt()
        continue
      }
      if first == ":quit" { break }
      do {
        screen?.tell("")
        screen?.prompt()
        try await perform(first, Array(words.dropFirst()), line, host)
      } catch {
        Self.print("error: \(error)")
        if first == ":wait" { isAllWell = false }
      }
      if script != nil, !isAllWell { break }
    }
    drawing.cancel()
    _ = await drawing.result
    Self.screen.withLock { $0 = nil }
    screen?.leave()
    return isAllWell
  }

  private func waitUntilWindowsAreClosed(_ host: SceneHost) async throws {
    var hasOpened = false
    for try await change in host.changes {
      let isOpen = change.elements.contains { $0.processIdentifier != nil }
      if hasOpened, !isOpen { return }
      hasOpened = hasOpened || isOpen
    }
  }

  private func perform(_ command: String, _ words: [String], _ line: String, _ host: SceneHost) async throws {
    guard command.hasPrefix(":") else { return try await host.sendInput(line) }
    if let own = commands[command] { return try await own(host, words) }
    if command == ":say" { return Self.print(words.joined(separator: " ")) }
    if command == ":show", words.isEmpty {
      for line in Panes(width: 100).lines(of: host.scenes) { Self.print(line) }
      return
    }
    guard let name = words.first else { throw SceneTerminalError(reason: "\(command) needs a window") }
    let scene = try host.scene(name)
    switch command {
    case ":show": for line in scene.content { Self.print(line) }
    case ":key": await host.makeKey(scene.id)
    case ":refresh": await host.refresh(scene.id)
    case ":close": await host.close(scene.id)
    case ":kill": try kill(scene)
    case ":resize": await host.resize(scene.id, columns: Int(words.dropFirst().first ?? "") ?? 80)
    case ":wait": try await wait(for: words.dropFirst().joined(separator: " "), in: scene, host)
    default: throw SceneTerminalError(reason: "unknown command \(command)")
    }
  }

  private func kill(_ scene: HostedScene) throws {
    guard let process = scene.processIdentifier, Foundation.kill(process, SIGKILL) == 0 else {
      throw SceneTerminalError(reason: "window \(scene.number) has no process")
    }
  }

  private func wait(for text: String, in scene: HostedScene, _ host: SceneHost) async throws {
    let waiting = Task {
      for try await change in host.changes {
        let now = change.elements.first { $0.id == scene.id }
        let shown = (now?.content ?? []) + [now?.failure ?? "", now == nil ? "closed" : ""]
        if shown.contains(where: { $0.contains(text) }) { return true }
      }
      return false
    }
    let timeout = Task {
      try await Task.sleep(for: .seconds(60))
      waiting.cancel()
    }
    defer { timeout.cancel() }
    guard try await waiting.value else {
      throw SceneTerminalError(reason: "window \(scene.number) does not show \(text)")
    }
  }
}

/// An error of a command or an option.
public struct SceneTerminalError: Error, CustomStringConvertible {
  /// The reason as a phrase.
  public let reason: String

  /// Creates an error with a reason.
  public init(reason: String) {
    self.reason = reason
  }

  /// The reason.
  public var description: String { reason }
}

/// The lines of a script or of interactive input.
final class ScriptLines {
  let stream: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation
  private var interrupts: [any DispatchSourceSignal] = []

  /// Reads a file with any line endings.
  ///
  /// For `-` or `nil`, a separate thread reads standard input, since reading may block.
  init(_ path: String?) throws {
    (stream, continuation) = AsyncStream.makeStream(of: String.self)
    if let path, path != "-" {
      for line in try Self.text(of: path).split(whereSeparator: \.isNewline) { continuation.yield(String(line)) }
      continuation.finish()
      return
    }
    Thread { [continuation] in
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }.start()
  }

  /// Returns the content of a file, which may also be a pipe or a device.
  private static func text(of path: String) throws -> String {
    guard let file = fopen(path, "r") else { throw unreadable(path) }
    defer { fclose(file) }
    var bytes = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    if ferror(file) != 0 { throw unreadable(path) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SceneTerminalError(reason: "the script \(path) is not UTF-8")
    }
    return text
  }

  /// Returns the error for a file that cannot be read, from `errno`.
  private static func unreadable(_ path: String) -> SceneTerminalError {
    SceneTerminalError(reason: "cannot read the script \(path): \(String(cString: strerror(errno)))")
  }

  /// Ends the stream of lines when the process gets an interrupt, a termination signal or a hang-up.
  func endAtInterrupts() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { [continuation] in continuation.finish() }
      source.activate()
      interrupts.append(source)
    }
  }
}
