// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Eight bytes at a time, for names that are compared and hashed in large numbers.
extension UInt64 {
  /// The same bytes with ASCII capitals in lower case.
  var asciiLowercased: UInt64 {
    // In seven bits, the sums reach the eighth exactly from "A" on, and from what is behind "Z" on.
    let letters = self & 0x7F7F_7F7F_7F7F_7F7F
    let fromA = letters + 0x3F3F_3F3F_3F3F_3F3F
    let behindZ = letters + 0x2525_2525_2525_2525
    return self | (fromA & ~behindZ & ~self & 0x8080_8080_8080_8080) >> 2
  }
}

extension Span where Element == UInt8 {
  /// Whether the bytes are the same, but for the case of ASCII letters where that is ignored.
  func isEqual(to other: Span<UInt8>, ignoringCase: Bool) -> Bool {
    guard count == other.count else { return false }
    let wordCount = (count + 7) / 8
    for index in 0..<wordCount {
      let (ours, theirs) = (word(index), other.word(index))
      if ours != theirs, !ignoringCase || ours.asciiLowercased != theirs.asciiLowercased { return false }
    }
    return true
  }

  var hasASCIICapitals: Bool {
    for index in 0..<(count + 7) / 8 where word(index) != word(index).asciiLowercased { return true }
    return false
  }

  /// Feeds the bytes into `hasher`, without the case of ASCII letters where that is ignored.
  func hash(into hasher: inout Hasher, ignoringCase: Bool) {
    let wordCount = (count + 7) / 8
    for index in 0..<wordCount {
      let word = word(index)
      hasher.combine(ignoringCase ? word.asciiLowercased : word)
    }
    hasher.combine(UInt8(truncatingIfNeeded: count))
  }

  /// Eight bytes; of the last ones, some may be in the word before as well, or be missing where there are no eight.
  @inline(__always)
  private func word(_ index: Int) -> UInt64 {
    if count >= 8 { return bytes.unsafeLoadUnaligned(fromByteOffset: Swift.min(index * 8, count - 8), as: UInt64.self) }
    var word: UInt64 = 0
    for index in indices { word = word << 8 | UInt64(self[unchecked: index]) }
    return word
  }
}
