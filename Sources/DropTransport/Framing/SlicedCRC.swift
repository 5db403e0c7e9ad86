// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A 32-bit cyclic redundancy check (CRC) that processes sixteen bytes at a time.
///
/// The register shifts to the right. The caller inverts it at the start and at the end.
struct SlicedCRC: Sendable {
  /// Sixteen tables of 256 entries.
  ///
  /// Table n maps a byte to its effect on the register after the byte and n zero bytes.
  private let slices: [UInt32]

  /// Creates the tables of a polynomial.
  ///
  /// - Parameter polynomial: The bits of the polynomial in reversed order, without the highest power.
  init(polynomial: UInt32) {
    var slices = (UInt32(0)..<256).map { Self.register($0, afterZeroByteBy: polynomial) }
    slices.reserveCapacity(16 * 256)
    for index in 256..<16 * 256 {
      let previous = slices[index - 256]
      slices.append(previous >> 8 ^ slices[Int(previous & 0xFF)])
    }
    self.slices = slices
  }

  /// Returns the register after one zero byte.
  static func register(_ register: UInt32, afterZeroByteBy polynomial: UInt32) -> UInt32 {
    (0..<8).reduce(register) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ polynomial }
  }

  /// Returns the register after `bytes`.
  ///
  /// The loop makes one table lookup for each byte. Only four of sixteen lookups depend on the previous sixteen bytes.
  func register(_ register: UInt32, after bytes: UnsafeRawBufferPointer) -> UInt32 {
    slices.withUnsafeBufferPointer { table in
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
      return crc
    }
  }
}
