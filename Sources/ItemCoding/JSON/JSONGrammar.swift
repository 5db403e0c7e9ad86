// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A state machine for JSON that accepts bytes in chunks of any size and stops at the requested events.
///
/// It accepts any number of values in sequence and validates every byte. It stores only its state, and neither text nor
/// numbers: the caller interprets the values.
///
/// ```
///   chunk -> advance -> .begin(.object, 0) -> advance -> .keyBegin -> … -> .end(0) -> advance -> .more -> next chunk
/// ```
package struct JSONGrammar: Sendable {
  /// The maximum depth of nested arrays and objects that the state machine can follow.
  package static let maximumDepth = 512

  /// The kinds of value that the first byte distinguishes.
  package enum Kind: Sendable {
    case object, array, string, number, boolean, null
  }

  /// The reason for a stop; the position is then the first byte that is not consumed.
  package enum Event: Sendable {
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
    /// The byte at the position is not allowed; ``JSONGrammar/fault(at:)`` states the reason.
    case fault
  }

  /// The kind of byte that may follow.
  package enum State: UInt8, Sendable {
    case start, byteOrderMark, utf16, betweenValues
    case value, firstValue, key, firstKey, colon, afterValue
    case string, escape, hexDigit, continuation
    case minus, zero, integer, point, fraction, exponent, exponentSign, exponentDigits
    case literal
  }

  package private(set) var state: State = .start

  /// The number of open arrays and objects.
  package private(set) var depth = 0

  /// The maximum number of arrays and objects around a value or key that is reported as an event.
  package var reportDepth: Int

  private let depthLimit: Int
  /// A bit for each open array (0) or object (1).
  private var kinds = InlineArray<8, UInt64>(repeating: 0)
  private var isInKey = false
  /// Whether the outermost array or object begins with the first byte of the text.
  private var isAtStart = false
  /// The rest of `true`, `false` or `null`, with the next byte as the lowest byte.
  ///
  /// In a `\u` escape, this is the number of remaining digits; in a UTF-8 character, the number of remaining bytes and,
  /// above it, the first byte. After the first byte of what may be UTF-16 text, it is that byte.
  private var pending: UInt32 = 0
  /// The valid values of the next byte of a UTF-8 character.
  private var continuations: ClosedRange<UInt8> = 0x80...0xBF

  /// Creates a state machine at the start of a text.
  package init(depthLimit: Int = JSONGrammar.maximumDepth, reportDepth: Int = 0) {
    self.depthLimit = min(depthLimit, JSONGrammar.maximumDepth)
    self.reportDepth = reportDepth
  }

  /// Whether the innermost open value is an object.
  private var isInObject: Bool {
    depth > 0 && kinds[(depth - 1) >> 6] & (1 &<< UInt64(depth - 1)) != 0
  }

  /// Passes the rest of a key or string whose first quote was consumed.
  ///
  /// - Returns: The position of the closing quote, whose event is not reported; `nil` if the next events must pass the
  ///   string, because it has escapes or may not be valid.
  @inline(__always)
  mutating func passPlainString(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Int? {
    let end = JSONText.search(in: bytes, from: position, to: bytes.count, checksText: true)
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else { return nil }
    position = end &+ 1
    state = isInKey ? .colon : depth == 0 ? .betweenValues : .afterValue
    return end
  }

  /// Ends the object that began last, whose bytes the caller passes itself.
  package mutating func passObject() {
    depth -= 1
    state = .afterValue
  }

  /// Consumes bytes from `position` on, until there is an event.
  package mutating func advance(over bytes: UnsafeRawBufferPointer, from position: inout Int) -> Event {
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
    if byte <= 0x20, JSONText.isBlank(byte) {
      if state == .start { state = .betweenValues }
      repeat {
        position &+= 1
        guard position < bytes.count else { return nil }
        byte = bytes[position]
      } while JSONText.isBlank(byte)
    }
    switch (state, byte) {
    case (.colon, UInt8(ascii: ":")):
      state = .value
    case (.afterValue, UInt8(ascii: ",")):
      state = isInObject ? .key : .value
    case (.key, UInt8(ascii: "\"")), (.firstKey, UInt8(ascii: "\"")):
      position += 1
      (isInKey, state) = (true, .string)
      return depth <= reportDepth ? .keyBegin : nil
    case (.afterValue, UInt8(ascii: "}")) where isInObject, (.firstKey, UInt8(ascii: "}")),
      (.afterValue, UInt8(ascii: "]")) where !isInObject, (.firstValue, UInt8(ascii: "]")):
      position += 1
      depth -= 1
      return endValue()
    case (.value, _), (.firstValue, _), (.betweenValues, _), (.start, _):
      return beginValue(byte, &position)
    default:
      return .fault
    }
    position += 1
    return nil
  }

  private mutating func beginValue(_ byte: UInt8, _ position: inout Int) -> Event? {
    let outerDepth = depth
    let kind: Kind
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depth < depthLimit else { return .fault }
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
    case 0 where state == .start, 0xFE...0xFF where state == .start:
      // The second byte is a fault, and shows whether the text is UTF-16.
      (state, pending) = (.utf16, UInt32(byte))
      position += 1
      return nil
    default: return .fault
    }
    position += 1
    return outerDepth <= reportDepth ? .begin(kind, depth: outerDepth) : nil
  }

  private mutating func open(_ kind: Kind) {
    if depth == 0 { isAtStart = state == .start }
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
    position = JSONText.search(in: bytes, from: position, to: bytes.count, checksText: true)
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
      guard let rest = UTF8Continuation(after: byte) else { return .fault }
      position += 1
      (state, pending, continuations) = (.continuation, rest.count | UInt32(byte) << 8, rest.next)
      return nil
    default:
      return .fault
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
      if pending & 0xFF == 0 { state = .string }
    case (.literal, _) where UInt32(byte) == pending & 0xFF, (.byteOrderMark, _) where UInt32(byte) == pending & 0xFF:
      pending >>= 8
      if pending == 0 {
        position += 1
        if state == .literal { return endValue() }
        state = .betweenValues
        return nil
      }
    default:
      return .fault
    }
    position += 1
    return nil
  }
}

extension JSONGrammar {
  /// The reason why a byte is not allowed.
  package struct Fault: Hashable, Sendable {
    package enum Kind: Sendable {
      case malformed, invalidText, tooDeep
    }

    package let kind: Kind
    package let reason: String
  }

  /// Returns the fault of `byte`, at which ``advance(over:from:)`` has stopped.
  package func fault(at byte: UInt8) -> Fault {
    if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["), state == .value || state == .firstValue {
      return Fault(kind: .tooDeep, reason: "nesting exceeds the limit of \(depthLimit) levels")
    }
    let found = JSONGrammar.name(of: byte)
    let reason =
      switch state {
      // A byte order mark, or the first bytes of an array or an object.
      case .utf16 where [0xFEFF, 0xFFFE, 0x005B, 0x007B].contains(pending << 8 | UInt32(byte)),
        .firstValue where byte == 0 && depth == 1 && isAtStart, .firstKey where byte == 0 && depth == 1 && isAtStart:
        "the text is UTF-16; convert it to UTF-8"
      case .utf16: "expected an object or an array, found \(JSONGrammar.name(of: UInt8(pending)))"
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
      case .continuation:
        "invalid UTF-8 in a string: \(found) does not continue the character that begins with "
          + JSONGrammar.name(of: UInt8(pending >> 8))
      case .escape: "\(found) after '\\' in a string"
      case .hexDigit: "expected four hexadecimal digits after '\\u', found \(found)"
      case .literal: "expected true, false or null, found \(found) in the literal"
      case .minus, .zero, .integer, .point, .fraction, .exponent, .exponentSign, .exponentDigits:
        "expected a digit, found \(found)"
      }
    let isText = state == .continuation || (state == .string && byte >= 0x80)
    return Fault(kind: isText ? .invalidText : .malformed, reason: reason)
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
  package var phrase: String {
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

/// Searches in JSON text.
enum JSONText {
  /// Returns the position of the first quote, backslash or byte less than `least` between `start` and `end`.
  ///
  /// If there is no such byte, the result is `end` or a few bytes more, because the search may pass the end within the
  /// buffer.
  ///
  /// With `checksText`, the search also stops at a character that is invalid UTF-8 or incomplete, and it may stop at
  /// any other non-ASCII character. It tests eight bytes at a time.
  @inline(__always)
  static func search(
    in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int, checksText: Bool, least: UInt8 = 0x20
  ) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let floor = ones &* UInt64(least)
    var position = start
    while position < end, position &+ 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      let quotes = word ^ (ones &* 0x22)
      let backslashes = word ^ (ones &* 0x5C)
      // The terms set the high bit of each byte that is a quote, a backslash or less than `least`. Above the lowest
      // such byte, a borrow may set further bits.
      let hits =
        ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes) | ((word &- floor) & ~word)
      let marks = (checksText ? hits | word : hits) & (ones &* 0x80)
      position &+= marks == 0 ? 8 : marks.trailingZeroBitCount / 8
      guard marks != 0 else { continue }
      guard checksText, bytes[position] >= 0x80 else { return position }
      repeat {
        let length = UTF8Continuation.lengthOfCharacter(in: bytes, at: position)
        if length == 0 { return position }
        position &+= length
      } while position < bytes.count && bytes[position] >= 0x80
    }
    while position < end {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < least { return position }
      if checksText, byte >= 0x80 { return position }
      position &+= 1
    }
    return position
  }

  /// Returns whether all bytes from `start` on are whitespace.
  static func isBlank(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
    bytes[start...].allSatisfy(isBlank)
  }

  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}

/// The continuation bytes of a UTF-8 character that is not ASCII (RFC 3629, section 4).
struct UTF8Continuation {
  /// The number of continuation bytes, 1 to 3.
  let count: UInt32
  /// The valid values of the first continuation byte; the others are 0x80 to 0xBF.
  let next: ClosedRange<UInt8>

  /// Returns `nil` if `byte` does not begin a character.
  init?(after byte: UInt8) {
    switch byte {
    case 0xC2...0xDF: (count, next) = (1, 0x80...0xBF)
    case 0xE0: (count, next) = (2, 0xA0...0xBF)
    // The range excludes surrogates.
    case 0xED: (count, next) = (2, 0x80...0x9F)
    case 0xE1...0xEF: (count, next) = (2, 0x80...0xBF)
    case 0xF0: (count, next) = (3, 0x90...0xBF)
    case 0xF1...0xF3: (count, next) = (3, 0x80...0xBF)
    case 0xF4: (count, next) = (3, 0x80...0x8F)
    default: return nil
    }
  }

  /// Returns the length of the character at `position` in bytes; 0 if it is invalid UTF-8 or incomplete.
  static func lengthOfCharacter(in bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
    guard let rest = UTF8Continuation(after: bytes[position]) else { return 0 }
    let end = position + 1 + Int(rest.count)
    guard end <= bytes.count, rest.next.contains(bytes[position + 1]) else { return 0 }
    for place in position + 2..<end where bytes[place] & 0xC0 != 0x80 { return 0 }
    return end - position
  }
}
