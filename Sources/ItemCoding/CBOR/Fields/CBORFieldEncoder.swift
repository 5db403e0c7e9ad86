// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Writes the fields of one ``CBORFieldCodable`` value as the entries of a map.
///
/// Good for the one call it is passed to. Of its methods those throw that write values of types of the program's own,
/// what these throw; the others have the same form, so that types need not be known to be called. A name that is
/// written twice makes a map that no decoder accepts.
public struct CBORFieldEncoder: ~Copyable {
  private let session: CBOREncodingSession
  private let frame: CBOREncodingFrame.Pointer
  private let writer: UnsafeMutablePointer<CBORWriter>

  init(_ session: CBOREncodingSession, _ frame: CBOREncodingFrame.Pointer) {
    self.session = session
    self.frame = frame
    writer = session.writer
  }

  /// The steps to the value whose fields these are.
  public var codingPath: [any CodingKey] { frame.path() }

  @inline(__always)
  private func begin(_ name: StaticString) {
    frame.beginEntry(frame.pointee.count, at: writer.pointee.count)
    writer.pointee.write(name)
    frame.pointee.count &+= 1
  }

  /// Writes `nil`; to leave the field out is what `Codable` does unless it is told otherwise.
  public mutating func encodeNil(forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(byte: CBORByte.null)
  }

  /// Writes a field.
  public mutating func encode(_ value: Bool, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: String, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: Double, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: Float, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: Int, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: Int8, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: Int16, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: Int32, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: Int64, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: UInt, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: UInt8, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: UInt16, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: UInt32, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field.
  public mutating func encode(_ value: UInt64, forKey name: StaticString) throws {
    begin(name)
    writer.pointee.write(value)
  }

  /// Writes a field of any type, in its own way or by its fields.
  ///
  /// - Throws: `EncodingError` where values are nested too deeply, and what `value` throws; the value whose field this
  ///   is must throw it on.
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

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Bool?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: String?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Double?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Float?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Int?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Int8?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Int16?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Int32?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: Int64?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: UInt?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: UInt8?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: UInt16?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: UInt32?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: UInt64?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }

  /// Writes a field of any type unless it is `nil`.
  ///
  /// - Throws: What `encode(_:forKey:)` throws.
  @inlinable
  public mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey name: StaticString) throws {
    if let value { try encode(value, forKey: name) }
  }
}
