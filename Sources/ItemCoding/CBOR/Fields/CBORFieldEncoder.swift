// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// An encoder of the fields of one ``CBORFieldCodable`` value as the entries of a map.
///
/// Use it only during the call that receives it. Encoding a value of a custom type throws the errors of that value. The
/// other methods throw only the errors of an encoder other than ``CBOREncoder``. A name that is encoded twice makes
/// a map that decoders refuse.
public struct CBORFieldEncoder: ~Copyable {
  /// The position in the output of a ``CBOREncoder``; `nil` with other encoders.
  private struct Target {
    let session: Unmanaged<CBOREncodingSession>
    let frame: CBOREncodingFrame.Pointer
    let writer: UnsafeMutablePointer<CBORWriter>
  }

  /// The container of another encoder.
  ///
  /// This is an object because the compiler does not know the layout of the container.
  private final class Other {
    var container: KeyedEncodingContainer<CBORCodingKey>

    init(_ container: KeyedEncodingContainer<CBORCodingKey>) {
      self.container = container
    }
  }

  // One of these is `nil`.
  private let target: Target?
  private let other: Other?

  /// Creates an encoder of fields for a value of `frame`, during a call that retains the session.
  init(_ session: CBOREncodingSession, _ frame: CBOREncodingFrame.Pointer) {
    target = Target(session: .passUnretained(session), frame: frame, writer: session.writer)
    other = nil
  }

  /// Creates an encoder of fields as the entries of a keyed container of any encoder.
  init(_ encoder: any Encoder) {
    target = nil
    other = Other(encoder.container(keyedBy: CBORCodingKey.self))
  }

  /// The path of the value that has these fields.
  public var codingPath: [any CodingKey] { target?.frame.path() ?? other?.container.codingPath ?? [] }

  @inline(__always)
  private mutating func write<Value: Encodable>(
    _ value: Value, _ name: StaticString, _ body: (inout CBORWriter) -> Void
  ) throws {
    guard let target else { return try encodeOther(value, name) }
    target.frame.beginEntry(target.frame.pointee.count, at: target.writer.pointee.count)
    target.writer.pointee.write(name)
    body(&target.writer.pointee)
    target.frame.pointee.count &+= 1
  }

  @inline(never)
  private mutating func encodeOther<Value: Encodable>(_ value: Value, _ name: StaticString) throws {
    try other?.container.encode(value, forKey: CBORCodingKey(stringValue: "\(name)"))
  }

  /// Encodes null.
  ///
  /// Synthesized `Codable` conformances omit a field that is `nil` instead.
  public mutating func encodeNil(forKey name: StaticString) throws {
    try write(Never?.none, name) { $0.write(byte: CBORByte.null) }
  }

  /// Encodes a field.
  public mutating func encode(_ value: Bool, forKey name: StaticString) throws {
    try write(value, name) { $0.write(value) }
  }

  /// Encodes a field.
  public mutating func encode(_ value: String, forKey name: StaticString) throws {
    try write(value, name) { $0.write(value) }
  }

  /// Encodes a field.
  public mutating func encode(_ value: Double, forKey name: StaticString) throws {
    try write(value, name) { $0.write(value) }
  }

  /// Encodes a field.
  public mutating func encode(_ value: Int, forKey name: StaticString) throws {
    try write(value, name) { $0.write(value) }
  }

  /// Encodes a field of any type, by `Codable` or by its fields.
  ///
  /// - Throws: `EncodingError` if values are nested too deeply, and errors of `value`. The caller must rethrow the
  ///   error.
  public mutating func encode<Value: Encodable>(_ value: Value, forKey name: StaticString) throws {
    guard let target else { return try encodeOther(value, name) }
    let start = target.writer.pointee.count
    target.frame.beginEntry(target.frame.pointee.count, at: start)
    target.writer.pointee.write(name)
    target.frame.pointee.key.name = name
    do {
      try target.session._withUnsafeGuaranteedRef { try $0.encode(value, in: target.frame) }
    } catch {
      target.writer.pointee.count = start
      throw error
    }
    target.frame.pointee.count &+= 1
  }

  /// Encodes a field unless it is `nil`.
  @inlinable
  public mutating func encodeIfPresent(_ value: String?, forKey name: StaticString) throws {
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
