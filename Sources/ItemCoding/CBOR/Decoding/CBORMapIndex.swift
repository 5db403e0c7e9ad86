// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The offsets of a map's keys and values, recorded when the program requests a key out of order or leaves an entry
/// unread.
struct CBORMapIndex {
  struct Entry {
    /// The offset of the key's header.
    let keyStart: Int
    /// The length of the key's text, which ends at the value; negative unless the key is text of definite length.
    let textLength: Int
    /// The offset of the value, which follows the key.
    let value: Int
    /// The ``CBORMapIndex/digest(of:)`` of the key's text.
    let digest: UInt64
  }

  private(set) var isMade = false
  /// Whether some keys are not text of definite length.
  private(set) var hasOthers = false
  /// The fault of a key that could not be read, because of which the map is refused.
  private(set) var refusal: CBORFault?
  /// The indices of the entries by their converted keys; empty if keys are not converted.
  var converted: [CBORDecodingSession.Key: Int] = [:]
  private var entries: [Entry] = []
  /// A hash table of the entries' indices plus one; 0 is an empty slot.
  ///
  /// The table of a small map is empty, because a linear search is as fast.
  private var table: [UInt32] = []
  /// The index after the last match, which is the most likely next match.
  private var likely = 0

  /// The maximum number of entries that are searched one by one.
  private static let smallCount = 16
  /// The maximum number of entries whose memory is kept for the next map.
  private static let retainedCount = 1024

  var count: Int { entries.count }

  /// Whether the index takes more memory than is kept for the next map.
  var isLarge: Bool { count > Self.retainedCount }

  @inline(__always)
  mutating func clear() {
    // After a fault in the map, there are entries although the index is not complete.
    if _slowPath(!entries.isEmpty || isMade) { reset() }
  }

  private mutating func reset() {
    isMade = false
    hasOthers = false
    refusal = nil
    if !converted.isEmpty { converted = [:] }
    likely = 0
    if !table.isEmpty { table = [] }
    entries.removeAll(keepingCapacity: count <= Self.retainedCount)
  }

  /// Refuses the map from now on, because of the first of such faults.
  mutating func refuse(_ fault: CBORFault) {
    if refusal == nil { refusal = fault }
    isMade = false
  }

  subscript(place: Int) -> Entry { entries[place] }

  @inline(__always)
  mutating func append(_ entry: Entry) {
    if entry.textLength < 0 { hasOthers = true }
    entries.append(entry)
  }

  /// Completes the index after all entries were appended.
  ///
  /// Some entries may already have been decoded, with keys of the table `names`.
  ///
  /// - Throws: A fault if a key is repeated.
  mutating func finish(_ input: CBORInput, _ names: CBORKeyNames?) throws(CBORFault) {
    if hasOthers { try refuseSynonyms(input) }
    if count <= Self.smallCount {
      for later in 0..<count {
        for earlier in 0..<later where areEqual(self[later], self[earlier], input) {
          throw Self.repeatedKey(at: self[later].keyStart)
        }
      }
    } else {
      try hashKeys(input)
    }
    if hasOthers, let names { try refuseTextAndNumber(of: names, input) }
    // `isMade` is set last, so that a map that was refused once is refused again.
    isMade = true
  }

  private mutating func hashKeys(_ input: CBORInput) throws(CBORFault) {
    guard count < UInt32.max else { throw CBORFault(.limit, at: self[0].keyStart, "a map of \(count) entries") }
    var size = 64
    while size < count * 2 { size *= 2 }
    table = [UInt32](repeating: 0, count: size)
    for place in 0..<count {
      let entry = self[place]
      var slot = Self.hash(key(entry, input)) & (size - 1)
      while table[slot] != 0 {
        if areEqual(self[Int(table[slot]) - 1], entry, input) { throw Self.repeatedKey(at: entry.keyStart) }
        slot = (slot + 1) & (size - 1)
      }
      table[slot] = UInt32(place + 1)
    }
  }

  /// Throws if the map contains both the text and the number of one key.
  private mutating func refuseTextAndNumber(of names: CBORKeyNames, _ input: CBORInput) throws(CBORFault) {
    for place in 0..<count where self[place].textLength < 0 {
      var offset = self[place].keyStart
      guard let number: Int = try? input.integer(&offset), var text = names.text(ofNumber: number) else { continue }
      let twin = text.withUTF8 { find(text: UnsafeRawBufferPointer($0), input) }
      if let twin { throw Self.repeatedKey(at: self[max(place, twin)].keyStart) }
    }
  }

  /// The meaning of a key: for text and integers, it does not depend on the encoding.
  private enum Meaning: Hashable {
    case text([UInt8])
    case number(Int128)
    case bytes([UInt8])
  }

  /// Throws if two keys have the same meaning in different encodings, such as a bignum and an integer, or text in
  /// chunks and in one piece.
  private func refuseSynonyms(_ input: CBORInput) throws(CBORFault) {
    var meanings: Set<Meaning> = []
    for place in 0..<count where !meanings.insert(meaning(of: self[place], input)).inserted {
      throw Self.repeatedKey(at: self[place].keyStart)
    }
  }

  private func meaning(of entry: Entry, _ input: CBORInput) -> Meaning {
    var offset = entry.keyStart
    var unlimited = input
    unlimited.lengthLimit = .max
    if let text = try? unlimited.text(&offset) { return .text(Array(text.utf8)) }
    offset = entry.keyStart
    if let number: Int128 = try? input.integer(&offset) { return .number(number) }
    let bytes = UnsafeRawBufferPointer(start: input.base + entry.keyStart, count: entry.value - entry.keyStart)
    return .bytes(Array(bytes))
  }

  /// Returns the fault of a key at `offset` that is repeated.
  static func repeatedKey(at offset: Int) -> CBORFault {
    CBORFault(at: offset, "a repeated key in a map")
  }

  /// Returns the bytes that identify a key: its text, or the encoded key if it is not text of definite length.
  @inline(__always)
  private func key(_ entry: Entry, _ input: CBORInput) -> UnsafeRawBufferPointer {
    entry.textLength >= 0
      ? UnsafeRawBufferPointer(start: input.base + (entry.value &- entry.textLength), count: entry.textLength)
      : UnsafeRawBufferPointer(start: input.base + entry.keyStart, count: entry.value - entry.keyStart)
  }

  @inline(__always)
  private func areEqual(_ one: Entry, _ other: Entry, _ input: CBORInput) -> Bool {
    one.textLength == other.textLength && one.digest == other.digest
      && Self.areEqual(key(one, input), key(other, input))
  }

  /// Returns up to eight bytes of a text.
  ///
  /// Texts of the same length with different digests are different. Texts of at most ``exactLength`` bytes with the same
  /// length and digest are equal.
  @inline(__always)
  static func digest(of text: UnsafeRawBufferPointer) -> UInt64 {
    let count = text.count
    if count >= 8 { return text.loadUnaligned(as: UInt64.self) }
    if count >= 4 {
      let end = text.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
      return UInt64(text.loadUnaligned(as: UInt32.self)) | UInt64(end) << 32
    }
    guard count > 0 else { return 0 }
    return UInt64(text[0]) | UInt64(text[count / 2]) << 8 | UInt64(text[count &- 1]) << 16
  }

  private static let exactLength = 8

  @inline(__always)
  private static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    // `elementsEqual` compares byte by byte.
    guard one.count == other.count, let first = one.baseAddress, let second = other.baseAddress else {
      return one.isEmpty && other.isEmpty
    }
    return memcmp(first, second, one.count) == 0
  }

  private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
    // The hash is seeded for each process, so a sender cannot choose keys that collide.
    var hasher = Hasher()
    hasher.combine(bytes: bytes)
    return hasher.finalize()
  }

  // MARK: Finding

  /// Returns the offset of the value whose key is the text `text`.
  @inline(__always)
  mutating func value(of text: UnsafeRawBufferPointer, _ input: CBORInput) -> Int? {
    find(text: text, input).map { self[$0].value }
  }

  /// Returns the index of the key with the text `text`.
  @inline(__always)
  mutating func find(text: UnsafeRawBufferPointer, _ input: CBORInput) -> Int? {
    let digest = Self.digest(of: text)
    let isLikely = likely < count && has(text, digest, at: likely, input)
    let place = isLikely ? likely : table.isEmpty ? search(text, digest, input) : lookUp(text, input)
    if let place { likely = place &+ 1 }
    return place
  }

  @inline(__always)
  private func has(_ text: UnsafeRawBufferPointer, _ digest: UInt64, at place: Int, _ input: CBORInput) -> Bool {
    entries[place].textLength == text.count && entries[place].digest == digest
      && (text.count <= Self.exactLength || Self.areEqual(key(entries[place], input), text))
  }

  @inline(__always)
  private func search(_ text: UnsafeRawBufferPointer, _ digest: UInt64, _ input: CBORInput) -> Int? {
    var place = 0
    while place < count {
      if has(text, digest, at: place, input) { return place }
      place &+= 1
    }
    return nil
  }

  private func lookUp(_ text: UnsafeRawBufferPointer, _ input: CBORInput) -> Int? {
    var slot = Self.hash(text) & (table.count - 1)
    while table[slot] != 0 {
      let entry = self[Int(table[slot]) - 1]
      if entry.textLength >= 0, Self.areEqual(key(entry, input), text) { return Int(table[slot]) - 1 }
      slot = (slot + 1) & (table.count - 1)
    }
    return nil
  }

  /// Returns the index of a key that is not text of definite length and satisfies `isWanted`.
  mutating func findOther(_ isWanted: (Entry) throws(CBORFault) -> Bool) throws(CBORFault) -> Int? {
    guard hasOthers else { return nil }
    if likely < count, self[likely].textLength < 0, try isWanted(self[likely]) {
      likely += 1
      return likely - 1
    }
    for place in 0..<count where self[place].textLength < 0 {
      if try isWanted(self[place]) {
        likely = place + 1
        return place
      }
    }
    return nil
  }
}
