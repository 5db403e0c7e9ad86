// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A namespace for an operation that removes repeated keys from the last map of a writer, and can sort its entries.
///
/// ``CBORWriter/sortEntries(at:)`` sorts maps without repeated keys.
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
  /// The deterministic order compares the bytes of the encoded keys (RFC 8949, section 4.2.1).
  ///
  /// - Returns: The number of entries.
  static func arrange(_ writer: inout CBORWriter, from start: Int, isSorted: Bool) -> Int {
    let base = writer.base
    let entries = entries(of: writer, from: start)
    func precedes(_ one: Entry, _ other: Entry) -> Bool { compare(base, one, other) < 0 }
    let isAscending = zip(entries, entries.dropFirst()).allSatisfy(precedes)
    if isAscending { return entries.count }
    // Equal keys stay in their order, so the last of them was written last.
    let order = entries.indices.sorted {
      let comparison = compare(base, entries[$0], entries[$1])
      return comparison == 0 ? $0 < $1 : comparison < 0
    }
    var kept = zip(order, order.dropFirst()).filter { compare(base, entries[$0], entries[$1]) != 0 }.map(\.0)
    kept += order.suffix(1)
    if !isSorted {
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
    let input = CBORInput(base: UnsafePointer(writer.base.assumingMemoryBound(to: UInt8.self)), count: writer.count)
    var entries: [Entry] = []
    var offset = start
    while offset < writer.count {
      let start = offset
      do {
        _ = try input.skip(&offset, depth: .max)
        let keyEnd = offset
        _ = try input.skip(&offset, depth: .max)
        entries.append(Entry(start: start, keyEnd: keyEnd, end: offset))
      } catch {
        preconditionFailure("the writer's own bytes are malformed: \(error)")
      }
    }
    return entries
  }

  private static func compare(_ base: UnsafeMutableRawPointer, _ one: Entry, _ other: Entry) -> Int {
    let lengths = (one.keyEnd - one.start, other.keyEnd - other.start)
    let order = memcmp(base + one.start, base + other.start, min(lengths.0, lengths.1))
    return order == 0 ? lengths.0 - lengths.1 : Int(order)
  }
}
