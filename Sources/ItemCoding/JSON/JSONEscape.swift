// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The escapes in JSON strings.
enum JSONEscape {
  /// Returns the character of the escape at `place`, and passes the escape.
  ///
  /// - Returns: The character; `nil` if the escape is not valid or not complete, or if a surrogate is not part of a
  ///   pair.
  static func scalar(in text: UnsafeRawBufferPointer, at place: inout Int) -> Unicode.Scalar? {
    guard place + 1 < text.count, text[place] == UInt8(ascii: "\\") else { return nil }
    let byte = text[place + 1]
    guard byte == UInt8(ascii: "u") else {
      place += 2
      return switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): Unicode.Scalar(byte)
      case UInt8(ascii: "b"): "\u{8}"
      case UInt8(ascii: "f"): "\u{C}"
      case UInt8(ascii: "n"): "\n"
      case UInt8(ascii: "r"): "\r"
      case UInt8(ascii: "t"): "\t"
      default: nil
      }
    }
    guard let first = unit(in: text, at: &place) else { return nil }
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard UTF16.isLeadSurrogate(first), let second = unit(in: text, at: &place), UTF16.isTrailSurrogate(second) else {
      return nil
    }
    return Unicode.Scalar(0x1_0000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
  }

  /// Returns the UTF-16 code unit of the escape at `place`, and passes the escape.
  private static func unit(in text: UnsafeRawBufferPointer, at place: inout Int) -> UInt16? {
    guard place + 6 <= text.count, text[place] == UInt8(ascii: "\\"), text[place + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var unit: UInt16 = 0
    for byte in text[place + 2..<place + 6] {
      guard let digit = hexDigit(byte) else { return nil }
      unit = unit << 4 | digit
    }
    place += 6
    return unit
  }

  private static func hexDigit(_ byte: UInt8) -> UInt16? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
