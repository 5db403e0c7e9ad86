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
      expectSame(text, HeroReader(), JSONReferenceReader<Hero>(), &random)
    }
  }

  @Test func readsCardsAsFoundationDoes() {
    var random = RandomJSON(generator: .announced("cards"))
    for _ in 0..<(isFullRun ? 3000 : 200) {
      let text = random.cards()
      expectSame(text, BatchReader(), JSONReferenceReader<CardBatch>(), &random)
    }
  }

  @Test func respectsLimitsAsTheScannerDoes() {
    var random = RandomJSON(generator: .announced("limits"))
    for _ in 0..<(isFullRun ? 2000 : 300) {
      let text = random.heroes()
      let limits = HeroCardLimits(
        elementBytes: Int.random(in: 10...400, using: &random.generator),
        depth: Int.random(in: 1...5, using: &random.generator))
      expectSame(text, HeroReader(limits: limits), JSONReferenceReader<Hero>(limits: limits), &random)
    }
  }

  @Test func everyTruncationAndSplitReadsAsFoundationDoes() {
    let text = Data(
      #"[{"id":1,"name":"é\u00e9\ud83d\udc0c\\","x":[1.5,true,null,{"y":"\n"}]},{"urls":[{"url":"a"}],"name":"b"}]"#
        .utf8)
    for end in 0...text.count {
      let part = Data(text.prefix(end))
      let expected = Outcome<Hero>.readingAll([part], with: JSONReferenceReader<Hero>())
      #expect(Outcome.readingAll([part], with: HeroReader()) == expected)
      #expect(Outcome.readingAll(text.split(at: end), with: HeroReader()).map(\.items.first?.id) == [1, 0])
    }
  }

  /// Compares two readers, with the text in one chunk and in random chunks.
  private func expectSame<Reader: ChunkedReader, Reference: ChunkedReader>(
    _ text: Data, _ reader: Reader, _ reference: Reference, _ random: inout RandomJSON
  )
  where
    Reader.Failure == HeroCardError, Reference.Failure == HeroCardError, Reader.Item == Reference.Item,
    Reader.Item: Hashable & Sendable
  {
    let expected = Outcome<Reader.Item>.readingAll([text], with: reference)
    let shown = Comment(rawValue: String(decoding: text.prefix(3000), as: UTF8.self))
    #expect(Outcome.readingAll([text], with: reader) == expected, shown)
    let chunks = text.randomChunks(
      upTo: Int.random(in: 1...200, using: &random.generator), using: &random.generator)
    #expect(Outcome.readingAll(chunks, with: reader) == expected, shown)
  }
}

/// A reader of elements as a ``CardReader`` finds them, each with all of its cards.
private struct BatchReader: ChunkedReader {
  private var reader = JSONElementReader<CardBatch>(limits: HeroCardLimits())

  mutating func append(_ bytes: Data) { reader.append(bytes) }
  mutating func finish() { reader.finish() }
  mutating func next() throws(HeroCardError) -> CardBatch? { try reader.next() }
}

/// A reader that decodes each element with `JSONDecoder`, to which tests compare the faster readers.
private struct JSONReferenceReader<Item: JSONElementDecodable>: ChunkedReader {
  private var scanner: JSONElementScanner

  init(limits: HeroCardLimits = HeroCardLimits()) {
    scanner = JSONElementScanner(layout: Item.layout, limits: limits)
  }

  mutating func append(_ bytes: Data) { scanner.append(bytes) }
  mutating func finish() { scanner.finish() }

  mutating func next() throws(HeroCardError) -> Item? {
    guard let element = try scanner.next() else { return nil }
    var source = JSONDecoder.Source(decoder: JSONDecoder(), bytes: element.bytes)
    do {
      return try Item.decode(in: element.keys, from: &source)
    } catch {
      throw HeroCardError(error, in: element, mismatch: Item.layout.mismatch)
    }
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
