// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import ItemCoding

/// A coder of single JSON values, with the results and errors of Foundation's coders.
///
/// ``JSONItems`` encodes and decodes most values. Foundation encodes or decodes the others, and throws all errors.
struct JSONValueCoder: ItemEncoder, ItemDecoder {
  /// The coder that all values share.
  static let shared = JSONValueCoder()

  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()

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
    let value = data.withUnsafeBytes { JSONItems.decode(type, from: $0) }
    return try value ?? decoder.decode(type, from: data)
  }
}
