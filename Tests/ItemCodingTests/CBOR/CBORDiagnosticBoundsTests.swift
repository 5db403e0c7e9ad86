// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import ItemCoding

/// Diagnostic notation of large and hostile input.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORDiagnosticBoundsTests {
  private static let nested = 100 << 10

  @Test(arguments: ["81", "9f", "c1", "a100"])
  func refusesItemsOneLevelDeeperThanTheLimit(head: String) throws {
    var notation = CBORDiagnosticNotation()
    notation.maximumDepth = 3
    let end = head == "9f" ? "ff" : ""
    func bytes(_ depth: Int) -> Data {
      Data(hex: String(repeating: head, count: depth) + "80" + String(repeating: end, count: depth))
    }
    #expect(try notation.text(of: bytes(2)).contains("[]"))
    let error = #expect(throws: DecodingError.self) { try notation.text(of: bytes(3)) }
    #expect(
      "\(try #require(error))".contains("at byte \(head.count / 2 * 3): nested deeper than the limit of 3 levels"))
  }

  @Test(arguments: ["81", "9f", "c1", "d9d9f7", "a100", "bf00", "c2"])
  func refusesAHundredThousandLevels(head: String) {
    let bytes = Data((0..<Self.nested).map { _ in Data(hex: head) }.joined()) + Data([0])
    #expect(throws: DecodingError.self) { try CBORDiagnosticNotation().text(of: bytes) }
  }

  @Test func printsAHundredThousandLevelsIfTheLimitAllows() throws {
    var notation = CBORDiagnosticNotation()
    notation.maximumDepth = .max
    let arrays = Data(repeating: 0x81, count: Self.nested) + Data([0])
    let brackets = String(repeating: "[", count: Self.nested)
    #expect(try notation.text(of: arrays) == brackets + "0" + String(repeating: "]", count: Self.nested))
    let tags = Data(repeating: 0xC1, count: Self.nested) + Data([0])
    #expect(try notation.text(of: tags).hasSuffix("1(0" + String(repeating: ")", count: Self.nested)))
    // With indentation, the output would have five billion characters.
    notation.layout = .indented
    #expect(try notation.text(of: arrays).unicodeScalars.count <= notation.maximumLength + 1)
  }

  @Test func elidesOutputOneCharacterLongerThanTheLimit() throws {
    var notation = CBORDiagnosticNotation()
    let bytes = Data(hex: "8301a1616142beef01")
    let whole = #"[1, {"a": h'beef'}, 1]"#
    #expect(try notation.text(of: bytes) == whole)
    for length in -1...whole.count {
      notation.maximumLength = length
      let text = try notation.text(of: bytes)
      if length == whole.count {
        #expect(text == whole)
      } else {
        #expect(text.count <= max(0, length) + 1 && text.hasSuffix("…") && whole.hasPrefix(text.dropLast()))
      }
    }
  }

  @Test func elidesASurrogatePairAsOnePiece() throws {
    var notation = CBORDiagnosticNotation()
    notation.escapesNonASCII = true
    notation.maximumLength = 12
    #expect(try notation.text(of: Data(hex: "64f0908591")) == "\"…")
    notation.maximumLength = 13
    #expect(try notation.text(of: Data(hex: "64f0908591")) == #""\ud800\udd51…"#)
  }

  @Test func elidedInputIsValidated() {
    var notation = CBORDiagnosticNotation()
    notation.maximumLength = 1
    for hex in ["820a0aff", "820a", "82ff00", "830a0a1c"] {
      #expect(throws: DecodingError.self) { try notation.text(of: Data(hex: hex)) }
    }
  }

  @Test func refusesLengthsAndCountsThatExceedTheInput() {
    for head in ["5b", "7b", "9b", "bb"] {
      for count in ["7fffffffffffffff", "ffffffffffffffff", "8000000000000000", "0000000000000003"] {
        #expect(throws: DecodingError.self) { try CBORDiagnosticNotation().text(of: Data(hex: head + count + "6161")) }
      }
    }
  }

  @Test func randomBytesGiveTextOrAnError() {
    var generator = SystemRandomNumberGenerator()
    var notation = CBORDiagnosticNotation()
    notation.layout = .indented
    notation.maximumLength = 1000
    for _ in 0..<20_000 {
      let bytes = Data((0..<Int.random(in: 0...24, using: &generator)).map { _ in .random(in: 0...255) })
      let text = try? notation.text(of: bytes)
      let prefix = try? notation.text(ofSequencePrefix: bytes)
      if let text, text.unicodeScalars.contains(where: { $0.isInvisibleControl && $0 != "\n" }) {
        Issue.record("\(Array(bytes)) gives \(text.debugDescription)")
      }
      if let text, prefix != text { Issue.record("\(Array(bytes)) differs as a prefix") }
    }
  }

  // MARK: Layout and sequences

  @Test func indentedLayoutPutsElementsAndEntriesOnLines() throws {
    var notation = CBORDiagnosticNotation()
    notation.layout = .indented
    #expect(
      try notation.text(of: Data(hex: "a26161c1820102bf03a0ff5f4101ff")) == """
        {
          "a": 1([
            1,
            2
          ]),
          {_
            3: {}
          }: (_ h'01')
        }
        """)
    #expect(try notation.text(of: Data(hex: "9f809fffff")) == "[_\n  [],\n  [_ ]\n]")
  }

  @Test func sequencePutsItemsOnLinesWithCommas() throws {
    let notation = CBORDiagnosticNotation()
    #expect(try notation.text(ofSequence: Data()).isEmpty)
    #expect(try notation.text(ofSequence: Data(hex: "01")) == "1")
    #expect(try notation.text(ofSequence: Data(hex: "01820203a0")) == "1,\n[2, 3],\n{}")
    let error = #expect(throws: DecodingError.self) { try notation.text(ofSequence: Data(hex: "0182021c")) }
    #expect("\(try #require(error))".contains("at byte 3"))
  }

  @Test func slicesAreReadFromTheirOwnStart() throws {
    #expect(try CBORDiagnosticNotation().text(of: Data(hex: "ffff820102").dropFirst(2)) == "[1, 2]")
  }

  @Test(arguments: [
    ("", ""), ("01", "1"), ("0182", "1,\n[…"), ("019a000fffff0102", "1,\n[1, 2, …"),
    ("440102", "h'0102…"), ("6461c3", "\"a…"), ("64e6b0", "\"…"), ("7f64e6b0", "(_ \"…"), ("19", "…"),
    ("a1", "{…"), ("a101", "{1: …"), ("c1", "1(…"), ("c24901", "2(h'01…"),
  ])
  func prefixesPrintUpToTheirEnd(hex: String, diagnostic: String) throws {
    #expect(try CBORDiagnosticNotation().text(ofSequencePrefix: Data(hex: hex)) == diagnostic)
  }

  @Test(arguments: ["1c", "9fc1ff", "66ff61616161", "bf00ff"])
  func refusesMalformedPrefixes(hex: String) {
    #expect(throws: DecodingError.self) { try CBORDiagnosticNotation().text(ofSequencePrefix: Data(hex: hex)) }
  }
}
