// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DragPipeTool

@Suite("Guesses at mistyped names", .serialized, .limited)
struct SpellingTests {
  @Test(
    "the distance counts letters that are too many, too few, wrong or swapped",
    arguments: [
      ("", "", 0), ("send", "send", 0), ("snd", "send", 1), ("seend", "send", 1), ("semd", "send", 1),
      ("sned", "send", 1), ("recieve", "receive", 1), ("", "man", 3), ("ab", "ba", 1), ("abc", "cab", 2),
    ])
  func distance(_ one: String, _ other: String, _ expected: Int) {
    #expect(Spelling.distance(Array(one.unicodeScalars), Array(other.unicodeScalars)) == expected)
    #expect(Spelling.distance(Array(other.unicodeScalars), Array(one.unicodeScalars)) == expected)
  }

  @Test(
    "what is near, or begins so, is suggested; what is far, too short or endless is not",
    arguments: [
      ("recieve", ["receive"]), ("SEND", ["send"]), ("insp", ["inspect"]), ("typse", ["types"]), ("fly", []),
      ("s", []), ("", []), (String(repeating: "send", count: 1000), []), ("mend", ["send"]),
      ("sen", ["send", "sense"]),
    ])
  func suggestions(_ word: String, _ expected: [String]) {
    let names = ["send", "receive", "inspect", "types", "sense"]
    #expect(Spelling.suggestions(for: word, among: names) == expected)
  }

  @Test("a question names one, two or more")
  func hints() {
    #expect(Spelling.hint(for: "jsno", among: ["json"], prefix: "--") == "; did you mean --json?")
    #expect(Spelling.hint(for: "aa", among: ["aab", "aac", "aad"]) == "; did you mean aab, aac or aad?")
    #expect(Spelling.hint(for: "xyz", among: ["json"]).isEmpty)
  }
}
