// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// An encoder of pictures without compression.
enum SamplePNG {
  /// Returns a picture of one colour; it can declare another size than it has.
  static func encoded(width: Int, height: Int, declaredWidth: Int? = nil, declaredHeight: Int? = nil) -> [UInt8] {
    let row = [0] + [[UInt8]](repeating: [0x80, 0x40, 0x20], count: width).joined()
    let raw = [UInt8]([[UInt8]](repeating: Array(row), count: height).joined())
    var deflated: [UInt8] = [0x78, 0x01]
    for start in stride(from: 0, to: raw.count, by: 65_535) {
      let part = raw[start..<min(start + 65_535, raw.count)]
      let count = UInt16(part.count)
      deflated.append(start + part.count == raw.count ? 1 : 0)
      deflated += [UInt8(count & 0xFF), UInt8(count >> 8), UInt8(~count & 0xFF), UInt8(~count >> 8)] + part
    }
    var (low, high): (UInt32, UInt32) = (1, 0)
    for byte in raw {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    deflated += bigEndian(high << 16 | low)
    let header =
      bigEndian(UInt32(declaredWidth ?? width)) + bigEndian(UInt32(declaredHeight ?? height)) + [8, 2, 0, 0, 0]
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
      + chunk("IDAT", deflated) + chunk("IEND", [])
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + content
    var checksum = UInt32.max
    for byte in body {
      checksum ^= UInt32(byte)
      for _ in 0..<8 { checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
    return bigEndian(UInt32(content.count)) + body + bigEndian(~checksum)
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
  }
}
