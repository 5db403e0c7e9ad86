// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Remembers whether one type conforms to another, and can be asked without a lock.
///
/// An entry is one number with the question and the answer in it, so that whoever reads sees all of it or none.
/// Entries are made and emptied under the registry's lock alone: no answer outlives the declarations it came from.
struct ConformanceCache: ~Copyable {
  private static let count = 1024
  /// Questions about slots beyond are not remembered.
  private static let slotLimit = 1 << 31

  private let entries = InlineArray<1024, Atomic<UInt64>> { _ in Atomic(0) }
  private let isEmpty = Atomic(true)

  func answer(_ slot: Int, conformsTo other: Int) -> Bool? {
    guard slot < Self.slotLimit, other < Self.slotLimit else { return nil }
    let key = Self.key(slot, other)
    let entry = entries[Self.index(of: key)].load(ordering: .relaxed)
    return entry >> 1 == key ? entry & 1 == 1 : nil
  }

  func remember(_ answer: Bool, _ slot: Int, conformsTo other: Int) {
    guard slot < Self.slotLimit, other < Self.slotLimit else { return }
    let key = Self.key(slot, other)
    isEmpty.store(false, ordering: .relaxed)
    entries[Self.index(of: key)].store(key << 1 | (answer ? 1 : 0), ordering: .relaxed)
  }

  func removeAll() {
    guard !isEmpty.load(ordering: .relaxed) else { return }
    for index in 0..<Self.count { entries[index].store(0, ordering: .relaxed) }
    isEmpty.store(true, ordering: .relaxed)
  }

  /// Never 0, as that is an empty entry: what the table answers for itself is not asked here.
  private static func key(_ slot: Int, _ other: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: slot) << 31 ^ UInt64(truncatingIfNeeded: other)
  }

  private static func index(of key: UInt64) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 54)
  }
}
