// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The relations between the types of all files, and the rules about content in the order of their evaluation.
final class MIMETables: Sendable {
  /// The maximum length of a chain of aliases; a longer chain is treated as a cycle.
  private static let maximumAliasHops = 8
  /// The maximum priority of weak rules, which is the minimum priority in the system's database.
  private static let weakPriority = 10

  /// A rule about the content of a type's files.
  struct Rule: Sendable {
    let file: Int
    /// The offset of the priority, which is followed by the type.
    let section: Int
    let priority: Int
    /// Whether the rule compares too few bits to take precedence over others.
    let isWeak: Bool
    let rule: MIMEMagicRule
  }

  /// The type of each alias, and the spelling of each type, by the name in lower case.
  let names: [String: String]
  /// The aliases of each canonical name.
  let aliases: [String: [String]]
  /// The supertypes of each canonical name.
  let parents: [String: [String]]
  let rules: [Rule]
  let typesWithRules: Set<String>
  let roots: [XMLRoot: String]

  /// Creates the tables; files of nearer directories come first and take precedence.
  init(_ files: [MIMECacheFile]) {
    var names: [String: String] = [:]
    var stated: [String] = []
    for file in files {
      for entry in file.entries(.aliases, of: 8) {
        guard let alias = file.type(entry), let type = file.type(entry + 4), names[alias.asciiLowercased] == nil
        else { continue }
        stated.append(alias)
        names[alias.asciiLowercased] = type
      }
    }
    for file in files {
      // Many claims share a type, whose text has one offset.
      var offsets = Set(file.sections.map { file.number($0 + 4) })
      for list in [MIMECacheFile.List.literals, .wildcards] {
        for entry in file.entries(list, of: 12) { offsets.insert(file.number(entry + 4)) }
      }
      for entry in file.entries(.aliases, of: 8) { offsets.insert(file.number(entry + 4)) }
      for entry in file.entries(.parents, of: 8) { offsets.insert(file.number(entry)) }
      file.forEachSuffix { _, claim in offsets.insert(file.number(claim)) }
      for type in offsets.compactMap({ file.type(at: $0) }) where names[type.asciiLowercased] == nil {
        names[type.asciiLowercased] = type
      }
    }
    self.names = names

    var aliases: [String: [String]] = [:]
    for alias in stated {
      let type = Self.canonicalType(of: alias, in: names)
      if type != alias { aliases[type, default: []].append(alias) }
    }
    self.aliases = aliases
    var parents: [String: [String]] = [:]
    var roots: [XMLRoot: String] = [:]
    for file in files {
      for entry in file.entries(.parents, of: 8) {
        guard let child = file.type(entry).map({ Self.canonicalType(of: $0, in: names) }) else { continue }
        for field in file.entries(at: file.number(entry + 4), of: 4) {
          guard let parent = file.type(field).map({ Self.canonicalType(of: $0, in: names) }), parent != child,
            parents[child]?.contains(parent) != true
          else { continue }
          parents[child, default: []].append(parent)
        }
      }
      for entry in file.entries(.roots, of: 12) {
        let root = XMLRoot(namespace: file.text(entry), localName: file.text(entry + 4))
        if roots[root] == nil { roots[root] = file.type(entry + 8).map { Self.canonicalType(of: $0, in: names) } }
      }
    }
    self.parents = parents
    self.roots = roots
    rules = Self.rules(of: files)
    typesWithRules = Set(
      files.flatMap { file in
        file.sections.compactMap { file.type($0 + 4) }.map { Self.canonicalType(of: $0, in: names) }
      })
  }

  /// Returns the canonical name for an alias or another spelling; returns an unknown name unchanged.
  func canonicalType(of type: String) -> String { Self.canonicalType(of: type, in: names) }

  private static func canonicalType(of name: String, in names: [String: String]) -> String {
    var type = name
    for _ in 0...maximumAliasHops {
      guard let next = names[type.asciiLowercased] else { return type }
      if next.isEqualIgnoringASCIICase(to: type) { return next }
      type = next
    }
    return name
  }

  private static func rules(of files: [MIMECacheFile]) -> [Rule] {
    var rules: [Rule] = []
    var discarded: Set<String> = []
    for (number, file) in files.enumerated() {
      var notices: Set<String> = []
      for section in file.sections {
        guard let type = file.type(section + 4), !discarded.contains(type) else { continue }
        let priority = file.number(section)
        for entry in file.children(at: section + 8, of: 32) {
          let rule = MIMEMagicRule(at: entry, in: file)
          let isWeak = rule.isWeak(in: file)
          if rule.isNotice(in: file) {
            notices.insert(type)
          } else {
            rules.append(
              Rule(
                file: number, section: section, priority: isWeak ? min(priority, weakPriority) : priority,
                isWeak: isWeak, rule: rule))
          }
        }
      }
      discarded.formUnion(notices)
    }
    return rules.sorted { $0.priority > $1.priority }
  }
}

/// A rule about the bytes of a file: a value at one of several offsets, and rules of which one must match as well.
///
/// The rule refers to the value in the bytes of the cache, so that a search through all rules copies no arrays.
struct MIMEMagicRule: Sendable {
  /// The maximum work of one search: the number of compared bytes, plus one for each rule and for each 16 offsets.
  ///
  /// The system's database needs about ten thousand; a hostile database could need billions.
  static let maximumWork = 8 << 20
  /// The minimum number of bits of evidence of a rule; a rule with fewer is weak, as its match may be a coincidence.
  private static let minimumBits = 12

  let offsets: Range<Int>
  private let value: Range<Int>
  /// The offset of the mask in the cache; 0 if all bits are compared.
  private let mask: Int
  /// The bits that change the index of a byte into its index in the byte order of the machine.
  private let swap: Int
  private let firstByte: UInt8
  private let firstMask: UInt8
  /// The number and the offset of the children are at this offset.
  private let children: Int
  private let comparedBits: Int

  /// Reads a rule at an offset of a cache.
  init(at offset: Int, in file: MIMECacheFile) {
    let start = file.number(offset)
    let length = file.number(offset + 12)
    value = file.number(offset + 16)..<file.number(offset + 16) + length
    mask = file.number(offset + 20)
    swap = 1.littleEndian == 1 ? file.number(offset + 8) - 1 : 0
    children = offset + 24
    comparedBits =
      mask == 0 ? length * 8 : file.bytes[mask..<mask + length].reduce(0) { $0 + $1.nonzeroBitCount }
    // A rule that compares nothing matches nothing.
    offsets = comparedBits == 0 ? 0..<0 : start..<start + file.number(offset + 4)
    firstMask = mask == 0 || length == 0 ? 0xFF : file.bytes[mask + swap]
    firstByte = length == 0 ? 0 : file.bytes[value.lowerBound + swap] & firstMask
  }

  private func childRules(in file: MIMECacheFile) -> some Sequence<MIMEMagicRule> {
    file.children(at: children, of: 32).lazy.map { MIMEMagicRule(at: $0, in: file) }
  }

  /// Returns whether the rule discards the rules of farther directories about its type.
  func isNotice(in file: MIMECacheFile) -> Bool { file.bytes[value].elementsEqual("__NOMAGIC__".utf8) }

  /// Returns whether a path through the rules has too little evidence to take precedence over other rules.
  func isWeak(in file: MIMECacheFile, after bits: Int = 0) -> Bool {
    // Twice as many offsets, or one compared bit less, double the probability of an accidental match.
    let doublings = Int.bitWidth - 1 - max(1, offsets.count).leadingZeroBitCount
    let bits = bits + max(0, comparedBits - doublings)
    guard file.number(children) > 0 else { return bits < Self.minimumBits }
    return childRules(in: file).contains { $0.isWeak(in: file, after: bits) }
  }

  /// Whether the rule consists of at most four bytes at one offset that is not the start.
  func isWord(in file: MIMECacheFile) -> Bool {
    offsets.lowerBound > 0 && offsets.count == 1 && comparedBits <= 32 && file.number(children) == 0
  }

  /// Returns whether the first byte of the value permits a match, which excludes most rules.
  func allows(_ content: Span<UInt8>) -> Bool {
    let start = offsets.lowerBound
    return start < content.count && (offsets.count != 1 || content[start] & firstMask == firstByte)
  }

  /// Returns whether the rule matches content.
  ///
  /// - Parameters:
  ///   - content: The leading bytes.
  ///   - file: The cache that the rule comes from.
  ///   - work: The permitted work; nothing matches if it is negative.
  /// - Returns: Whether the value and one of the children match.
  func matches(_ content: Span<UInt8>, in file: MIMECacheFile, _ work: inout Int) -> Bool {
    guard hasValue(in: content, file, &work) else { return false }
    if file.number(children) == 0 { return true }
    for child in childRules(in: file) where child.matches(content, in: file, &work) { return true }
    return false
  }

  private func hasValue(in content: Span<UInt8>, _ file: MIMECacheFile, _ work: inout Int) -> Bool {
    let end = min(offsets.upperBound, content.count - value.count + 1)
    var start = offsets.lowerBound
    guard start < end, allows(content) else { return false }
    work -= 1 + (end - start) / 16
    while start < end, work >= 0 {
      if firstMask == 0xFF {
        guard let found = Self.firstIndex(of: firstByte, in: content, start..<end) else { return false }
        start = found
      }
      var index = 0
      while index < value.count {
        let bits = mask == 0 ? 0xFF : file.bytes[mask + (index ^ swap)]
        guard (content[start + index] ^ file.bytes[value.lowerBound + (index ^ swap)]) & bits == 0 else { break }
        index += 1
      }
      if index == value.count { return true }
      work -= index
      start += 1
    }
    return false
  }

  /// Returns the index of the first `byte` in a range.
  ///
  /// The C library's search is used because rules may have thousands of offsets.
  private static func firstIndex(of byte: UInt8, in content: Span<UInt8>, _ range: Range<Int>) -> Int? {
    if content[range.lowerBound] == byte { return range.lowerBound }
    guard range.count > 1 else { return nil }
    return content.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      return memchr(base + range.lowerBound, Int32(byte), range.count).map { UnsafeRawPointer($0) - base }
    }
  }
}
