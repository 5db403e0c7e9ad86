// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Any CBOR data item (RFC 8949), for data whose structure is not known in advance.
///
/// ``CBOREncoder`` and ``CBORDecoder`` encode and decode it like any other `Codable` type, alone or inside other
/// values. Other coders do not support it, and throw an error.
///
/// ```swift
/// let item: CBORValue = ["name": "Atalanta", 4: [.bytes(Data([1, 2])), .tagged(1, 1_363_896_240), .undefined]]
/// let bytes = try CBOREncoder().encode(item)
/// let copy = try CBORDecoder().decode(CBORValue.self, from: bytes)
/// print(copy)  // {"name": "Atalanta", 4: [h'0102', 1(1363896240), undefined]}
/// print(copy["name"]?.text ?? "")  // Atalanta
/// print(copy[4]?[1]?.untagged.integer ?? 0)  // 1363896240
/// print(try copy[4]?[0]?.decoded(as: Data.self) ?? Data())  // 2 bytes
/// ```
///
/// A value represents the meaning of an item and not its encoding: indefinite lengths and the width of numbers are
/// lost. The encoder writes preferred serialisation (section 4.1).
///
/// Values are equal if their items are equal. Maps with the same entries in another order are not equal. Text is
/// compared by its UTF-8, floating-point numbers by their bits: `NaN` equals itself, and `0.0` differs from `-0.0`.
public enum CBORValue: Sendable {
  /// An integer from 0 to 2^64 - 1: major type 0.
  case unsigned(UInt64)
  /// The integer -1 - `argument`, from -1 to -2^64: major type 1.
  case negative(UInt64)
  /// A byte string.
  case bytes(Data)
  /// A text string.
  case text(String)
  /// An array.
  case array([CBORValue])
  /// A map with its entries in order. The encoder refuses a map with a repeated key.
  case map([Entry])
  /// A tag number and the tagged item.
  indirect case tagged(UInt64, CBORValue)
  /// A Boolean.
  case bool(Bool)
  /// Null.
  case null
  /// Undefined.
  case undefined
  /// A simple value without its own case: 0 to 19 or 32 to 255. The encoder refuses other numbers.
  case simple(UInt8)
  /// A floating-point number of half, single or double precision.
  case float(Double)

  /// A key and its value in a map.
  public struct Entry: Hashable, Sendable {
    /// The key, which can be any item.
    public var key: CBORValue
    /// The value.
    public var value: CBORValue

    /// Creates an entry.
    public init(key: CBORValue, value: CBORValue) {
      self.key = key
      self.value = value
    }
  }

  /// Creates an integer.
  public init(_ integer: Int) {
    self = integer < 0 ? .negative(UInt64(bitPattern: ~Int64(integer))) : .unsigned(UInt64(integer))
  }

  /// The value as `Int`; `nil` if it is not an integer or is out of range.
  public var integer: Int? {
    switch self {
    case .unsigned(let argument): Int(exactly: argument)
    case .negative(let argument): Int(exactly: argument).map { -1 - $0 }
    default: nil
    }
  }

  /// The value as `Double`; `nil` if it is not a number, or an integer that `Double` does not represent exactly.
  public var double: Double? {
    switch self {
    case .float(let number): number
    case .unsigned(let argument): Double(exactly: argument)
    case .negative(let argument): Double(exactly: Int128(-1) - Int128(argument))
    default: nil
    }
  }

  /// The text; `nil` if the item is not a text string.
  public var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The bytes; `nil` if the item is not a byte string.
  public var bytes: Data? { if case .bytes(let bytes) = self { bytes } else { nil } }

  /// The Boolean; `nil` if the item is not a Boolean.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The elements; `nil` if the item is not an array.
  public var array: [CBORValue]? { if case .array(let elements) = self { elements } else { nil } }

  /// The entries; `nil` if the item is not a map.
  public var map: [Entry]? { if case .map(let entries) = self { entries } else { nil } }

  /// The item inside all tags around it; the item itself without a tag.
  public var untagged: CBORValue {
    var item = self
    while case .tagged(_, let inner) = item { item = inner }
    return item
  }

  /// The value for `key` in a map, or the element of an array whose index is the integer `key`.
  ///
  /// `nil` if the map does not have the key, if the array does not have the index, or if this item is neither.
  ///
  /// - Complexity: O(*n*) in the number of entries of a map.
  public subscript(key: CBORValue) -> CBORValue? {
    switch self {
    case .map(let entries): entries.first { $0.key == key }?.value
    // In a conditional expression, `nil` would be the item null.
    case .array(let elements): key.integer.flatMap { elements.indices.contains($0) ? .some(elements[$0]) : .none }
    default: nil
    }
  }

  /// Decodes a value of a type from the item.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - decoder: The decoder, whose limits also bound the depth of the item.
  /// - Returns: The value.
  /// - Throws: The errors of ``CBORDecoder/decode(_:from:)``, whose offsets are those in the encoding of the item;
  ///   `EncodingError` for an item that cannot be encoded.
  public func decoded<Value: Decodable>(as type: Value.Type, by decoder: CBORDecoder = CBORDecoder()) throws -> Value {
    var encoder = CBOREncoder()
    encoder.limits = decoder.limits
    encoder.keyOrder = decoder.requiredKeyOrder
    return try decoder.decode(type, from: encoder.encode(self))
  }
}

extension CBORValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates an integer.
  public init(integerLiteral value: Int) { self.init(value) }
  /// Creates a floating-point number.
  public init(floatLiteral value: Double) { self = .float(value) }
  /// Creates a text string.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates a Boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates null.
  public init(nilLiteral: ()) { self = .null }
  /// Creates an array.
  public init(arrayLiteral elements: CBORValue...) { self = .array(elements) }
  /// Creates a map with its entries in the order of the literal.
  public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
    self = .map(elements.map { Entry(key: $0, value: $1) })
  }
}

extension CBORValue: Hashable {
  /// Returns whether both values represent the same data item.
  public static func == (one: CBORValue, other: CBORValue) -> Bool {
    switch (one, other) {
    case (.unsigned(let one), .unsigned(let other)): one == other
    case (.negative(let one), .negative(let other)): one == other
    case (.bytes(let one), .bytes(let other)): one == other
    // Strings of different normalization are equal in Swift and different in CBOR.
    case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)): one == other
    case (.map(let one), .map(let other)): one == other
    case (.tagged(let one, let item), .tagged(let other, let otherItem)): one == other && item == otherItem
    case (.bool(let one), .bool(let other)): one == other
    case (.null, .null), (.undefined, .undefined): true
    case (.simple(let one), .simple(let other)): one == other
    case (.float(let one), .float(let other)): one.bitPattern == other.bitPattern
    default: false
    }
  }

  /// Feeds the content that ``==(_:_:)`` compares into `hasher`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .unsigned(let argument): hash(0, argument, into: &hasher)
    case .negative(let argument): hash(1, argument, into: &hasher)
    case .bytes(let bytes): hash(2, bytes, into: &hasher)
    case .text(var text):
      hasher.combine(3)
      text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .array(let elements): hash(4, elements, into: &hasher)
    case .map(let entries): hash(5, entries, into: &hasher)
    case .tagged(let tag, let item):
      hash(6, tag, into: &hasher)
      hasher.combine(item)
    case .bool(let value): hash(7, value, into: &hasher)
    case .null: hasher.combine(8)
    case .undefined: hasher.combine(9)
    case .simple(let number): hash(10, number, into: &hasher)
    case .float(let number): hash(11, number.bitPattern, into: &hasher)
    }
  }

  private func hash(_ kind: Int, _ content: some Hashable, into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(content)
  }
}

extension CBORValue: CustomStringConvertible {
  /// The item in diagnostic notation (RFC 8949, section 8), on one line.
  ///
  /// Use ``CBORDiagnosticNotation`` for other layouts and limits. If the encoder refuses the value, the description is
  /// the reason of the refusal.
  public var description: String {
    do {
      return try CBORDiagnosticNotation().text(of: CBOREncoder().encode(self))
    } catch EncodingError.invalidValue(_, let context) {
      return "(not encodable: \(context.debugDescription))"
    } catch {
      return "(not encodable: \(error))"
    }
  }
}

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
    if options.order != .written { writer.pointee.sortEntries(at: starts[...], options.order) }
  }

  fileprivate func refusal(_ value: CBORValue, _ text: String, in parent: Frame) -> EncodingError {
    .invalidValue(value, context(parent, text))
  }
}

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
