// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
