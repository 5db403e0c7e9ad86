// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Removes repeated keys from a map just written, and sorts it on request; ``CBOREntrySorter`` sorts maps whose keys
/// are known to differ.
enum CBORMapArrangement {
  private struct Entry {
    let start: Int
    let keyEnd: Int
    let end: Int
  }

  /// Arranges the entries from `start` to the end of the writer's bytes; of those with the same key the last stays, as
  /// in Foundation's coders.
  ///
  /// The deterministic order is that of the encoded keys, byte by byte (RFC 8949, section 4.2.1).
  ///
  /// - Returns: How many entries there are.
  static func arrange(_ writer: inout CBORWriter, from start: Int, isSorted: Bool) -> Int {
    let base = writer.base
    let entries = entries(of: writer, from: start)
    func precedes(_ one: Entry, _ other: Entry) -> Bool { compare(base, one, other) < 0 }
    let isAscending = zip(entries, entries.dropFirst()).allSatisfy(precedes)
    if isAscending { return entries.count }
    // Stable: the last of a kind is known by its place.
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
        preconditionFailure("what was just written is well-formed: \(error)")
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
