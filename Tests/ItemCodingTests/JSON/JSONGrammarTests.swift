// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import ItemCoding

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
        case .fault: return (position, grammar.fault(at: bytes[position]).reason)
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
      // NULs that fill the end of a truncated file are not UTF-16.
      ("{\"a\":[\u{0}\u{0}", 6, "expected a value, found byte 0x00"),
      ("[{\u{0}\u{0}", 2, "expected a key in quotes, found byte 0x00"),
      ("{}\n{\u{0}\u{0}", 4, "expected a key in quotes, found byte 0x00"),
      (" [\u{0}\u{0}", 2, "expected a value, found byte 0x00"),
    ] {
      let found = fault(Array(text.utf8))
      #expect(found?.offset == offset && found?.reason == reason, "\(text): \(String(describing: found))")
    }
  }

  @Test func rejectsTruncatedByteOrderMark() {
    let texts: [[UInt8]] = [[0xEF, 0x41], [0xEF, 0xBB, 0x5B], [0xEF, 0xBB, 0xBF, 0x5B]]
    #expect(texts.map { fault($0)?.offset } == [1, 2, nil])
  }

  @Test func namesUTF16InEitherByteOrderWithAndWithoutMark() {
    for json in ["[]", #"{"a":1}"#] {
      for mark in ["", "\u{FEFF}"] {
        for order in [\UInt16.bigEndian, \UInt16.littleEndian] {
          let text = (mark + json).utf16.flatMap { unit in withUnsafeBytes(of: unit[keyPath: order]) { Array($0) } }
          let found = fault(text)
          #expect(found?.offset == 1 && found?.reason == "the text is UTF-16; convert it to UTF-8", "\(text)")
        }
      }
    }
    // The start of a JPEG image, and of an MPEG-4 file.
    for text in [[0xFF, 0xD8, 0xFF], [0, 0, 0, 0x18]] as [[UInt8]] {
      let name = text[0] == 0 ? "0x00" : "0xFF"
      #expect(fault(text)?.reason == "expected an object or an array, found byte \(name)")
    }
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
      for filler in ["a", " ", "!", "#", "[", "]", "\u{7F}", "é", "日", "🐌"] {
        for length in 0..<20 {
          let plain = Array(String(repeating: filler, count: length).utf8)
          let isControl = special < 0x20
          #expect(fault(Array("[\"".utf8) + plain + [special, 0x01])?.offset == plain.count + (isControl ? 2 : 3))
        }
      }
    }
  }
}
