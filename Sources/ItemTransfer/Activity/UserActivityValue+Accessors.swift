// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

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
