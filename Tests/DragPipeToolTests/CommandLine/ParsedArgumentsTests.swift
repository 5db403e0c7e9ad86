// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

@Suite("Parsed arguments", .serialized, .limited, .timeLimit(.minutes(5)))
struct ParsedArgumentsTests {
  private let options = [
    OptionSpecification(name: "name", short: "n", value: "NAME", summary: ""),
    OptionSpecification(name: "json", short: "j", summary: ""),
    OptionSpecification(name: "verbose", short: "v", summary: ""),
    OptionSpecification(name: "verify", summary: ""), OptionSpecification(name: "very", summary: ""),
    OptionSpecification(name: "type", short: "t", value: "TYPE", isRepeatable: true, summary: ""), .help,
  ]

  private func parse(_ arguments: String...) throws(ToolFailure) -> ParsedArguments {
    try ParsedArguments(arguments, options: options)
  }

  /// Returns the error message for an invalid command line.
  private func complaint(_ arguments: String...) -> String? {
    let failure = #expect(throws: ToolFailure.self) { _ = try ParsedArguments(arguments, options: options) }
    #expect(failure?.exitCode == .usage)
    return failure?.message
  }

  @Test(
    "options and operands may be mixed; a value follows its option, an equals sign or a letter",
    arguments: [
      ["--name", "x", "a", "--json", "b"], ["a", "--name=x", "b", "--json"], ["-n", "x", "a", "-j", "b"],
      ["-nx", "a", "-j", "b"], ["-jn", "x", "a", "b"], ["a", "-jnx", "--", "b"], ["--js", "--na", "x", "a", "b"],
    ])
  func optionsAndOperandsMayMix(_ arguments: [String]) throws {
    let parsed = try ParsedArguments(arguments, options: options)
    #expect(parsed.operands == ["a", "b"])
    #expect(try parsed.value("name") == "x")
    #expect(parsed.has("json"))
  }

  @Test("-- ends the options, - is an operand, and values may be empty or look like options")
  func doubleDashEndsOptions() throws {
    let parsed = try parse("--name", "--json", "-", "--", "--name", "--")
    #expect(try parsed.value("name") == "--json")
    #expect(parsed.operands == ["-", "--name", "--"])
    #expect(!parsed.has("json"))
    #expect(try parse("--name=").value("name")?.isEmpty == true)
    #expect(try parse("--name=a=b").value("name") == "a=b")
    #expect(try parse("-n=a").value("name") == "=a")
    #expect(try parse("-n", "").value("name")?.isEmpty == true)
    #expect(try parse().value("name") == nil)
  }

  @Test("a combining accent at the start of a value does not join the character before it")
  func combiningMarkStartsItsOwnValue() throws {
    #expect(try parse("--name=\u{301}x").value("name") == "\u{301}x")
    #expect(try parse("-n\u{301}x").value("name") == "\u{301}x")
    #expect(complaint("-\u{301}") == "unknown option -\u{301}")
  }

  @Test("a long name may be shortened to an unambiguous prefix; a full name always matches")
  func acceptsUnambiguousPrefixes() throws {
    #expect(try parse("--verb").has("verbose"))
    #expect(try parse("--very").has("very"))
    #expect(complaint("--ver") == "--ver could be --verbose, --verify or --very")
  }

  @Test("unknown and repeated options and missing or extra values are usage errors with a reason")
  func rejectsInvalidOptions() {
    #expect(complaint("--jsno") == "unknown option --jsno; did you mean --json?")
    #expect(complaint("--frob") == "unknown option --frob")
    #expect(complaint("--=x") == "unknown option --")
    #expect(complaint("-jx") == "unknown option -x")
    #expect(complaint("-verify") == "unknown option -e; did you mean --verify?")
    #expect(complaint("--name") == "--name needs a value: NAME")
    #expect(complaint("-jn") == "--name needs a value: NAME")
    #expect(complaint("--json=yes") == "--json takes no value")
    #expect(complaint("--name=a", "-n", "b") == "--name may be given only once")
    #expect(complaint("--\u{1B}[2J\n") == #"unknown option --\u{1b}[2J\u{a}"#)
  }

  @Test("repeated values and occurrences of several options keep their order")
  func keepsTheOrderOfValues() throws {
    let parsed = try parse("-t", "a", "--name", "n", "--type=b", "-j", "-j", "-tc")
    #expect(parsed.values("type") == ["a", "b", "c"])
    #expect(parsed.values("verbose").isEmpty)
    let given = parsed.occurrences(of: "type", "name")
    #expect(given.map(\.option) == ["type", "name", "type", "type"])
    #expect(given.map(\.value) == ["a", "n", "b", "c"])
    #expect(throws: ToolFailure.self) { try parsed.value("type") }
  }

  @Test("after the help option, the rest of the command line is ignored")
  func helpIgnoresTheRest() throws {
    for arguments in [["--help", "--frob"], ["-jh", "--name"], ["a", "-hx"], ["--he"]] {
      #expect(try ParsedArguments(arguments, options: options).has("help"))
    }
    #expect(complaint("--frob", "--help") == "unknown option --frob")
    #expect(try !parse("--", "--help").has("help"))
    #expect(try !parse("--name", "--help").has("help"))
  }
}

@Suite("Guesses at mistyped names", .serialized, .limited, .timeLimit(.minutes(5)))
struct SpellingTests {
  @Test(
    "the distance counts letters that are too many, too few, wrong or swapped",
    arguments: [
      ("", "", 0), ("send", "send", 0), ("snd", "send", 1), ("seend", "send", 1), ("semd", "send", 1),
      ("sned", "send", 1), ("recieve", "receive", 1), ("", "man", 3), ("ab", "ba", 1), ("abc", "cab", 2),
    ])
  func countsEdits(_ one: String, _ other: String, _ expected: Int) {
    #expect(Spelling.distance(Array(one.unicodeScalars), Array(other.unicodeScalars)) == expected)
    #expect(Spelling.distance(Array(other.unicodeScalars), Array(one.unicodeScalars)) == expected)
  }

  @Test(
    "near names and prefixes give a suggestion; distant, short and very long words do not",
    arguments: [
      ("recieve", ["receive"]), ("SEND", ["send"]), ("insp", ["inspect"]), ("typse", ["types"]), ("fly", []),
      ("s", []), ("", []), (String(repeating: "send", count: 1000), []), ("mend", ["send"]),
      ("sen", ["send", "sense"]),
    ])
  func suggestsNearNames(_ word: String, _ expected: [String]) {
    let names = ["send", "receive", "inspect", "types", "sense"]
    #expect(Spelling.suggestions(for: word, among: names) == expected)
  }

  @Test("a hint names one, two or more suggestions")
  func hintNamesEverySuggestion() {
    #expect(Spelling.hint(for: "jsno", among: ["json"], prefix: "--") == "; did you mean --json?")
    #expect(Spelling.hint(for: "aa", among: ["aab", "aac", "aad"]) == "; did you mean aab, aac or aad?")
    #expect(Spelling.hint(for: "xyz", among: ["json"]).isEmpty)
  }
}
