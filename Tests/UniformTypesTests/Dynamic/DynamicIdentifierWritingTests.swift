// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DynamicIdentifierWritingTests {
  /// A simple encoder as a reference.
  ///
  /// It joins the parts of a query and groups its bits by five.
  private struct Plain {
    static let alphabet = Array("abcdefghkmnpqrstuvwxyz0123456789")
    static let digits = Array("0123456789ABCDEF")

    static func query(_ dynamic: DynamicIdentifier) -> String {
      let pairs = dynamic.tags.map {
        abbreviated($0.tagClass.rawValue, in: DynamicIdentifier.classes) + "=" + escaped($0.value)
      }
      let names = dynamic.supertypes.map { abbreviated($0, in: DynamicIdentifier.types) }
      return ((names.isEmpty ? [] : ["?0=" + names.joined(separator: ",")]) + pairs).joined(separator: ":")
    }

    static func abbreviated(_ name: String, in range: Range<Int>) -> String {
      if let index = range.first(where: { DynamicIdentifier.wellKnown[$0].lowercased() == name.asciiLowercased }) {
        return String(digits[index])
      }
      return name.utf8.count == 1 && name.first.map(digits.contains) == true ? "\\" + name : escaped(name)
    }

    static func escaped(_ text: String) -> String {
      var result = String.UnicodeScalarView()
      for scalar in text.unicodeScalars {
        if ":=,\\".unicodeScalars.contains(scalar) { result.append("\\") }
        result.append(scalar)
      }
      return String(result)
    }

    static func identifier(_ dynamic: DynamicIdentifier) -> String {
      var bits = query(dynamic).utf8.flatMap { byte in (0..<8).reversed().map { byte >> $0 & 1 } }
      while bits.count % 5 != 0 { bits.append(0) }
      let groups = stride(from: 0, to: bits.count, by: 5).map { start in
        bits[start..<start + 5].reduce(0) { $0 << 1 | Int($1) }
      }
      return "dyn.a" + String(groups.map { alphabet[$0] })
    }
  }

  @Test func identifierMatchesAPlainEncoder() {
    var generator = SeededGenerator.announced(#function)
    let names =
      DynamicIdentifier.wellKnown + DynamicIdentifier.wellKnown.map { $0.uppercased() } + [
        "0", "A", "f", "G", ":", "x",
      ]
      + ["org.example,a:b=c\\d", "é", "e\u{301}", ""]
    let alphabet = Array("aZ0.-_ :=,\\?;+%~é💥\u{1B}\u{301}\u{0}").map(String.init)
    for _ in 0..<4000 {
      let supertypes = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
        names.randomElement(using: &generator) ?? ""
      }
      let tags = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
        let length = Int.random(in: 0...30, using: &generator)
        return DynamicIdentifier.Tag(
          tagClass: UTTagClass(rawValue: names.randomElement(using: &generator) ?? ""),
          value: (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "" }.joined())
      }
      let dynamic = DynamicIdentifier(supertypes: supertypes, tags: tags)
      #expect(Array(dynamic.query.utf8) == Array(Plain.query(dynamic).utf8))
      #expect(dynamic.identifier == Plain.identifier(dynamic))
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct Base32Tests {
  @Test func anyBytesRoundTrip() {
    var generator = SeededGenerator.announced(#function)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(Base32.decode(Base32.encode(bytes)) == bytes)
    }
  }

  @Test func digitsHaveTheirIndexInTheAlphabet() {
    // The 32 digits from 0 to 31 encode 20 bytes.
    let digits = "abcdefghkmnpqrstuvwxyz0123456789"
    #expect(Base32.decode(digits.utf8).map { Base32.encode($0) } == Array(digits.utf8))
    #expect(Base32.encode([0xFF]) == Array("96".utf8))
  }

  @Test(arguments: ["i8", "j8", "l8", "o8", "A8", "-8", "8=", "8 ", "é"])
  func rejectsCharactersOutsideOfTheAlphabet(text: String) {
    #expect(Base32.decode(text.utf8) == nil)
  }

  @Test(arguments: ["a", "aaa", "aaaaaa", "ab", "aah"])
  func rejectsUnusedDigitsAndNonzeroPadding(text: String) {
    #expect(Base32.decode(text.utf8) == nil)
    #expect(Base32.decode("aa".utf8) == [0])
  }
}
