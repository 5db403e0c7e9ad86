// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// Any CBOR data item (RFC 8949), for data whose structure is not known in advance.
///
/// ``CBOREncoder`` and ``CBORDecoder`` code it as every other `Codable` type, alone or as a part of other values. Other
/// coders have no form for it: with them it throws.
///
/// ```swift
/// let item: CBORValue = ["name": "Atalanta", 4: [.bytes(Data([1, 2])), .tagged(1, 1_363_896_240), .undefined]]
/// let bytes = try CBOREncoder().encode(item)
/// let copy = try CBORDecoder().decode(CBORValue.self, from: bytes)
/// print(copy)  // {"name": "Atalanta", 4: [h'0102', 1(1363896240), undefined]}
/// print(copy["name"] == "Atalanta")  // true
/// ```
///
/// A value stands for what an item says, not for its form: whether a length was indefinite and in how many bytes a
/// number was written is not kept. The encoder writes preferred serialization (section 4.1).
///
/// Values are equal if their items are: the order of a map's entries counts, text is compared by its UTF-8, and
/// floating-point numbers by their bits, so that `NaN` equals itself and `0.0` differs from `-0.0`.
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
  /// A map, with its entries in their order. The encoder refuses a map that has a key twice.
  case map([Entry])
  /// A tag number and the item that it belongs to.
  indirect case tagged(UInt64, CBORValue)
  /// A Boolean.
  case bool(Bool)
  /// Null.
  case null
  /// Undefined.
  case undefined
  /// A simple value without a case of its own: 0 to 19 or 32 to 255. The encoder refuses the other numbers.
  case simple(UInt8)
  /// A floating-point number of half, single or double precision.
  case float(Double)

  /// A key and its value in a map.
  public struct Entry: Hashable, Sendable {
    /// The key, which may be any item.
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

  /// The integer, if the value is one that fits.
  public var integer: Int? {
    switch self {
    case .unsigned(let argument): Int(exactly: argument)
    case .negative(let argument): Int(exactly: argument).map { -1 - $0 }
    default: nil
    }
  }

  /// The value of `key` in a map; `nil` if the map has no such key, and for everything that is not a map.
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
