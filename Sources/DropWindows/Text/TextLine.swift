// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The edges of a character in its line, in pixels from the left end of the line.
package struct TextCell: Sendable, Hashable {
  /// The edge at which the character begins: the right edge of a Hebrew letter.
  package let leading: Int
  /// The edge at which the character ends.
  package let trailing: Int

  fileprivate var isRightToLeft: Bool { leading > trailing }
}

/// The characters of a line on the screen, where text of two directions is not in the order of the string.
struct TextLine {
  let cells: [TextCell]
  /// Whether the line begins at its right end.
  let isRightToLeft: Bool
  let width: Int
  /// The distance of the caret from the left end of the line, before each character and at the end.
  ///
  /// Between two directions, the caret is at the side of the line's own direction.
  let carets: [Int]

  init(_ cells: [TextCell], isRightToLeft: Bool) {
    let width = cells.map { max($0.leading, $0.trailing) }.max() ?? 0
    (self.cells, self.isRightToLeft, self.width) = (cells, isRightToLeft, width)
    let (start, end) = isRightToLeft ? (width, 0) : (0, width)
    carets =
      [start]
      + cells.indices.map { index in
        if cells[index].isRightToLeft == isRightToLeft { return cells[index].trailing }
        return index + 1 < cells.count ? cells[index + 1].leading : end
      }
  }

  /// Returns the areas of characters, from left to right.
  func areas(of range: Range<Int>) -> [Range<Int>] {
    var areas: [Range<Int>] = []
    let edges = cells[range].map { min($0.leading, $0.trailing)..<max($0.leading, $0.trailing) }
    for edge in edges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = areas.last, last.upperBound >= edge.lowerBound {
        areas[areas.count - 1] = last.lowerBound..<max(last.upperBound, edge.upperBound)
      } else {
        areas.append(edge)
      }
    }
    return areas
  }
}

extension [Character] {
  /// Divides a text at line ends, and else after spaces or within a word, into lines that fit into a width.
  ///
  /// - Parameters:
  ///   - width: The width of a line.
  ///   - measure: Returns the width of a part of the text.
  /// - Returns: The characters of each line, without its line end.
  package func lines(fitting width: Int, _ measure: (String) -> Int) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    for end in indices.filter({ self[$0].isLineEnd }) + [count] {
      while end - start > 1 {
        // A paragraph is long, compared with a line.
        var length = 32
        while start + length < end, measure(String(self[start..<start + length])) <= width { length *= 2 }
        // The longest part that fits, of at least one character.
        var (low, high) = (start + 1, Swift.min(start + length, end))
        if high == end, measure(String(self[start..<end])) <= width { break }
        while low + 1 < high {
          let middle = (low + high) / 2
          if measure(String(self[start..<middle])) <= width { low = middle } else { high = middle }
        }
        // The space that ends a line need not fit.
        let next = self[low] == " " ? low + 1 : self[start..<low].lastIndex(of: " ").map { $0 + 1 } ?? low
        lines.append(start..<next)
        start = next
      }
      lines.append(start..<end)
      start = end + 1
    }
    return lines
  }

  /// The part of the line on the screen that stands for each character.
  var displayParts: [Substring] {
    let shown = String(self).displayLine
    let scalars = shown.unicodeScalars
    var end = shown.startIndex
    return map { character in
      let start = end
      for scalar in character.unicodeScalars where end < shown.endIndex {
        // An escape sequence stands for an invisible scalar, and an ellipsis for the rest.
        let last = scalars[end] == scalar ? end : scalars[end...].firstIndex(of: "}")
        end = last.map(scalars.index(after:)) ?? shown.endIndex
      }
      return shown[start..<end]
    }
  }
}
