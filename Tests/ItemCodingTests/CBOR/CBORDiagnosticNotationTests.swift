// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import ItemCoding

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBORDiagnosticNotationTests {
  private typealias Change = (inout CBORDiagnosticNotation) -> Void

  private func text(_ hex: String, _ change: Change = { _ in }) throws -> String {
    var notation = CBORDiagnosticNotation()
    change(&notation)
    return try notation.text(of: Data(hex: hex))
  }

  /// Checks the text of each item.
  private func expectTexts(
    _ items: KeyValuePairs<String, String>, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: Change = { _ in }
  ) throws {
    for (hex, diagnostic) in items {
      #expect(try text(hex, change) == diagnostic, "\(hex)", sourceLocation: sourceLocation)
    }
  }

  private func expectRefusal(
    _ reason: String, _ data: Data, sourceLocation: SourceLocation = #_sourceLocation, _ change: Change = { _ in }
  ) {
    var notation = CBORDiagnosticNotation()
    change(&notation)
    do {
      Issue.record("\(data.hex) is \(try notation.text(of: data))", sourceLocation: sourceLocation)
    } catch DecodingError.dataCorrupted(let context) where context.debugDescription.contains(reason) {
      // Expected.
    } catch {
      Issue.record("\(data.hex): \(error)", sourceLocation: sourceLocation)
    }
  }

  // MARK: The examples of the RFC

  @Test func examplesOfAppendixAPrintAsInTheRFC() throws {
    for (hex, diagnostic) in RFC8949Examples.wellFormed {
      try expectTexts([hex: diagnostic]) { $0.escapesNonASCII = true }
      let data = Data(hex: hex)
      for length in 0..<data.count { expectRefusal("at byte ", data.prefix(length)) }
      expectRefusal("at byte \(data.count): more bytes after the item", data + [0])
    }
  }

  @Test func refusesExamplesOfAppendixF() {
    for hex in RFC8949Examples.notWellFormed { expectRefusal("at byte ", Data(hex: hex)) }
  }

  // MARK: Numbers

  @Test func bignumsPrintAsNumbersIfNoInformationIsLost() throws {
    try expectTexts([
      "c248ffffffffffffffff": "2(h'ffffffffffffffff')", "c240": "2(h'')", "c340": "3(h'')",
      "c24a00010000000000000000": "2(h'00010000000000000000')", "c200": "2(0)",
      "c25f41014102ff": "2((_ h'01', h'02'))", "c2c249010000000000000000": "2(18446744073709551616)",
      "c3500de0b6b3a763ffffffffffffffffffff": "-18446744073709551616000000000000000000",
      "c250ffffffffffffffffffffffffffffffff": "340282366920938463463374607431768211455",
      "c350ffffffffffffffffffffffffffffffff": "-340282366920938463463374607431768211456",
    ])
    let most = CBORDiagnosticNumber.mostBignumBytes
    func bignum(_ length: Int) -> String { "c259" + Data([UInt8(length >> 8), UInt8(length & 255)]).hex }
    // 2^2048 has 617 digits.
    let number = try text(bignum(most) + String(repeating: "ff", count: most))
    #expect(number.count == 617 && number.hasPrefix("32317006071311") && number.hasSuffix("853611059596230655"))
    #expect(try text(bignum(most + 1) + String(repeating: "ff", count: most + 1)).hasPrefix("2(h'ffff"))
  }

  @Test func exponentsAreThoseOfECMAScript() throws {
    try expectTexts([
      "fb444b1ae4d6e2ef50": "1.0e+21", "fb444b1ae4d6e2ef4f": "999999999999999900000.0",
      "fb3eb0c6f7a0b5ed8d": "0.000001", "fb3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
      "fb0000000000000001": "5.0e-324", "fb7fefffffffffffff": "1.7976931348623157e+308",
      "fb4340000000000000": "9007199254740992.0", "fb4341c37937e08000": "10000000000000000.0",
      "fb405edd2f1a9fbe77": "123.456", "f903ff": "0.00006097555160522461", "f9fe01": "NaN",
    ])
  }

  @Test func halfPrecisionNumbersParseBackToThemselves() throws {
    for bits in UInt16.min...UInt16.max {
      let text = try CBORDiagnosticNotation().text(of: Data([0xF9, UInt8(bits >> 8), UInt8(bits & 255)]))
      if text == "NaN" {
        if bits & 0x7FFF <= 0x7C00 { Issue.record("\(bits) is \(text)") }
        continue
      }
      // Computes the expected value from the exponent and the ten-bit significand, without `Float16`.
      let exponent = Int(bits >> 10 & 31)
      let fraction = Double(bits & 1023) / 1024
      var value = exponent == 0 ? fraction * 0x1p-14 : (1 + fraction) * pow(2, Double(exponent - 15))
      if exponent == 31 { value = .infinity }
      if bits >> 15 == 1 { value = -value }
      if Double(text) != value { Issue.record("\(bits) is \(text)") }
    }
  }

  @Test func encodingIndicatorsShowTheWidthOfArguments() throws {
    try expectTexts([
      "17": "23", "1817": "23_0", "190001": "1_1", "3a00000001": "-2_2", "1b0000000000000001": "1_3",
      "f93e00": "1.5_1", "fa3fc00000": "1.5_2", "fb3ff8000000000000": "1.5_3", "580101": "h'01'_0",
      "79000161": #""a"_1"#, "980101": "[_0 1]", "b900010102": "{_1 1: 2}", "d80101": "1_0(1)", "9f01ff": "[_ 1]",
      "5f580101ff": "(_ h'01'_0)", "f820": "simple(32)", "d80249010000000000000000": "2_0(h'010000000000000000')",
      "c25809010000000000000000": "2(h'010000000000000000'_0)",
    ]) { $0.showsEncodingIndicators = true }
    // Without indicators, long arguments are accepted as well.
    try expectTexts([
      "9b00000000000000021801190002": "[1, 2]", "d80249010000000000000000": "18446744073709551616",
    ])
  }

  // MARK: Strings

  @Test func escapesTextAsInJSONAndControlCharacters() throws {
    let texts: KeyValuePairs = [
      "\u{8}\u{C}\n\r\t": #""\b\f\n\r\t""#, "\u{1B}[31m": #""\u001b[31m""#, "\0\u{7F}\u{9B}": #""\u0000\u007f\u009b""#,
      "a\u{202E}b\u{2066}\u{200F}": #""a\u202eb\u2066\u200f""#, "\u{2028}\u{FEFF}": #""\u2028\ufeff""#,
      "\u{E0041}": #""\udb40\udc41""#, "é 日本 🏛": #""é 日本 🏛""#, "/": #""/""#,
    ]
    for (string, diagnostic) in texts {
      // The notation is valid JSON.
      let read = try JSONDecoder().decode(String.self, from: Data(diagnostic.utf8))
      #expect(try notation(string) == diagnostic && read == string)
    }
  }

  @Test func refusesInvalidUTF8AtTheByte() {
    let items: KeyValuePairs = [
      "61ff": 1, "6361ff62": 2, "62c3": nil, "62c328": 1, "63e6b0ff": 1, "62c080": 1, "63eda080": 1, "64f4908080": 1,
      "7f61616180ff": 4, "7f61c361bcff": 2, "a1618000": 2, "8261616180": 4,
    ]
    for (hex, offset) in items {
      let reason = offset.map { "at byte \($0): text that is not valid UTF-8" } ?? "at byte 0: the input ends"
      expectRefusal(reason, Data(hex: hex))
      // The error must be the same if the text is not printed.
      expectRefusal(reason, Data(hex: hex)) { $0.maximumLength = 0 }
    }
  }

  @Test func stringsPrintTheirChunks() throws {
    try expectTexts([
      "5fff": "''_", "7fff": #"""_"#, "7f60ff": #"(_ "")"#,
      "835f41014102ff7f6161ff01": #"[(_ h'01', h'02'), (_ "a"), 1]"#,
    ])
  }

  @Test func simpleValuesPrintTheirNumbers() throws {
    for value in 0..<20 { try expectTexts([String(0xE0 + value, radix: 16): "simple(\(value))"]) }
    for value in 32...255 { try expectTexts(["f8" + String(value, radix: 16): "simple(\(value))"]) }
  }

  // MARK: Layout and sequences

  @Test func indentedLayoutPutsElementsAndEntriesOnLines() throws {
    try expectTexts([
      "a26161c1820102bf03a0ff5f4101ff": """
      {
        "a": 1([
          1,
          2
        ]),
        {_
          3: {}
        }: (_ h'01')
      }
      """,
      "9f809fffff": "[_\n  [],\n  [_ ]\n]",
    ]) { $0.layout = .indented }
  }

  @Test func sequencePutsItemsOnLinesWithCommas() throws {
    let notation = CBORDiagnosticNotation()
    let texts = try ["", "01", "01820203a0"].map { try notation.text(ofSequence: Data(hex: $0)) }
    #expect(texts == ["", "1", "1,\n[2, 3],\n{}"])
    let error = #expect(throws: DecodingError.self) { try notation.text(ofSequence: Data(hex: "0182021c")) }
    #expect(error?.byte == 3)
    // Slices are read from their own start.
    #expect(try notation.text(of: Data(hex: "ffff820102").dropFirst(2)) == "[1, 2]")
  }

  @Test func prefixesPrintUpToTheirEnd() throws {
    let notation = CBORDiagnosticNotation()
    let prefixes: KeyValuePairs = [
      "": "", "01": "1", "0182": "1,\n[…", "019a000fffff0102": "1,\n[1, 2, …", "440102": "h'0102…", "6461c3": "\"a…",
      "64e6b0": "\"…", "7f64e6b0": "(_ \"…", "19": "…", "a1": "{…", "a101": "{1: …", "c1": "1(…", "c24901": "2(h'01…",
    ]
    for (hex, diagnostic) in prefixes { #expect(try notation.text(ofSequencePrefix: Data(hex: hex)) == diagnostic) }
    for hex in ["1c", "9fc1ff", "66ff61616161", "bf00ff"] {
      #expect(throws: DecodingError.self) { try notation.text(ofSequencePrefix: Data(hex: hex)) }
    }
  }

  // MARK: Limits

  @Test func refusesItemsOneLevelDeeperThanTheLimit() throws {
    for (head, end) in [("81", ""), ("9f", "ff"), ("c1", ""), ("a100", "")] {
      func item(_ depth: Int) -> String {
        String(repeating: head, count: depth) + "80" + String(repeating: end, count: depth)
      }
      #expect(try text(item(2)) { $0.maximumDepth = 3 }.contains("[]"))
      expectRefusal("at byte \(head.count / 2 * 3): nested deeper than the limit of 3 levels", Data(hex: item(3))) {
        $0.maximumDepth = 3
      }
    }
    for head in ["81", "9f", "c1", "d9d9f7", "a100", "bf00", "c2"] {
      expectRefusal("at byte ", Data(repeatElement(Data(hex: head), count: 100 << 10).joined()) + [0])
    }
  }

  @Test func printsAHundredThousandLevelsIfTheLimitAllows() throws {
    var notation = CBORDiagnosticNotation()
    notation.maximumDepth = .max
    let depth = 100 << 10
    let arrays = Data(repeating: 0x81, count: depth) + Data([0])
    let brackets = String(repeating: "[", count: depth)
    #expect(try notation.text(of: arrays) == brackets + "0" + String(repeating: "]", count: depth))
    let tags = Data(repeating: 0xC1, count: depth) + Data([0])
    #expect(try notation.text(of: tags).hasSuffix("1(0" + String(repeating: ")", count: depth)))
    // With indentation, the output would have five billion characters.
    notation.layout = .indented
    #expect(try notation.text(of: arrays).unicodeScalars.count <= notation.maximumLength + 1)
  }

  @Test func elidesOutputOneCharacterLongerThanTheLimit() throws {
    let whole = #"[1, {"a": h'beef'}, 1]"#
    for length in -1...whole.count {
      let text = try text("8301a1616142beef01") { $0.maximumLength = length }
      let isElided = text.count <= max(0, length) + 1 && text.hasSuffix("…") && whole.hasPrefix(text.dropLast())
      #expect(length == whole.count ? text == whole : isElided)
    }
    // A surrogate pair is one piece.
    for (length, elided) in [(12, "\"…"), (13, #""\ud800\udd51…"#)] {
      try expectTexts(["64f0908591": elided]) { ($0.escapesNonASCII, $0.maximumLength) = (true, length) }
    }
    // Elided input is validated.
    for hex in ["820a0aff", "820a", "82ff00", "830a0a1c"] {
      expectRefusal("at byte ", Data(hex: hex)) { $0.maximumLength = 1 }
    }
  }

  @Test func refusesLengthsAndCountsThatExceedTheInput() {
    for head in ["5b", "7b", "9b", "bb"] {
      for count in ["7fffffffffffffff", "ffffffffffffffff", "8000000000000000", "0000000000000003"] {
        expectRefusal("at byte ", Data(hex: head + count + "6161"))
      }
    }
  }

  @Test func randomBytesGiveTextOrAnError() {
    var generator = SeededGenerator.announced("diagnostic notation")
    var notation = CBORDiagnosticNotation()
    notation.layout = .indented
    notation.maximumLength = 1000
    for _ in 0..<(isFullRun ? 20_000 : 4000) {
      let count = Int.random(in: 0...24, using: &generator)
      let bytes = Data((0..<count).map { _ in .random(in: 0...255, using: &generator) })
      let text = try? notation.text(of: bytes)
      let prefix = try? notation.text(ofSequencePrefix: bytes)
      if let text, text.unicodeScalars.contains(where: { $0.isInvisibleControl && $0 != "\n" }) {
        Issue.record("\(bytes.hex) gives \(text.debugDescription)")
      }
      if let text, prefix != text { Issue.record("\(bytes.hex) differs as a prefix") }
    }
  }
}
