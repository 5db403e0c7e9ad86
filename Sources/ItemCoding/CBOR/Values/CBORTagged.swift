// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A value with a tag number (RFC 8949, section 3.4), for tags that the coders do not use themselves.
///
/// ```swift
/// let bytes = try CBOREncoder().encode(CBORTagged(24, Data([0x01])))
/// let embedded = try CBORDecoder().decode(CBORTagged<Data>.self, from: bytes)
/// print(embedded.tag)  // 24
/// ```
///
/// The tag precedes everything that the value encodes, including its own tags: a `CBORTagged<URL>` has two tags. The
/// decoder refuses an item without a tag, but accepts any tag number, so compare ``tag`` with the numbers that you
/// expect. Coders other than ``CBOREncoder`` and ``CBORDecoder`` do not support tags, and throw an error.
public struct CBORTagged<Value> {
  /// The number of the tag, as registered with IANA.
  public var tag: UInt64
  /// The tagged value.
  public var value: Value

  /// Creates a value with the tag `tag`.
  public init(_ tag: UInt64, _ value: Value) {
    self.tag = tag
    self.value = value
  }
}

extension CBORTagged: Sendable where Value: Sendable {}
extension CBORTagged: Equatable where Value: Equatable {}
extension CBORTagged: Hashable where Value: Hashable {}

extension CBORTagged: Encodable where Value: Encodable {
  /// Encodes the tag and the value with a ``CBOREncoder``.
  ///
  /// - Throws: `EncodingError.invalidValue` with other encoders, and errors of ``value``.
  public func encode(to encoder: any Encoder) throws {
    try CBOREncodingLevel.of(encoder, for: self).encode(self)
  }
}

extension CBORTagged: Decodable where Value: Decodable {
  /// Decodes a tag and its value with a ``CBORDecoder``.
  ///
  /// - Throws: `DecodingError.typeMismatch` for an item without a tag, `dataCorrupted` with other decoders, and errors
  ///   of `Value`.
  public init(from decoder: any Decoder) throws {
    self = try CBORDecodingLevel.of(decoder, for: Self.self).decode(Self.self)
  }
}

extension CBORTagged: CBORWritableComposite where Value: Encodable {
  static var encodingPlan: CBOREncodingPlan { CBORTaggedEncodingPlan<Value>() }
}

private final class CBORTaggedEncodingPlan<Value: Encodable>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    // A tag is treated as a level of depth, which bounds nested tags.
    let frame = try session.containerFrame(in: parent)
    defer { session.leaveOwn(frame) }
    frame.pointee.kind = .value
    frame.pointee.nesting += 1
    let tagged = value.assumingMemoryBound(to: CBORTagged<Value>.self)
    session.writer.pointee.write(.tag, tagged.pointee.tag)
    try session.encode(tagged.pointee.value, in: frame)
  }
}

extension CBORTagged: CBORReadableComposite where Value: Decodable {
  static var decodingPlan: CBORDecodingPlan { CBORTaggedDecodingPlan<Value>() }
}

private final class CBORTaggedDecodingPlan<Value: Decodable>: CBORDecodingPlan {
  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    let frame = try session.frame(in: parent, at: offset)
    defer { session.leaveOwn(frame) }
    let tag: UInt64
    do throws(CBORFault) {
      if frame.pointee.nesting >= session.depthLimit { throw session.tooDeep(offset) }
      let start = offset
      let header = try session.input.pointee.header(&offset)
      guard header.major == .tag else { throw session.input.pointee.mismatch(header, "a tag", start) }
      tag = header.argument
    } catch {
      throw session.error(error, CBORTagged<Value>.self, in: parent)
    }
    frame.pointee.kind = .value
    frame.pointee.nesting += 1
    value.initializeMemory(
      as: CBORTagged<Value>.self, to: CBORTagged(tag, try session.decode(Value.self, &offset, in: frame)))
  }
}
