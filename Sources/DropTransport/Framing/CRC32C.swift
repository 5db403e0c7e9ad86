// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import ItemTransfer

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
      // Most frames are shorter than what is checked in runs, and a short program need not make the table for them.
      guard bytes.count >= Self.leastInRuns else {
        register = dragpipe_crc32c_in_hardware(register, start, bytes.count, nil)
        return
      }
      register = Self.runShift.withUnsafeBufferPointer {
        dragpipe_crc32c_in_hardware(register, start, bytes.count, $0.baseAddress)
      }
    } else {
      updateInSoftware(bytes)
    }
  }

  mutating func updateInSoftware(_ bytes: UnsafeRawBufferPointer) {
    register = Self.sliced.register(register, after: bytes)
  }

  private static let polynomial: UInt32 = 0x82F6_3B78
  private static let sliced = SlicedCRC(polynomial: polynomial)
  private static let isInHardware = dragpipe_crc32c_is_in_hardware() != 0
  private static let leastInRuns = 3 * Int(dragpipe_crc32c_run_length)

  /// Four tables of 256: what becomes of each byte of the register when a whole run of zero bytes follows.
  private static let runShift: [UInt32] = {
    // The register is linear in its bits: a shift is known by what becomes of each, and twice as long a one is it twice.
    var shift = (0..<32).map { SlicedCRC.register(1 << $0, afterZeroByteBy: polynomial) }
    for _ in 0..<dragpipe_crc32c_run_length.trailingZeroBitCount {
      shift = shift.map { crc in (0..<32).reduce(0) { crc >> $1 & 1 == 0 ? $0 : $0 ^ shift[$1] } }
    }
    var table = Array(repeating: UInt32(0), count: 4 * 256)
    for index in table.indices where index % 256 != 0 {
      let lowestBit = index.trailingZeroBitCount
      table[index] = table[index & (index - 1)] ^ shift[8 * (index / 256) + lowestBit]
    }
    return table
  }()
}
