// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ItemCoding
internal import Testing

@testable internal import HeroCards

/// Heroes, cards and texts for several tests.
enum Fixture {
  /// A hero with a value for every property.
  static let fullHero = Hero(
    id: 1_000_042,
    name: "Night Courier",
    description: "Delivers \"anything\" [even {this}]: é, 🐌 and \\ included.",
    modified: "2014-04-29T14:18:17-0400",
    thumbnail: HeroImage(path: "http://images.example.org/u/night", fileExtension: "jpg"),
    resourceURI: "http://api.example.org/characters/1000042",
    comics: HeroReferences(
      available: 12, collectionURI: "http://api.example.org/characters/1000042/comics",
      items: [
        HeroReference(resourceURI: "http://api.example.org/comics/1", name: "Letters #1"),
        HeroReference(resourceURI: "http://api.example.org/comics/2", name: "Letters #2"),
      ], returned: 2),
    series: HeroReferences(available: 1, collectionURI: "s"),
    stories: HeroReferences(
      available: 1, collectionURI: "t", items: [HeroReference(name: "First post", type: "cover")], returned: 1),
    events: HeroReferences(available: 0, collectionURI: "e"),
    urls: [HeroLink(type: "detail", url: "http://example.org/night?a=b/c")],
    image: Data([0, 1, 2, 0xFE, 0xFF]))

  static func hero(_ number: Int) -> Hero {
    Hero(id: number, name: "Hero \(number)", description: number.isMultiple(of: 3) ? "\"[{\\" : "")
  }

  static func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  static func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
  }
}

/// A generator whose numbers depend only on its seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// Returns a generator with a random seed, and prints the seed so that a failure can be reproduced.
  static func fresh(_ purpose: String) -> SeededGenerator {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("\(purpose): seed \(seed)")
    return SeededGenerator(seed: seed)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// The result of reading a text: the items before the first error, and that error.
struct Outcome<Item: Hashable & Sendable>: Hashable, Sendable {
  var items: [Item] = []
  var error: HeroCardError?

  /// Reads `chunks` to the end or to the first error.
  static func reading<Reader: ChunkedReader>(_ chunks: [Data], with reader: Reader) -> Outcome
  where Reader.Item == Item, Reader.Failure == HeroCardError {
    var reader = reader
    var outcome = Outcome()
    do throws(HeroCardError) {
      for chunk in chunks {
        reader.append(chunk)
        while let item = try reader.next() { outcome.items.append(item) }
      }
      reader.finish()
      while let item = try reader.next() { outcome.items.append(item) }
    } catch {
      outcome.error = error
    }
    return outcome
  }
}

/// An element of a JSON text, as a string.
struct Found: Hashable, Sendable {
  var text: String
  var path: String
  var offset: Int
}

/// A reader that finds elements with the scanner, without decoding them.
struct FoundReader: ChunkedReader {
  var scanner: JSONElementScanner

  init(layout: JSONElementLayout = Hero.layout, limits: HeroCardLimits = HeroCardLimits()) {
    scanner = JSONElementScanner(layout: layout, limits: limits)
  }

  /// Reads a complete text.
  func outcome(of text: Data) -> Scan {
    .reading([text], with: self)
  }

  mutating func append(_ bytes: Data) { scanner.append(bytes) }
  mutating func finish() { scanner.finish() }
  mutating func next() throws(HeroCardError) -> Found? {
    try scanner.next().map { element in
      Found(
        text: String(decoding: element.bytes, as: UTF8.self), path: element.path.description,
        offset: element.byteOffset)
    }
  }
}

typealias Scan = Outcome<Found>

extension Data {
  /// Returns the bytes in two chunks.
  func split(at offset: Int) -> [Data] {
    [prefix(offset), dropFirst(offset)]
  }

  /// Returns the bytes in chunks of random sizes, some of them empty.
  func randomChunks(upTo size: Int, using generator: inout SeededGenerator) -> [Data] {
    var chunks: [Data] = []
    var rest = self
    while !rest.isEmpty {
      let count = Int.random(in: 0...size, using: &generator)
      chunks.append(Data(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return chunks
  }
}

/// Returns the path of a decoding error in the format of a ``HeroCardError``.
func path(of error: DecodingError) -> String {
  switch error {
  case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
    JSONPath(context.codingPath).description
  case .keyNotFound(let key, let context):
    JSONPath(context.codingPath + [key]).description
  @unknown default: "?"
  }
}
