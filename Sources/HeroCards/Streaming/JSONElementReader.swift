// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A value that a reader decodes from an element of a JSON text.
protocol JSONElementDecodable: Sendable {
  /// The location of the elements in the text.
  static var layout: JSONElementLayout { get }

  /// Decodes an element.
  ///
  /// - Throws: `DecodingError`, with paths that begin at the element.
  static func decode(_ element: JSONElement, with decoder: JSONDecoder) throws -> Self
}

/// A reader that decodes the elements of a JSON text that arrives in chunks.
struct JSONElementReader<Value: JSONElementDecodable>: Sendable {
  private var scanner: JSONElementScanner
  private let decoder = JSONDecoder()

  init(limits: HeroCardLimits) {
    scanner = JSONElementScanner(layout: Value.layout, limits: limits)
  }

  /// The number of buffered bytes.
  var retainedByteCount: Int { scanner.retainedByteCount }

  mutating func append(_ bytes: Data) {
    scanner.append(bytes)
  }

  mutating func finish() {
    scanner.finish()
  }

  /// Returns the next value; `nil` if more bytes are needed or, after `finish()`, at the end.
  ///
  /// If an element cannot be decoded, the call throws, and the next call continues after that element. After any other
  /// error, every further call throws the same error.
  mutating func next() throws(HeroCardError) -> Value? {
    guard let element = try scanner.next() else { return nil }
    do {
      return try Value.decode(element, with: decoder)
    } catch {
      throw HeroCardError(error, in: element, mismatch: Value.layout.mismatch)
    }
  }
}

/// A complete, well-formed value from a longer JSON text, with its location.
struct JSONElement: Sendable {
  /// The bytes of the value, without surrounding whitespace and punctuation.
  let bytes: Data

  /// The offset of the first byte in the text.
  let byteOffset: Int

  /// The keys of the enclosing objects.
  let keys: [String]

  /// The index in the enclosing array, or `nil` for an outermost value.
  let index: Int?

  /// The path from the outermost value to the element.
  var path: JSONPath { JSONPath(keys: keys, index: index) }
}

/// The location of the elements in a JSON text.
struct JSONElementLayout: Sendable {
  /// The keys from an outermost object to an array of elements.
  ///
  /// An outermost object without such an array is an element itself; an outermost array always contains elements. If
  /// the route is `nil`, every outermost object or array is an element.
  let route: [String]?

  /// The error code for a value that is not such an element.
  let mismatch: HeroCardError.Code
}
