// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ItemCoding

@testable internal import HeroCards

/// A reader that decodes each element with `JSONDecoder`, to which tests compare the faster readers.
struct JSONReferenceReader<Item: JSONElementDecodable>: ChunkedReader {
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
  static func readingAll<Reader: ChunkedReader>(_ chunks: [Data], with reader: Reader) -> [Outcome]
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
