// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A type that CBOR coders have write and read its fields directly, which is about twice as fast as `Codable`'s way.
///
/// What that way costs are keys and containers of generic types, looked up by the runtime as they come; here there are
/// concrete calls only. The bytes are the same, and so is all else: a type can become field codable at any time, and
/// nobody who encodes or decodes it can tell, nor has to do anything for it. Write and read the same fields under the
/// same names, in the same order, as its `Codable` conformance does, which other coders go on to use.
///
/// ```swift
/// struct Feat: Codable {
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
public protocol CBORFieldCodable: Codable {
  /// Writes each field once.
  ///
  /// - Throws: What `fields` throws.
  func encodeFields(to fields: inout CBORFieldEncoder) throws

  /// Reads the fields; quickest in the order in which they were written.
  ///
  /// - Throws: What `fields` throws, or an error of the type's own.
  init(fields: inout CBORFieldDecoder) throws
}

final class CBORFieldEncodingPlan<Value: CBORFieldCodable>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
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

final class CBORFieldDecodingPlan<Value: CBORFieldCodable>: CBORDecodingPlan {
  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    var fields = try CBORFieldDecoder(session, parent, at: offset)
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
