// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc
internal import ItemTransfer

/// The command-line tool as a function, which takes arguments and returns an exit code.
public enum Tool {
  static let version = "0.1.0"
  static let commands: [any ToolCommand.Type] = [
    SendCommand.self, ReceiveCommand.self, CopyCommand.self, PasteCommand.self, DragCommand.self, DropCommand.self,
    InspectCommand.self,
    ExtractCommand.self, TypesCommand.self,
    DemoCommand.self, CompletionsCommand.self, ManCommand.self, HelpCommand.self,
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
    var entry: CommandEntry?
    do {
      try await dispatch(arguments, environment, &entry)
      return ToolExitCode.success.rawValue
    } catch let failure as ReportedFailure {
      return failure.exitCode.rawValue
    } catch is OutputClosed {
      return OutputClosed.exitCode
    } catch {
      let failure = ToolFailure(error)
      let page = ["dragpipe", entry?.path, "--help"].compactMap(\.self).joined(separator: " ")
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

  /// Handles command lines that need no task, which is only `--version`.
  ///
  /// - Returns: Whether the command line was handled. If writing failed, the result is false, and ``run(_:in:)``
  ///   reports the error.
  public static func answerAtOnce(_ arguments: [String]) -> Bool {
    guard arguments == ["--version"] else { return false }
    return (try? SystemCalls.writeAll(STDOUT_FILENO, Array(versionLine.utf8))) != nil
  }

  private static let versionLine = "dragpipe \(version)\n"

  /// Runs the command, and sets `entry` as soon as the command is known.
  private static func dispatch(
    _ arguments: [String], _ environment: ToolEnvironment, _ entry: inout CommandEntry?
  ) async throws {
    let leading = arguments.prefix { $0.isOption }
    try checkDecoded(Array(arguments.prefix(leading.count + 1)), nil, nil)
    let global = try ParsedArguments(Array(leading), options: options)
    if global.has(OptionSpecification.help.name) { return try await environment.write(ToolHelp.overview) }
    if global.has(OptionSpecification.version.name) { return try await environment.write(versionLine) }
    // After --, even an argument that looks like an option is the name of a command.
    if let operand = global.operands.first { throw CommandEntry.unknown(operand, among: commands) }
    var words = arguments[leading.endIndex...]
    try CommandEntry.take(from: &words, found: &entry)
    guard let entry else { throw ToolFailure(.usage, "no command; use one of \(commandNames)") }
    let parsed = try ParsedArguments(Array(words), options: entry.options)
    try checkDecoded(arguments, parsed, entry)
    if parsed.has(OptionSpecification.help.name) { return try await environment.write(ToolHelp.page(for: entry)) }
    for command in entry.chain { command.prepare() }
    try await entry.command.init(parsed).run(in: environment)
  }

  private static var commandNames: String { commands.map { $0.name }.joined(separator: ", ") }
}

/// The end of a command with an exit code other than 0, after the command itself has written its messages.
struct ReportedFailure: Error {
  let exitCode: ToolExitCode
}
