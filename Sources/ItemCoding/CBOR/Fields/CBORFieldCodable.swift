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
