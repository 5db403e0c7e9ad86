// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited) struct DynamicIdentifierTests {
  private static let vectors: [(identifier: String, query: String)] = {
    let golden = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../Golden/dynamic-identifiers.tsv").standardizedFileURL
    let facts = ProcessInfo.processInfo.environment["DRAGPIPE_FACTS"]
    let path = facts.map { "\($0)/dynamic-identifiers.tsv" } ?? golden.path
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let fields = line.split(separator: "\t", maxSplits: 1)
      return (String(fields[0]), String(fields[1]))
    }
  }()

  @Test("every identifier found on Apple's systems decodes to its query and encodes to itself")
  func vectors() throws {
    #expect(Self.vectors.count >= 41)
    for (identifier, query) in Self.vectors {
      guard query != "INVALID" else {
        #expect(DynamicIdentifier(identifier) == nil, "\(identifier)")
        #expect(UTType(identifier) == nil)
        continue
      }
      let decoded = try #require(DynamicIdentifier(identifier), "\(identifier)")
      #expect(decoded.query == query)
      #expect(decoded.identifier == identifier)
      #expect(DynamicIdentifier(query: query) == decoded)

      let type = try #require(UTType(identifier))
      #expect(type.identifier == identifier)
      #expect(type.isDynamic && !type.isDeclared && !type.isPublic)
      #expect(type.localizedDescription == nil)
    }
  }

  @Test("asking for the undeclared tags of each vector makes the vector")
  func vectorsAreMade() throws {
    for (identifier, query) in Self.vectors where query != "INVALID" {
      let decoded = try #require(DynamicIdentifier(identifier))
      let tag = try #require(decoded.tags.first)
      let parent = decoded.supertypes.first.map { UTType(named: $0) }
      let made = UTType.types(tag: tag.value, tagClass: tag.tagClass, conformingTo: parent)
      #expect(made.contains { $0.identifier == identifier } || made.allSatisfy(\.isDeclared), "\(query)")
    }
  }

  @Test(
    "text that only looks like a dynamic identifier is none",
    arguments: [
      "dyn", "dyn.", "dyn.a", "dyn.b80k551r30g82pe", "dyn.age80k551r30g82p", "dyn.age80k551r30g82pe ", "dyn.aaaaa",
      "dyn.ah62d4rv4gu8y", "dyn.ah62d4rv4gu8zg55gq", "dyn.ah62d4rv4ge81k3p2su11zzz", "dyn.ah62d4sv4ge81g5pe", "dyn.ä",
      "xdyn.age80k551r30g82pe", "dyn.\u{0}", "dyn.age80k551r30g82pe\u{0}",
    ])
  func malformed(identifier: String) {
    #expect(DynamicIdentifier(identifier) == nil)
    #expect(UTType(identifier) == nil)
    #expect(!UTType(importedAs: identifier).isDynamic)
  }

  @Test(
    "a query that says nothing sensible is no dynamic type",
    arguments: [
      "", "?", "?0", "?0=", "?0=:1=x", "?0=6:", "?0=6:x", "?1=x", "1", "x", "=x", "6=x", "?0=1:1=x", "?0=6,:1=x",
      "1=x\\", "1=a/b", "1=\u{0}", ":1=x", "F=x",
    ])
  func malformedQuery(query: String) {
    #expect(DynamicIdentifier(query: query) == nil)
  }

  @Test("bytes that are no UTF-8 are no dynamic type")
  func notText() {
    let identifier = "dyn.a" + String(decoding: Base32.encode([0x31, 0x3D, 0xFF]), as: UTF8.self)
    #expect(DynamicIdentifier(identifier) == nil)
  }

  @Test("several supertypes and several tags of any class are told")
  func manyParts() throws {
    let dynamic = try #require(DynamicIdentifier(query: "?0=7,org.example.x:3=text/X-frob:1=frob:a.b=c\\:d"))
    #expect(dynamic.supertypes == ["public.text", "org.example.x"])
    #expect(dynamic.tags.map(\.value) == ["text/X-frob", "frob", "c:d"])
    #expect(dynamic.tags.map(\.tagClass) == [.mimeType, .filenameExtension, UTTagClass(rawValue: "a.b")])
    #expect(DynamicIdentifier(dynamic.identifier) == dynamic)
  }

  @Test("a name of one character is told apart from a digit", arguments: ["?0=\\D:1=x", "\\1=x", "?0=G:1=x"])
  func namesLikeDigits(query: String) throws {
    let dynamic = try #require(DynamicIdentifier(query: query))
    #expect(dynamic.query == query)
    #expect(dynamic.supertypes.allSatisfy { $0.utf8.count == 1 } && dynamic.tags.first?.value == "x")
  }

  @Test("an empty tag is told, as Apple's systems do", arguments: [("dyn.age8u", "1="), ("dyn.agq8u", "3=")])
  func emptyTag(identifier: String, query: String) {
    #expect(DynamicIdentifier(identifier)?.query == query)
    #expect(DynamicIdentifier(query: query)?.identifier == identifier)
  }

  @Test("the longest identifier decodes, and one that is longer does not")
  func bound() {
    let longest = DynamicIdentifier.maximumLength
    // A tag of one byte more takes one or two digits more.
    let count = (longest - DynamicIdentifier.prefix.utf8.count) * 5 / 8 - 2
    let fits = DynamicIdentifier(
      supertypes: [], tags: [.init(tagClass: .mimeType, value: String(repeating: "x", count: count))])
    #expect(fits.identifier.utf8.count <= longest)
    #expect(DynamicIdentifier(fits.identifier) == fits)
    let longer = DynamicIdentifier(
      supertypes: [], tags: [.init(tagClass: .mimeType, value: String(repeating: "x", count: count + 2))])
    #expect(longer.identifier.utf8.count > longest)
    #expect(DynamicIdentifier(longer.identifier) == nil)
  }

  @Test("any tag of any class, with or without a parent, comes back")
  func anyTagComesBack() throws {
    var generator = SeededGenerator.announced(#function)
    let alphabet = Array("aZ0.-_ :=,\\?;+%~é💥\u{1B}\u{202E}'\"<>").map(String.init)
    let classes: [UTTagClass] = [
      .filenameExtension, .mimeType, .osType, .pasteboardType, .urlScheme, UTTagClass(rawValue: "org.example:class=,x"),
    ]
    let parents: [UTType?] = [nil, .data, .image, .item, .folder, UTType(importedAs: "org.example,a:b=c\\d")]
    for _ in 0..<2000 {
      let length = Int.random(in: 1...40, using: &generator)
      let tag = "x" + (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "" }.joined() + "x"
      guard let tagClass = classes.randomElement(using: &generator),
        let parent = parents.randomElement(using: &generator),
        let type = UTType(tag: tag, tagClass: tagClass, conformingTo: parent)
      else { continue }
      let comment: Comment = "\(tag.debugDescription) of \(tagClass)"
      #expect(type.isDynamic, comment)
      let again = try #require(UTType(type.identifier), comment)
      #expect(again == type && again.identifier == type.identifier, comment)
      let expected =
        switch tagClass {
        case .filenameExtension: tag.asciiLowercased
        case .mimeType: try #require(MIMETypeText.normalized(tag), comment)
        default: tag
        }
      #expect(again.tags[tagClass] == [expected], comment)
      if let parent { #expect(again.conforms(to: parent), comment) }
      #expect(UTType(tag: expected, tagClass: tagClass, conformingTo: parent) == type, comment)
    }
  }

  @Test("names that begin with a combining mark are kept apart from the separator before them")
  func combiningMarks() {
    let mark = "\u{05B6}'"
    for supertypes in [[mark], [mark, mark], ["public.data", mark]] {
      for tags in [[], [DynamicIdentifier.Tag(tagClass: .filenameExtension, value: mark)]] {
        let dynamic = DynamicIdentifier(supertypes: supertypes, tags: tags)
        #expect(DynamicIdentifier(dynamic.identifier) == dynamic)
      }
    }
    let tagged = DynamicIdentifier(supertypes: [], tags: [.init(tagClass: UTTagClass(rawValue: mark), value: mark)])
    #expect(DynamicIdentifier(tagged.identifier) == tagged)
    #expect(DynamicIdentifier(query: "?\(mark)") == nil)
  }

  @Test("any text behind the prefix decodes to something that encodes, or not at all, and never traps")
  func anyText() {
    var generator = SeededGenerator.announced(#function)
    let digits = Array("abcdefghkmnpqrstuvwxyz0123456789iA-").map(String.init)
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...24, using: &generator)
      let text = "dyn.ah62d4" + (0..<length).map { _ in digits.randomElement(using: &generator) ?? "" }.joined()
      if let dynamic = DynamicIdentifier(text) {
        #expect(DynamicIdentifier(dynamic.identifier) == dynamic, "\(text)")
      }
    }
  }
}
