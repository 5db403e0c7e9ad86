// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Gives byte strings small numbers, so that tables about them are arrays.
///
/// All names share one block of memory. The hash is the standard library's seeded one: names come from files
/// anybody may have written, and must not be able to collide on purpose.
struct MIMENameTable: Sendable {
  typealias ID = Int32

  private let ignoresCase: Bool
  private var characters: [UInt8] = []
  /// Name `n` is in `characters` from `ends[n]` to `ends[n + 1]`.
  private var ends: [UInt32] = [0]
  /// Open addressing; -1 is an empty slot, and the number of slots a power of two.
  private var slots = [ID](repeating: -1, count: 64)

  /// - Parameter ignoresCase: Whether names that differ in the case of ASCII letters alone are one.
  init(ignoresCase: Bool) {
    self.ignoresCase = ignoresCase
  }

  var count: Int { ends.count - 1 }

  /// The number of a name, which is new if the name is.
  mutating func insert(_ name: Span<UInt8>) -> ID {
    let slot = slot(of: name)
    if slots[slot] >= 0 { return slots[slot] }
    let id = ID(count)
    for index in name.indices { characters.append(name[index]) }
    ends.append(UInt32(characters.count))
    slots[slot] = id
    if count * 2 > slots.count { grow() }
    return id
  }

  mutating func insert(_ name: String) -> ID {
    insert(name.utf8Span.span)
  }

  func find(_ name: Span<UInt8>) -> ID? {
    let id = slots[slot(of: name)]
    return id < 0 ? nil : id
  }

  func find(_ name: String) -> ID? {
    find(name.utf8Span.span)
  }

  /// A name as it was first spelled.
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

  private func slot(of name: Span<UInt8>) -> Int {
    var hasher = Hasher()
    var word: UInt64 = 0
    for index in name.indices {
      word = word << 8 | UInt64(ignoresCase ? name[index].asciiLowercased : name[index])
      if index & 7 == 7 { hasher.combine(word) }
    }
    hasher.combine(word)
    hasher.combine(name.count)
    var slot = hasher.finalize() & (slots.count - 1)
    while slots[slot] >= 0, !isEqual(slots[slot], name) { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  private func isEqual(_ id: ID, _ name: Span<UInt8>) -> Bool {
    let bounds = bounds(id)
    guard bounds.count == name.count else { return false }
    let characters = characters.span
    for index in name.indices {
      let ours = characters[bounds.lowerBound + index]
      let theirs = name[index]
      if ours != theirs, !ignoresCase || ours.asciiLowercased != theirs.asciiLowercased { return false }
    }
    return true
  }

  private mutating func grow() {
    let held = characters
    slots = [ID](repeating: -1, count: slots.count * 2)
    for id in 0..<ID(count) {
      slots[slot(of: held.span.extracting(bounds(id)))] = id
    }
  }
}
