// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import ItemCoding

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct JSONTranscoderTests {
  /// Returns the items of the value at the start of `text` in diagnostic notation, and the value's length.
  private func items(_ text: Data, depthLimit: Int = 512) throws -> (notation: String, length: Int)? {
    var transcoder = JSONTranscoder()
    defer { transcoder.writer.deallocate() }
    guard let length = text.withUnsafeBytes({ transcoder.transcode($0, depthLimit: depthLimit) }) else { return nil }
    return (try CBORDiagnosticNotation().text(of: Data(transcoder.writer.bytes)), length)
  }

  private func decoded<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
    Data(text.utf8).withUnsafeBytes { JSONItems.decode(type, from: $0) }
  }

  @Test func acceptsJSON() throws {
    let texts: KeyValuePairs = [
      #"{}"#: "{}", " \t\r\n[ ] ": "[]", #"{"a":1}"#: #"{"a": 1}"#,
      #"{ "a" : [ ] , "" : null }"#: #"{"a": [], "": null}"#,
      "[true,false,null]": "[true, false, null]", "[0,9,-1,23,24,-25,255,256]": "[0, 9, -1, 23, 24, -25, 255, 256]",
      "[65536,4294967296,999999999999999999]": "[65536, 4294967296, 999999999999999999]",
      "[-999999999999999999]": "[-999999999999999999]",
      "[0.0,-0,1e5]": "[simple(16), simple(16), simple(16)]",
      "[1E+5,1.5e-3,1000000000000000000]": "[simple(16), simple(16), simple(16)]",
      #""x""#: #""x""#, #"["é日🐌"]"#: #"["é日🐌"]"#, #"["\u00e9\u65E5\ud83d\uDC0C"]"#: #"["é日🐌"]"#,
      #"["\/\"\\"]"#: #"["/\"\\"]"#, #"{"\u0061":{"b":[{}]}}"#: #"{"a": {"b": [{}]}}"#,
      #"{"a":{"a":1},"b":{"a":2}}"#: #"{"a": {"a": 1}, "b": {"a": 2}}"#, "true ": "true", "[1]x": "[1]", "{}{": "{}",
      "\u{FEFF}[]": "[]",
    ]
    for (text, notation) in texts { #expect(try items(Data(text.utf8))?.notation == notation, "\(text)") }
  }

  @Test func refusesOtherText() throws {
    for text in [
      "", " ", "{", "[", "}", "]", "[1", "[1,", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1}", "{]", #"{"a"}"#, #"{"a":}"#,
      #"{"a":1,}"#, #"{,"a":1}"#, #"{"a" 1}"#, #"{"a"::1}"#, #"{a:1}"#, #"{'a':1}"#, #"{1:1}"#, #"{"a":1 "b":2}"#,
      #"{null:1}"#, "[01]", "[-01]", "[-]", "[+1]", "[.5]", "[1.]", "[1.e5]", "[1e]", "[1e+]", "[1e1.5]", "[0x10]",
      "[1_000]", "[NaN]", "[Infinity]", "[-Infinity]", "[--1]", "[1-]", "[00]", "[1.5.2]", "[tru]", "[truE]", "[True]",
      "[nul", "[nulll]", "[falsey]", #"["a]"#, #"["\"]"#, #"["\x"]"#, #"["\u12"]"#, #"["\u123g"]"#, #"["\u"]"#,
      #"["\ud800"]"#, #"["\ud800x"]"#, #"["\udc00"]"#, #"["\ud800\u0041"]"#, #"["\ud800\ud800"]"#, #"["\u+123"]"#,
      "[\"a\u{0}\"]", "[\"a\nb\"]", "[\"\u{1F}\"]", "[\"\t\"]", "[x", "/**/[]", "[1/**/]", "[\u{A0}1]",
      "[\u{C}1]", "nu", "12", "-", "1.5",
    ] {
      #expect(try items(Data(text.utf8)) == nil, "\(text)")
    }
  }

  @Test func refusesInvalidUTF8() throws {
    for wrong: [UInt8] in [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x41], [0xE0, 0x9F, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
      [0xF0, 0x8F, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x90], [0xF5, 0x80, 0x80, 0x80], [0xFF],
    ] {
      for length in 0..<12 {
        for tail in ["", "and some text after it", "é", "\\n"] {
          let text = Data(#"[""#.utf8) + Data(repeating: 0x61, count: length) + wrong + Data("\(tail)\"]".utf8)
          #expect(try items(text) == nil)
        }
      }
    }
  }

  @Test func convertsStringsOfEveryLengthAndAlignment() throws {
    for length in Array(0..<40) + [255, 256, 257, 65_535, 65_536] {
      for (raw, meaning) in [
        ("", ""), ("é", "é"), ("🐌", "🐌"), (#"\n"#, "\n"), (#"\u00e9"#, "é"), (#"\ud83d\udc0c"#, "🐌"),
      ] {
        let filler = String(repeating: "a", count: length)
        for (text, expected) in [(filler + raw, filler + meaning), (raw + filler, meaning + filler)] {
          #expect(decoded([String].self, #"["\#(text)"]"#) == [expected])
        }
      }
    }
  }

  @Test func longContainersEndWithBreak() throws {
    for count in [22, 23, 24, 25, 300] {
      let numbers = Array(0..<count)
      let text = "[\(numbers.map { "{\"a\":\($0)}" }.joined(separator: ","))]"
      #expect(decoded([[String: Int]].self, text) == numbers.map { ["a": $0] })
      let object = "{\(numbers.map { "\"\($0)\":[]" }.joined(separator: ","))}"
      #expect(decoded([String: [Int]].self, object)?.count == count)
    }
  }

  @Test func limitsDepth() throws {
    func nested(_ depth: Int) -> Data {
      Data((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    for (text, limit, length) in [
      (nested(3), 3, 6), (nested(4), 3, nil), (nested(512), .max, 1024), (nested(513), .max, nil), (nested(1), 0, nil),
      (Data(repeating: 0x5B, count: 1_000_000), 512, nil),
    ] {
      #expect(try items(text, depthLimit: limit)?.length == length)
    }
  }

  @Test func refusesEveryTruncation() throws {
    let text = Data(#"{"a":[1,-2,true,false,null,"é\n\u00e9\ud83d\udc0c",{"b":{}}],"c":1.5e3}"#.utf8)
    #expect(try items(text)?.length == text.count)
    for end in 0..<text.count { #expect(try items(text.prefix(end)) == nil) }
  }

  @Test func refusesRepeatedKeysOfAnyObject() throws {
    for length in Array(0...12) + [23, 24, 255, 256] {
      let key = String(repeating: "k", count: length)
      for count in [0, 1, 14, 15, 16, 40] {
        // The other keys have the same length, or the same first bytes.
        let others = (0..<count).map { number in
          let text = String(number)
          return "\"\(length > 8 ? key.dropLast(text.utf8.count) + text : key + text)\":1,"
        }
        let object = #"{\#(others.joined())"\#(key)":{"\#(key)":1}}"#
        #expect(try items(Data("[\(object)]".utf8)) != nil, "\(object)")
        for place in Set([0, count / 2, count]) {
          let escaped = #""\#(key.replacing("k", with: #"\u006b"#, maxReplacements: 1))":2,"#
          for again in ["\"\(key)\":2,", escaped] {
            let repeated = "{\(others[..<place].joined())\(again)\(others[place...].joined())\"\(key)\":3}"
            #expect(try items(Data(#"[{"x":\#(repeated)}]"#.utf8)) == nil, "\(repeated)")
          }
        }
      }
    }
  }

  @Test func refusesWrongTypes() {
    let refused: [Any?] = [
      decoded([Int].self, "[1.0]"), decoded([Double].self, "[1.5]"), decoded([Data].self, #"["*"]"#),
    ]
    #expect(refused.allSatisfy { $0 == nil })
    #expect(decoded([Data].self, #"["AAEC/v8=",""]"#) == [Data([0, 1, 2, 0xFE, 0xFF]), Data()])
    #expect(decoded([Int?].self, "[null,1]") == [nil, 1])
  }

  @Test func conversionKeepsTheItemsOfOtherReferences() {
    func convert(_ items: inout JSONItems, _ text: String) -> Int? {
      Data(text.utf8).withUnsafeBytes { JSONItems.convert(&items, prefixOf: $0) }
    }
    var items = JSONItems()
    #expect(convert(&items, "[1]") == 3)
    let first = items
    #expect(convert(&items, "[2]") == 3 && items !== first)
    #expect(first.decode([Int].self) == [1] && items.decode([Int].self) == [2])
  }

  @Test func acceptedRandomTextDecodesAsWithJSONDecoder() throws {
    var generator = SeededGenerator.announced("random JSON")
    let tokens = [
      "{", "}", "[", "]", ",", ":", " ", "\"", "\"a\"", "\"\\u00e9\"", "\"é\"", "1", "-", "0", "23", "24", "true",
      "null", "\u{FEFF}", ".5", "e9", "\"a\":", "[1]", "{\"b\":", "\\", "\u{0}",
    ]
    var accepted = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...8, using: &generator)
      let text = Data((0..<count).map { _ in tokens.randomElement(using: &generator) ?? "" }.joined().utf8)
      guard let tree = text.withUnsafeBytes({ JSONItems.decode(AnyValue.self, from: $0) }) else { continue }
      accepted += 1
      #expect(try JSONDecoder().decode(AnyValue.self, from: text) == tree)
    }
    #expect(accepted > 100)
    for _ in 0..<(isFullRun ? 20_000 : 4000) {
      let count = Int.random(in: 0...40, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      _ = try items(Data("[\"".utf8) + bytes)
    }
  }
}
