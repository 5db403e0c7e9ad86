// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import ItemCoding

/// A value that a reader decodes from an element of a JSON text.
protocol JSONElementDecodable: Sendable {
  /// The location of the elements in the text.
  static var layout: JSONElementLayout { get }

  /// Decodes an element.
  ///
  /// - Parameters:
  ///   - keys: The keys of the objects around the element.
  ///   - source: The element.
  /// - Returns: The value.
  /// - Throws: The errors of `source`.
  static func decode(in keys: [String], from source: inout some JSONElementSource) throws -> Self
}

/// The bytes of one element, and their decoder.
protocol JSONElementSource {
  /// Decodes the element as a value of a type, once.
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value
}

extension JSONDecoder {
  /// An element that Foundation decodes, with the errors of Foundation.
  struct Source: JSONElementSource {
    let decoder: JSONDecoder
    let bytes: Data

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try decoder.decode(type, from: bytes)
    }
  }
}

/// A reader that decodes the elements of a JSON text that arrives in chunks.
///
/// Most elements are objects that are complete in a chunk. ``JSONItems`` parses and decodes such an element in one pass.
/// The scanner finds any other element, and any fault. ``JSONItems`` then decodes the element. If it cannot do so,
/// Foundation decodes the element or throws the error.
///
/// ```
///   chunk ─┬─> object in an array ─────────> JSONItems ─> value
///          └─> anything else ─> scanner ─┬─> JSONItems ─> value
///                                        └─> Foundation ─> value, or error with path
/// ```
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
    if let value = scanner.decodeElement(Value.self) { return value }
    guard let element = try scanner.next() else { return nil }
    if let value = element.bytes.withUnsafeBytes({ decodeComplete($0, in: element.keys) }) { return value }
    var source = JSONDecoder.Source(decoder: decoder, bytes: element.bytes)
    do {
      return try Value.decode(in: element.keys, from: &source)
    } catch {
      throw HeroCardError(error, in: element, mismatch: Value.layout.mismatch)
    }
  }

  /// Returns the values of a complete text.
  static func values(in bytes: Data, limits: HeroCardLimits) throws(HeroCardError) -> [Value] {
    var reader = JSONElementReader(limits: limits)
    reader.append(bytes)
    reader.finish()
    var values: [Value] = []
    while let value = try reader.next() { values.append(value) }
    return values
  }

  private func decodeComplete(_ bytes: UnsafeRawBufferPointer, in keys: [String]) -> Value? {
    var source = JSONItems.Source(text: bytes, depthLimit: JSONGrammar.maximumDepth)
    guard let value = try? Value.decode(in: keys, from: &source), source.length == bytes.count else { return nil }
    return value
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

extension JSONItems {
  /// The element at the start of a text, decoded without Foundation.
  struct Source: JSONElementSource {
    let text: UnsafeRawBufferPointer
    let depthLimit: Int
    /// The length of the decoded element in bytes.
    private(set) var length = 0

    init(text: UnsafeRawBufferPointer, depthLimit: Int) {
      self.text = text
      self.depthLimit = depthLimit
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      guard let (value, length) = JSONItems.decodePrefix(type, of: text, depthLimit: depthLimit) else {
        throw NotDecoded()
      }
      self.length = length
      return value
    }
  }

  /// The error of an element that only Foundation can decode, or whose error only Foundation reports.
  private struct NotDecoded: Error {}
}
