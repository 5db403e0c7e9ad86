// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What both ends count as frames go by; the end frame states the sender's counts, and the receiver compares.
struct StreamCounts: Hashable, Sendable {
  var items: UInt64 = 0
  var representations: UInt64 = 0
  var frames: UInt64 = 0
  /// Of representations' content.
  var bytes: UInt64 = 0

  /// The first part of an end frame's payload.
  var encoded: [UInt8] {
    var payload: [UInt8] = []
    payload.reserveCapacity(40)
    for count in [items, representations, frames, bytes] { payload.append(littleEndian: count) }
    return payload
  }
}

/// The running digest of a stream: CRC32C over the preamble's check, each frame's check, and the counts.
struct StreamDigest: Sendable {
  private var crc = CRC32C()

  /// Starts with the check of the preamble, which need not be of our own minor version.
  init(preambleCheck: UInt32) {
    add(frameCheck: preambleCheck)
  }

  mutating func add(frameCheck: UInt32) {
    withUnsafeBytes(of: frameCheck.littleEndian) { crc.update($0) }
  }

  /// The digest of the frames so far.
  var value: UInt32 { crc.value }

  /// The digest of a stream that ends here.
  func value(with counts: StreamCounts) -> UInt32 {
    var crc = crc
    counts.encoded.withUnsafeBytes { crc.update($0) }
    return crc.value
  }
}
