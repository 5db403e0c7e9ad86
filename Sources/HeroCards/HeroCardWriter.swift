// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import ItemCoding

/// A writer of heroes.
public typealias HeroWriter = HeroCardWriter<Hero>

/// A writer of cards.
public typealias CardWriter = HeroCardWriter<Card>

/// A writer of heroes or cards as JSON, with one element per line.
///
/// The writer buffers only the bytes that the caller has not taken yet. Keys are sorted and slashes are not escaped, so
/// equal elements produce equal bytes.
///
/// ```swift
/// var writer = HeroWriter()
/// for hero in heroes {
///   try writer.append(hero)
///   output.write(writer.takeBytes())
/// }
/// writer.finish()
/// output.write(writer.takeBytes())
/// ```
public struct HeroCardWriter<Element: Encodable>: Sendable {
  private let style: HeroCardStyle
  private let isFieldCodable = JSONValueCoder.isFieldCodable(Element.self)
  private var bytes = Data()
  private var isAtStart = true
  private var isFinished = false

  /// Creates a writer.
  ///
  /// - Parameter style: The style of the text, one array by default.
  public init(style: HeroCardStyle = .array) {
    self.style = style
  }

  /// Appends an element.
  ///
  /// - Throws: `EncodingError` if the element cannot be encoded. In that case, nothing is written.
  /// - Precondition: ``finish()`` has not been called.
  public mutating func append(_ element: Element) throws {
    let isFieldCodable = isFieldCodable
    try append { try JSONValueCoder.shared.append(element, to: &$0, isFieldCodable: isFieldCodable) }
  }

  /// Appends an element that was encoded before, without the newline of its style.
  ///
  /// - Precondition: ``finish()`` has not been called.
  package mutating func append(encoded json: Data) {
    append { $0 += json }
  }

  private mutating func append(_ write: (inout Data) throws -> Void) rethrows {
    precondition(!isFinished, "append(_:) called after finish()")
    let start = bytes.count
    if style == .array {
      bytes.append(isAtStart ? UInt8(ascii: "[") : UInt8(ascii: ","))
      bytes.append(newline)
    }
    do {
      try write(&bytes)
    } catch {
      bytes.removeSubrange(start...)
      throw error
    }
    if style == .lines { bytes.append(newline) }
    isAtStart = false
  }

  /// Returns and removes the buffered bytes.
  public mutating func takeBytes() -> Data {
    defer { bytes = Data() }
    return bytes
  }

  /// Ends the text; ``takeBytes()`` then returns the last bytes, which include an array's closing bracket.
  public mutating func finish() {
    guard !isFinished else { return }
    if style == .array { bytes += isAtStart ? "[]\n".utf8 : "\n]\n".utf8 }
    isFinished = true
  }
}

private let newline = UInt8(ascii: "\n")

/// The style in which writers combine several heroes or cards in one text; readers accept both styles.
public enum HeroCardStyle: Hashable, Sendable {
  /// One JSON array, with an element per line. A truncated array is not valid JSON, so readers detect it.
  case array

  /// JSON Lines: every line is a separate value, so texts can be concatenated.
  case lines
}

/// A coder of single JSON values, with the results and errors of Foundation's coders, except that it refuses an object
/// that repeats a key.
///
/// ``JSONItems`` encodes and decodes most values. Foundation encodes or decodes the others, and throws all other errors.
struct JSONValueCoder: ItemEncoder, ItemDecoder {
  /// The coder that all values share.
  static let shared = JSONValueCoder()

  private let encoder = JSONEncoder()
  let decoder = JSONDecoder()

  private init() {
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  func encode<Value: Encodable>(_ value: Value) throws -> Data {
    var text = Data()
    try append(value, to: &text, isFieldCodable: Self.isFieldCodable(Value.self))
    return text
  }

  /// Encodes a value with sorted keys and unescaped slashes, and appends the bytes to `text`.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - text: The bytes to which those of the value are appended.
  ///   - isFieldCodable: The result of ``isFieldCodable(_:)`` for the type of the value.
  /// - Throws: `EncodingError`. In that case, nothing is appended.
  func append<Value: Encodable>(_ value: Value, to text: inout Data, isFieldCodable: Bool) throws {
    if isFieldCodable, JSONItems.append(value, to: &text) { return }
    text += try encoder.encode(value)
  }

  /// Returns whether ``JSONItems`` may encode values of a type.
  ///
  /// The runtime searches for the conformance, so a caller with many values keeps the result.
  static func isFieldCodable<Value>(_ type: Value.Type) -> Bool {
    type is any CBORFieldCodable.Type
  }

  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    if let value = data.withUnsafeBytes({ JSONItems.decode(type, from: $0) }) { return value }
    // `JSONItems` refuses duplicate keys, and Foundation accepts them.
    try JSONPathTracker.refuseDuplicateKeys(in: data)
    return try decoder.decode(type, from: data)
  }
}
