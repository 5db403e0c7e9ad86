// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Optional fields.
extension CBORFieldDecoder {
  @inline(__always)
  private func readIfPresent<Value>(
    _ name: StaticString, _ type: Value.Type, _ body: (inout Int) throws(CBORFault) -> Value
  ) throws -> Value? {
    do throws(CBORFault) {
      guard var offset = try find(name) else { return nil }
      let isNull = try input.pointee.null(&offset)
      let value = isNull ? nil : try body(&offset)
      pass(field: name, to: offset)
      return value
    } catch {
      throw failure(error, name, type)
    }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: Bool.Type, forKey name: StaticString) throws -> Bool? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.boolean(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: String.Type, forKey name: StaticString) throws -> String? {
    try readIfPresent(name, type) { offset throws(CBORFault) in
      try input.pointee.text(&offset)
    }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: Double.Type, forKey name: StaticString) throws -> Double? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.double(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: Float.Type, forKey name: StaticString) throws -> Float? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.float(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: Int.Type, forKey name: StaticString) throws -> Int? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: Int8.Type, forKey name: StaticString) throws -> Int8? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: Int16.Type, forKey name: StaticString) throws -> Int16? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: Int32.Type, forKey name: StaticString) throws -> Int32? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: Int64.Type, forKey name: StaticString) throws -> Int64? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: UInt.Type, forKey name: StaticString) throws -> UInt? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: UInt8.Type, forKey name: StaticString) throws -> UInt8? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: UInt16.Type, forKey name: StaticString) throws -> UInt16? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: UInt32.Type, forKey name: StaticString) throws -> UInt32? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type.
  public mutating func decodeIfPresent(_ type: UInt64.Type, forKey name: StaticString) throws -> UInt64? {
    try readIfPresent(name, type) { offset throws(CBORFault) in try input.pointee.integer(&offset) }
  }

  /// Decodes a field of any type; `nil` if it is missing or null.
  ///
  /// - Throws: `DecodingError` with the path and the byte offset if it cannot be decoded as this type, and errors of
  ///   the value.
  public mutating func decodeIfPresent<Value: Decodable>(
    _ type: Value.Type, forKey name: StaticString
  ) throws -> Value? {
    try find(type, name, isNullMissing: true)
  }
}
