// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport
internal import ItemCoding
internal import ItemTransfer

/// A command of the tool: how it is called, and what it does.
protocol ToolCommand: Sendable {
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  /// What follows the name, one line for each form.
  static var forms: [String] { get }
  static var options: [OptionSpecification] { get }
  /// Anything more that the help should say.
  static var notes: String { get }

  /// Makes sense of what was typed.
  init(_ arguments: ParsedArguments) throws(ToolFailure)
  func run(in environment: ToolEnvironment) async throws
}

/// The whole tool as a function: arguments in, exit code out.
public enum Tool {
  static let version = "0.1.0"
  static let commands: [any ToolCommand.Type] = [
    SendCommand.self, ReceiveCommand.self, InspectCommand.self, ExtractCommand.self, TypesCommand.self,
    DemoCommand.self,
  ]

  /// Runs a command line.
  ///
  /// Cancelling the task cancels the command in order: the peer is told, temporary files go.
  ///
  /// - Parameters:
  ///   - arguments: Without the program's name; nil stands for one that is not UTF-8, which is refused: repaired, it
  ///     would name another file.
  ///   - environment: Where input comes from and output goes.
  /// - Returns: The exit code; what went wrong has been said on `environment.errors`, in one line.
  public static func run(_ arguments: [String?], in environment: ToolEnvironment = ToolEnvironment()) async -> Int32 {
    do {
      if let index = arguments.firstIndex(of: nil) {
        throw ToolFailure(.usage, "argument \(index + 1) is not UTF-8")
      }
      try await dispatch(arguments.compactMap(\.self), environment)
      return ToolExitCode.success.rawValue
    } catch let failure as ToldFailure {
      return failure.exitCode.rawValue
    } catch is OutputClosed {
      return OutputClosed.exitCode
    } catch {
      let failure = ToolFailure(error)
      environment.note(failure.exitCode == .usage ? "\(failure.message) (see dragpipe --help)" : failure.message)
      return failure.exitCode.rawValue
    }
  }

  private static func dispatch(_ arguments: [String], _ environment: ToolEnvironment) async throws {
    guard let first = arguments.first else { throw ToolFailure(.usage, "no command; one of \(commandNames)") }
    switch first {
    case "--version": return try await environment.write("dragpipe \(version)\n")
    case "--help", "-h", "help": return try await environment.write(ToolHelp.overview)
    default: break
    }
    guard let command = commands.first(where: { $0.name == first }) else {
      throw ToolFailure(.usage, "unknown command \(first.escapedForDisplay()); one of \(commandNames)")
    }
    let rest = Array(arguments.dropFirst())
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return try await environment.write(ToolHelp.page(for: command))
    }
    let parsed = try ParsedArguments(rest, options: command.options)
    try await command.init(parsed).run(in: environment)
  }

  private static var commandNames: String { commands.map { $0.name }.joined(separator: ", ") }
}

/// Ends a command without success after everything there is to say about it has been said.
struct ToldFailure: Error {
  let exitCode: ToolExitCode
}
