// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A namespace for an operation that removes repeated keys from the last map of a writer, and can sort its entries.
///
/// ``CBORWriter/sortEntries(at:_:)`` sorts maps without repeated keys.
enum CBORMapArrangement {
  private struct Entry {
    let start: Int
    let keyEnd: Int
    let end: Int
  }

  /// Arranges the entries from `start` to the end of the writer's bytes.
  ///
  /// If several entries have equal keys, the last entry stays, as in Foundation's coders.
  ///
  /// - Returns: The number of entries.
  static func arrange(_ writer: inout CBORWriter, from start: Int, _ order: CBOREncoder.KeyOrder) -> Int {
    let base = writer.base
    let entries = entries(of: writer, from: start)
    func compare(_ one: Entry, _ other: Entry) -> Int {
      order.compare(base, one.start..<one.keyEnd, other.start..<other.keyEnd)
    }
    func precedes(_ one: Entry, _ other: Entry) -> Bool { compare(one, other) < 0 }
    let isAscending = zip(entries, entries.dropFirst()).allSatisfy(precedes)
    if isAscending { return entries.count }
    // Equal keys stay in their order, so the last of them was written last.
    let sorted = entries.indices.sorted {
      let comparison = compare(entries[$0], entries[$1])
      return comparison == 0 ? $0 < $1 : comparison < 0
    }
    var kept = zip(sorted, sorted.dropFirst()).filter { compare(entries[$0], entries[$1]) != 0 }.map(\.0)
    kept += sorted.suffix(1)
    if order == .written {
      if kept.count == entries.count { return entries.count }
      kept.sort()
    }
    var arranged = CBORWriter(capacity: max(1, writer.count - start))
    defer { arranged.deallocate() }
    for index in kept {
      let entry = entries[index]
      arranged.insert(
        UnsafeRawBufferPointer(start: base + entry.start, count: entry.end - entry.start), at: arranged.count)
    }
    (base + start).copyMemory(from: arranged.base, byteCount: arranged.count)
    writer.count = start + arranged.count
    return kept.count
  }

  private static func entries(of writer: CBORWriter, from start: Int) -> [Entry] {
    var entries: [Entry] = []
    var offset = start
    while offset < writer.count {
      let keyEnd = writer.endOfItem(at: offset)
      let end = writer.endOfItem(at: keyEnd)
      entries.append(Entry(start: offset, keyEnd: keyEnd, end: end))
      offset = end
    }
    return entries
  }
}

extension CBOREncoder.KeyOrder {
  /// Compares the encoded keys at two ranges of `base`.
  ///
  /// Returns a negative number if `one` precedes `other`, and 0 if both are equal. ``written`` compares as
  /// ``deterministic``.
  func compare(_ base: UnsafeRawPointer, _ one: Range<Int>, _ other: Range<Int>) -> Int {
    if self == .lengthFirst, one.count != other.count { return one.count - other.count }
    let order = memcmp(base + one.lowerBound, base + other.lowerBound, min(one.count, other.count))
    return order == 0 ? one.count - other.count : Int(order)
  }
}
