// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HeroCards
internal import TestSupport
internal import Testing

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
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
    let lineCount = bytes.count { $0 == UInt8(ascii: "\n") }
    #expect(lineCount == (style == .array ? 5 : 3))
  }

  @Test func equalHeroesProduceEqualBytes() throws {
    func bytes() throws -> Data {
      var writer = HeroWriter()
      for _ in 0..<3 { try writer.append(Fixture.fullHero) }
      writer.finish()
      return writer.takeBytes()
    }
    #expect(try bytes() == bytes())
    let text = String(decoding: try bytes(), as: UTF8.self)
    #expect(text.hasPrefix("[\n{\"comics\":{\"available\":12,\"collectionURI\":\"http://api.example.org/"))
  }
}
