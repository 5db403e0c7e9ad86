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
/// print(copy["name"] == "Atalanta")  // true
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

  /// The value for `key` in a map; `nil` if the map does not have the key, or if this item is not a map.
  ///
  /// - Complexity: O(*n*) in the number of entries.
  public subscript(key: CBORValue) -> CBORValue? {
    guard case .map(let entries) = self else { return nil }
    return entries.first { $0.key == key }?.value
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
