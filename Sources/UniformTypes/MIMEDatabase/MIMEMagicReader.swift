// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Reads the `magic` files of all directories, nearest first, into one table.
///
/// A file is a header and sections, `[priority:type]` and a newline, of rules: `[depth]>offset=`, a length of two
/// bytes, the value, and in any order `&mask`, `~word-size` and `+positions`, and a newline. Every length is checked
/// against what is left. A malformed line is dropped with all that depends on it, and reading goes on in the next.
struct MIMEMagicReader {
  static let maximumDepth = 32
  /// More rules of one file are dropped.
  static let maximumRules = 1 << 18
  /// A rule whose bits and places say less than this is weak: one byte somewhere is no evidence.
  static let minimumBits = 12
  /// What weak rules are worth at most, which is the least that the system's database has.
  static let weakPriority = 10

  private static let header = Array("MIME-Magic\0\n".utf8)

  private var types = MIMENameTable(ignoresCase: true)
  private var values: [UInt8] = []
  private var rules: [MIMEMagicTable.Rule] = []
  /// How many bits decide, up to and including each rule.
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

  /// The table of all that was read.
  func table() -> MIMEMagicTable {
    MIMEMagicTable(types: types, values: values, rules: rules, entries: entries)
  }

  /// Reads one directory's file; one without the header is ignored.
  mutating func read(_ file: [UInt8]) {
    guard file.starts(with: Self.header) else { return }
    bytes = file
    position = Self.header.count
    rulesBefore = rules.count
    var section: Section?
    var closing: Set<MIMENameTable.ID> = []
    /// The rules that lead to where we are; a rule may be at most one deeper than there are.
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
    // Each doubling of the number of places makes a chance hit as likely as one bit less.
    let places = Int.bitWidth - 1 - rule.positions.leadingZeroBitCount
    bits.append(max(0, deciding - places) + (path.last.map { bits[$0] } ?? 0))
    path.append(rules.count)
    rules.append(rule)
  }

  /// Notes that a rule is missing: its parent must not hold without it, and what follows below it has no parent.
  private mutating func dropped(at depth: Int, _ path: inout [Int], _ section: Section?) {
    closePath(&path, to: depth, section)
    if depth > 0, depth == path.count, let parent = path.last { rules[parent].hasChildren = true }
  }

  /// Ends the rules that are at least `depth` deep.
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

  /// What follows the depth, up to and with the newline.
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
      // The last line of a file that was cut may lack its newline; a rule that was cut is none.
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

  /// Copies value and mask, the words in this machine's order.
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

  /// How many bits of the content the rule looks at.
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
