// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The base-32 encoding of dynamic identifiers: RFC 4648 with an alphabet without `i`, `j`, `l` and `o`, and without
/// padding.
enum Base32 {
  /// An encoder that takes one byte at a time.
  struct Writer {
    private let digits: UnsafeMutableBufferPointer<UInt8>
    /// The number of digits written.
    private(set) var count = 0
    private var bits: UInt32 = 0
    private var bitCount: UInt32 = 0

    /// - Parameter digits: The buffer for the digits, which must have room for the digits of all bytes.
    init(_ digits: UnsafeMutableBufferPointer<UInt8>) {
      self.digits = digits
    }

    @inline(__always)
    mutating func write(_ byte: UInt8) {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        append(bits >> bitCount & 31)
      }
    }

    /// Writes the remaining bits as one digit, padded with zero bits.
    @inline(__always)
    mutating func finish() {
      if bitCount > 0 { append(bits << (5 - bitCount) & 31) }
      bitCount = 0
    }

    @inline(__always)
    private mutating func append(_ value: UInt32) {
      precondition(count < digits.count)
      digits[count] = Base32.alphabet.utf8Start[Int(value)]
      count += 1
    }
  }

  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    Array(unsafeUninitializedCapacity: digitCount(ofBytes: bytes.count)) { buffer, count in
      var writer = Writer(buffer)
      for byte in bytes { writer.write(byte) }
      writer.finish()
      count = writer.count
    }
  }

  static func digitCount(ofBytes count: Int) -> Int {
    (count * 8 + 4) / 5
  }

  private static let alphabet: StaticString = "abcdefghkmnpqrstuvwxyz0123456789"

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
