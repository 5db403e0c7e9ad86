// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The table of types that is built into every process.
///
/// The table is read from a string constant, the blob that `.ci/system-types.swift` writes, without parsing or
/// allocation. The blob contains a record for each type, and sorted rows of identifiers and tags, such as `~epng|0F`.
/// Its numbers have a fixed number of digits of six bits, the most significant first. A digit is written as the
/// character with the code of "0" plus its value.
enum SystemTypes {
  /// The kind of a key; the raw value is the letter before the stored key.
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
    var (low, high) = (keysStart, blob.utf8CodeUnitCount - 1)
    while low < high {
      var row = (low + high) / 2
      while byte(at: row) != UInt8(ascii: "~") { row -= 1 }
      let (order, end) = compare(bytes, kind, toRowAt: row)
      if order == 0 { return Indices(offset: end + 1, count: (nextRow(after: end) - end - 1) / 2) }
      (low, high) = order < 0 ? (low, row) : (nextRow(after: end), high)
    }
    return .none
  }

  /// Compares a key with the key of a row.
  ///
  /// - Returns: The difference of the first bytes that are not equal, and the offset in the row at which it was found.
  private static func compare(
    _ key: Span<UInt8>, _ kind: KeyKind, toRowAt row: Int
  ) -> (order: Int, offset: Int) {
    let order = Int(kind.rawValue) - Int(byte(at: row + 1))
    guard order == 0 else { return (order, row + 1) }
    var offset = row + 2
    for index in key.indices {
      let stored = byte(at: offset)
      // The stored key ends here, and is a prefix of the key.
      if stored == UInt8(ascii: "|") { return (1, offset) }
      let byte = kind.hasCase ? key[index] : key[index].asciiLowercased
      if byte != stored { return (Int(byte) - Int(stored), offset) }
      offset += 1
    }
    return (byte(at: offset) == UInt8(ascii: "|") ? 0 : -1, offset)
  }

  private static func nextRow(after offset: Int) -> Int {
    var next = offset
    while byte(at: next) != UInt8(ascii: "~") { next += 1 }
    return next
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
    number(at: 3 &* index, digits: 3)
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
