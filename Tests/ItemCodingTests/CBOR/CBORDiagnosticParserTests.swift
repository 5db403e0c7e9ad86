// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// The parser of diagnostic notation.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORDiagnosticParserTests {
  @Test func parsesTheExamplesOfTheRFC() throws {
    for example in RFC8949Examples.wellFormed {
      let value = try CBORValue(diagnosticNotation: example.diagnostic)
      #expect(try value == decode(CBORValue.self, example.hex), "\(example.diagnostic)")
    }
  }

  @Test func parsesWhatThePrinterPrints() throws {
    var maker = RandomTreeMaker(generator: .announced("notation"))
    var notation = CBORDiagnosticNotation()
    for round in 0..<testRounds * 20 {
      notation.layout = round % 2 == 0 ? .singleLine : .indented
      notation.escapesNonASCII = round % 4 < 2
      notation.showsEncodingIndicators = round % 8 < 4
      let item = maker.item(depth: 4)
      let text = try notation.text(of: CBOREncoder().encode(item))
      if try CBORValue(diagnosticNotation: text) != item { Issue.record("\(text)") }
    }
  }

  @Test func parsesEachForm() throws {
    let forms: KeyValuePairs<String, CBORValue> = [
      "-0": 0, "-18446744073709551616": .negative(.max),
      "18446744073709551616": .tagged(2, .bytes(Data(hex: "010000000000000000"))),
      "-18446744073709551617": .tagged(3, .bytes(Data(hex: "010000000000000000"))), "1e3": 1000.0, "-1.5E-1": -0.15,
      "1.5_1": 1.5, "7_0": 7, "[_3 1]": [1], "[_ ]": [], "{_ 1: 2, 3: []}": [1: 2, 3: []], "1_0(2)": .tagged(1, 2),
      "h'01 fF'": .bytes(Data([1, 255])), "b64'Af8='": .bytes(Data([1, 255])), "b64'_-8'": .bytes(Data([255, 239])),
      "'a\\'b'": .bytes(Data("a'b".utf8)), "\"\"_": "", "''_": .bytes(Data()), "h''_0": .bytes(Data()),
      "(_ \"a\", \"b\"_0)": "ab", "(_ h'01', '2')": .bytes(Data([1, 0x32])),
      #""\"\\\/\b\f\n\r\t\u00fc\ud83d\ude00""#: "\"\\/\u{8}\u{C}\n\r\t\u{FC}\u{1F600}",
      "/ a / [ # b\n 1 /,/ , / 2 / 3 ] # c": [1, 3], "simple(255)": .simple(255), " -Infinity_1 ": .float(-.infinity),
    ]
    for (text, item) in forms { #expect(try CBORValue(diagnosticNotation: text) == item, "\(text)") }
  }

  @Test func refusesOtherTextWithPositionAndReason() throws {
    let end = "the end of the text"
    let problems: KeyValuePairs<String, String> = [
      "": "line 1, column 1: expected an item, found \(end)", "[1,": "line 1, column 4: expected an item, found \(end)",
      "[1, 2": #"line 1, column 6: expected "," or "]", found \#(end)"#,
      "[\"é\",\n  1 x]": #"line 2, column 5: expected "," or "]", found "x""#,
      "[1,]": #"line 1, column 4: expected an item, found "]""#,
      "[,1]": #"line 1, column 2: expected an item, found ",""#,
      "{1}": #"line 1, column 3: expected ":", found "}""#,
      "{1: 2 3}": #"line 1, column 7: expected "," or "}", found "3""#,
      "{1: 2, 1: 3}": "line 1, column 8: a repeated key in a map",
      "1 2": "line 1, column 3: expected \(end), found \"2\"",
      "\"abc": "line 1, column 5: expected a closing quote, found \(end)",
      "…": #"line 1, column 1: expected an item, found "…""#,
      #""a\x""#: "line 1, column 3: an invalid escape sequence",
      #""\ud800""#: "line 1, column 2: an invalid escape sequence",
      #""\u+123""#: "line 1, column 2: an invalid escape sequence",
      #""\udc00""#: "line 1, column 2: an invalid escape sequence",
      #""\ud800\u0041""#: "line 1, column 2: an invalid escape sequence",
      "h'0'": "line 1, column 1: digits that are not complete bytes",
      "h'0g'": "line 1, column 1: digits that are not complete bytes",
      "b64'A'": "line 1, column 1: digits that are not complete bytes",
      "b64'AQ==any junk'": "line 1, column 1: digits that are not complete bytes",
      "b64'AQ==='": "line 1, column 1: digits that are not complete bytes",
      "h'00": #"line 1, column 5: expected "'", found \#(end)"#,
      "1.": "line 1, column 3: expected a digit, found \(end)",
      "1e+": "line 1, column 4: expected a digit, found \(end)",
      "-x": #"line 1, column 2: expected a digit, found "x""#,
      "1e999": "line 1, column 1: a number beyond double precision",
      "18446744073709551616(0)": "line 1, column 1: tag number 18446744073709551616 exceeds 64 bits",
      "1(0": #"line 1, column 4: expected ")", found \#(end)"#,
      "simple(24)": "line 1, column 1: simple(24) does not exist",
      "simple(256)": "line 1, column 1: simple(256) does not exist",
      "(1)": #"line 1, column 1: expected "(_" before the chunks of a string"#,
      "(_0 h'01')": #"line 1, column 3: expected a string, found "0""#,
      "(_ )": "line 1, column 1: expected chunks of text or chunks of bytes",
      "(_ 1)": #"line 1, column 4: expected a string, found "1""#,
      "(_ h'', \"\")": "line 1, column 1: expected chunks of text or chunks of bytes",
      "1_4": #"line 1, column 3: expected an encoding indicator from _0 to _3, found "4""#,
      "\"a\"_": "line 1, column 5: expected an encoding indicator from _0 to _3, found \(end)",
      "nul": #"line 1, column 1: expected an item, found "n""#, "1 / 2": "line 1, column 3: a comment without an end",
      "\u{1B}": #"line 1, column 1: expected an item, found "\u{1b}""#,
    ]
    for (text, problem) in problems {
      do {
        Issue.record("\(text) is \(try CBORValue(diagnosticNotation: text))")
      } catch {
        #expect("\(error)" == problem)
      }
    }
  }

  @Test func refusesTextTruncatedAnywhere() throws {
    let text = #"{_ 1: [h'01', b64'Af8=', (_ "a", "b")], "\u00fc": 24('a'), -1.5e3_2: simple(19)} # end"#
    let item = try CBORValue(diagnosticNotation: text)
    for count in 0..<text.utf8.count - 6 {
      let prefix = String(decoding: text.utf8.prefix(count), as: UTF8.self)
      #expect(throws: CBORDiagnosticNotation.SyntaxError.self) { try CBORValue(diagnosticNotation: prefix) }
    }
    #expect(item["ü"] == .tagged(24, .bytes(Data("a".utf8))))
  }

  @Test(arguments: ["[", "{1: ", "{", "1("])
  func boundsTheDepth(_ opening: String) throws {
    let closing = ["[": "]", "{1: ": "}", "{": ": 1}", "1(": ")"][opening] ?? ""
    func text(_ depth: Int) -> String {
      String(repeating: opening, count: depth) + "0" + String(repeating: closing, count: depth)
    }
    _ = try CBORValue(diagnosticNotation: text(3), maximumDepth: 3)
    _ = try CBORValue(diagnosticNotation: text(512))
    #expect(throws: CBORDiagnosticNotation.SyntaxError.self) {
      try CBORValue(diagnosticNotation: text(4), maximumDepth: 3)
    }
    #expect(throws: CBORDiagnosticNotation.SyntaxError.self) {
      try CBORValue(diagnosticNotation: String(repeating: opening, count: 100_000))
    }
    let error = #expect(throws: CBORDiagnosticNotation.SyntaxError.self) {
      try CBORValue(diagnosticNotation: "[[[]]]", maximumDepth: 2)
    }
    #expect(error?.description == "line 1, column 3: nested deeper than the limit of 2 levels")
  }

  @Test func boundsTheLengthOfAnInteger() throws {
    let largest = Data(repeating: 0xFF, count: 256)
    let text = try CBORDiagnosticNotation().text(of: CBOREncoder().encode(CBORValue.tagged(3, .bytes(largest))))
    #expect(try CBORValue(diagnosticNotation: text) == .tagged(3, .bytes(largest)))
    // 2^2048 has one bit more than its negative.
    for longer in [String(text.dropFirst()), String(repeating: "9", count: 1_000_000)] {
      let error = #expect(throws: CBORDiagnosticNotation.SyntaxError.self) { try CBORValue(diagnosticNotation: longer) }
      #expect(error?.reason == "an integer of more than 2048 bits")
    }
  }
}
