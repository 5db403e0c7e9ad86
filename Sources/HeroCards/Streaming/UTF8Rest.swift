// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What follows the first byte of a character that is not ASCII (RFC 3629, section 4).
struct UTF8Rest {
  /// How many bytes follow: 1 to 3.
  let count: UInt32
  /// What the first of them may be; any further one is 0x80 to 0xBF.
  let next: ClosedRange<UInt8>

  /// `nil` where `byte` does not begin a character.
  init?(after byte: UInt8) {
    switch byte {
    case 0xC2...0xDF: (count, next) = (1, 0x80...0xBF)
    case 0xE0: (count, next) = (2, 0xA0...0xBF)
    // No surrogates.
    case 0xED: (count, next) = (2, 0x80...0x9F)
    case 0xE1...0xEF: (count, next) = (2, 0x80...0xBF)
    case 0xF0: (count, next) = (3, 0x90...0xBF)
    case 0xF1...0xF3: (count, next) = (3, 0x80...0xBF)
    case 0xF4: (count, next) = (3, 0x80...0x8F)
    default: return nil
    }
  }

  /// How many bytes the character at `position` has; 0 where it is not UTF-8, or not all there.
  static func lengthOfCharacter(in bytes: UnsafeRawBufferPointer, at position: Int) -> Int {
    guard let rest = UTF8Rest(after: bytes[position]) else { return 0 }
    let end = position + 1 + Int(rest.count)
    guard end <= bytes.count, rest.next.contains(bytes[position + 1]) else { return 0 }
    for place in position + 2..<end where bytes[place] & 0xC0 != 0x80 { return 0 }
    return end - position
  }
}
