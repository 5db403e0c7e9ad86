// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension CBORValue: Encodable {
  /// Encodes the item with a ``CBOREncoder``.
  ///
  /// - Throws: `EncodingError.invalidValue` for a map with a repeated key or a simple value that does not exist. The
  ///   same error reports items nested deeper than the limit of the encoder, and any other encoder.
  public func encode(to encoder: any Encoder) throws {
    try CBOREncodingLevel.of(encoder, for: self).encode(self)
  }
}

extension CBOREncodingLevel {
  /// Returns `encoder` as a CBOR encoder.
  ///
  /// Other encoders do not support the type of `value`.
  static func of(_ encoder: any Encoder, for value: Any) throws -> CBOREncodingLevel {
    if let level = encoder as? CBOREncodingLevel { return level }
    throw EncodingError.invalidValue(
      value,
      EncodingError.Context(
        codingPath: encoder.codingPath,
        debugDescription: "\(Swift.type(of: value)) can be encoded only with CBOREncoder")
    )
  }
}

extension CBORValue: CBORWritableComposite {
  static var encodingPlan: CBOREncodingPlan { CBORValueEncodingPlan() }
}

private final class CBORValueEncodingPlan: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    let value = value.assumingMemoryBound(to: CBORValue.self).pointee
    if session.options.isForJSON { throw session.refusal(value, "only CBOR can represent it", in: parent) }
    let nesting = parent.pointee.nesting + (parent.pointee.kind == .value ? 0 : 1)
    try session.write(value, nesting: nesting, in: parent)
  }
}

extension CBOREncodingSession {
  /// Encodes an item that is inside `nesting` maps, arrays and tags, as a part of `parent`'s value.
  fileprivate func write(_ value: CBORValue, nesting: Int, in parent: Frame) throws {
    switch value {
    case .array, .map, .tagged:
      guard nesting < depthLimit else { throw tooDeep(parent) }
    default: break
    }
    switch value {
    case .unsigned(let argument): writer.pointee.write(.unsignedInteger, argument)
    case .negative(let argument): writer.pointee.write(.negativeInteger, argument)
    case .bytes(let bytes): bytes.write(to: &writer.pointee, options)
    case .text(let text): writer.pointee.write(text)
    case .array(let elements):
      writer.pointee.write(.array, UInt64(elements.count))
      for element in elements { try write(element, nesting: nesting + 1, in: parent) }
    case .map(let entries):
      try write(entries, nesting: nesting + 1, in: parent)
    case .tagged(let tag, let item):
      writer.pointee.write(.tag, tag)
      try write(item, nesting: nesting + 1, in: parent)
    case .bool(let value): writer.pointee.write(value)
    case .null: writer.pointee.write(byte: CBORByte.null)
    case .undefined: writer.pointee.write(byte: CBORByte.undefined)
    case .simple(let number):
      guard !(20..<32).contains(number) else { throw refusal(value, "simple(\(number)) does not exist", in: parent) }
      writer.pointee.write(.simple, UInt64(number))
    case .float(let number): writer.pointee.write(number)
    }
  }

  private func write(_ entries: [CBORValue.Entry], nesting: Int, in parent: Frame) throws {
    writer.pointee.write(.map, UInt64(entries.count))
    var keys = Set<CBORValue>(minimumCapacity: entries.count)
    var starts: [Int] = []
    for entry in entries {
      guard keys.insert(entry.key).inserted else {
        throw refusal(entry.key, "a map with this key twice", in: parent)
      }
      starts.append(writer.pointee.count)
      try write(entry.key, nesting: nesting, in: parent)
      try write(entry.value, nesting: nesting, in: parent)
    }
    if options.order == .deterministic { writer.pointee.sortEntries(at: starts[...]) }
  }

  fileprivate func refusal(_ value: CBORValue, _ text: String, in parent: Frame) -> EncodingError {
    .invalidValue(value, context(parent, text))
  }
}
