// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims

/// The check of frames: the CRC with Castagnoli's polynomial, as in RFC 3720 (iSCSI), appendix B.4.
struct CRC32C: Sendable, Hashable {
  /// Without the final inversion.
  private var register: UInt32 = .max

  /// The check of all bytes so far.
  var value: UInt32 { ~register }

  /// The check of `bytes` alone.
  static func check(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32C()
    crc.update(bytes)
    return crc.value
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    if Self.isInHardware {
      register = Self.runShift.withUnsafeBufferPointer {
        dragpipe_crc32c_in_hardware(register, start, bytes.count, $0.baseAddress)
      }
    } else {
      updateInSoftware(bytes)
    }
  }

  /// Slicing by eight: one table look-up a byte, none waiting for another.
  mutating func updateInSoftware(_ bytes: UnsafeRawBufferPointer) {
    Self.slices.withUnsafeBufferPointer { table in
      var crc = register
      var offset = 0
      while bytes.count - offset >= 8 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) ^ UInt64(crc)
        crc = 0
        for slice in 0..<8 {
          crc ^= table[(7 - slice) * 256 + Int(UInt8(truncatingIfNeeded: word >> UInt64(8 * slice)))]
        }
        offset += 8
      }
      while offset < bytes.count {
        crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[offset])]
        offset += 1
      }
      register = crc
    }
  }

  private static let isInHardware = dragpipe_crc32c_is_in_hardware() != 0

  /// Eight tables of 256: the n-th says what a byte does to the register when n zero bytes follow it.
  private static let slices: [UInt32] = {
    var slices: [UInt32] = []
    slices.reserveCapacity(8 * 256)
    for byte in UInt32(0)..<256 {
      var crc = byte
      for _ in 0..<8 { crc = crc >> 1 ^ (crc & 1) &* polynomial }
      slices.append(crc)
    }
    for index in 256..<8 * 256 {
      let previous = slices[index - 256]
      slices.append(previous >> 8 ^ slices[Int(previous & 0xFF)])
    }
    return slices
  }()

  /// Four tables of 256: what becomes of each byte of the register when a whole run of zero bytes follows.
  private static let runShift: [UInt32] = {
    // The register is linear in its bits: what becomes of each of the 32 says what becomes of all. First of one zero
    // bit, then of twice as many, and so on up to the run, whose length is a power of two.
    var shifted = (0..<32).map { bit in bit == 0 ? polynomial : UInt32(1) << (bit - 1) }
    for _ in 0..<(8 * Int(dragpipe_crc32c_run_length)).trailingZeroBitCount {
      shifted = shifted.map { crc in
        var rest = crc
        var sum: UInt32 = 0
        while rest != 0 {
          sum ^= shifted[rest.trailingZeroBitCount]
          rest &= rest - 1
        }
        return sum
      }
    }
    var runShift = [UInt32](repeating: 0, count: 4 * 256)
    for index in runShift.indices where index & 0xFF != 0 {
      // Without its lowest bit, the byte is one that was there before.
      runShift[index] = runShift[index & (index - 1)] ^ shifted[8 * (index >> 8) + index.trailingZeroBitCount]
    }
    return runShift
  }()

  private static let polynomial: UInt32 = 0x82F6_3B78
}
