// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ParsedArgumentsTests {
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

  @Test func optionsAndOperandsMayMix() throws {
    for arguments in [
      ["--name", "x", "a", "--json", "b"], ["a", "--name=x", "b", "--json"], ["-n", "x", "a", "-j", "b"],
      ["-nx", "a", "-j", "b"], ["-jn", "x", "a", "b"], ["a", "-jnx", "--", "b"], ["--js", "--na", "x", "a", "b"],
    ] {
      let parsed = try ParsedArguments(arguments, options: options)
      #expect(try parsed.operands == ["a", "b"] && parsed.value("name") == "x" && parsed.has("json"), "\(arguments)")
    }
  }

  @Test func valuesMayBeEmptyOrLookLikeOptions() throws {
    let parsed = try parse("--name", "--json", "-", "--", "--name", "--")
    #expect(try parsed.value("name") == "--json" && parsed.operands == ["-", "--name", "--"] && !parsed.has("json"))
    for (arguments, value) in [
      (["--name="], ""), (["--name=a=b"], "a=b"), (["-n=a"], "=a"), (["-n", ""], ""), ([], nil),
      // A combining accent at the start of a value does not join the character before it.
      (["--name=\u{301}x"], "\u{301}x"), (["-n\u{301}x"], "\u{301}x"),
    ] as [([String], String?)] {
      #expect(try ParsedArguments(arguments, options: options).value("name") == value, "\(arguments)")
    }
  }

  @Test func longNameMayBeShortened() throws {
    #expect(try parse("--verb").has("verbose") && parse("--very").has("very"))
  }

  @Test func invalidOptionsAreUsageErrors() {
    for (arguments, message) in [
      (["--ver"], "--ver could be --verbose, --verify or --very"),
      (["--jsno"], "unknown option --jsno; did you mean --json?"), (["--frob"], "unknown option --frob"),
      (["--=x"], "unknown option --"), (["-jx"], "unknown option -x"), (["-\u{301}"], "unknown option -\u{301}"),
      (["-verify"], "unknown option -e; did you mean --verify?"), (["--name"], "--name needs a value: NAME"),
      (["-jn"], "--name needs a value: NAME"), (["--json=yes"], "--json takes no value"),
      (["--name=a", "-n", "b"], "--name may be given only once"),
      (["--\u{1B}[2J\n"], #"unknown option --\u{1b}[2J\u{a}"#), (["--frob", "--help"], "unknown option --frob"),
    ] {
      let failure = #expect(throws: ToolFailure.self) { _ = try ParsedArguments(arguments, options: options) }
      #expect(failure?.exitCode == .usage && failure?.message == message, "\(arguments)")
    }
  }

  @Test func repeatedValuesKeepTheirOrder() throws {
    let parsed = try parse("-t", "a", "--name", "n", "--type=b", "-j", "-j", "-tc")
    #expect(parsed.values("type") == ["a", "b", "c"] && parsed.values("verbose").isEmpty)
    let given = parsed.occurrences(of: "type", "name")
    #expect(given.map(\.option) == ["type", "name", "type", "type"] && given.map(\.value) == ["a", "n", "b", "c"])
    #expect(throws: ToolFailure.self) { try parsed.value("type") }
  }

  @Test func helpIgnoresTheRest() throws {
    for (arguments, isHelp) in [
      (["--help", "--frob"], true), (["-jh", "--name"], true), (["a", "-hx"], true), (["--he"], true),
      (["--", "--help"], false), (["--name", "--help"], false),
    ] { #expect(try ParsedArguments(arguments, options: options).has("help") == isHelp, "\(arguments)") }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SpellingTests {
  @Test(
    arguments: [
      ("0", 0), ("500", 500), ("3K", 3072), ("1KiB", 1024), ("1kb", 1000), ("10MB", 10_000_000), ("7B", 7),
      ("1.5G", 3 << 29), ("0.001MB", 1000), ("0.3K", 307), ("16383P", 16_383 << 50), ("18446744073709551615", .max),
      ("16384P", nil), ("16383.999999999P", 18_446_744_073_708_425_716), ("18446744073709551616", nil), ("1.5", nil),
      ("1.0", 1), ("1.", nil), (".5K", nil), ("1.2.3K", nil), ("K", nil), ("", nil), ("1iB", nil), ("1KK", nil),
      ("-1", nil), ("1 K", nil), ("1E3", nil), ("\u{661}K", nil), ("1.0000000000K", nil),
    ] as [(String, UInt64?)])
  func sizesHaveUnits(text: String, bytes: UInt64?) {
    #expect((try? ByteCount(argument: text).value) == bytes)
  }

  @Test func distanceCountsEdits() {
    for (one, other, expected) in [
      ("", "", 0), ("send", "send", 0), ("snd", "send", 1), ("seend", "send", 1), ("semd", "send", 1),
      ("sned", "send", 1), ("recieve", "receive", 1), ("", "man", 3), ("ab", "ba", 1), ("abc", "cab", 2),
    ] {
      let words = [one, other].map { Array($0.unicodeScalars) }
      let distances = [Spelling.distance(words[0], words[1]), Spelling.distance(words[1], words[0])]
      #expect(distances == [expected, expected], "\(one), \(other)")
    }
  }

  @Test func nearNamesAndPrefixesAreSuggested() {
    let names = ["send", "receive", "inspect", "types", "sense"]
    for (word, expected) in [
      ("recieve", ["receive"]), ("SEND", ["send"]), ("insp", ["inspect"]), ("typse", ["types"]), ("fly", []),
      ("s", []), ("", []), (String(repeating: "send", count: 1000), []), ("mend", ["send"]),
      ("sen", ["send", "sense"]),
    ] { #expect(Spelling.suggestions(for: word, among: names) == expected) }
    let hints = [
      Spelling.hint(for: "jsno", among: ["json"], prefix: "--"), Spelling.hint(for: "xyz", among: ["json"]),
      Spelling.hint(for: "aa", among: ["aab", "aac", "aad"]),
    ]
    #expect(hints == ["; did you mean --json?", "", "; did you mean aab, aac or aad?"])
  }
}
