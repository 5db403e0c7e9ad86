// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import ItemTransfer

/// The checksum of frames: the CRC with Castagnoli's polynomial, as in RFC 3720 (iSCSI), appendix B.4.
struct CRC32C: Sendable, Hashable {
  /// The state of the CRC, before the final inversion.
  private var register: UInt32 = .max

  init() {}

  /// Creates the checksum of `count` zero bytes.
  init(zeros count: UInt64) { update(zeros: count) }

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
      // The table speeds up long inputs only. A program with short frames never builds it.
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
    for byte in bytes { register = register >> 8 ^ Self.byteTable[Int(UInt8(truncatingIfNeeded: register) ^ byte)] }
  }

  /// Adds `count` bytes that have the checksum `other`.
  mutating func update(_ other: CRC32C, byteCount count: UInt64) {
    // Both registers are linear in the bytes, except for the initial value of the other register.
    register ^= .max
    update(zeros: count)
    register ^= other.register
  }

  /// Adds `count` zero bytes, in at most one step for each bit of `count`.
  mutating func update(zeros count: UInt64) {
    for bit in 0..<UInt64.bitWidth - count.leadingZeroBitCount where count >> UInt64(bit) & 1 == 1 {
      register = Self.zeroShifts[bit].applied(to: register)
    }
  }

  private static let polynomial: UInt32 = 0x82F6_3B78
  /// The effect of each byte on the register, for processors without an instruction.
  private static let byteTable = (UInt32(0)..<256).map(afterZeroByte)
  private static let isInHardware = dragpipe_crc32c_is_in_hardware() != 0
  private static let leastInRuns = 3 * Int(dragpipe_crc32c_run_length)

  /// The effect of `dragpipe_crc32c_run_length` zero bytes on the register.
  ///
  /// Four tables, one for each byte of the register, have an entry for each of the 256 values of that byte.
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
    bits: (0..<32).map { afterZeroByte(1 << $0) })

  /// Returns the register after one zero byte.
  static func afterZeroByte(_ register: UInt32) -> UInt32 {
    (0..<8).reduce(register) { crc, _ in crc & 1 == 0 ? crc >> 1 : crc >> 1 ^ polynomial }
  }

  /// Element n is the effect of 2^n zero bytes.
  private static let zeroShifts: [RegisterShift] = sequence(first: oneZeroByte, next: \.doubled).prefix(64).map(\.self)
}

/// The effect of a fixed number of zero bytes on the register of a CRC.
///
/// The effect is linear: the effects on the single bits of the register determine it.
private struct RegisterShift {
  /// Element n is the new register if only bit n was set before the zero bytes.
  let bits: [UInt32]

  /// The effect of twice as many zero bytes.
  var doubled: RegisterShift { RegisterShift(bits: bits.map(applied)) }

  func applied(to register: UInt32) -> UInt32 {
    (0..<32).reduce(0) { register >> $1 & 1 == 0 ? $0 : $0 ^ bits[$1] }
  }
}
