// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials

/// Turns a whole value into bytes.
///
/// `JSONEncoder` and `PropertyListEncoder` are item encoders; so is any type of yours with this one method.
/// It stands where Combine's `TopLevelEncoder` stands on Apple's platforms.
///
/// ```swift
/// let encoder: any ItemEncoder = JSONEncoder()
/// let bytes = try encoder.encode(["Atalanta": 1])
/// ```
public protocol ItemEncoder: Sendable {
  /// Writes `value` as one complete document.
  ///
  /// - Throws: `EncodingError`, with the coding path of the value that could not be written.
  func encode<Value: Encodable>(_ value: Value) throws -> Data
}

/// Turns bytes back into a whole value.
///
/// The bytes may come from anybody: a conformance must answer hostile input with an error, and ``validate(_:)`` is
/// the place for what the underlying decoder does not check itself.
public protocol ItemDecoder: Sendable {
  /// Reads the one complete document that `data` holds.
  ///
  /// - Throws: `DecodingError`, with the coding path of the value that was missing or of another kind.
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value

  /// Refuses bytes that must not reach ``decode(_:from:)``; called before it wherever the bytes are foreign.
  ///
  /// - Throws: `DecodingError.dataCorrupted`.
  func validate(_ data: Data) throws
}

extension ItemDecoder {
  /// Accepts everything: right for decoders that are safe on any input.
  public func validate(_ data: Data) throws {}

  /// Checks foreign bytes, then reads them.
  ///
  /// - Throws: `DecodingError`.
  public func decodeForeign<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try validate(data)
    return try decode(type, from: data)
  }
}

extension JSONEncoder: ItemEncoder {}

extension JSONDecoder: ItemDecoder {}

extension PropertyListEncoder: ItemEncoder {}

extension PropertyListDecoder: ItemDecoder {
  /// Refuses property lists that are nested too deeply, contain themselves or point outside their bytes: Foundation's
  /// decoder crashes on some of them.
  ///
  /// - Throws: `DecodingError.dataCorrupted` with the byte offset of the fault.
  public func validate(_ data: Data) throws {
    try PropertyListValidator().validate(data)
  }
}
