// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ItemCoding
internal import TestSupport
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

  /// Checks that no text decodes as `type`, the path of each error, and whether it is the error of a missing key.
  static func expectErrors<Value: Decodable>(
    _ type: Value.Type, _ texts: KeyValuePairs<String, String>, isMissing: Bool? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for (json, path) in texts {
      let error = try #require(throws: DecodingError.self, sourceLocation: sourceLocation) { try decode(type, json) }
      let missing = if case .keyNotFound = error { true } else { false }
      let isExpected = Self.path(of: error) == path && missing == isMissing ?? missing
      #expect(isExpected, "\(json): \(error)", sourceLocation: sourceLocation)
    }
  }

  /// Returns the path of a decoding error in the format of a ``HeroCardError``.
  private static func path(of error: DecodingError) -> String {
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      JSONPath(context.codingPath).description
    case .keyNotFound(let key, let context):
      JSONPath(context.codingPath + [key]).description
    @unknown default: "?"
    }
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

  init(layout: JSONElementLayout = HeroReader.layout, limits: HeroCardLimits = HeroCardLimits()) {
    scanner = JSONElementScanner(layout: layout, limits: limits)
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

  /// Returns the bytes in chunks of `size` bytes.
  func chunks(of size: Int) -> [Data] {
    stride(from: 0, to: count, by: size).map { dropFirst($0).prefix(size) }
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
