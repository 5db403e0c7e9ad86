// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension JSONGrammar {
  /// The reason why a byte is not allowed.
  struct Fault: Hashable, Sendable {
    let code: HeroCardError.Code
    let reason: String

    static func tooDeep(limit: Int) -> Fault {
      Fault(code: .limitExceeded, reason: "nesting exceeds the limit of \(limit) levels")
    }
  }

  /// Returns the fault of `byte` in the current state.
  func unexpected(_ byte: UInt8) -> Fault {
    let found = JSONGrammar.name(of: byte)
    let reason =
      switch state {
      case .start, .betweenValues: "expected an object or an array, found \(found)"
      case .byteOrderMark: "expected a byte order mark, found \(found)"
      case .value where byte == UInt8(ascii: "]") && !isInObject: "a comma without a value before ']'"
      case .value, .firstValue: "expected a value, found \(found)"
      case .key where byte == UInt8(ascii: "}"): "a comma without a key before '}'"
      case .key, .firstKey: "expected a key in quotes, found \(found)"
      case .colon: "expected ':' after a key, found \(found)"
      case .afterValue: "expected ',' or '\(isInObject ? "}" : "]")', found \(found)"
      case .string where byte >= 0x80: "invalid UTF-8 in a string: \(found)"
      case .string: "\(found) in a string must be escaped"
      case .continuation: "invalid UTF-8 within a character of a string: \(found)"
      case .escape: "\(found) after '\\' in a string"
      case .hexDigit: "expected four hexadecimal digits after '\\u', found \(found)"
      case .literal: "expected true, false or null, found \(found) in the literal"
      case .minus, .zero, .integer, .point, .fraction, .exponent, .exponentSign, .exponentDigits:
        "expected a digit, found \(found)"
      }
    let isText = state == .continuation || (state == .string && byte >= 0x80)
    return Fault(code: isText ? .invalidValue : .malformed, reason: reason)
  }

  /// Returns the name of a byte in error messages.
  private static func name(of byte: UInt8) -> String {
    if (0x21...0x7E).contains(byte) { return "'\(Unicode.Scalar(byte))'" }
    let digits = String(byte, radix: 16, uppercase: true)
    return "byte 0x\(digits.count < 2 ? "0" : "")\(digits)"
  }
}

extension JSONGrammar.Kind {
  /// The name of the kind in error messages.
  var phrase: String {
    switch self {
    case .object: "an object"
    case .array: "an array"
    case .string: "a string"
    case .number: "a number"
    case .boolean: "true or false"
    case .null: "null"
    }
  }
}
