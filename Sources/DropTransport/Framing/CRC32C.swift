// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import ItemTransfer

/// The checksum of frames: the CRC with Castagnoli's polynomial, as in RFC 3720 (iSCSI), appendix B.4.
struct CRC32C: Sendable, Hashable {
  /// Without the final inversion.
  private var register: UInt32 = .max

  /// The checksum of all bytes so far.
  var value: UInt32 { ~register }

  /// Returns the checksum of `bytes` alone.
  static func check(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32C()
    crc.update(bytes)
    return crc.value
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    if Self.isInHardware {
      // Most frames are too short for runs, and a program that sends few frames does not need the table.
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

  /// Appends `count` zero bytes, in one step for each bit of the count.
  mutating func update(zeros count: UInt64) {
    for bit in 0..<UInt64.bitWidth - count.leadingZeroBitCount where count >> UInt64(bit) & 1 == 1 {
      register = Self.zeroShifts[bit].applied(to: register)
    }
  }

  private static let polynomial: UInt32 = 0x82F6_3B78
  private static let sliced = SlicedCRC(polynomial: polynomial)
  private static let isInHardware = dragpipe_crc32c_is_in_hardware() != 0
  private static let leastInRuns = 3 * Int(dragpipe_crc32c_run_length)

  /// Four tables of 256: what becomes of each byte of the register when a whole run of zero bytes follows.
  private static let runShift: [UInt32] = {
    var shift = oneZeroByte
    for _ in 0..<dragpipe_crc32c_run_length.trailingZeroBitCount { shift = shift.doubled }
    var table = Array(repeating: UInt32(0), count: 4 * 256)
    for index in table.indices where index % 256 != 0 {
      let lowestBit = index.trailingZeroBitCount
      table[index] = table[index & (index - 1)] ^ shift.bits[8 * (index / 256) + lowestBit]
    }
    return table
  }()

  private static let oneZeroByte = RegisterShift(
    bits: (0..<32).map { SlicedCRC.register(1 << $0, afterZeroByteBy: polynomial) })

  /// Element n shifts the register by 2^n zero bytes.
  private static let zeroShifts: [RegisterShift] = sequence(first: oneZeroByte, next: \.doubled).prefix(64).map(\.self)
}

/// The effect of a number of zero bytes on the register of a CRC, which is linear in its bits.
private struct RegisterShift {
  /// The effect on each bit alone.
  let bits: [UInt32]

  /// The shift by twice as many bytes.
  var doubled: RegisterShift { RegisterShift(bits: bits.map(applied)) }

  func applied(to register: UInt32) -> UInt32 {
    (0..<32).reduce(0) { register >> $1 & 1 == 0 ? $0 : $0 ^ bits[$1] }
  }
}
