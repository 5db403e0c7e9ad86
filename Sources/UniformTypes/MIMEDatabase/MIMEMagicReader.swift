// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A reader of the `magic` files of all directories, nearest first, into one table.
///
/// A file is a header and sections. A section is `[priority:type]`, a newline and rules. A rule has these parts:
/// - `[depth]>offset=`, a length of two bytes, and the value
/// - in any order `&mask`, `~word-size` and `+positions`
/// - a newline
///
/// Rules form trees: the parent of a rule is the last rule before it with a smaller depth. Every length is checked
/// against the remaining bytes. A malformed rule is dropped with the rules below it, and reading continues with the
/// next line.
struct MIMEMagicReader {
  static let maximumDepth = 32
  /// The maximum number of rules in one file; further rules are dropped.
  static let maximumRules = 1 << 18
  /// The minimum number of bits of evidence of a rule; a rule with fewer is weak, as its match may be a coincidence.
  static let minimumBits = 12
  /// The maximum priority of weak rules, which is the minimum priority in the system's database.
  static let weakPriority = 10

  private static let header = Array("MIME-Magic\0\n".utf8)

  private var types = MIMENameTable(ignoresCase: true)
  private var values: [UInt8] = []
  private var rules: [MIMEMagicTable.Rule] = []
  /// For each rule, the bits of evidence of the rule and of the rules above it together.
  private var bits: [Int] = []
  private var entries: [MIMEMagicTable.Entry] = []
  private var closed: Set<MIMENameTable.ID> = []

  private var rulesBefore = 0
  private var bytes: [UInt8] = []
  private var position = 0

  private struct Section {
    var type: MIMENameTable.ID
    var priority: Int
  }

  /// Returns the table of all rules read.
  func table() -> MIMEMagicTable {
    MIMEMagicTable(types: types, values: values, rules: rules, entries: entries)
  }

  /// Reads one directory's file; ignores a file without the header.
  mutating func read(_ file: [UInt8]) {
    guard file.starts(with: Self.header) else { return }
    bytes = file
    position = Self.header.count
    rulesBefore = rules.count
    var section: Section?
    var closing: Set<MIMENameTable.ID> = []
    /// The last rule and the rules above it, by depth; the depth of the next rule is at most their number.
    var path: [Int] = []
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "[") {
        closePath(&path, to: 0, section)
        section = readSectionHeader()
      } else {
        readRule(section, &path, &closing)
      }
    }
    closePath(&path, to: 0, section)
    closed.formUnion(closing)
    bytes = []
  }

  private mutating func readSectionHeader() -> Section? {
    defer { skipLine() }
    let start = position + 1
    let bytes = bytes
    guard let end = bytes[start...].prefix(MIMESyntax.maximumTypeLength + 16).firstIndex(of: UInt8(ascii: "\n")),
      end > start, bytes[end - 1] == UInt8(ascii: "]"),
      let colon = bytes[start..<end].firstIndex(of: UInt8(ascii: ":")),
      let priority = MIMESyntax.number(bytes.span.extracting(start..<colon)), colon + 1 < end,
      MIMESyntax.isType(bytes.span.extracting(colon + 1..<end - 1))
    else { return nil }
    let type = types.insert(bytes.span.extracting(colon + 1..<end - 1))
    return Section(type: type, priority: min(priority, MIMEGlob.maximumWeight))
  }

  private mutating func readRule(_ section: Section?, _ path: inout [Int], _ closing: inout Set<MIMENameTable.ID>) {
    let depth = bytes[position] == UInt8(ascii: ">") ? 0 : readNumber()
    guard let depth, depth <= Self.maximumDepth, let rule = readRuleAfterDepth() else {
      skipLine()
      dropped(at: depth ?? 0, &path, section)
      return
    }
    if let section, depth == 0, isNotice(rule.value) {
      closing.insert(section.type)
      return dropped(at: 0, &path, section)
    }
    let deciding = decidingBits(of: rule)
    guard let section, !closed.contains(section.type), depth <= path.count, deciding > 0,
      rule.offset + rule.positions - 1 + rule.value.count <= MIMEMagicTable.maximumExtent,
      rules.count - rulesBefore < Self.maximumRules
    else {
      return dropped(at: depth, &path, section)
    }
    closePath(&path, to: depth, section)
    if let parent = path.last { rules[parent].hasChildren = true }
    // Twice as many offsets, or one compared bit less, double the probability of an accidental match.
    let doublings = Int.bitWidth - 1 - rule.positions.leadingZeroBitCount
    bits.append(max(0, deciding - doublings) + (path.last.map { bits[$0] } ?? 0))
    path.append(rules.count)
    rules.append(rule)
  }

  /// Records a dropped rule: its parent must not match without it, and the rules below it are dropped for lack of a
  /// parent.
  private mutating func dropped(at depth: Int, _ path: inout [Int], _ section: Section?) {
    closePath(&path, to: depth, section)
    if depth > 0, depth == path.count, let parent = path.last { rules[parent].hasChildren = true }
  }

  /// Ends the rules in `path` with a depth of at least `depth`, and adds an entry for a rule of depth 0.
  private mutating func closePath(_ path: inout [Int], to depth: Int, _ section: Section?) {
    while path.count > depth, let index = path.popLast() {
      rules[index].end = rules.count
      guard path.isEmpty, let section else { continue }
      let leaves = (index..<rules.count).filter { !rules[$0].hasChildren }
      let isWeak = leaves.contains { bits[$0] < Self.minimumBits }
      let priority = isWeak ? min(section.priority, Self.weakPriority) : section.priority
      entries.append(.init(type: section.type, priority: priority, rule: index, isWeak: isWeak))
    }
  }

  // MARK: Parts of a rule

  /// Reads the rest of a rule after its depth, including the newline.
  private mutating func readRuleAfterDepth() -> MIMEMagicTable.Rule? {
    guard take(UInt8(ascii: ">")), let offset = readNumber(), take(UInt8(ascii: "=")), bytes.count - position >= 2
    else { return nil }
    let length = Int(bytes[position]) << 8 | Int(bytes[position + 1])
    position += 2
    guard length > 0, let value = readBytes(length) else { return nil }
    var mask: Range<Int>?
    var wordSize = 1
    var positions = 1
    while !take(UInt8(ascii: "\n")) {
      // A rule without a newline is truncated.
      guard position < bytes.count else { return nil }
      position += 1
      switch bytes[position - 1] {
      case UInt8(ascii: "&"):
        guard mask == nil, let read = readBytes(length) else { return nil }
        mask = read
      case UInt8(ascii: "~"):
        guard let size = readNumber(), [1, 2, 4].contains(size), length % size == 0 else { return nil }
        wordSize = size
      case UInt8(ascii: "+"):
        guard let count = readNumber(), count >= 1 else { return nil }
        positions = count
      default: return nil
      }
    }
    return store(offset: offset, positions: positions, value: value, mask: mask, wordSize: wordSize)
  }

  /// Stores the masked value and the mask, with their words in this machine's byte order.
  private mutating func store(
    offset: Int, positions: Int, value: Range<Int>, mask: Range<Int>?, wordSize: Int
  ) -> MIMEMagicTable.Rule {
    let swap = 1.littleEndian == 1 ? wordSize - 1 : 0
    let start = values.count
    for index in 0..<value.count {
      let masked = mask.map { bytes[$0.lowerBound + (index ^ swap)] } ?? 0xFF
      values.append(bytes[value.lowerBound + (index ^ swap)] & masked)
    }
    if let mask {
      for index in 0..<mask.count { values.append(bytes[mask.lowerBound + (index ^ swap)]) }
    }
    return .init(
      offset: offset, positions: positions, value: start..<start + value.count,
      mask: mask == nil ? nil : start + value.count)
  }

  /// Returns the number of bits of content that the rule compares.
  private func decidingBits(of rule: MIMEMagicTable.Rule) -> Int {
    guard let mask = rule.mask else { return rule.value.count * 8 }
    return values[mask..<mask + rule.value.count].reduce(0) { $0 + $1.nonzeroBitCount }
  }

  private func isNotice(_ value: Range<Int>) -> Bool {
    MIMESyntax.isEqual(values.span.extracting(value), "__NOMAGIC__")
  }

  private mutating func readBytes(_ count: Int) -> Range<Int>? {
    guard count <= bytes.count - position else { return nil }
    defer { position += count }
    return position..<position + count
  }

  private mutating func readNumber() -> Int? {
    let start = position
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    while position < bytes.count, position - start <= 9, digits.contains(bytes[position]) { position += 1 }
    return MIMESyntax.number(bytes.span.extracting(start..<position))
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipLine() {
    while position < bytes.count, !take(UInt8(ascii: "\n")) { position += 1 }
  }
}
