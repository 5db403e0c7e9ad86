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
      let shift = Self.tables.runShift
      register = shift.withUnsafeBufferPointer {
        dragpipe_crc32c_in_hardware(register, start, bytes.count, $0.baseAddress)
      }
    } else {
      updateInSoftware(bytes)
    }
  }

  /// Slicing by eight: one table look-up a byte, none waiting for another.
  mutating func updateInSoftware(_ bytes: UnsafeRawBufferPointer) {
    Self.tables.slices.withUnsafeBufferPointer { table in
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
  private static let tables = Tables()

  private struct Tables {
    /// Eight tables of 256: the n-th says what a byte does to the register when n zero bytes follow it.
    let slices: [UInt32]
    /// Four tables of 256: what becomes of each byte of the register when a whole run of zero bytes follows.
    let runShift: [UInt32]

    init() {
      var slices: [UInt32] = []
      for byte in UInt32(0)..<256 {
        var crc = byte
        for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ 0x82F6_3B78 }
        slices.append(crc)
      }
      for index in 256..<8 * 256 {
        let previous = slices[index - 256]
        slices.append(previous >> 8 ^ slices[Int(previous & 0xFF)])
      }
      self.slices = slices

      // The register is linear in its bits: shift each of the 32 by a run of zeros, and add up.
      var shiftedBits: [UInt32] = []
      for bit in UInt32(0)..<32 {
        var crc: UInt32 = 1 << bit
        for _ in 0..<Int(dragpipe_crc32c_run_length) { crc = crc >> 8 ^ slices[Int(crc & 0xFF)] }
        shiftedBits.append(crc)
      }
      var runShift: [UInt32] = []
      for index in 0..<4 * 256 {
        var crc: UInt32 = 0
        for bit in 0..<8 where index & 1 << bit != 0 { crc ^= shiftedBits[8 * (index / 256) + bit] }
        runShift.append(crc)
      }
      self.runShift = runShift
    }
  }
}
