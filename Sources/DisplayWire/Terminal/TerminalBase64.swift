// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The encoding of bytes as text: RFC 4648, section 4.
package enum TerminalBase64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")
  private static let isNoDigit: UInt8 = 0xFF
  /// The values of the characters; ``isNoDigit`` for all others.
  private static let digits: [UInt8] = {
    var digits = [UInt8](repeating: isNoDigit, count: 256)
    for (value, character) in alphabet.enumerated() { digits[Int(character)] = UInt8(value) }
    return digits
  }()

  /// Encodes bytes, with padding at the end.
  package static func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var (bits, count): (UInt32, Int) = (0, 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | UInt32(byte), count + 1)
      guard count == 3 else { continue }
      append(bits, 4, to: &text)
      (bits, count) = (0, 0)
    }
    if count > 0 {
      append(bits << (count == 1 ? 16 : 8), count + 1, to: &text)
      for _ in count..<3 { text.append(padding) }
    }
    return text
  }

  private static func append(_ bits: UInt32, _ count: Int, to text: inout [UInt8]) {
    for index in 0..<count { text.append(alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)]) }
  }

  /// A decoder of text that arrives in parts, whose lengths need not be multiples of four.
  package struct Decoder: Sendable {
    private var bits: UInt32 = 0
    private var count = 0
    private var paddingCount = 0

    /// Creates a decoder.
    package init() {}

    /// Decodes the next part.
    ///
    /// - Returns: The bytes that are complete.
    /// - Throws: `TerminalSyntaxError` for a character that is not allowed at its place.
    package mutating func decode(_ text: [UInt8]) throws(TerminalSyntaxError) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count / 4 * 3 + 3)
      for character in text {
        let digit = digits[Int(character)]
        if digit != isNoDigit, paddingCount == 0 {
          (bits, count) = (bits << 6 | UInt32(digit), count + 1)
          guard count == 4 else { continue }
          for shift: UInt32 in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
          (bits, count) = (0, 0)
        } else if character == padding, count >= 2, count + paddingCount < 4 {
          paddingCount += 1
        } else {
          throw TerminalSyntaxError("the data is not base64")
        }
      }
      return bytes
    }

    /// Ends the text.
    ///
    /// The decoder can then decode another text.
    ///
    /// - Returns: The last bytes.
    /// - Throws: `TerminalSyntaxError` if the text is truncated.
    package mutating func finish() throws(TerminalSyntaxError) -> [UInt8] {
      defer { self = Decoder() }
      guard count != 1, paddingCount == 0 || count + paddingCount == 4 else {
        throw TerminalSyntaxError("the base64 data is truncated")
      }
      return switch count {
      case 2: [UInt8(truncatingIfNeeded: bits >> 4)]
      case 3: [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
      default: []
      }
    }
  }
}
