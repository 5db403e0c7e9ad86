// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// An option a command knows: the parser, the help, the man page and the completions all read this.
struct OptionSpecification: Sendable {
  /// The long name, without its dashes.
  let name: String
  /// The letter that stands for it behind a single dash.
  var short: Character? = nil
  /// What stands behind it; nil for a flag.
  var value: ArgumentValue? = nil
  /// Whether an option with a value may be given several times; a flag may anyway.
  var isRepeatable = false
  /// A line for the help, without a capital and a period.
  var summary: String

  /// What every command has; nothing behind it on the command line counts.
  static let help = OptionSpecification(name: "help", short: "h", summary: "show this help")
  static let version = OptionSpecification(name: "version", short: "V", summary: "show the version")

  /// The ways it can be written, the short one first.
  var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] }

  /// The summary, with what the rest of the table says.
  var explanation: String { isRepeatable ? "\(summary); may be repeated" : summary }
}

extension [OptionSpecification] {
  /// Finds an option by its long name, or by as much of it as is enough to tell it from the others.
  ///
  /// - Throws: `usage`, with what was probably meant.
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

  /// Finds an option by its letter; `argument` is the word the letter is from.
  ///
  /// - Throws: `usage`, with a long option where only a dash is missing.
  func option(lettered letter: Unicode.Scalar, in argument: String) throws(ToolFailure) -> OptionSpecification {
    if let option = first(where: { $0.short == Character(letter) }) { return option }
    let hint = first { "-\($0.name)" == argument }.map { "; did you mean --\($0.name)?" } ?? ""
    throw ToolFailure(.usage, "unknown option -\(String(letter).escapedForDisplay())\(hint)")
  }
}
