// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

extension CBORValue: Decodable {
  /// Decodes any item with a ``CBORDecoder``.
  ///
  /// - Throws: `DecodingError.dataCorrupted` for a malformed item, text that is not UTF-8, or a map with a repeated
  ///   key. The same error reports an item beyond the limits of the decoder, in which a tag counts as a level of depth,
  ///   and any other decoder.
  public init(from decoder: any Decoder) throws {
    self = try CBORDecodingLevel.of(decoder, for: Self.self).decode(Self.self)
  }
}

extension CBORDecodingLevel {
  /// Returns `decoder` as a CBOR decoder.
  ///
  /// Other decoders do not support `type`.
  static func of(_ decoder: any Decoder, for type: Any.Type) throws -> CBORDecodingLevel {
    if let level = decoder as? CBORDecodingLevel { return level }
    throw DecodingError.dataCorrupted(
      DecodingError.Context(
        codingPath: decoder.codingPath, debugDescription: "\(type) can be decoded only with CBORDecoder"))
  }
}

extension CBORValue: CBORReadableComposite {
  static var decodingPlan: CBORDecodingPlan { CBORValueDecodingPlan() }
}

private final class CBORValueDecodingPlan: CBORDecodingPlan {
  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    let nesting = parent.pointee.nesting + (parent.pointee.kind == .value ? 0 : 1)
    do throws(CBORFault) {
      value.initializeMemory(as: CBORValue.self, to: try session.value(&offset, nesting: nesting))
    } catch {
      throw session.error(error, CBORValue.self, in: parent)
    }
  }
}

extension CBORDecodingSession {
  /// Decodes the item at `offset`, which is inside `nesting` maps, arrays and tags.
  fileprivate func value(_ offset: inout Int, nesting: Int) throws(CBORFault) -> CBORValue {
    let start = offset
    try pay(Self.visit, at: start)
    let header = try input.pointee.header(&offset)
    switch header.major {
    case .unsignedInteger: return .unsigned(header.argument)
    case .negativeInteger: return .negative(header.argument)
    case .byteString:
      offset = start
      return .bytes(try Data.read(input.pointee, &offset, options))
    case .textString:
      offset = start
      return .text(try input.pointee.text(&offset))
    case .simple: return try simpleValue(header, start, &offset)
    case .array, .map, .tag: break
    }
    guard nesting < depthLimit else { throw tooDeep(start) }
    switch header.major {
    case .array: return .array(try elements(header, start, &offset, nesting: nesting + 1))
    case .map: return .map(try entries(header, start, &offset, nesting: nesting + 1))
    default: return .tagged(header.argument, try value(&offset, nesting: nesting + 1))
    }
  }

  private func simpleValue(
    _ header: CBORHeader, _ start: Int, _ offset: inout Int
  ) throws(CBORFault) -> CBORValue {
    switch header.initialByte {
    case CBORByte.false, CBORByte.true: return .bool(header.initialByte == CBORByte.true)
    case CBORByte.null: return .null
    case CBORByte.undefined: return .undefined
    case CBORByte.halfFloat, CBORByte.singleFloat, CBORByte.doubleFloat:
      offset = start
      return .float(try input.pointee.double(&offset))
    case CBORByte.break: throw CBORInput.misplacedBreak(start)
    default: return .simple(UInt8(truncatingIfNeeded: header.argument))
    }
  }

  private func elements(
    _ header: CBORHeader, _ start: Int, _ offset: inout Int, nesting: Int
  ) throws(CBORFault) -> [CBORValue] {
    let total = try itemCount(header, start, offset)
    var elements: [CBORValue] = []
    if let total { elements.reserveCapacity(reserve(total, stride: MemoryLayout<CBORValue>.stride)) }
    while try !isAtEnd(total, elements.count, start, &offset) {
      elements.append(try value(&offset, nesting: nesting))
    }
    return elements
  }

  private func entries(
    _ header: CBORHeader, _ start: Int, _ offset: inout Int, nesting: Int
  ) throws(CBORFault) -> [CBORValue.Entry] {
    let total = try itemCount(header, start, offset)
    var entries: [CBORValue.Entry] = []
    var keys: Set<CBORValue> = []
    if let total { entries.reserveCapacity(reserve(total, stride: MemoryLayout<CBORValue.Entry>.stride)) }
    while try !isAtEnd(total, entries.count, start, &offset) {
      let keyStart = offset
      let key = try value(&offset, nesting: nesting)
      // Comparing keys visits all of their bytes, and again at each depth of nested keys.
      try pay((offset - keyStart) * Self.visit, at: keyStart)
      guard keys.insert(key).inserted else { throw CBORFault(at: keyStart, "a repeated key in a map") }
      entries.append(CBORValue.Entry(key: key, value: try value(&offset, nesting: nesting)))
    }
    return entries
  }

  /// Returns the number of elements or entries; `nil` if a break ends them.
  private func itemCount(_ header: CBORHeader, _ start: Int, _ offset: Int) throws(CBORFault) -> Int? {
    if header.isIndefinite { return nil }
    let count = try input.pointee.elementCount(header, start, offset)
    if count > lengthLimit { throw input.pointee.tooLong(count, start) }
    return count
  }

  /// Returns whether all elements or entries were decoded, and moves the offset past a break that ends them.
  private func isAtEnd(_ total: Int?, _ count: Int, _ start: Int, _ offset: inout Int) throws(CBORFault) -> Bool {
    if let total { return count == total }
    if try input.pointee.isBreak(at: offset) {
      offset += 1
      return true
    }
    if count >= lengthLimit { throw input.pointee.tooLong(count + 1, start) }
    return false
  }
}
