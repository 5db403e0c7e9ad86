// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import DropDesktop
internal import DropSystem
internal import DropTransport
internal import Glibc
internal import ItemTransfer
internal import Synchronization

/// The command-line tool as a function, which takes arguments and returns an exit code.
public enum Tool {
  static let version = "0.1.0"
  static let commands: [any ToolCommand.Type] = [
    SendCommand.self, ReceiveCommand.self, CopyCommand.self, PasteCommand.self, DragCommand.self, DropCommand.self,
    InspectCommand.self,
    ExtractCommand.self, JoinCommand.self, TypesCommand.self,
    DemoCommand.self, CompletionsCommand.self, ManCommand.self, HelpCommand.self, VersionCommand.self,
  ]
  /// The options that the user may give instead of a command.
  static let options: [OptionSpecification] = [.help, .version]

  /// Runs a command line.
  ///
  /// Cancelling the task cancels the command cleanly: it notifies the peer and removes temporary files.
  ///
  /// - Parameters:
  ///   - arguments: The arguments without the program's name, each created by ``argument(_:)``.
  ///   - environment: The descriptors for input, output and messages.
  /// - Returns: The exit code. Any error has already been reported on `environment.errors`, in one line, unless the
  ///   reader of the output has closed it.
  public static func run(_ arguments: [String], in environment: ToolEnvironment = ToolEnvironment()) async -> Int32 {
    await run(ToolRequest(arguments), in: environment)
  }

  /// Runs a command line that was parsed before, as ``run(_:in:)-([String],_)`` does.
  public static func run(_ request: ToolRequest, in environment: ToolEnvironment = ToolEnvironment()) async -> Int32 {
    // A stream replaces standard output at its end.
    let feedsPipe = environment.outputIsPipe
    do {
      switch try request.work.get() {
      case .text(let text): try await environment.write(text)
      case .command(let entry, let parsed):
        for command in entry.chain { command.prepare() }
        try await entry.command.init(parsed).run(in: environment)
      }
      return ToolExitCode.success.rawValue
    } catch let failure as ReportedFailure {
      return failure.exitCode.rawValue
    } catch is OutputClosed {
      return OutputClosed.exitCode
    } catch {
      var failure = ToolFailure(error)
      // A peer in the same pipeline ends after the same interrupt, which may be noticed first. The interrupt ends the wait.
      if environment.errorsAreTerminal, [.cancelledByPeer, .peerGone, .malformed, .failure].contains(failure.exitCode) {
        try? await Task.sleep(for: .milliseconds(250))
      }
      if KeyboardInterrupt.hasArrived { failure = ToolFailure(CancellationError()) }
      // The next program of the pipeline reports the interrupt.
      if KeyboardInterrupt.hasArrived, feedsPipe { return failure.exitCode.rawValue }
      let page = ["dragpipe", request.entry?.path, "--help"].compactMap(\.self).joined(separator: " ")
      environment.note(failure.exitCode == .usage ? "\(failure.message) (see \(page))" : failure.message)
      return failure.exitCode.rawValue
    }
  }

  /// Creates an argument from the bytes that the system passed, which need not be UTF-8.
  public static func argument(_ bytes: UnsafePointer<CChar>) -> String {
    String(validatingCString: bytes)
      ?? UndecodableName.marking(UnsafeRawBufferPointer(start: bytes, count: strlen(bytes)))
  }

  /// Throws an error for arguments that are not UTF-8, except names of files to send, which may be left out later.
  private static func checkDecoded(
    _ arguments: [String], _ parsed: ParsedArguments?, _ entry: CommandEntry?
  ) throws(ToolFailure) {
    for (index, argument) in arguments.enumerated() {
      guard let shown = UndecodableName.shown(argument) else { continue }
      let sendsFiles = ["send", "copy", "drag"].contains(entry?.command.name)
      let isFile = sendsFiles && parsed?.operands.contains(argument) == true
      if !isFile { throw ToolFailure(.usage, "argument \(index + 1) is not valid UTF-8: \(shown)") }
    }
  }

  /// The arguments of this process, without the program's name.
  public static var arguments: [String] {
    var count: CInt = 0
    guard let words = dragpipe_arguments(&count), count > 0 else {
      return (1..<max(1, Int(CommandLine.argc))).compactMap { CommandLine.unsafeArgv[$0] }.map { argument($0) }
    }
    return (1..<max(1, Int(count))).compactMap { words[$0] }.map { argument($0) }
  }

  /// The version, and the commit if the variable `DRAGPIPE_COMMIT` was set during the build.
  static let versionLine: String = {
    let commit = String(cString: dragpipe_commit())
    return "dragpipe \(version)\(commit.isEmpty ? "" : " (\(commit))")\n"
  }()

  /// Parses a command line, and sets `entry` as soon as the command is known.
  fileprivate static func work(
    _ arguments: [String], _ entry: inout CommandEntry?
  ) throws(ToolFailure) -> ToolRequest.Work {
    let leading = arguments.prefix { $0.isOption }
    try checkDecoded(Array(arguments.prefix(leading.count + 1)), nil, nil)
    let global = try ParsedArguments(Array(leading), options: options)
    if global.has(OptionSpecification.help.name) { return .text(ToolHelp.overview) }
    if global.has(OptionSpecification.version.name) { return .text(versionLine) }
    // After --, even an argument that looks like an option is the name of a command.
    if let operand = global.operands.first { throw CommandEntry.unknown(operand, among: commands) }
    var words = arguments[leading.endIndex...]
    try CommandEntry.take(from: &words, found: &entry)
    guard let entry else { throw ToolFailure(.usage, "no command; use one of \(commandNames)") }
    let parsed = try ParsedArguments(Array(words), options: entry.options)
    try checkDecoded(arguments, parsed, entry)
    if parsed.has(OptionSpecification.help.name) { return .text(ToolHelp.page(for: entry)) }
    if let command = entry.command as? any TextCommand.Type { return .text(try command.init(parsed).text) }
    return .command(entry, parsed)
  }

  private static var commandNames: String { commands.map { $0.name }.joined(separator: ", ") }
}

/// A parsed command line.
public struct ToolRequest: Sendable {
  fileprivate enum Work {
    /// Text such as the help.
    case text(String)
    case command(CommandEntry, ParsedArguments)
  }

  /// The command; `nil` if its name is missing or unknown.
  fileprivate let entry: CommandEntry?
  fileprivate let work: Result<Work, ToolFailure>

  /// Parses arguments, each created by ``Tool/argument(_:)``.
  public init(_ arguments: [String]) {
    var entry: CommandEntry?
    do throws(ToolFailure) { work = .success(try Tool.work(arguments, &entry)) } catch { work = .failure(error) }
    self.entry = entry
  }

  /// Handles command lines that need no task, which are those that only show the help or the version.
  ///
  /// - Returns: Whether the command line was handled. If writing failed, the result is false, and
  ///   ``Tool/run(_:in:)-(ToolRequest,_)`` reports the error.
  public func answerAtOnce() -> Bool {
    guard case .success(.text(let text)) = work else { return false }
    return (try? SystemCalls.writeAll(STDOUT_FILENO, Array(text.utf8))) != nil
  }
}

/// The end of a command with an exit code other than 0, after the command itself has written its messages.
struct ReportedFailure: Error, CustomStringConvertible {
  let exitCode: ToolExitCode
  /// The message, for a peer.
  var description = ""
}

/// The interrupt of a user who types Ctrl-C.
///
/// The terminal shows `^C` behind the cursor, and the next output must begin a new line.
enum KeyboardInterrupt {
  private static let state = Lock((hasArrived: false, needsLine: false))

  static func arrive() { state.withLock { $0 = (true, !$0.hasArrived || $0.needsLine) } }

  static var hasArrived: Bool { state.withLock(\.hasArrived) }

  /// Returns whether the caller must begin a new line, which is so once.
  static func takeLine() -> Bool {
    state.withLock { state in
      defer { state.needsLine = false }
      return state.needsLine
    }
  }
}

/// A receiver of the signals that ask the process to end.
///
/// The signals cancel its task.
///
/// The first signal cancels the task cleanly. A second signal ends the process at once; signals within 200 ms are
/// treated as one signal. At the end, the process sends the first signal to itself, so that a shell sees the reason.
public final class ToolSignals: Sendable {
  private struct State {
    var received: (number: CInt, time: ContinuousClock.Instant)?
    var cancel: (@Sendable () -> Void)?
  }

  /// The time after the first signal in which further signals are ignored.
  ///
  /// `timeout` sends each signal twice: to its command, and to the process group of that command.
  private static let echoTime = Duration.milliseconds(200)

  private let state = Lock(State())
  private let awaited: sigset_t

  /// Blocks the signals until ``listen()`` receives them.
  ///
  /// Call this before the process has a second thread.
  ///
  /// SIGPIPE is ignored, so writing to a closed pipe fails with an error instead of ending the process.
  public init() {
    signal(SIGPIPE, SIG_IGN)
    var awaited = sigset_t()
    sigemptyset(&awaited)
    // A signal that was ignored when the process started, as with nohup, stays ignored. SIGQUIT is included because
    // Swift's backtrace handler would otherwise print a backtrace instead of ending the process.
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] where !Self.isIgnored(number) { sigaddset(&awaited, number) }
    // A terminal in raw mode must be entered again after a stop, and drawn again at another size.
    for number in [SIGCONT, SIGWINCH] { sigaddset(&awaited, number) }
    // Later threads inherit the mask, so a signal stays pending until `listen()` receives it.
    pthread_sigmask(SIG_BLOCK, &awaited, nil)
    self.awaited = awaited
  }

  /// Receives pending and later signals until the process ends.
  public func listen() -> Never {
    var awaited = awaited
    while true {
      var information = siginfo_t()
      let number = sigwaitinfo(&awaited, &information)
      if number == SIGINT, information.si_code == CInt(SI_KERNEL) { KeyboardInterrupt.arrive() }
      if number == SIGCONT || number == SIGWINCH {
        DesktopTerminal.receive(number)
      } else if number > 0 {
        receive(number)
      }
    }
  }

  private static func isIgnored(_ number: CInt) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Sets the task that the first signal cancels.
  ///
  /// If a signal has already arrived, cancels the task at once.
  public func cancel<Success: Sendable>(_ task: Task<Success, Never>) {
    let isLate = state.withLock { state in
      state.cancel = { task.cancel() }
      return state.received != nil
    }
    if isLate { task.cancel() }
  }

  /// If a signal has been received, ends the process with that signal.
  public func endAsSignalled() {
    if let received = state.withLock({ $0.received }) { Self.die(of: received.number) }
  }

  private func receive(_ number: CInt) {
    let now = ContinuousClock.now
    let (first, cancel) = state.withLock { state in
      defer { state.received = state.received ?? (number, now) }
      return (state.received, state.cancel)
    }
    guard let first else {
      cancel?()
      return
    }
    if now - first.time > Self.echoTime { Self.die(of: number) }
  }

  private static func die(of number: CInt) {
    DesktopTerminal.restore()
    signal(number, SIG_DFL)
    // Other threads block the signal, so `raise` delivers it to this thread.
    var unblocked = sigset_t()
    sigemptyset(&unblocked)
    sigaddset(&unblocked, number)
    pthread_sigmask(SIG_UNBLOCK, &unblocked, nil)
    raise(number)
  }
}
