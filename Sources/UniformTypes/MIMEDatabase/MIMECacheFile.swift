// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file `mime.cache`, which `update-mime-database` writes into a directory of the database.
///
/// The shared-mime-info specification describes the format. Its numbers have 32 bits, the most significant byte first,
/// and its offsets count from the start of the file. Queries read the bytes of the file, which are checked once.
struct MIMECacheFile: Sendable {
  /// The maximum length of a file in bytes; the system's file has about 150 KB.
  static let maximumLength = 4 << 20
  /// The maximum length of a text in bytes, and of a suffix in characters.
  static let maximumTextLength = 1024
  /// The maximum length of a type in bytes: the grammar allows 127 characters on each side of the slash.
  private static let maximumTypeLength = 255
  /// The maximum number of levels of rules.
  static let maximumDepth = 32
  /// The maximum number of wildcard patterns that a search tries.
  static let maximumWildcards = 256

  /// A list of the file; the raw value is the offset of the list's offset.
  enum List: Int {
    case aliases = 4
    case parents = 8
    case literals = 12
    case suffixes = 16
    case wildcards = 20
    case rules = 24
    case roots = 28
  }

  /// The reason why a file is rejected.
  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  let bytes: [UInt8]

  /// Checks every number, text and list of the file.
  init(_ bytes: [UInt8]) throws(Fault) {
    self.bytes = bytes
    var check = MIMECacheCheck(bytes)
    try check.checkFile()
  }

  // MARK: Numbers, texts and lists

  func number(_ offset: Int) -> Int { bytes.number(offset) }

  /// Returns the text whose offset is at `offset`; it ends before a NUL.
  func text(_ offset: Int) -> String {
    String(decoding: bytes[number(offset)...].prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Returns the type whose offset is at `offset`.
  func type(_ offset: Int) -> String? { type(at: number(offset)) }

  /// Returns the type at an offset.
  ///
  /// The result is `nil` for other text. Types are displayed, and their halves are names in the file system.
  func type(at start: Int) -> String? {
    var end = start
    var slash = -1
    while case let byte = bytes[end], byte != 0 {
      let isFirst = end == start || end == slash + 1
      guard byte > 0x20, byte < 0x7F, !isFirst || byte != UInt8(ascii: "/") && byte != UInt8(ascii: ".") else {
        return nil
      }
      if byte == UInt8(ascii: "/") {
        if slash >= 0 { return nil }
        slash = end
      }
      end += 1
    }
    guard slash >= 0, slash + 1 < end, end - start <= Self.maximumTypeLength else { return nil }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  /// Returns the offsets of a list's entries; the list begins with their number.
  func entries(at start: Int, of length: Int) -> StrideTo<Int> {
    stride(from: start + 4, to: start + 4 + number(start) * length, by: length)
  }

  func entries(_ list: List, of length: Int) -> StrideTo<Int> {
    entries(at: number(list.rawValue), of: length)
  }

  /// Returns the offsets of entries, whose number and offset are at `offset`.
  func children(at offset: Int, of length: Int) -> StrideTo<Int> {
    let start = number(offset + 4)
    return stride(from: start, to: start + number(offset) * length, by: length)
  }

  /// The number of leading bytes of content that the rules examine.
  var extent: Int { number(number(List.rules.rawValue) + 4) }

  /// The offsets of the types with rules: each has a priority, a type, and the number and offset of its rules.
  var sections: StrideTo<Int> {
    let list = number(List.rules.rawValue)
    return stride(from: number(list + 8), to: number(list + 8) + number(list) * 16, by: 16)
  }

  // MARK: Patterns

  // The queries return the length of each pattern that matches a name, and the offset of the type that claims it. The
  // weight and the flags of the claim come after the type.

  func literalClaims(on name: String) -> [(length: Int, claim: Int)] {
    let text = Array(name.utf8) + [0]
    return entries(.literals, of: 12).filter { bytes[number($0)...].starts(with: text) }.map {
      (name.utf8.count, $0 + 4)
    }
  }

  func wildcardClaims(on name: String) -> [(length: Int, claim: Int)] {
    entries(.wildcards, of: 12).prefix(Self.maximumWildcards).compactMap { entry in
      let pattern = text(entry)
      return fnmatch(pattern, name, 0) == 0 ? (pattern.utf8.count, entry + 4) : nil
    }
  }

  // A tree contains patterns such as `*.png` from their last character to the first. A leaf has the character 0, the
  // offset of a type, and a weight with flags. Another node has a character, and the number and offset of its children.

  func suffixClaims(on name: String) -> [(length: Int, claim: Int)] {
    var found: [(length: Int, claim: Int)] = []
    var nodes = children(at: number(List.suffixes.rawValue), of: 12)
    for (length, character) in name.unicodeScalars.reversed().enumerated() {
      guard let node = nodes.first(where: { number($0) == Int(character.value) }) else { break }
      nodes = children(at: node + 4, of: 12)
      // The leaves come first.
      for leaf in nodes.prefix(while: { number($0) == 0 }) { found.append((length + 1, leaf + 4)) }
    }
    return found
  }

  /// Calls a function with each suffix from its last character to the first, and the offset of the type that claims it.
  func forEachSuffix(_ body: ([UInt32], Int) -> Void) {
    var path: [UInt32] = []
    func visit(_ nodes: StrideTo<Int>) {
      for node in nodes {
        let character = number(node)
        if character == 0 {
          body(path, node + 4)
        } else {
          path.append(UInt32(character))
          visit(children(at: node + 4, of: 12))
          path.removeLast()
        }
      }
    }
    visit(children(at: number(List.suffixes.rawValue), of: 12))
  }
}

/// The check of a file, which is untrusted.
///
/// A well-formed file contains each entry once, so a file with more entries than its length allows is rejected. This
/// ends the check of cyclic and overlapping lists.
private struct MIMECacheCheck {
  private let bytes: [UInt8]
  /// The number of 32-bit words that further entries may have.
  private var remainingWords: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    remainingWords = bytes.count / 4
  }

  mutating func checkFile() throws(MIMECacheFile.Fault) {
    guard try number(0) == 1 << 16 | 2 else { throw fault(0, "this is not a cache of version 1.2") }
    for entry in try list(.aliases, of: 8) { try checkTexts(entry, entry + 4) }
    for entry in try list(.parents, of: 8) {
      try checkTexts(entry)
      for parent in try list(at: number(entry + 4), of: 4) { try checkTexts(parent) }
    }
    for entry in try list(.literals, of: 12) { try checkTexts(entry, entry + 4) }
    for entry in try list(.wildcards, of: 12) { try checkTexts(entry, entry + 4) }
    for entry in try list(.roots, of: 12) { try checkTexts(entry, entry + 4, entry + 8) }
    try checkSuffixes(at: number(MIMECacheFile.List.suffixes.rawValue), length: 0)
    let rules = try number(MIMECacheFile.List.rules.rawValue)
    for entry in try entries(number(rules), of: 16, at: number(rules + 8)) {
      try checkTexts(entry + 4)
      try checkRules(at: entry + 8, depth: 0)
    }
  }

  private func fault(_ offset: Int, _ reason: String) -> MIMECacheFile.Fault {
    MIMECacheFile.Fault(description: "byte \(offset): \(reason)")
  }

  private func number(_ offset: Int) throws(MIMECacheFile.Fault) -> Int {
    guard offset + 4 <= bytes.count else { throw fault(offset, "the file ends before this number") }
    return bytes.number(offset)
  }

  /// Checks the texts whose offsets are at `offsets`.
  private func checkTexts(_ offsets: Int...) throws(MIMECacheFile.Fault) {
    for offset in offsets {
      let start = try number(offset)
      guard start < bytes.count, bytes[start...].prefix(MIMECacheFile.maximumTextLength + 1).contains(0) else {
        throw fault(start, "this is not a text of at most \(MIMECacheFile.maximumTextLength) bytes and a NUL")
      }
    }
  }

  private mutating func entries(
    _ count: Int, of length: Int, at start: Int
  ) throws(MIMECacheFile.Fault) -> StrideTo<Int> {
    guard count * length <= bytes.count - start else { throw fault(start, "\(count) entries exceed the file") }
    remainingWords -= count * length / 4
    guard remainingWords >= 0 else { throw fault(start, "this list overlaps other lists") }
    return stride(from: start, to: start + count * length, by: length)
  }

  private mutating func list(at start: Int, of length: Int) throws(MIMECacheFile.Fault) -> StrideTo<Int> {
    try entries(number(start), of: length, at: start + 4)
  }

  private mutating func list(_ list: MIMECacheFile.List, of length: Int) throws(MIMECacheFile.Fault) -> StrideTo<Int> {
    try self.list(at: number(list.rawValue), of: length)
  }

  private mutating func checkSuffixes(at offset: Int, length: Int) throws(MIMECacheFile.Fault) {
    guard length <= MIMECacheFile.maximumTextLength else {
      throw fault(offset, "a suffix has more than \(MIMECacheFile.maximumTextLength) characters")
    }
    for node in try entries(number(offset), of: 12, at: number(offset + 4)) {
      if bytes.number(node) == 0 {
        try checkTexts(node + 4)
      } else {
        try checkSuffixes(at: node + 4, length: length + 1)
      }
    }
  }

  private mutating func checkRules(at offset: Int, depth: Int) throws(MIMECacheFile.Fault) {
    guard depth <= MIMECacheFile.maximumDepth else {
      throw fault(offset, "rules have more than \(MIMECacheFile.maximumDepth) levels")
    }
    for rule in try entries(number(offset), of: 32, at: number(offset + 4)) {
      let (wordSize, length) = (bytes.number(rule + 8), bytes.number(rule + 12))
      guard [1, 2, 4].contains(wordSize), length % wordSize == 0 else {
        throw fault(rule + 8, "the word size is \(wordSize), and the length of the value is \(length)")
      }
      _ = try entries(length, of: 1, at: bytes.number(rule + 16))
      if bytes.number(rule + 20) != 0 { _ = try entries(length, of: 1, at: bytes.number(rule + 20)) }
      try checkRules(at: rule + 24, depth: depth + 1)
    }
  }
}

extension [UInt8] {
  fileprivate func number(_ offset: Int) -> Int {
    Int(self[offset]) << 24 | Int(self[offset + 1]) << 16 | Int(self[offset + 2]) << 8 | Int(self[offset + 3])
  }
}
