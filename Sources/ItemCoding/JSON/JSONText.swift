// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Searches in JSON text.
package enum JSONText {
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

  /// Returns the position of the first quote, backslash or control character from `start` on, or else the end.
  ///
  /// With `checksText`, the search also stops at a character that is invalid UTF-8 or incomplete, and it may stop at
  /// any other non-ASCII character.
  package static func endOfPlainText(
    in bytes: UnsafeRawBufferPointer, from start: Int, checksText: Bool
  ) -> Int {
    search(in: bytes, from: start, to: bytes.count, checksText: checksText)
  }

  /// Returns whether all bytes from `start` on are whitespace.
  package static func isBlank(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Bool {
    bytes[start...].allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
  }

  /// Returns the position of an object after whitespace, and after a comma if `afterComma` is set; `nil` if other bytes
  /// come first.
  package static func startOfObject(in bytes: UnsafeRawBufferPointer, afterComma: Bool) -> Int? {
    var needsComma = afterComma
    for position in 0..<bytes.count {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: continue
      case UInt8(ascii: ",") where needsComma: needsComma = false
      case UInt8(ascii: "{") where !needsComma: return position
      default: return nil
      }
    }
    return nil
  }
}

/// The continuation bytes of a UTF-8 character that is not ASCII (RFC 3629, section 4).
package struct UTF8Continuation {
  /// The number of continuation bytes, 1 to 3.
  package let count: UInt32
  /// The valid values of the first continuation byte; the others are 0x80 to 0xBF.
  package let next: ClosedRange<UInt8>

  /// Returns `nil` if `byte` does not begin a character.
  package init?(after byte: UInt8) {
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
