// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// An option of a command.
///
/// The parser, the help, the man page and the completions all read it.
struct OptionSpecification: Sendable {
  /// The long name, without its dashes.
  let name: String
  /// The letter of the short form.
  var short: Character? = nil
  /// The value that follows the option; `nil` for a flag.
  var value: ArgumentValue? = nil
  /// Whether an option with a value may be repeated; a flag always may.
  var isRepeatable = false
  /// A line for the help, without a capital and a period.
  var summary: String
  /// The option that every command has.
  ///
  /// The parser ignores every argument after it.
  static let help = OptionSpecification(name: "help", short: "h", summary: "show this help")
  static let version = OptionSpecification(name: "version", short: "V", summary: "show the version")

  /// The spellings of the option, the short one first.
  var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] }

  /// The summary and whether the option may be repeated.
  var explanation: String { isRepeatable ? "\(summary); may be repeated" : summary }
}

extension [OptionSpecification] {
  /// Finds an option by its long name or an unambiguous prefix of it.
  ///
  /// - Throws: `usage`, with the nearest names.
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

  /// Finds an option by its letter.
  ///
  /// - Parameters:
  ///   - letter: The letter.
  ///   - argument: The argument that contains the letter.
  /// - Returns: The option.
  /// - Throws: `usage`, with the long option if only a dash is missing.
  func option(lettered letter: Unicode.Scalar, in argument: String) throws(ToolFailure) -> OptionSpecification {
    if let option = first(where: { $0.short == Character(letter) }) { return option }
    let hint = first { "-\($0.name)" == argument }.map { "; did you mean --\($0.name)?" } ?? ""
    throw ToolFailure(.usage, "unknown option -\(String(letter).escapedForDisplay())\(hint)")
  }
}

/// The value of an option or an operand, as the help and the completions describe it.
struct ArgumentValue: Sendable, ExpressibleByStringLiteral {
  /// The name of the value in the help.
  var placeholder: String
  var completion: ArgumentCompletion

  init(_ placeholder: String, _ completion: ArgumentCompletion = .none) {
    self.placeholder = placeholder
    self.completion = completion
  }

  /// Creates a value that shells cannot complete.
  init(stringLiteral placeholder: String) {
    self.init(placeholder)
  }
}

/// The words that a shell completes a value with.
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

/// Suggestions for mistyped names.
enum Spelling {
  /// The longest word to look up; every name is much shorter.
  private static let maximumLength = 40

  /// Returns a question to append to "unknown …", or an empty string if no name is near.
  static func hint(for word: String, among names: [String], prefix: String = "") -> String {
    let near = suggestions(for: word, among: names).map { prefix + $0 }
    return near.isEmpty ? "" : "; did you mean \(list(near, joinedBy: "or"))?"
  }

  /// Returns the nearest names, if they are near enough.
  ///
  /// The distance is 0 if the word is a prefix of the name. The limit is one edit in three letters, and at least one.
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

  /// Returns the edit distance: letters inserted, deleted or replaced, and neighbours swapped.
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
