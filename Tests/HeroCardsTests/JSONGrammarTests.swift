// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import HeroCards

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct JSONGrammarTests {
  /// Returns the offset and reason of the first fault in `text`, or `nil` if there is none.
  private func fault(_ text: [UInt8], depthLimit: Int = 512) -> (offset: Int, reason: String)? {
    var grammar = JSONGrammar(depthLimit: depthLimit)
    return text.withUnsafeBytes { bytes in
      var position = 0
      while true {
        switch grammar.advance(over: bytes, from: &position) {
        case .more: return nil
        case .fault(let fault): return (position, fault.reason)
        case .begin, .end, .keyBegin, .keyEnd: continue
        }
      }
    }
  }

  @Test func acceptsValidJSON() {
    for text in [
      "{}", "[]", " \t\r\n[ ] ", "[0,-0,10,1.5,-1.25e+10,1E5,0e-1,123456789012345678901234567890]",
      #"["","\"\\\/\b\f\n\r\t\u00e9\uD83D\uDC0C","é🐌 plain text longer than a word"]"#, "[true,false,null]",
      #"{"":{"a":[{}]},"b":[[],{}],"b":1}"#, "{}{}[]\n[]", "\u{FEFF}{}", "[5]", "5",
    ] {
      #expect(fault(Array(text.utf8)) == nil, "\(text)")
    }
  }

  @Test func reportsFaults() {
    for (text, offset, reason) in [
      ("]", 0, "expected an object or an array, found ']'"), ("[1}", 2, "expected ',' or ']', found '}'"),
      (#"{"a":1]"#, 6, "expected ',' or '}', found ']'"), ("[1,]", 3, "a comma without a value before ']'"),
      (#"{"a":1,}"#, 7, "a comma without a key before '}'"), ("{a:1}", 1, "expected a key in quotes, found 'a'"),
      ("{'a':1}", 1, "expected a key in quotes, found '''"), ("{,}", 1, "expected a key in quotes, found ','"),
      ("[,1]", 1, "expected a value, found ','"), ("[1,,2]", 3, "expected a value, found ','"),
      (#"{"a"}"#, 4, "expected ':' after a key, found '}'"), (#"{"a":}"#, 5, "expected a value, found '}'"),
      (#"{"a" 1}"#, 5, "expected ':' after a key, found '1'"), ("[1 2]", 3, "expected ',' or ']', found '2'"),
      ("[01]", 2, "expected ',' or ']', found '1'"), ("[-]", 2, "expected a digit, found ']'"),
      ("[1.]", 3, "expected a digit, found ']'"), ("[1e]", 3, "expected a digit, found ']'"),
      ("[1e+]", 4, "expected a digit, found ']'"), ("[+1]", 1, "expected a value, found '+'"),
      ("[.5]", 1, "expected a value, found '.'"), ("[NaN]", 1, "expected a value, found 'N'"),
      ("[1.5.2]", 4, "expected ',' or ']', found '.'"), ("[0x10]", 2, "expected ',' or ']', found 'x'"),
      ("[trye]", 3, "expected true, false or null, found 'y' in the literal"),
      ("[nul]", 4, "expected true, false or null, found ']' in the literal"),
      ("[True]", 1, "expected a value, found 'T'"), ("[truee]", 5, "expected ',' or ']', found 'e'"),
      (#"["\x"]"#, 3, "'x' after '\\' in a string"),
      (#"["\u12g4"]"#, 6, "expected four hexadecimal digits after '\\u', found 'g'"),
      ("[\"a\nb\"]", 3, "byte 0x0A in a string must be escaped"),
      ("[\"12345678901\u{0}\"]", 13, "byte 0x00 in a string must be escaped"),
      ("[é]", 1, "expected a value, found byte 0xC3"), ("[] ,", 3, "expected an object or an array, found ','"),
      ("[1]\u{0}", 3, "expected an object or an array, found byte 0x00"),
      (" \u{FEFF}[]", 1, "expected an object or an array, found byte 0xEF"),
      ("\u{FEFF}\u{FEFF}[]", 3, "expected an object or an array, found byte 0xEF"),
      ("[/* */]", 1, "expected a value, found '/'"),
    ] {
      let found = fault(Array(text.utf8))
      #expect(found?.offset == offset && found?.reason == reason, "\(text): \(String(describing: found))")
    }
  }

  @Test func rejectsTruncatedByteOrderMark() {
    let texts: [[UInt8]] = [[0xEF, 0x41], [0xEF, 0xBB, 0x5B], [0xEF, 0xBB, 0xBF, 0x5B]]
    #expect(texts.map { fault($0)?.offset } == [1, 2, nil])
  }

  @Test(arguments: [1, 63, 64, 65, 128, 511, 512])
  func followsNestingToLimit(limit: Int) {
    for (open, close) in [("[", "]"), (#"{"":"#, "}")] {
      func text(_ depth: Int) -> [UInt8] {
        let inside = open == "[" ? "" : "0"
        return Array((String(repeating: open, count: depth) + inside + String(repeating: close, count: depth)).utf8)
      }
      #expect(fault(text(limit), depthLimit: limit) == nil)
      let tooDeep = fault(text(limit + 1), depthLimit: limit)
      let reason = "nesting exceeds the limit of \(limit) levels"
      #expect(tooDeep?.offset == limit * open.utf8.count && tooDeep?.reason == reason)
    }
  }

  @Test func distinguishesMixedNestingAtEveryDepth() {
    var generator = SeededGenerator.announced("mixed nesting")
    for _ in 0..<20 {
      let isObject = (0..<512).map { _ in Bool.random(using: &generator) }
      let opening = isObject.map { $0 ? #"{"a":"# : "[" }.joined() + "1"
      let closing = isObject.reversed().map { $0 ? "}" : "]" }
      #expect(fault(Array((opening + closing.joined()).utf8)) == nil)
      var wrong = closing
      let place = Int.random(in: 0..<512, using: &generator)
      wrong[place] = closing[place] == "}" ? "]" : "}"
      #expect(fault(Array((opening + wrong.joined()).utf8))?.offset == opening.utf8.count + place)
    }
  }

  @Test func scansPlainTextAtEveryAlignment() {
    for special in [UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x1F, 0x00] {
      for filler in [UInt8(ascii: "a"), 0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F, 0x80, 0xA2, 0xDC, 0xFF] {
        for length in 0..<20 {
          let text =
            [UInt8(ascii: "["), UInt8(ascii: "\"")] + Array(repeating: filler, count: length) + [special, 0x01]
          let isControl = special < 0x20
          #expect(fault(text)?.offset == length + (isControl ? 2 : 3))
        }
      }
    }
  }

  @Test func agreesWithJSONDecoderOnMutatedText() {
    var generator = SeededGenerator.announced("agreement")
    let text = Array(#"{"a":[1,-2.5e3,true,null,"b\n\u00e9"],"ccc":{"d":{}}}"#.utf8)
    let alphabet = Array(#"{}[],:"\u0123456789.eE+-truefalsn x"#.utf8)
    for _ in 0..<3000 {
      var mutated = text
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        let place = Int.random(in: mutated.indices, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: mutated.remove(at: place)
        case 1: mutated.insert(alphabet.randomElement(using: &generator) ?? 0, at: place)
        default: mutated[place] = alphabet.randomElement(using: &generator) ?? 0
        }
      }
      let layout = JSONElementLayout(route: nil, mismatch: .notHeroes)
      let outcome = Scan.reading([Data(mutated)], with: FoundReader(layout: layout))
      // The number may be well-formed, but exceed the range of every number type.
      if String(decoding: mutated, as: UTF8.self).contains(/[eE][+]?\d{3}/) { continue }
      // JSONDecoder accepts a comma before a closing bracket.
      guard outcome.error?.reason.hasPrefix("a comma without") != true else { continue }
      let isOneValue = outcome.error == nil && outcome.items.count == 1
      let isSound = (try? JSONDecoder().decode(Anything.self, from: Data(mutated))) != nil
      #expect(isOneValue == isSound, "\(String(decoding: mutated, as: UTF8.self))")
    }
  }
}

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

/// Any JSON value.
private struct Anything: Decodable {
  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      for key in container.allKeys { _ = try container.decode(Anything.self, forKey: key) }
    } else if var container = try? decoder.unkeyedContainer() {
      while !container.isAtEnd { _ = try container.decode(Anything.self) }
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() || (try? container.decode(Bool.self)) != nil { return }
      if (try? container.decode(Double.self)) == nil { _ = try container.decode(String.self) }
    }
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
