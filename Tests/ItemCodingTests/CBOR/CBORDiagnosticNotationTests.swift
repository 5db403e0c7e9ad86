// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemCoding

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORDiagnosticNotationTests {
  private func text(
    _ hex: String, _ change: (inout CBORDiagnosticNotation) -> Void = { _ in }
  ) throws -> String {
    var notation = CBORDiagnosticNotation()
    change(&notation)
    return try notation.text(of: Data(hex: hex))
  }

  private func expectRefusal(
    _ reason: String, _ data: Data, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (inout CBORDiagnosticNotation) -> Void = { _ in }
  ) {
    var notation = CBORDiagnosticNotation()
    change(&notation)
    let error = #expect(throws: DecodingError.self, sourceLocation: sourceLocation) { try notation.text(of: data) }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
      return
    }
    #expect(context.debugDescription.contains(reason), sourceLocation: sourceLocation)
  }

  // MARK: The examples of the RFC

  @Test(arguments: RFC8949Examples.wellFormed)
  func examplesOfAppendixAPrintAsInTheRFC(hex: String, diagnostic: String) throws {
    #expect(try text(hex) { $0.escapesNonASCII = true } == diagnostic)
  }

  @Test(arguments: RFC8949Examples.wellFormed)
  func refusesTruncatedExamplesOfAppendixA(hex: String, diagnostic: String) {
    let data = Data(hex: hex)
    for length in 0..<data.count { expectRefusal("at byte ", data.prefix(length)) }
  }

  @Test(arguments: RFC8949Examples.wellFormed)
  func refusesExamplesOfAppendixAWithATrailingByte(hex: String, diagnostic: String) {
    expectRefusal("at byte \(hex.count / 2): more bytes after the item", Data(hex: hex + "00"))
  }

  @Test(arguments: RFC8949Examples.notWellFormed)
  func refusesExamplesOfAppendixF(heading: String, hexes: [String]) {
    for hex in hexes { expectRefusal("at byte ", Data(hex: hex)) }
  }

  @Test func exampleOfTheDocumentationPrintsEncodedValues() throws {
    let bytes = try CBOREncoder().encode(["Atalanta": 1])
    #expect(try CBORDiagnosticNotation().text(of: bytes) == #"{"Atalanta": 1}"#)
  }

  // MARK: Numbers

  @Test(arguments: [
    ("c248ffffffffffffffff", "2(h'ffffffffffffffff')"), ("c240", "2(h'')"), ("c340", "3(h'')"),
    ("c24a00010000000000000000", "2(h'00010000000000000000')"), ("c200", "2(0)"),
    ("c25f41014102ff", "2((_ h'01', h'02'))"), ("c2c249010000000000000000", "2(18446744073709551616)"),
    ("c3500de0b6b3a763ffffffffffffffffffff", "-18446744073709551616000000000000000000"),
    ("c250ffffffffffffffffffffffffffffffff", "340282366920938463463374607431768211455"),
    ("c350ffffffffffffffffffffffffffffffff", "-340282366920938463463374607431768211456"),
  ])
  func bignumsPrintAsNumbersIfNoInformationIsLost(hex: String, diagnostic: String) throws {
    #expect(try text(hex) == diagnostic)
  }

  @Test func bignumsBeyondTheLengthLimitPrintAsTags() throws {
    let most = CBORDiagnosticNumber.mostBignumBytes
    func bignum(_ length: Int) -> Data {
      Data([0xC2, 0x59, UInt8(length >> 8), UInt8(length & 255)]) + Data(repeating: 0xFF, count: length)
    }
    // 2^2048 has 617 digits.
    let number = try CBORDiagnosticNotation().text(of: bignum(most))
    #expect(number.count == 617 && number.hasPrefix("32317006071311") && number.hasSuffix("853611059596230655"))
    #expect(try CBORDiagnosticNotation().text(of: bignum(most + 1)).hasPrefix("2(h'ffff"))
  }

  @Test(arguments: [
    ("fb444b1ae4d6e2ef50", "1.0e+21"), ("fb444b1ae4d6e2ef4f", "999999999999999900000.0"),
    ("fb3eb0c6f7a0b5ed8d", "0.000001"), ("fb3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("fb0000000000000001", "5.0e-324"), ("fb7fefffffffffffff", "1.7976931348623157e+308"),
    ("fb4340000000000000", "9007199254740992.0"), ("fb4341c37937e08000", "10000000000000000.0"),
    ("fb405edd2f1a9fbe77", "123.456"), ("f903ff", "0.00006097555160522461"), ("f9fe01", "NaN"),
  ])
  func exponentsAreThoseOfECMAScript(hex: String, diagnostic: String) throws {
    #expect(try text(hex) == diagnostic)
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

  @Test(arguments: [
    ("17", "23"), ("1817", "23_0"), ("190001", "1_1"), ("3a00000001", "-2_2"), ("1b0000000000000001", "1_3"),
    ("f93e00", "1.5_1"), ("fa3fc00000", "1.5_2"), ("fb3ff8000000000000", "1.5_3"), ("580101", "h'01'_0"),
    ("79000161", #""a"_1"#), ("980101", "[_0 1]"), ("b900010102", "{_1 1: 2}"), ("d80101", "1_0(1)"),
    ("9f01ff", "[_ 1]"), ("5f580101ff", "(_ h'01'_0)"), ("f820", "simple(32)"), ("d80249010000000000000000", nil),
    ("c25809010000000000000000", "2(h'010000000000000000'_0)"),
  ])
  func encodingIndicatorsShowTheWidthOfArguments(hex: String, diagnostic: String?) throws {
    let diagnostic = diagnostic ?? "2_0(h'010000000000000000')"
    #expect(try text(hex) { $0.showsEncodingIndicators = true } == diagnostic)
  }

  @Test func acceptsLongArguments() throws {
    #expect(try text("9b00000000000000021801190002") == "[1, 2]")
    #expect(try text("d80249010000000000000000") == "18446744073709551616")
  }

  // MARK: Strings

  @Test(arguments: [
    ("\u{8}\u{C}\n\r\t", #""\b\f\n\r\t""#),
    ("\u{1B}[31m", #""\u001b[31m""#), ("\0\u{7F}\u{9B}", #""\u0000\u007f\u009b""#),
    ("a\u{202E}b\u{2066}\u{200F}", #""a\u202eb\u2066\u200f""#), ("\u{2028}\u{FEFF}", #""\u2028\ufeff""#),
    ("\u{E0041}", #""\udb40\udc41""#), ("é 日本 🏛", #""é 日本 🏛""#), ("/", #""/""#),
  ])
  func escapesTextAsInJSONAndControlCharacters(_ string: String, _ diagnostic: String) throws {
    let bytes = Data(string.utf8)
    let notation = try CBORDiagnosticNotation().text(of: Data([0x78, UInt8(bytes.count)]) + bytes)
    #expect(notation == diagnostic)
    // The notation is valid JSON.
    #expect(try JSONDecoder().decode(String.self, from: Data(notation.utf8)) == string)
  }

  @Test(arguments: [
    ("61ff", 1), ("6361ff62", 2), ("62c3", nil), ("62c328", 1), ("63e6b0ff", 1), ("62c080", 1), ("63eda080", 1),
    ("64f4908080", 1), ("7f61616180ff", 4), ("7f61c361bcff", 2), ("a1618000", 2), ("8261616180", 4),
  ])
  func refusesInvalidUTF8AtTheByte(hex: String, offset: Int?) {
    let data = Data(hex: hex)
    expectRefusal(offset.map { "at byte \($0): text that is not valid UTF-8" } ?? "at byte 0: the input ends", data)
    // The error must be the same if the text is not printed.
    expectRefusal(offset.map { "at byte \($0): text that is not valid UTF-8" } ?? "at byte 0: the input ends", data) {
      $0.maximumLength = 0
    }
  }

  @Test func stringsPrintTheirChunks() throws {
    #expect(try text("5fff") == "''_")
    #expect(try text("7fff") == #"""_"#)
    #expect(try text("7f60ff") == #"(_ "")"#)
    #expect(try text("835f41014102ff7f6161ff01") == #"[(_ h'01', h'02'), (_ "a"), 1]"#)
  }

  @Test func simpleValuesPrintTheirNumbers() throws {
    for value in 0..<20 { #expect(try text(String(0xE0 + value, radix: 16)) == "simple(\(value))") }
    for value in 32...255 { #expect(try text("f8" + String(value, radix: 16)) == "simple(\(value))") }
  }
}
