// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A type that describes its fields once, for CBOR and for all other coders.
///
/// The CBOR coders encode and decode the fields directly, about twice as fast as with `Codable`: that protocol needs keys
/// and containers of generic types, which the runtime looks up. Other coders, such as those for JSON, get the fields as
/// the entries of a keyed container. So a conforming type needs neither `encode(to:)` nor `init(from:)`.
///
/// ```swift
/// struct Feat {
///   var title: String
///   var year: Int?
/// }
///
/// extension Feat: CBORFieldCodable {
///   func encodeFields(to fields: inout CBORFieldEncoder) throws {
///     try fields.encode(title, forKey: "title")
///     try fields.encodeIfPresent(year, forKey: "year")
///   }
///
///   init(fields: inout CBORFieldDecoder) throws {
///     title = try fields.decode(String.self, forKey: "title")
///     year = try fields.decodeIfPresent(Int.self, forKey: "year")
///   }
/// }
/// ```
///
/// A type may also implement `encode(to:)` and `init(from:)`, with the same fields. A subclass must then override both
/// `encodeFields(to:)` and `encode(to:)`. An object whose superclass is field codable is encoded both ways, which takes
/// twice the time. The encoder keeps the output with more fields, so that no field is lost if a subclass overrides only
/// one method.
public protocol CBORFieldCodable: Codable {
  /// Encodes each field once.
  ///
  /// - Throws: The errors of `fields`.
  func encodeFields(to fields: inout CBORFieldEncoder) throws

  /// Decodes the fields, which is fastest in the order in which they were encoded.
  ///
  /// - Throws: The errors of `fields`, or an error of the type.
  init(fields: inout CBORFieldDecoder) throws
}

extension CBORFieldCodable {
  /// Encodes the fields as the entries of a keyed container.
  ///
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var fields = CBORFieldEncoder(encoder)
    try encodeFields(to: &fields)
  }

  /// Decodes the fields from a keyed container.
  ///
  /// - Throws: The errors of the decoder, or an error of the type.
  public init(from decoder: any Decoder) throws {
    var fields = try CBORFieldDecoder(decoder)
    try self.init(fields: &fields)
  }
}

final class CBORFieldEncodingPlan<Value: CBORFieldCodable>: CBOREncodingPlan {
  private let isClass = Value.self is AnyObject.Type

  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    let start = session.writer.pointee.count
    try encodeFields(of: value, session, parent)
    guard isClass else { return }
    let object = value.assumingMemoryBound(to: Value.self).pointee
    guard let type = type(of: object) as? AnyClass, _getSuperclass(type) is any CBORFieldCodable.Type else { return }
    let end = session.writer.pointee.count
    try session.encodePlain(object, in: try session.frame(in: parent))
    session.writer.pointee.keepLongerMap(start, end)
  }

  private func encodeFields(
    of value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    let frame = try session.containerFrame(in: parent)
    defer { session.leaveOwn(frame) }
    frame.pointee.kind = .map
    frame.pointee.key.place = CBORCurrentKey.namePlace
    session.writer.pointee.write(byte: CBORByte.emptyMap)
    var fields = CBORFieldEncoder(session, frame)
    try value.assumingMemoryBound(to: Value.self).pointee.encodeFields(to: &fields)
    try session.complete(frame)
  }
}

extension CBORWriter {
  /// Removes one of the last two items, at `first` and `second`.
  ///
  /// The map with more entries stays; if both have the same number of entries, the first stays.
  fileprivate mutating func keepLongerMap(_ first: Int, _ second: Int) {
    let input = CBORInput(base: UnsafePointer(base.assumingMemoryBound(to: UInt8.self)), count: count)
    func entries(at start: Int) -> UInt64 {
      var offset = start
      guard let header = try? input.header(&offset), header.major == .map else { return 0 }
      return header.argument
    }
    if entries(at: second) > entries(at: first) {
      (base + first).copyMemory(from: base + second, byteCount: count - second)
      count -= second - first
    } else {
      count = second
    }
  }
}

final class CBORFieldDecodingPlan<Value: CBORFieldCodable>: CBORDecodingPlan {
  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    var fields = try CBORFieldDecoder(.passUnretained(session), parent, at: offset)
    let target = value.assumingMemoryBound(to: Value.self)
    do {
      target.initialize(to: try Value(fields: &fields))
    } catch {
      fields.leave()
      throw error
    }
    do {
      offset = try fields.end()
    } catch {
      target.deinitialize(count: 1)
      throw error
    }
  }
}

extension CBORFieldCodable {
  static var fieldEncodingPlan: CBOREncodingPlan { CBORFieldEncodingPlan<Self>() }
  static var fieldDecodingPlan: CBORDecodingPlan { CBORFieldDecodingPlan<Self>() }
}

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
