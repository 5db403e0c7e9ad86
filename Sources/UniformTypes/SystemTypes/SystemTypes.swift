// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The table of types that is built into every process.
///
/// The table is read from a string constant, the blob that `.ci/system-types.swift` writes, without parsing or
/// allocation. The blob contains a hash table of identifiers and tags, and a record for each type. Its numbers have a
/// fixed number of digits of six bits, the most significant first. A digit is written as the character with the code of
/// "0" plus its value.
enum SystemTypes {
  /// The kind of a key of the hash table; the raw value is the letter before the stored key.
  enum KeyKind: UInt8 {
    case identifier = 0x69  // i
    case filenameExtension = 0x65  // e
    case mimeType = 0x6D  // m
    case osType = 0x6F  // o
    case pasteboardType = 0x70  // p

    fileprivate var hasCase: Bool { self == .osType || self == .pasteboardType }
  }

  /// The indices of types in a list within the blob.
  struct Indices: Sequence, IteratorProtocol {
    fileprivate var offset: Int
    fileprivate(set) var count: Int

    static let none = Indices(offset: 0, count: 0)

    mutating func next() -> Int? {
      guard count > 0 else { return nil }
      defer {
        offset += 2
        count -= 1
      }
      return SystemTypes.number(at: offset, digits: 2)
    }

    @inline(__always)
    func contains(_ index: Int) -> Bool {
      // Compares two digits at once, in the machine's byte order.
      let digits = UInt16(truncatingIfNeeded: (0x30 &+ index >> 6) << 8 | 0x30 &+ index & 63).bigEndian
      var run = UnsafeRawPointer(SystemTypes.blob.utf8Start) + offset
      let end = run + 2 &* count
      while run < end {
        if run.loadUnaligned(as: UInt16.self) == digits { return true }
        run += 2
      }
      return false
    }
  }

  // MARK: Search

  static func index(of identifier: String) -> Int? {
    var found = indices(of: identifier, kind: .identifier)
    return found.next()
  }

  /// Returns the types with a key, in the order of their precedence.
  ///
  /// Apple's types come before types of other owners. In both groups, the type that `.ci/system-types.swift` chooses
  /// for the key comes first, then types with a constant, then `public.` types, then more general types. The remaining
  /// order is by identifier.
  static func indices(of key: String, kind: KeyKind) -> Indices {
    let bytes = key.utf8Span.span
    // No key in the table is longer, and the limit bounds the work.
    guard bytes.count <= 128 else { return .none }
    var hash: UInt32 = (0x811C_9DC5 ^ UInt32(kind.rawValue)) &* 0x0100_0193
    // Setting the case bit of all bytes is faster than finding the letters. `matches` then compares exactly.
    for index in bytes.indices { hash = (hash ^ UInt32(bytes[unchecked: index] | 0x20)) &* 0x0100_0193 }
    var slot = Int(hash) % slotCount
    while case let entry = number(at: slotsStart + 3 * slot, digits: 3), entry != 0 {
      if byte(at: entry) == kind.rawValue, matches(bytes, at: entry + 1, ignoringCase: !kind.hasCase) {
        let run = entry + 3 + bytes.count
        return Indices(offset: run + 1, count: number(at: run, digits: 1))
      }
      slot = (slot + 1) % slotCount
    }
    return .none
  }

  private static func matches(_ key: Span<UInt8>, at offset: Int, ignoringCase: Bool) -> Bool {
    guard number(at: offset, digits: 2) == key.count else { return false }
    let stored = blob.utf8Start + offset + 2
    for index in key.indices where key[unchecked: index] != stored[index] {
      guard ignoringCase, key[unchecked: index].asciiLowercased == stored[index] else { return false }
    }
    return true
  }

  // MARK: Records

  static func parents(of index: Int) -> Indices {
    let ancestors = ancestors(of: index)
    return run(at: ancestors.offset + 2 * ancestors.count)
  }

  /// Returns all supertypes, direct and indirect.
  static func ancestors(of index: Int) -> Indices {
    run(at: record(of: index))
  }

  /// Returns whether a type equals another or conforms to it.
  static func conforms(_ index: Int, to other: Int) -> Bool {
    index == other || ancestors(of: index).contains(other)
  }

  /// Returns the tags, the description and the reference URL of a type.
  ///
  /// The tags are in the order of `tagClasses`, and the tags of each class in the order of preference.
  static func texts(of index: Int) -> (tags: [[String]], description: String?, referenceURL: String?) {
    let parents = parents(of: index)
    var offset = parents.offset + 2 * parents.count
    func text() -> String {
      let count = number(at: offset, digits: 2)
      defer { offset += 2 + count }
      return String(decoding: UnsafeBufferPointer(start: blob.utf8Start + offset + 2, count: count), as: UTF8.self)
    }
    let tags = tagClasses.map { _ in
      let count = number(at: offset, digits: 1)
      offset += 1
      return (0..<count).map { _ in text() }
    }
    let (description, referenceURL) = (text(), text())
    return (tags, description.isEmpty ? nil : description, referenceURL.isEmpty ? nil : referenceURL)
  }

  static let tagClasses: [UTTagClass] = [.filenameExtension, .mimeType, .osType, .pasteboardType]

  // MARK: Bytes and numbers

  @inline(__always)
  private static func record(of index: Int) -> Int {
    number(at: recordsStart &+ 3 &* index, digits: 3)
  }

  @inline(__always)
  private static func run(at offset: Int) -> Indices {
    Indices(offset: offset &+ 1, count: number(at: offset, digits: 1))
  }

  @inline(__always)
  fileprivate static func byte(at offset: Int) -> UInt8 {
    assert(offset < blob.utf8CodeUnitCount)
    return blob.utf8Start[offset]
  }

  @inline(__always)
  fileprivate static func number(at offset: Int, digits: Int) -> Int {
    assert(offset + digits <= blob.utf8CodeUnitCount)
    let start = blob.utf8Start + offset
    var value = Int(start[0] &- 0x30)
    if digits > 1 { value = value << 6 | Int(start[1] &- 0x30) }
    if digits > 2 { value = value << 6 | Int(start[2] &- 0x30) }
    return value
  }
}
