// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
  /// The lower-case letter for an ASCII capital, and any other byte unchanged, regardless of the locale.
  var asciiLowercased: UInt8 {
    UInt8(ascii: "A") <= self && self <= UInt8(ascii: "Z") ? self | 0x20 : self
  }
}

extension String {
  /// The string with its ASCII capitals in lower case.
  var asciiLowercased: String {
    guard utf8Span.span.hasASCIICapitals else { return self }
    return String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
  }

  /// Returns whether the bytes are equal except for the case of ASCII letters.
  ///
  /// Unlike this comparison of bytes, `==` treats a letter with a combining accent as equal to a precomposed letter.
  func isEqualIgnoringASCIICase(to other: String) -> Bool {
    utf8.count == other.utf8.count && utf8Span.span.isEqual(to: other.utf8Span.span, ignoringCase: true)
  }

  /// Feeds the bytes, with ASCII capitals in lower case, into `hasher`.
  func hashIgnoringASCIICase(into hasher: inout Hasher) {
    utf8Span.span.hash(into: &hasher, ignoringCase: true)
  }
}

extension String {
  /// Returns whether the string begins with a lower-case prefix, without regard to the case of its own ASCII letters.
  func hasASCIIPrefix(_ prefix: StaticString) -> Bool {
    let bytes = utf8Span.span
    guard bytes.count >= prefix.utf8CodeUnitCount else { return false }
    for index in 0..<prefix.utf8CodeUnitCount where bytes[index].asciiLowercased != prefix.utf8Start[index] {
      return false
    }
    return true
  }
}

/// A string that is compared and hashed without regard to the case of ASCII letters, for use as a dictionary key.
struct CaselessText: Hashable {
  var text: String

  static func == (lhs: CaselessText, rhs: CaselessText) -> Bool {
    lhs.text.isEqualIgnoringASCIICase(to: rhs.text)
  }

  func hash(into hasher: inout Hasher) {
    text.hashIgnoringASCIICase(into: &hasher)
  }
}

// These operations process eight bytes at a time, because names are compared and hashed in large numbers.

extension UInt64 {
  /// The eight bytes of the integer with ASCII capitals in lower case.
  var asciiLowercased: UInt64 {
    // `fromA` has the eighth bit set for each byte whose low seven bits are at least "A", and `behindZ` for each byte
    // whose low seven bits are greater than "Z".
    let letters = self & 0x7F7F_7F7F_7F7F_7F7F
    let fromA = letters + 0x3F3F_3F3F_3F3F_3F3F
    let behindZ = letters + 0x2525_2525_2525_2525
    return self | (fromA & ~behindZ & ~self & 0x8080_8080_8080_8080) >> 2
  }
}

extension Span where Element == UInt8 {
  /// Returns whether the bytes are equal, without regard to the case of ASCII letters if `ignoringCase` is set.
  func isEqual(to other: Span<UInt8>, ignoringCase: Bool) -> Bool {
    guard count == other.count else { return false }
    let wordCount = (count + 7) / 8
    for index in 0..<wordCount {
      let (ours, theirs) = (word(index), other.word(index))
      if ours != theirs, !ignoringCase || ours.asciiLowercased != theirs.asciiLowercased { return false }
    }
    return true
  }

  /// Whether one of the bytes is an ASCII capital.
  var hasASCIICapitals: Bool {
    for index in 0..<(count + 7) / 8 where word(index) != word(index).asciiLowercased { return true }
    return false
  }

  /// Feeds the bytes into `hasher`, with ASCII capitals in lower case if `ignoringCase` is set.
  func hash(into hasher: inout Hasher, ignoringCase: Bool) {
    let wordCount = (count + 7) / 8
    for index in 0..<wordCount {
      let word = word(index)
      hasher.combine(ignoringCase ? word.asciiLowercased : word)
    }
    hasher.combine(UInt8(truncatingIfNeeded: count))
  }

  /// Returns the word of eight bytes at an index.
  ///
  /// If the count is not a multiple of eight, the last word overlaps the word before it. A span of fewer than eight
  /// bytes has one word, which contains all of its bytes.
  @inline(__always)
  private func word(_ index: Int) -> UInt64 {
    if count >= 8 { return bytes.unsafeLoadUnaligned(fromByteOffset: Swift.min(index * 8, count - 8), as: UInt64.self) }
    var word: UInt64 = 0
    for index in indices { word = word << 8 | UInt64(self[unchecked: index]) }
    return word
  }
}
