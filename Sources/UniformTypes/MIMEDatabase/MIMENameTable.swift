// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A table that assigns consecutive numbers to names, so that other tables can be arrays indexed by these numbers.
///
/// All names share one array. The names come from untrusted files, so the hash is the standard library's seeded hash,
/// which prevents deliberate collisions.
struct MIMENameTable: Sendable {
  typealias ID = Int32

  private let ignoresCase: Bool
  private var characters: [UInt8] = []
  /// The bounds of name `n` in `characters` are `ends[n]` and `ends[n + 1]`.
  private var ends: [UInt32] = [0]
  /// The hash of each name, so that growing the table does not hash all names again.
  private var hashes: [UInt32] = []
  /// The slots of the hash table, with open addressing: the number of a name, or -1.
  ///
  /// The count of the slots is a power of two.
  private var slots = [ID](repeating: -1, count: 64)

  /// - Parameter ignoresCase: Whether names that differ only in the case of ASCII letters are equal.
  init(ignoresCase: Bool) {
    self.ignoresCase = ignoresCase
  }

  var count: Int { ends.count - 1 }

  /// Returns the number of a name, and adds the name if it is new.
  mutating func insert(_ name: Span<UInt8>) -> ID {
    let hash = hash(of: name)
    let slot = slot(of: name, hash)
    if slots[slot] >= 0 { return slots[slot] }
    let id = ID(count)
    name.withUnsafeBufferPointer { characters.append(contentsOf: $0) }
    ends.append(UInt32(characters.count))
    hashes.append(hash)
    slots[slot] = id
    if count * 2 > slots.count { grow() }
    return id
  }

  mutating func insert(_ name: String) -> ID {
    insert(name.utf8Span.span)
  }

  func find(_ name: Span<UInt8>) -> ID? {
    let id = slots[slot(of: name, hash(of: name))]
    return id < 0 ? nil : id
  }

  func find(_ name: String) -> ID? {
    find(name.utf8Span.span)
  }

  /// Returns a name in the spelling in which it was first inserted.
  func name(_ id: ID) -> String {
    characters.withUnsafeBufferPointer { String(decoding: $0[bounds(id)], as: UTF8.self) }
  }

  func hasPrefix(_ id: ID, _ prefix: StaticString) -> Bool {
    let bounds = bounds(id)
    guard bounds.count >= prefix.utf8CodeUnitCount else { return false }
    return prefix.withUTF8Buffer { prefix in
      prefix.indices.allSatisfy { characters[bounds.lowerBound + $0].asciiLowercased == prefix[$0] }
    }
  }

  private func bounds(_ id: ID) -> Range<Int> {
    Int(ends[Int(id)])..<Int(ends[Int(id) + 1])
  }

  private func hash(of name: Span<UInt8>) -> UInt32 {
    var hasher = Hasher()
    name.hash(into: &hasher, ignoringCase: ignoresCase)
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }

  private func slot(of name: Span<UInt8>, _ hash: UInt32) -> Int {
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot] >= 0, !isEqual(slots[slot], name, hash) { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  private func isEqual(_ id: ID, _ name: Span<UInt8>, _ hash: UInt32) -> Bool {
    hashes[Int(id)] == hash && characters.span.extracting(bounds(id)).isEqual(to: name, ignoringCase: ignoresCase)
  }

  private mutating func grow() {
    slots = [ID](repeating: -1, count: slots.count * 2)
    for id in 0..<ID(count) {
      var slot = Int(hashes[Int(id)]) & (slots.count - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = id
    }
  }
}
