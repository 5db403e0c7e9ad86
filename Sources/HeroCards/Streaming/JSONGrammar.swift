// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding

/// A state machine for JSON that accepts bytes in chunks of any size and stops at the requested events.
///
/// It accepts any number of values in sequence and validates every byte. It stores only its state, and neither text nor
/// numbers: the caller interprets the values.
///
/// ```
///   chunk -> advance -> .begin(.object, 0) -> advance -> .keyBegin -> … -> .end(0) -> advance -> .more -> next chunk
/// ```
struct JSONGrammar: Sendable {
  /// The maximum depth of nested arrays and objects that the state machine can follow.
  static let maximumDepth = 512

  /// The kinds of value that the first byte distinguishes.
  enum Kind: Sendable {
    case object, array, string, number, boolean, null
  }

  /// The reason for a stop; the position is then the first byte that is not consumed.
  enum Event: Sendable {
    /// All bytes are consumed.
    case more
    /// A value began and its first byte is consumed; `depth` is the number of arrays and objects around it.
    case begin(Kind, depth: Int)
    /// A value ended and its last byte is consumed.
    case end(depth: Int)
    /// The opening quote of a key is consumed.
    case keyBegin
    /// The closing quote of a key is consumed; `depth` is the number of arrays and objects around it.
    case keyEnd(depth: Int)
    /// The byte at the position is not allowed.
    case fault(Fault)
  }

  /// The kind of byte that may follow.
  enum State: UInt8, Sendable {
    case start, byteOrderMark, betweenValues
    case value, firstValue, key, firstKey, colon, afterValue
    case string, escape, hexDigit, continuation
    case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
    case literal
  }

  private(set) var state: State = .start

  /// The number of open arrays and objects.
  private(set) var depth = 0

  /// The maximum number of arrays and objects around a value or key that is reported as an event.
  var reportDepth = 0

  private let depthLimit: Int
  private let checksText: Bool
  /// A bit for each open array (0) or object (1).
  private var kinds = InlineArray<8, UInt64>(repeating: 0)
  private var isInKey = false
  /// The rest of `true`, `false` or `null`, with the next byte as the lowest byte.
  ///
  /// In a `\u` escape, this is the number of remaining digits; in a UTF-8 character, the number of remaining bytes.
  private var pending: UInt32 = 0
  /// The valid values of the next byte of a UTF-8 character.
  private var continuations: ClosedRange<UInt8> = 0x80...0xBF

  /// Creates a state machine.
  ///
  /// With `checksText`, strings must be valid UTF-8. Bytes that were validated before do not need this check.
  init(depthLimit: Int = JSONGrammar.maximumDepth, reportDepth: Int = 0, checksText: Bool = false) {
    self.depthLimit = min(depthLimit, JSONGrammar.maximumDepth)
    self.checksText = checksText
    self.reportDepth = reportDepth
  }

  /// Whether the next token is an element of the current array, or the comma before it.
  var isBetweenElements: Bool { !isInObject && (state == .firstValue || state == .value || state == .afterValue) }

  /// Passes an array element that the caller parsed itself.
  mutating func passElement() {
    state = .afterValue
  }

  /// Whether the innermost open value is an object.
  var isInObject: Bool {
    depth > 0 && kinds[(depth - 1) >> 6] & (1 &<< UInt64(depth - 1)) != 0
  }

  /// Consumes bytes from `position` on, until there is an event.
  mutating func advance(over bytes: UnsafeRawBufferPointer, from position: inout Int) -> Event {
    while position < bytes.count {
      let event =
        switch state {
        case .string: advanceInString(bytes, &position)
        case .start, .betweenValues, .value, .firstValue, .key, .firstKey, .colon, .afterValue:
          advanceInStructure(bytes, &position)
        default: advanceInScalar(bytes[position], &position)
        }
      if let event { return event }
    }
    return .more
  }

  // MARK: Structure

  private mutating func advanceInStructure(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Event? {
    var byte = bytes[position]
    while byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      if state == .start { state = .betweenValues }
      position += 1
      guard position < bytes.count else { return nil }
      byte = bytes[position]
    }
    switch (state, byte) {
    case (.colon, UInt8(ascii: ":")):
      state = .value
    case (.afterValue, UInt8(ascii: ",")):
      state = isInObject ? .key : .value
    case (.key, UInt8(ascii: "\"")), (.firstKey, UInt8(ascii: "\"")):
      position += 1
      isInKey = true
      state = .string
      return depth <= reportDepth ? .keyBegin : nil
    case (.afterValue, UInt8(ascii: "}")) where isInObject, (.firstKey, UInt8(ascii: "}")),
      (.afterValue, UInt8(ascii: "]")) where !isInObject, (.firstValue, UInt8(ascii: "]")):
      position += 1
      depth -= 1
      return endValue()
    case (.value, _), (.firstValue, _), (.betweenValues, _), (.start, _):
      return beginValue(byte, &position)
    default:
      return .fault(unexpected(byte))
    }
    position += 1
    return nil
  }

  private mutating func beginValue(_ byte: UInt8, _ position: inout Int) -> Event? {
    let outerDepth = depth
    let kind: Kind
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depth < depthLimit else { return .fault(.tooDeep(limit: depthLimit)) }
      kind = byte == UInt8(ascii: "{") ? .object : .array
      open(kind)
    case UInt8(ascii: "\""): (kind, state, isInKey) = (.string, .string, false)
    case UInt8(ascii: "-"): (kind, state) = (.number, .minus)
    case UInt8(ascii: "0"): (kind, state) = (.number, .zero)
    case UInt8(ascii: "1")...UInt8(ascii: "9"): (kind, state) = (.number, .integer)
    case UInt8(ascii: "t"): (kind, state, pending) = (.boolean, .literal, 0x65_7572)
    case UInt8(ascii: "f"): (kind, state, pending) = (.boolean, .literal, 0x6573_6C61)
    case UInt8(ascii: "n"): (kind, state, pending) = (.null, .literal, 0x6C_6C75)
    case 0xEF where state == .start:
      (state, pending) = (.byteOrderMark, 0xBFBB)
      position += 1
      return nil
    default: return .fault(unexpected(byte))
    }
    position += 1
    return outerDepth <= reportDepth ? .begin(kind, depth: outerDepth) : nil
  }

  private mutating func open(_ kind: Kind) {
    let bit: UInt64 = 1 &<< UInt64(depth)
    if kind == .object {
      kinds[depth >> 6] |= bit
      state = .firstKey
    } else {
      kinds[depth >> 6] &= ~bit
      state = .firstValue
    }
    depth += 1
  }

  private mutating func endValue() -> Event? {
    state = depth == 0 ? .betweenValues : .afterValue
    return depth <= reportDepth ? .end(depth: depth) : nil
  }

  // MARK: Strings

  private mutating func advanceInString(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Event? {
    position = JSONText.endOfPlainText(in: bytes, from: position, checksText: checksText)
    guard position < bytes.count else { return nil }
    switch bytes[position] {
    case UInt8(ascii: "\""):
      position += 1
      guard isInKey else { return endValue() }
      state = .colon
      return depth <= reportDepth ? .keyEnd(depth: depth) : nil
    case UInt8(ascii: "\\"):
      position += 1
      state = .escape
      return nil
    case let byte where byte >= 0x80:
      guard let rest = UTF8Continuation(after: byte) else { return .fault(unexpected(byte)) }
      position += 1
      (state, pending, continuations) = (.continuation, rest.count, rest.next)
      return nil
    case let byte:
      return .fault(unexpected(byte))
    }
  }

  // MARK: Numbers, literals, escapes

  private mutating func advanceInScalar(_ byte: UInt8, _ position: inout Int) -> Event? {
    switch (state, byte) {
    case (.minus, UInt8(ascii: "0")): state = .zero
    case (.minus, UInt8(ascii: "1")...UInt8(ascii: "9")): state = .integer
    case (.integer, UInt8(ascii: "0")...UInt8(ascii: "9")): break
    case (.zero, UInt8(ascii: ".")), (.integer, UInt8(ascii: ".")): state = .point
    case (.point, UInt8(ascii: "0")...UInt8(ascii: "9")): state = .fraction
    case (.fraction, UInt8(ascii: "0")...UInt8(ascii: "9")): break
    case (.zero, UInt8(ascii: "e")), (.integer, UInt8(ascii: "e")), (.fraction, UInt8(ascii: "e")),
      (.zero, UInt8(ascii: "E")), (.integer, UInt8(ascii: "E")), (.fraction, UInt8(ascii: "E")):
      state = .exponent
    case (.exponent, UInt8(ascii: "+")), (.exponent, UInt8(ascii: "-")): state = .exponentSign
    case (.exponent, UInt8(ascii: "0")...UInt8(ascii: "9")), (.exponentSign, UInt8(ascii: "0")...UInt8(ascii: "9")):
      state = .exponentDigits
    case (.exponentDigits, UInt8(ascii: "0")...UInt8(ascii: "9")): break
    case (.zero, _), (.integer, _), (.fraction, _), (.exponentDigits, _):
      return endValue()
    case (.escape, UInt8(ascii: "u")): (state, pending) = (.hexDigit, 4)
    case (.escape, UInt8(ascii: "\"")), (.escape, UInt8(ascii: "\\")), (.escape, UInt8(ascii: "/")),
      (.escape, UInt8(ascii: "b")), (.escape, UInt8(ascii: "f")), (.escape, UInt8(ascii: "n")),
      (.escape, UInt8(ascii: "r")), (.escape, UInt8(ascii: "t")):
      state = .string
    case (.hexDigit, UInt8(ascii: "0")...UInt8(ascii: "9")), (.hexDigit, UInt8(ascii: "a")...UInt8(ascii: "f")),
      (.hexDigit, UInt8(ascii: "A")...UInt8(ascii: "F")):
      pending -= 1
      if pending == 0 { state = .string }
    case (.continuation, _) where continuations.contains(byte):
      continuations = 0x80...0xBF
      pending -= 1
      if pending == 0 { state = .string }
    case (.literal, _) where UInt32(byte) == pending & 0xFF, (.byteOrderMark, _) where UInt32(byte) == pending & 0xFF:
      pending >>= 8
      if pending == 0 {
        position += 1
        if state == .literal { return endValue() }
        state = .betweenValues
        return nil
      }
    default:
      return .fault(unexpected(byte))
    }
    position += 1
    return nil
  }
}

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
