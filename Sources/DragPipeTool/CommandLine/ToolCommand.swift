// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A command of the tool: its table entry and its work.
protocol ToolCommand: Sendable {
  static var name: String { get }
  /// One sentence for the list of commands.
  static var summary: String { get }
  /// The synopses: for each form of the command, the text after its name.
  static var forms: [String] { get }
  /// The options, except `--help`, which every command has.
  static var options: [OptionSpecification] { get }
  /// The kind of the operands, for completions.
  static var operand: ArgumentCompletion { get }
  /// The subcommands. A command with subcommands does nothing itself.
  static var subcommands: [any ToolCommand.Type] { get }
  /// Further paragraphs for the help. Indented lines are not wrapped.
  static var notes: String { get }
  /// Example command lines for a shell.
  static var examples: [String] { get }

  /// Does work that must precede the creation of this command or of a subcommand.
  static func prepare()
  /// Creates the command from its parsed arguments.
  init(_ arguments: ParsedArguments) throws(ToolFailure)
  func run(in environment: ToolEnvironment) async throws
}

extension ToolCommand {
  static var options: [OptionSpecification] { [] }
  static var operand: ArgumentCompletion { .none }
  static var subcommands: [any ToolCommand.Type] { [] }
  static var notes: String { "" }
  static var examples: [String] { [] }
  static func prepare() {}
}

/// A command that only writes text, which needs neither a task nor `/proc`.
protocol TextCommand: ToolCommand {
  var text: String { get }
}

extension TextCommand {
  func run(in environment: ToolEnvironment) async throws { try await environment.write(text) }
}

/// A command together with the commands that contain it.
///
/// The parser, the help, the man page and the completions all read these entries.
struct CommandEntry: Sendable {
  /// The commands from the outermost command to this command.
  let chain: [any ToolCommand.Type]
  let command: any ToolCommand.Type

  private init(_ command: any ToolCommand.Type, in parents: [any ToolCommand.Type] = []) {
    self.command = command
    chain = parents + [command]
  }

  /// The words that name the command, without the program's name.
  var path: String { chain.map { $0.name }.joined(separator: " ") }

  /// The options of the command, including `--help`.
  var options: [OptionSpecification] { command.options + [.help] }

  var subcommands: [CommandEntry] { command.subcommands.map { CommandEntry($0, in: chain) } }

  /// The synopses, one string each.
  ///
  /// A command with subcommands has the synopses of its subcommands.
  var synopses: [String] {
    guard subcommands.isEmpty else { return subcommands.flatMap(\.synopses) }
    return command.forms.map { $0.isEmpty ? path : "\(path) \($0)" }
  }

  /// Returns the entries of `commands`, by default all commands of the tool.
  ///
  /// Subcommands have no entries.
  static func toplevel(_ commands: [any ToolCommand.Type] = Tool.commands) -> [CommandEntry] {
    commands.map { CommandEntry($0) }
  }

  /// Returns the entries of `commands`, each followed by the entries of its subcommands.
  static func all(_ commands: [any ToolCommand.Type] = Tool.commands) -> [CommandEntry] {
    toplevel(commands).flatMap { [$0] + $0.subcommands }
  }

  /// Removes the words that name a command from the start of a command line.
  ///
  /// - Parameters:
  ///   - words: The arguments, starting with the name of a command.
  ///   - found: The innermost command found; also set if the name of its subcommand is missing or unknown.
  /// - Throws: `usage` for an unknown name, with similar names.
  static func take(from words: inout ArraySlice<String>, found: inout CommandEntry?) throws(ToolFailure) {
    var candidates = Tool.commands
    while !candidates.isEmpty, let word = words.first, !word.isOption {
      guard let command = candidates.first(where: { $0.name == word }) else {
        throw unknown(word, among: candidates, behind: found)
      }
      words.removeFirst()
      found = CommandEntry(command, in: found?.chain ?? [])
      candidates = command.subcommands
    }
  }

  /// Returns the error for an unknown name of a command.
  static func unknown(
    _ word: String, among candidates: [any ToolCommand.Type], behind entry: CommandEntry? = nil
  ) -> ToolFailure {
    let names = candidates.map { $0.name }
    let hint = Spelling.hint(for: word, among: names)
    let path = (entry.map { "\($0.path) " } ?? "") + (word.isEmpty ? "\"\"" : word.escapedForDisplay())
    let list = names.joined(separator: ", ")
    return ToolFailure(.usage, "unknown command \(path)\(hint.isEmpty ? "; use one of \(list)" : hint)")
  }
}

/// An option of a command.
///
/// The parser, the help, the man page and the completions all read this description.
struct OptionSpecification: Sendable {
  /// The long name, without its dashes.
  let name: String
  /// The letter of the short form.
  var short: Character? = nil
  /// The value that follows the option; `nil` for a flag.
  var value: ArgumentValue? = nil
  /// Whether an option with a value may be given more than once; a flag always may.
  var isRepeatable = false
  /// The text of the option in the help: a phrase without a period at its end.
  var summary: String
  /// The option `--help`, which every command has.
  ///
  /// The parser ignores every argument after it.
  static let help = OptionSpecification(name: "help", short: "h", summary: "show this help")
  static let version = OptionSpecification(name: "version", short: "V", summary: "show the version")

  /// All spellings of the option, with the short spelling first.
  var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] }

  /// The summary, with a remark if the option may be repeated.
  var explanation: String { isRepeatable ? "\(summary); may be repeated" : summary }
}

extension [OptionSpecification] {
  /// Finds an option by its long name or by an unambiguous prefix of that name.
  ///
  /// - Throws: `usage` for an unknown name, with similar names, and for a prefix of several names.
  func option(named name: String) throws(ToolFailure) -> OptionSpecification {
    if let option = first(where: { $0.name == name }) { return option }
    let candidates = name.isEmpty ? [] : filter { $0.name.hasPrefix(name) }
    switch candidates.count {
    case 1: return candidates[0]
    case 0:
      let hint = Spelling.hint(for: name, among: map(\.name), prefix: "--")
      throw ToolFailure(.usage, "unknown option --\(name.escapedForDisplay())\(hint)")
    default:
      let names = Spelling.list(candidates.map { "--\($0.name)" }, joinedBy: "or")
      throw ToolFailure(.usage, "--\(name.escapedForDisplay()) could be \(names)")
    }
  }

  /// Finds an option by its short form.
  ///
  /// - Parameters:
  ///   - letter: The letter of the short form.
  ///   - argument: The argument that contains the letter, for the error message.
  /// - Returns: The option with that letter.
  /// - Throws: `usage` for an unknown letter. The message suggests `--name` if the argument is `-name`.
  func option(lettered letter: Unicode.Scalar, in argument: String) throws(ToolFailure) -> OptionSpecification {
    if let option = first(where: { $0.short == Character(letter) }) { return option }
    let hint = first { "-\($0.name)" == argument }.map { "; did you mean --\($0.name)?" } ?? ""
    throw ToolFailure(.usage, "unknown option -\(String(letter).escapedForDisplay())\(hint)")
  }
}

/// The value of an option, as the help and the completions describe it.
struct ArgumentValue: Sendable, ExpressibleByStringLiteral {
  /// The name of the value in the help.
  var placeholder: String
  var completion: ArgumentCompletion

  init(_ placeholder: String, _ completion: ArgumentCompletion = .none) {
    self.placeholder = placeholder
    self.completion = completion
  }

  /// Creates a value without completions.
  init(stringLiteral placeholder: String) {
    self.init(placeholder)
  }
}

/// The kind of words that a shell offers to complete the value of an option, or an operand.
enum ArgumentCompletion: Sendable {
  case none
  case file
  case directory
  /// A uniform type; after an equals sign, a file.
  case type
  /// A uniform type, or the word of a ``TypeFamily``.
  case typeOrFamily
  /// A source or destination of a stream.
  case endpoint
  /// A program to run.
  case command
  /// A fixed list of words, which are ASCII without spaces.
  case words([String])
}

/// Functions that suggest names for mistyped words.
enum Spelling {
  /// The maximum length of a word to look up, in Unicode scalars; every name is much shorter.
  private static let maximumLength = 40

  /// Returns a question to append to "unknown …", or an empty string if no name is similar.
  static func hint(for word: String, among names: [String], prefix: String = "") -> String {
    let near = suggestions(for: word, among: names).map { prefix + $0 }
    return near.isEmpty ? "" : "; did you mean \(list(near, joinedBy: "or"))?"
  }

  /// Returns the names with the smallest edit distance to `word`, if that distance is small enough.
  ///
  /// A name that starts with `word` has distance 0. The maximum distance is a third of the letters of `word`, but at
  /// least 1. A word of one letter, or a word that exceeds the maximum length, has no suggestions.
  static func suggestions(for word: String, among names: [String]) -> [String] {
    let word = Array(word.lowercased().unicodeScalars.prefix(maximumLength + 1))
    guard word.count > 1, word.count <= maximumLength else { return [] }
    let distances = names.map { name in
      let name = Array(name.unicodeScalars)
      return name.starts(with: word) ? 0 : distance(word, name)
    }
    guard let least = distances.min(), least <= max(1, word.count / 3) else { return [] }
    return zip(names, distances).filter { $0.1 == least }.map(\.0)
  }

  /// Returns the number of edits between two words: inserted, deleted or replaced letters, and swapped neighbours.
  ///
  /// - Complexity: O(*m* · *n*).
  static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var current = [row + 1]
      for (column, otherLetter) in other.enumerated() {
        var cost = min(last[column + 1], current[column]) + 1
        cost = min(cost, last[column] + (letter == otherLetter ? 0 : 1))
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == otherLetter {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[other.count]
  }

  /// Joins words as an English list.
  static func list(_ words: [String], joinedBy conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}
