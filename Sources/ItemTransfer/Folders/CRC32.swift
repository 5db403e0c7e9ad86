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

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    register = Self.sliced.register(register, after: bytes)
  }

  private static let sliced = SlicedCRC(polynomial: 0xEDB8_8320)
}
