// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The base-32 encoding of dynamic identifiers: RFC 4648 with an alphabet without `i`, `j`, `l` and `o`, and without
/// padding.
enum Base32 {
  /// Encodes bytes; zero bits fill the last digit.
  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var digits: [UInt8] = []
    var bits = 0
    var bitCount = 0
    for byte in bytes {
      bits = (bits << 8 | Int(byte)) & 0xFFF
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        digits.append(alphabet[bits >> bitCount & 31])
      }
    }
    if bitCount > 0 { digits.append(alphabet[bits << (5 - bitCount) & 31]) }
    return digits
  }

  private static let alphabet = Array("abcdefghkmnpqrstuvwxyz0123456789".utf8)

  /// Decodes lower-case digits.
  ///
  /// - Returns: The bytes; `nil` if a character is not a digit, if the last digit is superfluous, or if a padding bit
  ///   is not 0.
  static func decode(_ digits: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var bitCount = 0
    for digit in digits {
      guard let value = value(of: digit) else { return nil }
      bits = (bits << 5 | value) & 0xFFF
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      }
    }
    guard bitCount < 5, bits & (1 << bitCount - 1) == 0 else { return nil }
    return bytes
  }

  private static func value(of digit: UInt8) -> Int? {
    switch digit {
    case UInt8(ascii: "a")...UInt8(ascii: "h"): Int(digit) - 97
    case UInt8(ascii: "k"): 8
    case UInt8(ascii: "m")...UInt8(ascii: "n"): Int(digit) - 100
    case UInt8(ascii: "p")...UInt8(ascii: "z"): Int(digit) - 101
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit) - 26
    default: nil
    }
  }
}
