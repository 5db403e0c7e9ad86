// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A hash table from names to record offsets.
///
/// A slot takes 8 bytes, however long the name is, and at most three quarters of the slots are in use.
///
/// Different names may have equal hashes. The caller compares the names in the records.
struct NameTable {
  /// Zero, or the lower bits of the hash above the offset plus one.
  private var slots: [UInt64] = Array(repeating: 0, count: 16)
  private var count = 0

  private static let offsetBits: UInt64 = 38
  private static let offsetMask: UInt64 = 1 << offsetBits - 1

  /// Returns the hash of the bytes of a name, because two equal strings may be different names.
  static func hash(_ parts: String...) -> UInt64 {
    var hasher = Hasher()
    for part in parts {
      for byte in part.utf8 { hasher.combine(byte) }
    }
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  /// Adds the offset of a name's record.
  ///
  /// - Precondition: The offset is below 256 GiB.
  mutating func insert(_ hash: UInt64, offset: UInt64) {
    precondition(offset < Self.offsetMask, "too many records")
    if (count + 1) * 4 > slots.count * 3 { grow() }
    place(hash << Self.offsetBits | (offset + 1))
    count += 1
  }

  private mutating func place(_ slot: UInt64) {
    let mask = slots.count - 1
    var index = Int(slot >> Self.offsetBits) & mask
    while slots[index] != 0 { index = (index + 1) & mask }
    slots[index] = slot
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: 0, count: old.count * 2)
    for slot in old where slot != 0 { place(slot) }
  }

  /// Returns the first result of `match` that is not `nil`, among the records with this hash.
  ///
  /// - Returns: The result; `nil` if no record matches.
  /// - Throws: The error of `match`.
  func first<Match>(
    _ hash: UInt64, where match: (_ offset: UInt64) throws(SystemError) -> Match?
  ) throws(SystemError) -> Match? {
    let tag = hash << Self.offsetBits
    let mask = slots.count - 1
    var index = Int(tag >> Self.offsetBits) & mask
    while slots[index] != 0 {
      if slots[index] & ~Self.offsetMask == tag, let found = try match((slots[index] & Self.offsetMask) - 1) {
        return found
      }
      index = (index + 1) & mask
    }
    return nil
  }
}
