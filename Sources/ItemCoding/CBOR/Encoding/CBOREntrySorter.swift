// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A sorter of map entries, set elements or dictionary pairs that were just written.
///
/// Comparing whole entries gives the order of their keys, because no data item is a prefix of a different data item.
struct CBOREntrySorter {
  private struct Entry {
    /// The first eight bytes as a number, which decides most comparisons.
    var prefix: UInt64
    var start: Int
    var end: Int
  }

  private var entries = UnsafeMutablePointer<Entry>.allocate(capacity: restingCapacity)
  private var capacity = restingCapacity
  private var copy = UnsafeMutableRawPointer.allocate(byteCount: restingByteCount, alignment: 1)
  private var byteCount = restingByteCount

  private static let restingCapacity = 64
  private static let restingByteCount = 1 << 14
  /// The maximum number of entries that are sorted by insertion.
  private static let smallCount = 24
  private static let prefixSize = 8

  func deallocate() {
    entries.deallocate()
    copy.deallocate()
  }

  /// Sorts the `count` entries at `starts`.
  ///
  /// The last entry ends at the end of the writer's bytes.
  mutating func sort(_ writer: inout CBORWriter, _ starts: UnsafePointer<Int>, count: Int) {
    guard count > 1 else { return }
    // The last entry may be shorter than a prefix, which is loaded nevertheless.
    writer.reserve(Self.prefixSize)
    if _slowPath(count > capacity) { makeRoom(forEntries: count) }
    let base = writer.base
    let first =
      count <= Self.smallCount ? insert(base, starts, count, writer.count) : fill(base, starts, count, writer.count)
    if first < count { move(base, from: first, count, in: starts[first]..<writer.count) }
    if _slowPath(capacity > Self.restingCapacity) { rest() }
  }

  /// Sorts a few entries while reading them, and returns the first index that changed; `count` if none did.
  @inline(__always)
  private func insert(
    _ base: UnsafeMutableRawPointer, _ starts: UnsafePointer<Int>, _ count: Int, _ end: Int
  ) -> Int {
    var first = count
    for index in 0..<count {
      let entry = Self.entry(base, starts, index, count, end)
      var place = index
      while place > 0, Self.precedes(entry, entries[place &- 1], base) {
        entries[place] = entries[place &- 1]
        place &-= 1
      }
      entries[place] = entry
      if place < index, place < first { first = place }
    }
    return first
  }

  /// Sorts any number of entries, and returns 0; returns `count` if they were in order.
  private func fill(_ base: UnsafeMutableRawPointer, _ starts: UnsafePointer<Int>, _ count: Int, _ end: Int) -> Int {
    var isSorted = true
    for index in 0..<count {
      entries[index] = Self.entry(base, starts, index, count, end)
      if index > 0, Self.precedes(entries[index], entries[index - 1], base) { isSorted = false }
    }
    if isSorted { return count }
    var all = UnsafeMutableBufferPointer(start: entries, count: count)
    all.sort { Self.precedes($0, $1, base) }
    return 0
  }

  @inline(__always)
  private static func entry(
    _ base: UnsafeMutableRawPointer, _ starts: UnsafePointer<Int>, _ index: Int, _ count: Int, _ end: Int
  ) -> Entry {
    let prefix = base.loadUnaligned(fromByteOffset: starts[index], as: UInt64.self)
    return Entry(prefix: prefix.bigEndian, start: starts[index], end: index &+ 1 < count ? starts[index &+ 1] : end)
  }

  @inline(__always)
  private static func precedes(_ one: Entry, _ other: Entry, _ base: UnsafeMutableRawPointer) -> Bool {
    if one.prefix != other.prefix { return one.prefix < other.prefix }
    return compare(one, other, base) < 0
  }

  @inline(never)
  private static func compare(_ one: Entry, _ other: Entry, _ base: UnsafeMutableRawPointer) -> CInt {
    memcmp(base + one.start, base + other.start, min(one.end - one.start, other.end - other.start))
  }

  /// Moves the bytes in `range`, which contain the entries from `first` on, into the order of the entries.
  @inline(__always)
  private mutating func move(_ base: UnsafeMutableRawPointer, from first: Int, _ count: Int, in range: Range<Int>) {
    if _slowPath(range.count > byteCount) { makeRoom(forBytes: range.count) }
    var target = copy
    var index = first
    while index < count {
      let start = entries[index].start
      var end = entries[index].end
      index &+= 1
      // Adjacent entries that stay together are copied together.
      while index < count, entries[index].start == end {
        end = entries[index].end
        index &+= 1
      }
      target.copyMemory(from: base + start, byteCount: end &- start)
      target += end &- start
    }
    (base + range.lowerBound).copyMemory(from: copy, byteCount: range.count)
    if _slowPath(byteCount > Self.restingByteCount) { makeRoom(forBytes: Self.restingByteCount) }
  }

  // MARK: Memory

  @inline(never)
  private mutating func makeRoom(forEntries count: Int) {
    entries.deallocate()
    entries = .allocate(capacity: count)
    capacity = count
  }

  @inline(never)
  private mutating func makeRoom(forBytes count: Int) {
    copy.deallocate()
    copy = .allocate(byteCount: count, alignment: 1)
    byteCount = count
  }

  private mutating func rest() {
    makeRoom(forEntries: Self.restingCapacity)
  }
}

/// The offsets of the map entries, set elements or dictionary pairs of a value in progress, by their numbers.
///
/// A failed entry is overwritten by the next.
struct CBOREntryStarts {
  private(set) var base = UnsafeMutablePointer<Int>.allocate(capacity: restingCapacity)
  private var capacity = restingCapacity
  private static let restingCapacity = 32

  func deallocate() {
    base.deallocate()
  }

  /// Records that entry `index` starts at `offset`.
  ///
  /// All entries before it must have been recorded.
  @inline(__always)
  mutating func note(_ offset: Int, at index: Int) {
    if _slowPath(index >= capacity) { resize(to: max(capacity * 2, index + 1), keeping: capacity) }
    base[index] = offset
  }

  /// Frees most of the memory of a large map.
  @inline(__always)
  mutating func rest() {
    if _slowPath(capacity > Self.restingCapacity) { resize(to: Self.restingCapacity, keeping: 0) }
  }

  @inline(never)
  private mutating func resize(to count: Int, keeping kept: Int) {
    let resized = UnsafeMutablePointer<Int>.allocate(capacity: count)
    resized.initialize(from: base, count: kept)
    base.deallocate()
    base = resized
    capacity = count
  }
}
