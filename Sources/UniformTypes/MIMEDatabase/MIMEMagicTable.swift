// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The rules of all directories that determine types by leading bytes, in the order of their evaluation.
///
/// Rules form trees: a rule with children matches if its own bytes match and one of its children matches.
struct MIMEMagicTable: Sendable {
  /// The maximum number of leading bytes that rules may examine; rules about later bytes are dropped.
  static let maximumExtent = 64 << 10
  /// The maximum work of one search: the number of compared bytes, plus one for each rule and for each 16 offsets.
  ///
  /// The system's database needs about ten thousand; a hostile database could need billions.
  static let maximumWork = 8 << 20

  struct Rule: Sendable {
    var offset: Int
    /// The number of offsets to try, starting with `offset`.
    var positions: Int
    /// The range of the masked value in the table's `values`.
    var value: Range<Int>
    /// The index of the mask in `values`, which has the length of the value; `nil` if all bits are compared.
    var mask: Int?
    /// Whether the rule has children, dropped ones included, as the rule must not match without them.
    var hasChildren = false
    /// The index of the next rule that is not a descendant of this rule.
    var end = 0
  }

  /// A top-level rule with the rules below it.
  struct Entry: Sendable {
    let type: MIMENameTable.ID
    let priority: Int
    let rule: Int
    /// Whether the rule compares too few bits to take precedence over others.
    let isWeak: Bool
  }

  /// A test of one byte that excludes most entries.
  private struct Probe: Sendable {
    let offset: Int
    let mask: UInt8
    let byte: UInt8

    /// Creates the test for a rule; for a rule with several offsets, it passes for any content.
    init(_ rule: Rule, values: [UInt8]) {
      let isFixed = rule.positions == 1
      offset = isFixed ? rule.offset : 0
      mask = isFixed ? rule.mask.map { values[$0] } ?? 0xFF : 0
      byte = isFixed ? values[rule.value.lowerBound] : 0
    }

    /// Returns whether the rule may match the content.
    func allows(_ content: Span<UInt8>) -> Bool {
      offset < content.count && content[offset] & mask == byte
    }
  }

  /// The type of the entry that matches, and whether that entry is weak.
  struct Hit: Sendable, Hashable {
    let type: String
    let isWeak: Bool
  }

  private let types: MIMENameTable
  private let values: [UInt8]
  private let rules: [Rule]
  private let entries: [Entry]
  /// For each value of a byte, the indices of the entries that require it as the first byte of the content.
  private let anchored: [[Int32]]
  /// The indices of all other entries.
  private let floating: [Int32]
  /// The test of each entry.
  private let probes: [Probe]

  /// The number of leading bytes that can influence the result.
  let extent: Int

  /// - Parameters:
  ///   - types: The names of the types. They are separate from the names of `MIMETypeGraph` and have other numbers,
  ///     because the rules are read later.
  ///   - values: The bytes of all values and masks.
  ///   - rules: The rules, each followed by the rules below it.
  ///   - entries: The trees of rules; trees of nearer directories come first.
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

  /// Returns whether there is a rule for a type.
  func hasRules(for type: String) -> Bool { types.find(type) != nil }

  /// Returns the first entry that matches.
  ///
  /// - Parameter content: The leading bytes.
  /// - Returns: The entry's type; `nil` if no entry matches or the search exceeds `maximumWork`.
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

  /// Returns whether a rule matches.
  ///
  /// The reader's maximum depth bounds the recursion.
  private func holds(_ index: Int, _ content: Span<UInt8>, _ work: inout Int) -> Bool {
    let rule = rules[index]
    guard hasValue(of: rule, content, &work) else { return false }
    guard rule.hasChildren else { return true }
    var child = index + 1
    while child < rule.end {
      if holds(child, content, &work) { return true }
      child = rules[child].end
    }
    return false
  }

  /// Returns whether the content has the rule's value at one of its offsets.
  private func hasValue(of rule: Rule, _ content: Span<UInt8>, _ work: inout Int) -> Bool {
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

  /// Returns the index of the first `byte` in a range.
  ///
  /// The C library's search is used because rules may have thousands of offsets.
  private static func firstIndex(of byte: UInt8, in content: Span<UInt8>, _ range: ClosedRange<Int>) -> Int? {
    if content[range.lowerBound] == byte { return range.lowerBound }
    guard range.count > 1 else { return nil }
    return content.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return nil }
      return memchr(base + range.lowerBound, Int32(byte), range.count).map { UnsafeRawPointer($0) - base }
    }
  }
}
