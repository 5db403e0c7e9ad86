// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ItemCoding
internal import TestSupport
internal import Testing

@testable internal import HeroCards

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct HeroCardWriterTests {
  private let cards = [Card(content: "a/b"), Card(content: "\"é\"\n", column: "Done")]

  private func text(_ cards: [Card], _ style: HeroCardStyle) throws -> String {
    var writer = CardWriter(style: style)
    for card in cards { try writer.append(card) }
    writer.finish()
    return String(decoding: writer.takeBytes(), as: UTF8.self)
  }

  @Test func arrayHasOneElementPerLineWithSortedKeys() throws {
    #expect(
      try text(cards, .array) == """
        [
        {"content":"a/b"},
        {"column":"Done","content":"\\"é\\"\\n"}
        ]

        """)
    #expect(try text([cards[0]], .array) == "[\n{\"content\":\"a/b\"}\n]\n")
    #expect(try text([], .array) == "[]\n")
  }

  @Test func linesAreSeparateValues() throws {
    #expect(try text(cards, .lines) == "{\"content\":\"a/b\"}\n{\"column\":\"Done\",\"content\":\"\\\"é\\\"\\n\"}\n")
    #expect(try text([], .lines) == "")
  }

  @Test func takeBytesReturnsEachByteOnce() throws {
    var writer = CardWriter()
    var pieces = [writer.takeBytes()]
    for card in cards {
      try writer.append(card)
      pieces.append(writer.takeBytes())
      pieces.append(writer.takeBytes())
    }
    writer.finish()
    writer.finish()
    pieces.append(writer.takeBytes())
    #expect(pieces.map(\.isEmpty) == [true, false, true, false, true, false])
    #expect(String(decoding: Data(pieces.joined()), as: UTF8.self) == (try text(cards, .array)))
  }

  @Test(arguments: [HeroCardStyle.array, .lines])
  func writtenTextIsReadBack(style: HeroCardStyle) throws {
    var writer = HeroWriter(style: style)
    let heroes = [Fixture.fullHero, .empty, Fixture.hero(3)]
    for hero in heroes { try writer.append(hero) }
    writer.finish()
    let bytes = writer.takeBytes()
    #expect(try HeroReader.heroes(from: bytes) == heroes)
    #expect(try CardReader.cards(from: Data(text(cards, style).utf8)) == cards)
    #expect(bytes.count { $0 == UInt8(ascii: "\n") } == (style == .array ? 5 : 3))
  }
}

/// The writer and the JSON representation, compared with `JSONEncoder`.
@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct JSONWriterDifferentialTests {
  private static let pieces =
    [
      "a", "/", "\"", "\\", "é", "🐌", "\u{2028}", "\u{2029}", "\u{7F}", "e\u{301}", "\u{FEFF}", "\u{FFFF}", " ",
      "long text ",
    ] + (0..<32).map { String(Unicode.Scalar(UInt8($0))) }

  private func text(_ generator: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...12, using: &generator)).map { _ in
      Self.pieces.randomElement(using: &generator) ?? ""
    }.joined()
  }

  private func bytes<Element: Encodable>(_ element: Element) throws -> String {
    var writer = HeroCardWriter<Element>(style: .lines)
    try writer.append(element)
    return String(decoding: writer.takeBytes().dropLast(), as: UTF8.self)
  }

  @Test func writesHeroesAsFoundationDoes() throws {
    var generator = SeededGenerator.announced("written heroes")
    for number in 0..<(isFullRun ? 2000 : 100) {
      func references() -> HeroReferences {
        HeroReferences(
          available: .random(in: -100...100, using: &generator), collectionURI: text(&generator),
          items: (0..<(number % 40)).map { _ in
            HeroReference(resourceURI: text(&generator), name: text(&generator), type: number % 3 == 0 ? "t" : nil)
          }, returned: Int.random(in: .min ... .max, using: &generator))
      }
      let hero = Hero(
        id: [Int.min, .max, 0, -1, 9, 10, 99, 100, number][number % 9], name: text(&generator),
        description: text(&generator), modified: number % 2 == 0 ? nil : text(&generator),
        thumbnail: HeroImage(path: text(&generator), fileExtension: text(&generator)), resourceURI: text(&generator),
        comics: references(), events: references(),
        urls: (0..<(number % 4)).map { _ in HeroLink(type: text(&generator), url: text(&generator)) },
        image: number % 5 == 0 ? nil : Data((0..<number).map { UInt8(truncatingIfNeeded: $0 &* 151) }))
      #expect(try bytes(hero) == Fixture.json(hero))
      let card = Card(content: text(&generator), column: number % 2 == 0 ? nil : text(&generator))
      #expect(try bytes(card) == Fixture.json(card))
      #expect(try HeroReader.heroes(from: Data(bytes(hero).utf8)) == [hero])
    }
  }

  @Test func writesOtherFieldsAsFoundationDoes() throws {
    let keys = ["b", "a", "", "a b", "a!", "a\"", "ab", "é", "A", "a\n", "a\\", "a key of more than one word"]
    for count in 0...keys.count {
      let members = Dictionary(uniqueKeysWithValues: keys.prefix(count).map { ($0, $0.utf8.count) })
      #expect(try bytes(Unusual(members: members)) == Fixture.json(Unusual(members: members)))
    }
    let values: [Unusual] = [
      Unusual(number: 0.1), Unusual(number: 1e300), Unusual(single: 0.1),
      Unusual(date: Date(timeIntervalSince1970: 0)), Unusual(address: URL(string: "https://heroes.example/a")),
      Unusual(wide: .max), Unusual(numbered: [1: "x", 2: "y"]),
      Unusual(flags: [true, false, nil]), Unusual(nested: [[], [[1]], [[2, -3]]]),
    ]
    for value in values { #expect(try bytes(value) == Fixture.json(value)) }
  }

  @Test func refusesTheDepthThatFoundationRefuses() throws {
    for depth in [1, 2, 511] { #expect(try bytes(Nest(depth: depth)) == Fixture.json(Nest(depth: depth))) }
    let tooDeep = Nest(depth: 512)
    // The description of the value would be long.
    let errors = [(try? Fixture.json(tooDeep)) == nil, (try? bytes(tooDeep)) == nil]
    #expect(errors == [true, true])
  }

  @Test func refusesWhatFoundationRefuses() throws {
    var writer = HeroCardWriter<Unusual>()
    try writer.append(Unusual(number: 1))
    let before = writer
    #expect(throws: EncodingError.self) { try writer.append(Unusual(number: .infinity)) }
    #expect(throws: EncodingError.self) { try writer.append(Unusual(item: .text("CBOR"))) }
    var after = (before, writer)
    #expect(after.0.takeBytes() == after.1.takeBytes())
  }

  // MARK: The representation

  @Test func codesRepresentationsAsFoundationDoes() throws {
    let coder = JSONValueCoder.shared
    let text = try Fixture.json(Fixture.fullHero)
    #expect(try String(decoding: coder.encode(Fixture.fullHero), as: UTF8.self) == text)
    for around in ["", " ", "\n\t\r "] {
      #expect(try coder.decode(Hero.self, from: Data("\(around)\(text)\(around)".utf8)) == Fixture.fullHero)
    }
    // Foundation accepts both texts.
    #expect(try coder.decode(Card.self, from: Data(#"{"content":"a",}"#.utf8)) == Card(content: "a"))
    let error = #expect(throws: HeroCardError.self) {
      try coder.decode(Hero.self, from: Data(#"{"id":1.0,"id":2}"#.utf8))
    }
    #expect(error?.description == #"duplicate key "id" (at byte 10)"#)
  }

  @Test func throwsErrorsOfFoundation() {
    for text in ["", "{", "{} x", #"{"content":5}"#, #"{"content":"a"}]"#, "[]", #"{"column":"a"}"#] {
      let found = Result { try JSONValueCoder.shared.decode(Card.self, from: Data(text.utf8)) }
      let expected = Result { try JSONDecoder().decode(Card.self, from: Data(text.utf8)) }
      #expect("\(found)" == "\(expected)")
    }
  }
}

/// Fields that JSON cannot represent in the same way as CBOR.
private struct Unusual: Codable, CBORFieldCodable {
  var members: [String: Int] = [:]
  var number: Double?
  var single: Float?
  var date: Date?
  var address: URL?
  var wide: UInt64?
  var numbered: [Int: String]?
  var flags: [Bool?]?
  var nested: [[[Int]]]?
  var item: CBORValue?
}

extension Unusual {
  func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(members, forKey: "members")
    try fields.encodeIfPresent(number, forKey: "number")
    try fields.encodeIfPresent(single, forKey: "single")
    try fields.encodeIfPresent(date, forKey: "date")
    try fields.encodeIfPresent(address, forKey: "address")
    try fields.encodeIfPresent(wide, forKey: "wide")
    try fields.encodeIfPresent(numbered, forKey: "numbered")
    try fields.encodeIfPresent(flags, forKey: "flags")
    try fields.encodeIfPresent(nested, forKey: "nested")
    try fields.encodeIfPresent(item, forKey: "item")
  }

  init(fields: inout CBORFieldDecoder) throws {
    self.init(members: try fields.decode([String: Int].self, forKey: "members"))
  }
}

/// A value of nested objects.
private struct Nest: Codable, CBORFieldCodable {
  /// The object inside, in an array since a structure cannot contain itself.
  var inner: [Nest]?

  /// Creates a value of `depth` nested objects and arrays.
  init(depth: Int) {
    if depth > 1 { inner = depth > 2 ? [Nest(depth: depth - 2)] : [] }
  }

  func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encodeIfPresent(inner, forKey: "inner")
  }

  init(fields: inout CBORFieldDecoder) throws {
    inner = try fields.decodeIfPresent([Nest].self, forKey: "inner")
  }
}
