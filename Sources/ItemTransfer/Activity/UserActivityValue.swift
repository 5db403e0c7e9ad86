// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A value that an activity can carry: one of the kinds that Apple allows in `userInfo`.
///
/// The kinds stay apart under way, so that `1`, `1.0` and `true` are three values.
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
  /// Values in their order.
  case array([UserActivityValue])
  /// True or false, which is no number here.
  case bool(Bool)
  /// Any bytes.
  case data(Data)
  /// A point in time, between `Date.distantPast` and `Date.distantFuture` to travel.
  case date(Date)
  /// Values by their names.
  case dictionary([String: UserActivityValue])
  /// A floating-point number.
  case double(Double)
  /// A whole number.
  case integer(Int64)
  /// Nothing, which is more than an absent entry says.
  case null
  /// Values without order, each once.
  case set(Set<UserActivityValue>)
  /// Any text.
  case string(String)
  /// A whole number that may exceed `Int64`; equal to the ``integer(_:)`` of the same amount.
  case unsignedInteger(UInt64)
  /// An address; a relative one travels as the absolute one it stands for.
  case url(URL)
  /// A universally unique identifier.
  case uuid(UUID)
}

extension UserActivityValue: Hashable {
  /// Whether both say the same.
  ///
  /// Floating-point numbers are compared by what is written of them: zero differs from minus zero, and not-a-number
  /// equals itself, without which no set or activity with one in it would equal itself.
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

  /// Feeds the kind, one for all whole numbers, and the contents into `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    switch self {
    case .array(let values): hasher.combine(values)
    case .bool(let flag): hasher.combine(flag)
    // All bytes: `Data` itself feeds in the first few, so that a hostile set of thousands could share one hash.
    case .data(let data): data.withUnsafeBytes { hasher.combine(bytes: $0) }
    case .date(let date): hasher.combine(date)
    case .dictionary(let values): hasher.combine(values)
    case .double(let number): hasher.combine(number.written)
    case .integer(let number): hasher.combine(UInt64(bitPattern: number))
    case .null: break
    case .set(let values): hasher.combine(values)
    case .string(let text): hasher.combine(text)
    // Only numbers that exceed `Int64` share these bits with negative ones, to which they are unequal.
    case .unsignedInteger(let number): hasher.combine(number)
    case .url(let url): hasher.combine(url)
    case .uuid(let uuid): hasher.combine(uuid)
    }
  }
}

extension Double {
  /// The bits of the number, which are the same ones for every not-a-number.
  var written: UInt64 {
    isNaN ? Double.nan.bitPattern : bitPattern
  }
}

/// The contents by kind: `nil` where the value is of another one, and never a conversion that loses anything.
///
/// ```swift
/// guard let id = activity.userInfo["heroID"]?.intValue else { throw NoSuchHero() }
/// ```
extension UserActivityValue {
  /// Carries a whole number of the usual type.
  public init(_ number: Int) {
    self = .integer(Int64(number))
  }

  /// Carries a text that is no literal.
  public init(_ text: some StringProtocol) {
    self = .string(String(text))
  }

  /// The elements of an array.
  public var arrayValue: [UserActivityValue]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// True or false; no number is either.
  public var boolValue: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The bytes.
  public var dataValue: Data? {
    if case .data(let data) = self { data } else { nil }
  }

  /// The point in time.
  public var dateValue: Date? {
    if case .date(let date) = self { date } else { nil }
  }

  /// The values of a dictionary.
  public var dictionaryValue: [String: UserActivityValue]? {
    if case .dictionary(let values) = self { values } else { nil }
  }

  /// A floating-point number, or a whole one that is exactly one of those: sources are careless about `1` and `1.0`.
  public var doubleValue: Double? {
    switch self {
    case .double(let number): number
    case .integer(let number): Double(exactly: number)
    case .unsignedInteger(let number): Double(exactly: number)
    default: nil
    }
  }

  /// A whole number that `Int` can hold.
  public var intValue: Int? { integerValue() }

  /// A whole number that `type` can hold.
  ///
  /// - Parameter type: Any integer type; may be left to inference.
  /// - Returns: The number, or `nil` where there is none or it does not fit.
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

  /// The text.
  public var stringValue: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The address.
  public var urlValue: URL? {
    if case .url(let url) = self { url } else { nil }
  }

  /// The universally unique identifier.
  public var uuidValue: UUID? {
    if case .uuid(let uuid) = self { uuid } else { nil }
  }
}

extension UserActivityValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  /// A text.
  public init(stringLiteral value: String) {
    self = .string(value)
  }
}

extension UserActivityValue: ExpressibleByIntegerLiteral {
  /// A whole number; one beyond `Int64` is written with ``unsignedInteger(_:)``.
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }
}

extension UserActivityValue: ExpressibleByFloatLiteral {
  /// A floating-point number, also if it is written as `1.0`.
  public init(floatLiteral value: Double) {
    self = .double(value)
  }
}

extension UserActivityValue: ExpressibleByBooleanLiteral {
  /// True or false.
  public init(booleanLiteral value: Bool) {
    self = .bool(value)
  }
}

extension UserActivityValue: ExpressibleByNilLiteral {
  /// ``null``: an entry of that value, where `removeValue(forKey:)` leaves no entry.
  public init(nilLiteral: ()) {
    self = .null
  }
}

extension UserActivityValue: ExpressibleByArrayLiteral {
  /// Values in their order; a set is written with ``set(_:)``.
  public init(arrayLiteral elements: UserActivityValue...) {
    self = .array(elements)
  }
}

extension UserActivityValue: ExpressibleByDictionaryLiteral {
  /// Values by their names; of two with one name the last one stays.
  public init(dictionaryLiteral elements: (String, UserActivityValue)...) {
    self = .dictionary(Dictionary(elements) { _, last in last })
  }
}
