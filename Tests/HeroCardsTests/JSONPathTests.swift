// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ItemCoding
internal import TestSupport
internal import Testing

@testable internal import HeroCards

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct JSONPathTests {
  @Test func joinsKeysAndIndices() {
    let path = JSONPath([.key("data"), .key("results"), .index(3), .key("name")])
    let paths = [path, JSONPath([.index(0), .index(1), .key("é_2-b")]), JSONPath()]
    #expect(paths.map(\.description) == ["data.results[3].name", "[0][1].é_2-b", ""])
  }

  @Test func quotesAndTruncatesUnusualKeys() {
    for (key, expected) in [
      ("", #"a[""]"#), ("b c", #"a["b c"]"#), ("b.c", #"a["b.c"]"#), ("\"\\", #"a["\"\\"]"#),
      ("\u{1B}[2J\n", #"a["\u{1B}[2J\u{A}"]"#), ("\u{202E}x", #"a["\u{202E}x"]"#), ("\u{2028}", #"a["\u{2028}"]"#),
      (String(repeating: "k", count: 1000), "a[\"" + String(repeating: "k", count: 60) + "…\"]"),
    ] {
      #expect(JSONPath([.key("a"), .key(key)]).description == expected)
    }
  }

  @Test func openPathEndsAtInnermostOpenValue() {
    for (text, expected) in [
      ("{", ""), (#"{"a"#, ""), (#"{"a""#, "a"), (#"{"a":"#, "a"), (#"{"a":1"#, "a"), (#"{"a":1,"#, ""),
      (#"{"a":{"b":[1,2"#, "a.b[1]"), (#"{"a":{"b":[1,2,"#, "a.b[2]"), (#"{"a":{"b":[1,2]"#, "a"),
      (#"{"a":{"b":[1,2]}"#, ""), ("[", ""), ("[{}", ""), ("[{},", "[1]"), ("[{},{", "[1]"), ("[[[", "[0][0]"),
      (#"{"a b":"x"#, #"["a b"]"#), (#"{"\u0061":"#, "a"), (#"{"a":"x","b":tr"#, "b"), (#"["a\"#, "[0]"), ("", ""),
    ] {
      #expect(JSONPathTracker.openPath(in: Data(text.utf8)).description == expected, "\(text)")
    }
  }

  @Test func findsKindOfValueAtPath() {
    let json = Data(#"{"a":[1,{"b":null}],"c":"x","d":{"a":true},"e":[]}"#.utf8)
    for (components, kind) in [
      ([], .object), ([.key("a")], .array), ([.key("a"), .index(0)], .number), ([.key("a"), .index(1)], .object),
      ([.key("a"), .index(1), .key("b")], .null), ([.key("c")], .string), ([.key("d"), .key("a")], .boolean),
      ([.key("x")], nil), ([.key("e"), .index(0)], nil),
    ] as [([JSONPath.Component], JSONGrammar.Kind?)] {
      #expect(JSONPathTracker.kind(at: JSONPath(components), in: json) == kind)
    }
  }

  @Test func matchesKeysWithAndWithoutEscapes() {
    for (quoted, matches) in [
      (#""data""#, true), (#""\u0064ata""#, true), (#""\u0064\u0061\u0074\u0061""#, true), (#""dat""#, false),
      (#""data\u0020""#, false), (#""\ud800ata""#, false),
    ] {
      #expect(Data(quoted.utf8).withUnsafeBytes { JSONKey.matches($0[...], "data") } == matches)
    }
  }
}
