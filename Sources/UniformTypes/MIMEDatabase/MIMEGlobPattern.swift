// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A file name pattern with wildcards: `*`, `?`, `[a-z]`, `[!a-z]` or `[^a-z]`, and a backslash before a literal
/// character.
///
/// The number of steps to match a name is at most the product of the lengths of pattern and name. After a mismatch,
/// only the last `*` is extended, because extending an earlier `*` leads to no further match.
struct MIMEGlobPattern: Sendable, Hashable {
  /// The maximum length of a pattern in bytes, which is the maximum length of a file name.
  static let maximumLength = 255

  private enum Element: Sendable, Hashable {
    case byte(UInt8)
    case anyOne
    case anyNumber
    /// A character class, with the indices of its ranges in the table of ranges.
    case oneOf(Range<Int>, isNegated: Bool)
  }

  private var elements: [Element] = []
  private var ranges: [ClosedRange<UInt8>] = []
  private let ignoresCase: Bool

  /// Returns `nil` if the pattern is empty or longer than `maximumLength`.
  init?(_ pattern: Span<UInt8>, ignoresCase: Bool) {
    guard (1...Self.maximumLength).contains(pattern.count) else { return nil }
    self.ignoresCase = ignoresCase
    var index = 0
    while index < pattern.count {
      let byte = pattern[index]
      index += 1
      switch byte {
      case UInt8(ascii: "*"):
        if elements.last != .anyNumber { elements.append(.anyNumber) }
      case UInt8(ascii: "?"): elements.append(.anyOne)
      case UInt8(ascii: "["): index = appendClass(of: pattern, from: index)
      case UInt8(ascii: "\\") where index < pattern.count:
        elements.append(.byte(folded(pattern[index])))
        index += 1
      default: elements.append(.byte(folded(byte)))
      }
    }
  }

  /// Returns whether the pattern matches the complete name.
  func matches(_ name: Span<UInt8>) -> Bool {
    var element = 0
    var position = 0
    var retry: (element: Int, position: Int)?
    while position < name.count {
      if element < elements.count, elements[element] == .anyNumber {
        element += 1
        retry = (element, position)
      } else if element < elements.count, matches(elements[element], name[position]) {
        element += 1
        position += 1
      } else if let last = retry {
        retry = (last.element, last.position + 1)
        (element, position) = (last.element, last.position + 1)
      } else {
        return false
      }
    }
    return elements[element...].allSatisfy { $0 == .anyNumber }
  }

  /// Appends a character class, or a literal bracket if the class is not closed.
  ///
  /// - Returns: The index after the class or the bracket.
  private mutating func appendClass(of pattern: Span<UInt8>, from start: Int) -> Int {
    var index = start
    let sign = index < pattern.count ? pattern[index] : 0
    let isNegated = sign == UInt8(ascii: "!") || sign == UInt8(ascii: "^")
    if isNegated { index += 1 }
    let firstRange = ranges.count
    let first = index
    while index < pattern.count, pattern[index] != UInt8(ascii: "]") || index == first {
      let low = folded(pattern[index])
      index += 1
      if index + 1 < pattern.count, pattern[index] == UInt8(ascii: "-"), pattern[index + 1] != UInt8(ascii: "]") {
        let high = folded(pattern[index + 1])
        index += 2
        if low <= high { ranges.append(low...high) }
      } else {
        ranges.append(low...low)
      }
    }
    guard index < pattern.count else {
      ranges.removeSubrange(firstRange...)
      elements.append(.byte(UInt8(ascii: "[")))
      return start
    }
    elements.append(.oneOf(firstRange..<ranges.count, isNegated: isNegated))
    return index + 1
  }

  private func matches(_ element: Element, _ byte: UInt8) -> Bool {
    let byte = folded(byte)
    switch element {
    case .byte(let wanted): return byte == wanted
    case .anyOne, .anyNumber: return true
    case .oneOf(let range, let isNegated): return ranges[range].contains { $0.contains(byte) } != isNegated
    }
  }

  private func folded(_ byte: UInt8) -> UInt8 {
    ignoresCase ? byte.asciiLowercased : byte
  }
}
