// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// What a reader makes of one element of a JSON text.
protocol JSONElementDecodable: Sendable {
  /// Where the elements are.
  static var layout: JSONElementLayout { get }

  /// Makes the value of an element.
  ///
  /// - Throws: `DecodingError`, with paths that begin at the element.
  static func decode(_ element: JSONElement, with decoder: JSONDecoder) throws -> Self
}

/// Reads a JSON text that arrives in chunks, one decoded element after another.
struct JSONElementReader<Value: JSONElementDecodable>: Sendable {
  private var scanner: JSONElementScanner
  private let decoder = JSONDecoder()

  init(limits: HeroCardLimits) {
    scanner = JSONElementScanner(layout: Value.layout, limits: limits)
  }

  /// How many bytes are held at this moment.
  var retainedByteCount: Int { scanner.retainedByteCount }

  mutating func append(_ bytes: Data) {
    scanner.append(bytes)
  }

  mutating func finish() {
    scanner.finish()
  }

  /// The next value, or `nil` where more bytes are needed or, after `finish()`, at the end.
  ///
  /// An element that cannot be decoded is one error, and the next call goes on behind it. Any other error is repeated.
  mutating func next() throws(HeroCardError) -> Value? {
    guard let element = try scanner.next() else { return nil }
    do {
      return try Value.decode(element, with: decoder)
    } catch {
      throw HeroCardError(error, in: element, unfit: Value.layout.unfit)
    }
  }
}
