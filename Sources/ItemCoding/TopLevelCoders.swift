// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials

/// An encoder that encodes one complete value in each call.
///
/// `JSONEncoder` and `PropertyListEncoder` conform, and so can any type with this one method. The protocol corresponds
/// to Combine's `TopLevelEncoder` on Apple's platforms.
///
/// ```swift
/// let encoder: any ItemEncoder = JSONEncoder()
/// let bytes = try encoder.encode(["Atalanta": 1])
/// ```
public protocol ItemEncoder: Sendable {
  /// Encodes `value` as one complete document.
  ///
  /// - Throws: `EncodingError` with the coding path of the value that could not be encoded.
  func encode<Value: Encodable>(_ value: Value) throws -> Data
}

/// A decoder that decodes one complete value in each call.
///
/// The input may come from an untrusted sender. A conforming type must throw an error for hostile input. Implement
/// ``validate(_:)`` for checks that the underlying decoder does not make.
public protocol ItemDecoder: Sendable {
  /// Decodes `data`, which must be one complete document.
  ///
  /// - Throws: `DecodingError` with the coding path of the value that was missing or of a different kind.
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value

  /// Checks untrusted data before it is passed to ``decode(_:from:)``.
  ///
  /// - Throws: `DecodingError.dataCorrupted` if the data must not be decoded.
  func validate(_ data: Data) throws
}

extension ItemDecoder {
  /// Accepts all data, for decoders that are safe with any input.
  public func validate(_ data: Data) throws {}

  /// Validates and decodes untrusted data.
  ///
  /// - Throws: The errors of ``validate(_:)`` and ``decode(_:from:)``.
  public func decodeForeign<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try validate(data)
    return try decode(type, from: data)
  }
}

extension JSONEncoder: ItemEncoder {}

extension JSONDecoder: ItemDecoder {}

extension PropertyListEncoder: ItemEncoder {}

extension PropertyListDecoder: ItemDecoder {
  /// Rejects property lists that are nested too deeply, contain themselves or refer to bytes outside the data.
  ///
  /// Foundation's decoder crashes on some of them.
  ///
  /// - Throws: `DecodingError.dataCorrupted` with the byte offset of the fault.
  public func validate(_ data: Data) throws {
    try PropertyListValidator().validate(data)
  }
}
