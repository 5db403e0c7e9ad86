// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The check of zip archives: the CRC with the polynomial of IEEE 802.3.
struct CRC32: Sendable, Hashable {
  /// Without the final inversion.
  private var register: UInt32 = .max

  /// The check of all bytes so far.
  var value: UInt32 { ~register }

  /// The check of `bytes` alone.
  static func check(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32()
    crc.update(bytes)
    return crc.value
  }

  /// Slicing by sixteen: one table look-up a byte, only four of which wait for those before.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    Self.slices.withUnsafeBufferPointer { table in
      var crc = register
      var offset = 0
      while bytes.count - offset >= 16 {
        let low = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(crc)
        let high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        var late: UInt32 = 0
        var early: UInt32 = 0
        for slice in 0..<8 {
          late ^= table[(15 - slice) << 8 | Int(truncatingIfNeeded: low >> UInt64(8 * slice)) & 0xFF]
          early ^= table[(7 - slice) << 8 | Int(truncatingIfNeeded: high >> UInt64(8 * slice)) & 0xFF]
        }
        crc = late ^ early
        offset += 16
      }
      while offset < bytes.count {
        crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[offset])]
        offset += 1
      }
      register = crc
    }
  }

  /// Sixteen tables of 256: the n-th says what a byte does to the register when n zero bytes follow it.
  private static let slices: [UInt32] = {
    var slices: [UInt32] = []
    slices.reserveCapacity(16 * 256)
    for byte in UInt32(0)..<256 {
      var crc = byte
      for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0xEDB8_8320 }
      slices.append(crc)
    }
    for index in 256..<16 * 256 {
      let previous = slices[index - 256]
      slices.append(previous >> 8 ^ slices[Int(previous & 0xFF)])
    }
    return slices
  }()
}
