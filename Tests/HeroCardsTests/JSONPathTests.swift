// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import HeroCards

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct JSONPathTests {
  @Test func joinsKeysAndIndices() {
    #expect(JSONPath([.key("data"), .key("results"), .index(3), .key("name")]).description == "data.results[3].name")
    #expect(JSONPath([.index(0), .index(1), .key("é_2-b")]).description == "[0][1].é_2-b")
    #expect(JSONPath().description == "")
  }

  @Test(arguments: [
    ("", #"a[""]"#), ("b c", #"a["b c"]"#), ("b.c", #"a["b.c"]"#), ("\"\\", #"a["\"\\"]"#),
    ("\u{1B}[2J\n", #"a["\u{1B}[2J\u{A}"]"#), ("\u{202E}x", #"a["\u{202E}x"]"#), ("\u{2028}", #"a["\u{2028}"]"#),
    (String(repeating: "k", count: 1000), "a[\"" + String(repeating: "k", count: 60) + "…\"]"),
  ])
  func quotesAndTruncatesUnusualKeys(key: String, expected: String) {
    #expect(JSONPath([.key("a"), .key(key)]).description == expected)
  }

  @Test(arguments: [
    ("{", ""), (#"{"a"#, ""), (#"{"a""#, "a"), (#"{"a":"#, "a"), (#"{"a":1"#, "a"), (#"{"a":1,"#, ""),
    (#"{"a":{"b":[1,2"#, "a.b[1]"), (#"{"a":{"b":[1,2,"#, "a.b[2]"), (#"{"a":{"b":[1,2]"#, "a"),
    (#"{"a":{"b":[1,2]}"#, ""), ("[", ""), ("[{}", ""), ("[{},", "[1]"), ("[{},{", "[1]"), ("[[[", "[0][0]"),
    (#"{"a b":"x"#, #"["a b"]"#), (#"{"\u0061":"#, "a"), (#"{"a":"x","b":tr"#, "b"), (#"["a\"#, "[0]"), ("", ""),
  ])
  func openPathEndsAtInnermostOpenValue(text: String, expected: String) {
    #expect(JSONPathTracker.openPath(in: Data(text.utf8)).description == expected)
  }

  @Test func findsKindOfValueAtPath() {
    let json = Data(#"{"a":[1,{"b":null}],"c":"x","d":{"a":true},"e":[]}"#.utf8)
    func kind(_ components: JSONPath.Component...) -> JSONGrammar.Kind? {
      JSONPathTracker.kind(at: JSONPath(components), in: json)
    }
    #expect(kind() == .object)
    #expect(kind(.key("a")) == .array)
    #expect(kind(.key("a"), .index(0)) == .number)
    #expect(kind(.key("a"), .index(1)) == .object)
    #expect(kind(.key("a"), .index(1), .key("b")) == .null)
    #expect(kind(.key("c")) == .string)
    #expect(kind(.key("d"), .key("a")) == .boolean)
    #expect(kind(.key("x")) == nil)
    #expect(kind(.key("e"), .index(0)) == nil)
  }

  @Test func matchesKeysWithAndWithoutEscapes() {
    func matches(_ quoted: String, _ text: String) -> Bool {
      Data(quoted.utf8).withUnsafeBytes { JSONKey.matches($0[...], text) }
    }
    #expect(matches(#""data""#, "data"))
    #expect(matches(#""\u0064ata""#, "data"))
    #expect(matches(#""\u0064\u0061\u0074\u0061""#, "data"))
    #expect(!matches(#""dat""#, "data"))
    #expect(!matches(#""data\u0020""#, "data"))
    #expect(!matches(#""\ud800ata""#, "data"))
  }
}
