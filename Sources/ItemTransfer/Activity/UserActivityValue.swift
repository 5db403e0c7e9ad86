// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A value of an activity: one of the kinds that Apple allows in `userInfo`.
///
/// The encoded form preserves the kind, so `1`, `1.0` and `true` are three different values.
///
/// ```swift
/// let userInfo: [String: UserActivityValue] = [
///   "heroID": 7, "weight": 92.5, "isFavourite": true, "team": nil, "powers": ["strength", "courage"],
///   "born": .date(Date()), "portrait": .url(portrait), "tags": .set(["iliad", "odyssey"]),
/// ]
/// userInfo["heroID"]?.intValue        // 7
/// userInfo["heroID"]?.stringValue     // nil
/// ```
public enum UserActivityValue: Sendable {
  /// An ordered list of values.
  case array([UserActivityValue])
  /// A truth value, which never equals a number.
  case bool(Bool)
  /// Bytes.
  case data(Data)
  /// A point in time. Only dates from `Date.distantPast` to `Date.distantFuture` can be encoded.
  case date(Date)
  /// A dictionary of values by name.
  case dictionary([String: UserActivityValue])
  /// A floating-point number.
  case double(Double)
  /// An integer.
  case integer(Int64)
  /// An explicit null, which differs from an absent entry.
  case null
  /// An unordered collection of distinct values.
  case set(Set<UserActivityValue>)
  /// A string.
  case string(String)
  /// An integer that may exceed `Int64`; equal to the same number as ``integer(_:)``.
  case unsignedInteger(UInt64)
  /// A URL. A relative URL is encoded as its absolute URL.
  case url(URL)
  /// A universally unique identifier.
  case uuid(UUID)
}

extension UserActivityValue: Hashable {
  /// Returns whether two values are equal.
  ///
  /// Floating-point numbers are compared by their bits, so zero differs from minus zero. All NaNs are equal; otherwise
  /// a set or activity that contains NaN would not equal itself.
  public static func == (lhs: UserActivityValue, rhs: UserActivityValue) -> Bool {
    switch (lhs, rhs) {
    case (.array(let lhs), .array(let rhs)): lhs == rhs
    case (.bool(let lhs), .bool(let rhs)): lhs == rhs
    case (.data(let lhs), .data(let rhs)): lhs == rhs
    case (.date(let lhs), .date(let rhs)): lhs == rhs
    case (.dictionary(let lhs), .dictionary(let rhs)): lhs == rhs
    case (.double(let lhs), .double(let rhs)): lhs.written == rhs.written
    case (.integer(let lhs), .integer(let rhs)): lhs == rhs
    case (.integer(let lhs), .unsignedInteger(let rhs)): lhs == rhs
    case (.null, .null): true
    case (.set(let lhs), .set(let rhs)): lhs == rhs
    case (.string(let lhs), .string(let rhs)): lhs == rhs
    case (.unsignedInteger(let lhs), .unsignedInteger(let rhs)): lhs == rhs
    case (.unsignedInteger(let lhs), .integer(let rhs)): lhs == rhs
    case (.url(let lhs), .url(let rhs)): lhs == rhs
    case (.uuid(let lhs), .uuid(let rhs)): lhs == rhs
    default: false
    }
  }

  /// Hashes the rank of the kind, which both kinds of integers share, and the content.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    switch self {
    case .array(let values): hasher.combine(values)
    case .bool(let flag): hasher.combine(flag)
    // `Data` hashes its first bytes only, so thousands of values in a hostile set could share one hash.
    case .data(let data): data.withUnsafeBytes { hasher.combine(bytes: $0) }
    case .date(let date): hasher.combine(date)
    case .dictionary(let values): hasher.combine(values)
    case .double(let number): hasher.combine(number.written)
    case .integer(let number): hasher.combine(UInt64(bitPattern: number))
    case .null: break
    case .set(let values): hasher.combine(values)
    case .string(let text): hasher.combine(text)
    // An unsigned number beyond `Int64` may share its bits, and so its hash, with an unequal negative number.
    case .unsignedInteger(let number): hasher.combine(number)
    case .url(let url): hasher.combine(url)
    case .uuid(let uuid): hasher.combine(uuid)
    }
  }
}

extension Double {
  /// The bits of the number; the same bits for every NaN.
  var written: UInt64 {
    isNaN ? Double.nan.bitPattern : bitPattern
  }
}

/// The contents by kind: `nil` if the value is of another kind or the conversion would lose information.
///
/// ```swift
/// guard let id = activity.userInfo["heroID"]?.intValue else { throw NoSuchHero() }
/// ```
extension UserActivityValue {
  /// Creates an integer value.
  public init(_ number: Int) {
    self = .integer(Int64(number))
  }

  /// Creates a string value from a string that is not a literal.
  public init(_ text: some StringProtocol) {
    self = .string(String(text))
  }

  /// The elements of an array.
  public var arrayValue: [UserActivityValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// The truth value of a `bool`; `nil` for numbers.
  public var boolValue: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The bytes of a `data`.
  public var dataValue: Data? {
    if case .data(let data) = self { data } else { nil }
  }

  /// The point in time of a `date`.
  public var dateValue: Date? {
    if case .date(let date) = self { date } else { nil }
  }

  /// The values of a dictionary.
  public var dictionaryValue: [String: UserActivityValue]? {
    if case .dictionary(let values) = self { values } else { nil }
  }

  /// A floating-point number, or an integer that `Double` represents exactly: some sources write `1` for `1.0`.
  public var doubleValue: Double? {
    switch self {
    case .double(let number): number
    case .integer(let number): Double(exactly: number)
    case .unsignedInteger(let number): Double(exactly: number)
    default: nil
    }
  }

  /// An integer that `Int` can represent.
  public var intValue: Int? { integerValue() }

  /// Returns an integer that `type` can represent.
  ///
  /// - Parameter type: An integer type; may be inferred.
  /// - Returns: The number, or `nil` if the value is not an integer in the range of `type`.
  public func integerValue<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) -> Integer? {
    switch self {
    case .integer(let number): Integer(exactly: number)
    case .unsignedInteger(let number): Integer(exactly: number)
    default: nil
    }
  }

  /// Whether the value is ``null``.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The elements of a set.
  public var setValue: Set<UserActivityValue>? {
    if case .set(let values) = self { values } else { nil }
  }

  /// The content of a `string`.
  public var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The URL of a `url`.
  public var urlValue: URL? {
    if case .url(let url) = self { url } else { nil }
  }

  /// The identifier of a `uuid`.
  public var uuidValue: UUID? {
    if case .uuid(let uuid) = self { uuid } else { nil }
  }
}

extension UserActivityValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// Creates a string value.
  public init(stringLiteral value: String) {
    self = .string(value)
  }
}

extension UserActivityValue: ExpressibleByIntegerLiteral {
  /// Creates an integer value; use ``unsignedInteger(_:)`` for an integer beyond `Int64`.
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }
}

extension UserActivityValue: ExpressibleByFloatLiteral {
  /// Creates a floating-point value, even from `1.0`.
  public init(floatLiteral value: Double) {
    self = .double(value)
  }
}

extension UserActivityValue: ExpressibleByBooleanLiteral {
  /// Creates a truth value.
  public init(booleanLiteral value: Bool) {
    self = .bool(value)
  }
}

extension UserActivityValue: ExpressibleByNilLiteral {
  /// Creates a ``null`` value.
  ///
  /// An entry with this value exists; `removeValue(forKey:)` removes an entry.
  public init(nilLiteral: ()) {
    self = .null
  }
}

extension UserActivityValue: ExpressibleByArrayLiteral {
  /// Creates an array; use ``set(_:)`` for a set.
  public init(arrayLiteral elements: UserActivityValue...) {
    self = .array(elements)
  }
}

extension UserActivityValue: ExpressibleByDictionaryLiteral {
  /// Creates a dictionary.
  ///
  /// If a name is repeated, its last value is used.
  public init(dictionaryLiteral elements: (String, UserActivityValue)...) {
    self = .dictionary(Dictionary(elements) { _, last in last })
  }
}
