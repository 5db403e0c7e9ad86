// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// An encoder of the fields of one ``CBORFieldCodable`` value as the entries of a map.
///
/// Use it only during the call that receives it. Encoding a value of a custom type throws the errors of that value. The
/// other methods never throw; they are marked `throws` so that all calls look alike. A name that is encoded twice makes
/// a map that decoders refuse.
public struct CBORFieldEncoder: ~Copyable {
  private let session: CBOREncodingSession
  private let frame: CBOREncodingFrame.Pointer
  private let writer: UnsafeMutablePointer<CBORWriter>

  init(_ session: CBOREncodingSession, _ frame: CBOREncodingFrame.Pointer) {
    self.session = session
    self.frame = frame
    writer = session.writer
  }

  /// The path of the value that has these fields.
  public var codingPath: [any CodingKey] { frame.path() }

  @inline(__always)
  private func begin(_ name: StaticString) {
    frame.beginEntry(frame.pointee.count, at: writer.pointee.count)
    writer.pointee.write(name)
    frame.pointee.count &+= 1
  }

  /// Encodes null.
  ///
  /// Synthesized `Codable` conformances omit a field that is `nil` instead.
  public mutating func encodeNil(forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(byte: CBORByte.null)
  }

  /// Encodes a field.
  public mutating func encode(_ value: Bool, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: String, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: Double, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: Float, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: Int, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: Int8, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: Int16, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: Int32, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: Int64, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: UInt, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: UInt8, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: UInt16, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: UInt32, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field.
  public mutating func encode(_ value: UInt64, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Encodes a field of any type, by `Codable` or by its fields.
  ///
  /// - Throws: `EncodingError` if values are nested too deeply, and errors of `value`. The caller must rethrow the
  ///   error.
  public mutating func encode<Value: Encodable>(_ value: Value, forKey name: StaticString) throws {
    let start = writer.pointee.count
    frame.beginEntry(frame.pointee.count, at: start)
    writer.pointee.write(name)
    frame.pointee.key.name = name
    do {
      try session.encode(value, in: frame)
    } catch {
      writer.pointee.count = start
      throw error
    }
    frame.pointee.count &+= 1
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Bool?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: String?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Double?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Float?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Int?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Int8?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Int16?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Int32?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Int64?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: UInt?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: UInt8?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: UInt16?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: UInt32?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: UInt64?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Encodes a field of any type unless it is `nil`.
  ///
  /// - Throws: The errors of `encode(_:forKey:)`.
  @inlinable
  public mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }
}
