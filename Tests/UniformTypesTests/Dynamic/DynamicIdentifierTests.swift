// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DynamicIdentifierTests {
  private static let vectors: [(identifier: String, query: String)] = {
    let golden = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Golden/dynamic-identifiers.tsv").standardizedFileURL
    guard let text = try? String(contentsOf: golden, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: "\t", maxSplits: 1)
      return (String(fields[0]), String(fields[1]))
    }
  }()

  @Test func identifiersOfAppleSystemsRoundTrip() throws {
    #expect(Self.vectors.count >= 41)
    for (identifier, query) in Self.vectors {
      guard query != "INVALID" else {
        #expect(DynamicIdentifier(identifier) == nil && UTType(identifier) == nil, "\(identifier)")
        continue
      }
      let decoded = try #require(DynamicIdentifier(identifier), "\(identifier)")
      let isEqual = DynamicIdentifier(query: query) == decoded
      #expect([decoded.query, decoded.identifier] == [query, identifier] && isEqual)
      let type = try #require(UTType(identifier))
      let kinds = [type.isDynamic, type.isDeclared, type.isPublic]
      #expect(type.identifier == identifier && type.localizedDescription == nil && kinds == [true, false, false])

      // An undeclared tag creates the same identifier.
      let tag = try #require(decoded.tags.first)
      let parent = decoded.supertypes.first.map { UTType(named: $0) }
      let made = UTType.types(tag: tag.value, tagClass: tag.tagClass, conformingTo: parent)
      #expect(made.contains { $0.identifier == identifier } || made.allSatisfy(\.isDeclared), "\(query)")
    }
  }

  @Test func malformedIdentifiersAndQueriesAreRejected() {
    for identifier in [
      "dyn", "dyn.", "dyn.a", "dyn.b80k551r30g82pe", "dyn.age80k551r30g82p", "dyn.age80k551r30g82pe ", "dyn.aaaaa",
      "dyn.ah62d4rv4gu8y", "dyn.ah62d4rv4gu8zg55gq", "dyn.ah62d4rv4ge81k3p2su11zzz", "dyn.ah62d4sv4ge81g5pe", "dyn.ä",
      "xdyn.age80k551r30g82pe", "dyn.\u{0}", "dyn.age80k551r30g82pe\u{0}",
      // Bytes that are not UTF-8.
      "dyn.a" + String(decoding: Base32.encode([0x31, 0x3D, 0xFF]), as: UTF8.self),
    ] {
      let isDynamic = UTType(importedAs: identifier).isDynamic
      #expect(DynamicIdentifier(identifier) == nil && UTType(identifier) == nil && !isDynamic, "\(identifier)")
    }
    for query in [
      "", "?", "?0", "?0=", "?0=:1=x", "?0=6:", "?0=6:x", "?1=x", "1", "x", "=x", "6=x", "?0=1:1=x", "?0=6,:1=x",
      "1=x\\", "1=a/b", "1=\u{0}", ":1=x", "F=x", "?\u{05B6}'",
    ] {
      #expect(DynamicIdentifier(query: query) == nil, "\(query)")
    }
  }

  @Test func decodesSeveralSupertypesAndTags() throws {
    let dynamic = try #require(DynamicIdentifier(query: "?0=7,org.example.x:3=text/X-frob:1=frob:a.b=c\\:d"))
    let tags: [DynamicIdentifier.Tag] = [
      .init(tagClass: .mimeType, value: "text/X-frob"), .init(tagClass: .filenameExtension, value: "frob"),
      .init(tagClass: UTTagClass(rawValue: "a.b"), value: "c:d"),
    ]
    #expect(dynamic == DynamicIdentifier(supertypes: ["public.text", "org.example.x"], tags: tags))
    #expect(DynamicIdentifier(dynamic.identifier) == dynamic)
  }

  @Test func wellKnownNamesOfAnyCaseAreDigitsAndSeparatorsAreEscaped() {
    let mimeType = DynamicIdentifier.Tag(tagClass: UTTagClass(rawValue: "PUBLIC.Mime-Type"), value: "a,b:c=d\\")
    let other = DynamicIdentifier.Tag(tagClass: UTTagClass(rawValue: "x:y=z,\\"), value: "é")
    let dynamic = DynamicIdentifier(supertypes: ["PUBLIC.Text", "org.example,a:b=c\\d"], tags: [mimeType, other])
    #expect(dynamic.query == #"?0=7,org.example\,a\:b\=c\\d:3=a\,b\:c\=d\\:x\:y\=z\,\\=é"#)
    // A well-known type is no class, and a class is no type.
    let exchanged = DynamicIdentifier.Tag(tagClass: UTTagClass(rawValue: "public.text"), value: "x")
    let query = DynamicIdentifier(supertypes: ["public.mime-type"], tags: [exchanged]).query
    #expect(query == "?0=public.mime-type:public.text=x")
  }

  @Test(arguments: ["?0=\\D:1=x", "\\1=x", "?0=G:1=x"])
  func nameOfOneCharacterIsDistinctFromADigit(query: String) throws {
    let dynamic = try #require(DynamicIdentifier(query: query))
    let areShort = dynamic.supertypes.allSatisfy { $0.utf8.count == 1 }
    #expect(dynamic.query == query && areShort && dynamic.tags.first?.value == "x")
  }

  @Test(arguments: [("dyn.age8u", "1="), ("dyn.agq8u", "3=")])
  func decodesEmptyTagLikeAppleSystems(identifier: String, query: String) {
    let both = [DynamicIdentifier(identifier), DynamicIdentifier(query: query)]
    #expect(both.map { $0?.query } == [query, query] && both[1]?.identifier == identifier)
  }

  @Test func identifierAboveTheLengthLimitIsRejected() {
    let longest = DynamicIdentifier.maximumLength
    // Each byte of a tag takes one or two digits of the identifier.
    let count = (longest - DynamicIdentifier.prefix.utf8.count) * 5 / 8 - 2
    func identifier(_ count: Int) -> DynamicIdentifier {
      DynamicIdentifier(supertypes: [], tags: [.init(tagClass: .mimeType, value: String(repeating: "x", count: count))])
    }
    let (fits, longer) = (identifier(count), identifier(count + 2))
    #expect([fits, longer].map { $0.identifier.utf8.count <= longest } == [true, false])
    #expect([fits, longer].map { DynamicIdentifier($0.identifier) } == [fits, nil])
  }

  @Test func combiningMarkAfterASeparatorRoundTrips() {
    let mark = "\u{05B6}'"
    let tag = DynamicIdentifier.Tag(tagClass: .filenameExtension, value: mark)
    let marked = DynamicIdentifier.Tag(tagClass: UTTagClass(rawValue: mark), value: mark)
    for supertypes in [[], [mark], [mark, mark], ["public.data", mark]] {
      for tags in [[], [tag], [marked]] where !(supertypes.isEmpty && tags.isEmpty) {
        let dynamic = DynamicIdentifier(supertypes: supertypes, tags: tags)
        #expect(DynamicIdentifier(dynamic.identifier) == dynamic)
      }
    }
  }

  // MARK: Random text

  @Test func anyTagRoundTrips() throws {
    var generator = SeededGenerator.announced(#function)
    let alphabet = Array("aZ0.-_ :=,\\?;+%~é💥\u{1B}\u{202E}'\"<>").map(String.init)
    let classes: [UTTagClass] = [
      .filenameExtension, .mimeType, .osType, .pasteboardType, .urlScheme, UTTagClass(rawValue: "org.example:class=,x"),
    ]
    let parents: [UTType?] = [nil, .data, .image, .item, .folder, UTType(importedAs: "org.example,a:b=c\\d")]
    for _ in 0..<(isFullRun ? 2000 : 500) {
      let length = Int.random(in: 1...40, using: &generator)
      let tag = "x" + (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "" }.joined() + "x"
      guard let tagClass = classes.randomElement(using: &generator),
        let parent = parents.randomElement(using: &generator),
        let type = UTType(tag: tag, tagClass: tagClass, conformingTo: parent)
      else { continue }
      let again = UTType(type.identifier)
      let expected =
        switch tagClass {
        case .filenameExtension: tag.asciiLowercased
        case .mimeType: MIMETypeText.normalized(tag) ?? "-"
        default: tag
        }
      if !type.isDynamic || again != type || again?.identifier != type.identifier || again?.tags[tagClass] != [expected]
        || parent.map({ again?.conforms(to: $0) == true }) == false
        || UTType(tag: expected, tagClass: tagClass, conformingTo: parent) != type
      {
        Issue.record("\(tag.debugDescription) of \(tagClass)")
      }
    }
  }

  @Test func anyTextDecodesOrIsRejected() {
    var generator = SeededGenerator.announced(#function)
    let digits = Array("abcdefghkmnpqrstuvwxyz0123456789iA-").map(String.init)
    for _ in 0..<(isFullRun ? 20_000 : 5000) {
      let length = Int.random(in: 0...24, using: &generator)
      let text = "dyn.ah62d4" + (0..<length).map { _ in digits.randomElement(using: &generator) ?? "" }.joined()
      if let dynamic = DynamicIdentifier(text), DynamicIdentifier(dynamic.identifier) != dynamic {
        Issue.record("\(text)")
      }
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct Base32Tests {
  @Test func anyBytesRoundTrip() {
    var generator = SeededGenerator.announced(#function)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      if Base32.decode(Base32.encode(bytes)) != bytes { Issue.record("\(bytes)") }
    }
    // The 32 digits from 0 to 31 encode 20 bytes.
    let digits = "abcdefghkmnpqrstuvwxyz0123456789"
    #expect(Base32.decode(digits.utf8).map { Base32.encode($0) } == Array(digits.utf8))
    #expect(Base32.encode([0xFF]) == Array("96".utf8))
  }

  @Test func rejectsOtherCharactersUnusedDigitsAndNonzeroPadding() {
    for text in [
      "i8", "j8", "l8", "o8", "A8", "-8", "8=", "8 ", "é", "a", "aaa", "aaaaaa", "ab", "aah",
    ] {
      #expect(Base32.decode(text.utf8) == nil, "\(text)")
    }
    #expect(Base32.decode("aa".utf8) == [0])
  }
}
