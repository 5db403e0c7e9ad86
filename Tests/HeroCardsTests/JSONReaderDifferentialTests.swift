// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ItemCoding
internal import TestSupport
internal import Testing

@testable internal import HeroCards

/// The readers, compared with `JSONDecoder`.
@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct JSONReaderDifferentialTests {
  @Test func readsHeroesAsFoundationDoes() {
    var random = RandomJSON(generator: .announced("heroes"))
    for _ in 0..<(isFullRun ? 3000 : 200) {
      let text = random.heroes()
      expectSame(text, HeroReader(), reference(), &random)
    }
  }

  @Test func readsCardsAsFoundationDoes() {
    var random = RandomJSON(generator: .announced("cards"))
    for _ in 0..<(isFullRun ? 3000 : 200) {
      let text = random.cards()
      let reference = CardReader(layout: CardReader.layout, limits: HeroCardLimits()) { element, cards in
        try JSONPathTracker.refuseDuplicateKeys(in: element.bytes)
        let decoder = JSONDecoder()
        cards +=
          element.keys.isEmpty
          ? try decoder.decode(CardBatch.self, from: element.bytes).cards
          : try decoder.decode(Column.self, from: element.bytes).titledCards
      }
      expectSame(text, CardReader(), reference, &random)
    }
  }

  @Test func respectsLimitsAsTheScannerDoes() {
    var random = RandomJSON(generator: .announced("limits"))
    for _ in 0..<(isFullRun ? 2000 : 300) {
      let text = random.heroes()
      let limits = HeroCardLimits(
        elementBytes: Int.random(in: 10...400, using: &random.generator),
        depth: Int.random(in: 1...5, using: &random.generator))
      expectSame(text, HeroReader(limits: limits), reference(limits), &random)
    }
  }

  @Test func everyTruncationAndSplitReadsAsFoundationDoes() {
    let text = Data(
      #"[{"id":1,"name":"é\u00e9\ud83d\udc0c\\","x":[1.5,true,null,{"y":"\n"}]},{"urls":[{"url":"a"}],"name":"b"}]"#
        .utf8)
    for end in 0...text.count {
      let part = Data(text.prefix(end))
      let expected = Outcome<Hero>.readingAll([part], with: reference())
      #expect(Outcome.readingAll([part], with: HeroReader()) == expected)
      #expect(Outcome.readingAll(text.split(at: end), with: HeroReader()).map(\.items.first?.id) == [1, 0])
    }
  }

  /// Returns a reader that decodes each hero with `JSONDecoder`.
  private func reference(_ limits: HeroCardLimits = HeroCardLimits()) -> HeroReader {
    HeroReader(layout: HeroReader.layout, limits: limits) {
      try JSONPathTracker.refuseDuplicateKeys(in: $0.bytes)
      $1.append(try JSONDecoder().decode(Hero.self, from: $0.bytes))
    }
  }

  @Test func agreesWithJSONDecoderOnMutatedText() {
    var generator = SeededGenerator.announced("agreement")
    let text = Array(#"{"a":[1,-2.5e3,true,null,"b\n\u00e9"],"ccc":{"d":{}}}"#.utf8)
    let alphabet = Array(#"{}[],:"\u0123456789.eE+-truefalsn x"#.utf8)
    for _ in 0..<3000 {
      var mutated = text
      for _ in 0..<Int.random(in: 1...2, using: &generator) {
        let place = Int.random(in: mutated.indices, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: mutated.remove(at: place)
        case 1: mutated.insert(alphabet.randomElement(using: &generator) ?? 0, at: place)
        default: mutated[place] = alphabet.randomElement(using: &generator) ?? 0
        }
      }
      let layout = JSONElementLayout(route: nil, mismatch: .notHeroes)
      let outcome = Scan.reading([Data(mutated)], with: FoundReader(layout: layout))
      // The number may be well-formed, but exceed the range of every number type.
      if String(decoding: mutated, as: UTF8.self).contains(/[eE][+]?\d{3}/) { continue }
      // JSONDecoder accepts a comma before a closing bracket.
      guard outcome.error?.reason.hasPrefix("a comma without") != true else { continue }
      let isOneValue = outcome.error == nil && outcome.items.count == 1
      let isSound = (try? JSONDecoder().decode(Anything.self, from: Data(mutated))) != nil
      #expect(isOneValue == isSound, "\(String(decoding: mutated, as: UTF8.self))")
    }
  }

  /// Compares two readers, with the text in one chunk and in random chunks.
  private func expectSame<Item: Hashable & Sendable>(
    _ text: Data, _ reader: HeroCardReader<Item>, _ reference: HeroCardReader<Item>, _ random: inout RandomJSON
  ) {
    let expected = Outcome<Item>.readingAll([text], with: reference)
    let shown = Comment(rawValue: String(decoding: text.prefix(3000), as: UTF8.self))
    #expect(Outcome.readingAll([text], with: reader) == expected, shown)
    let chunks = text.randomChunks(
      upTo: Int.random(in: 1...200, using: &random.generator), using: &random.generator)
    #expect(Outcome.readingAll(chunks, with: reader) == expected, shown)
  }
}

extension Outcome {
  /// Reads `chunks` to the end, and past the elements that cannot be decoded.
  fileprivate static func readingAll<Reader: ChunkedReader>(_ chunks: [Data], with reader: Reader) -> [Outcome]
  where Reader.Item == Item, Reader.Failure == HeroCardError {
    var reader = reader
    var outcomes: [Outcome] = []
    func drain() {
      while true {
        var outcome = Outcome()
        do throws(HeroCardError) {
          guard let item = try reader.next() else { return }
          outcome.items = [item]
        } catch {
          outcome.error = error
          // The same error again means that the text has ended.
          if outcomes.last == outcome { return }
        }
        outcomes.append(outcome)
      }
    }
    for chunk in chunks {
      reader.append(chunk)
      drain()
    }
    reader.finish()
    drain()
    return outcomes
  }
}

/// Any JSON value.
private struct Anything: Decodable {
  init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      for key in container.allKeys { _ = try container.decode(Anything.self, forKey: key) }
    } else if var container = try? decoder.unkeyedContainer() {
      while !container.isAtEnd { _ = try container.decode(Anything.self) }
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() || (try? container.decode(Bool.self)) != nil { return }
      if (try? container.decode(Double.self)) == nil { _ = try container.decode(String.self) }
    }
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
