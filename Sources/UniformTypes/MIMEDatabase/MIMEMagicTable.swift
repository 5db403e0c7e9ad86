// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The rules of all directories that tell types by their leading bytes, in the order in which they are tried.
///
/// Rules form trees: a rule with children holds where its own bytes are and one of its children holds.
struct MIMEMagicTable: Sendable {
  /// Rules that need a byte beyond this one are dropped, so that nobody has to read more of a file.
  static let maximumExtent = 64 << 10
  /// Bytes compared for one answer; the system's database needs some ten thousand, a hostile one could need billions.
  static let maximumWork = 8 << 20

  struct Rule: Sendable {
    var offset: Int
    /// How many offsets are tried, from the first one.
    var positions: Int
    /// Where the value, already masked, is in the block of all values; a mask has as many bytes.
    var value: Range<Int>
    var mask: Int?
    /// Also true if the children were malformed and dropped: without them, the rule alone would say too much.
    var hasChildren = false
    /// The next rule that is not below this one.
    var end = 0
  }

  /// A rule at the top, with all that is below it.
  struct Entry: Sendable {
    let type: MIMENameTable.ID
    let priority: Int
    let rule: Int
    /// Whether so few bits decide that the rule must not outdo others.
    let isWeak: Bool
  }

  /// What an entry's rule wants of one byte: most entries are passed over by that.
  private struct Probe: Sendable {
    let offset: Int
    let mask: UInt8
    let byte: UInt8

    /// Of a rule that looks in several places, no byte says anything.
    init(_ rule: Rule, values: [UInt8]) {
      let isFixed = rule.positions == 1
      offset = isFixed ? rule.offset : 0
      mask = isFixed ? rule.mask.map { values[$0] } ?? 0xFF : 0
      byte = isFixed ? values[rule.value.lowerBound] : 0
    }

    func allows(_ content: Span<UInt8>) -> Bool {
      offset < content.count && content[offset] & mask == byte
    }
  }

  /// What was found.
  struct Hit: Sendable, Hashable {
    let type: String
    let isWeak: Bool
  }

  private let types: MIMENameTable
  private let values: [UInt8]
  private let rules: [Rule]
  private let entries: [Entry]
  /// The entries that want a certain first byte, by that byte; and those that do not.
  private let anchored: [[Int32]]
  private let floating: [Int32]
  /// For each entry.
  private let probes: [Probe]

  /// The number of leading bytes that decide everything.
  let extent: Int

  /// - Parameters:
  ///   - types: The names of the types, which are apart from those that the rest of the database numbers: the rules
  ///     are read later.
  ///   - values: The bytes of all values and masks.
  ///   - rules: The rules, each followed by those below it.
  ///   - entries: The trees of rules; those of nearer directories first.
  init(types: MIMENameTable, values: [UInt8], rules: [Rule], entries: [Entry]) {
    self.types = types
    self.values = values
    self.rules = rules
    self.entries = entries.enumerated().sorted { ($1.element.priority, $0.offset) < ($0.element.priority, $1.offset) }
      .map(\.element)
    var anchored = [[Int32]](repeating: [], count: 256)
    var floating: [Int32] = []
    for (index, entry) in self.entries.enumerated() {
      let rule = rules[entry.rule]
      if rule.offset == 0, rule.positions == 1, rule.mask == nil {
        anchored[Int(values[rule.value.lowerBound])].append(Int32(index))
      } else {
        floating.append(Int32(index))
      }
    }
    self.anchored = anchored
    self.floating = floating
    probes = self.entries.map { Probe(rules[$0.rule], values: values) }
    extent = rules.lazy.map { $0.offset + $0.positions - 1 + $0.value.count }.max() ?? 0
  }

  /// Whether a rule leads to a type.
  func hasRules(for type: String) -> Bool { types.find(type) != nil }

  /// The type of the first entry that holds.
  ///
  /// - Parameter content: The leading bytes.
  /// - Returns: Nothing when no entry holds, or when the rules ask for too much work.
  func firstMatch(in content: Span<UInt8>) -> Hit? {
    guard !content.isEmpty else { return nil }
    var work = Self.maximumWork
    let fixed = anchored[Int(content[0])]
    var (next, other) = (0, 0)
    while next < fixed.count || other < floating.count {
      let takesFixed = other == floating.count || (next < fixed.count && fixed[next] < floating[other])
      let index = Int(takesFixed ? fixed[next] : floating[other])
      if takesFixed { next += 1 } else { other += 1 }
      guard probes[index].allows(content) else { continue }
      let entry = entries[index]
      if holds(entry.rule, content, &work) { return Hit(type: types.name(entry.type), isWeak: entry.isWeak) }
      if work < 0 { return nil }
    }
    return nil
  }

  /// Recursion is bounded by the depth the reader allows.
  private func holds(_ index: Int, _ content: Span<UInt8>, _ work: inout Int) -> Bool {
    let rule = rules[index]
    guard isThere(rule, content, &work) else { return false }
    guard rule.hasChildren else { return true }
    var child = index + 1
    while child < rule.end {
      if holds(child, content, &work) { return true }
      child = rules[child].end
    }
    return false
  }

  private func isThere(_ rule: Rule, _ content: Span<UInt8>, _ work: inout Int) -> Bool {
    let length = rule.value.count
    let last = min(rule.offset + rule.positions - 1, content.count - length)
    guard rule.offset <= last, work >= 0 else { return false }
    let values = values.span
    let first = values[rule.value.lowerBound]
    let firstMask = rule.mask.map { values[$0] } ?? 0xFF
    work -= 1 + (last - rule.offset) / 16
    var start = rule.offset
    while start <= last, work >= 0 {
      if firstMask == 0xFF {
        guard let found = Self.firstIndex(of: first, in: content, start...last) else { return false }
        start = found
      }
      if content[start] & firstMask == first {
        var index = 1
        while index < length, agrees(rule, index, content[start + index]) { index += 1 }
        if index == length { return true }
        work -= index
      }
      start += 1
    }
    return false
  }

  private func agrees(_ rule: Rule, _ index: Int, _ byte: UInt8) -> Bool {
    let value = values[rule.value.lowerBound + index]
    guard let mask = rule.mask else { return byte == value }
    return byte & values[mask + index] == value
  }

  /// The search of the C library, for the rules that look for something in thousands of places.
  private static func firstIndex(of byte: UInt8, in content: Span<UInt8>, _ range: ClosedRange<Int>) -> Int? {
    if content[range.lowerBound] == byte { return range.lowerBound }
    guard range.count > 1 else { return nil }
    return content.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      return memchr(base + range.lowerBound, Int32(byte), range.count).map { UnsafeRawPointer($0) - base }
    }
  }
}
