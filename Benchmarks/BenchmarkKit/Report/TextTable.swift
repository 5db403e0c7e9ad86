// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Lines whose columns stand below each other.
///
/// A line with fewer columns than others may be as long as it likes.
package struct TextTable: Sendable {
  private let alignedRight: Set<Int>
  private var rows: [[String]] = []

  package init(alignedRight: Set<Int>) {
    self.alignedRight = alignedRight
  }

  package mutating func add(_ row: [String]) {
    rows.append(row)
  }

  package var text: String {
    var widths: [Int: Int] = [:]
    for row in rows {
      // The last column of a short row is not one that others follow.
      for (column, text) in row.enumerated() where column + 1 < row.count || row.count > 2 {
        widths[column] = max(widths[column] ?? 0, text.count)
      }
    }
    return rows.map { line($0, widths) + "\n" }.joined()
  }

  private func line(_ row: [String], _ widths: [Int: Int]) -> String {
    let columns = row.enumerated().map { column, text in
      let gap = String(repeating: " ", count: max(0, (widths[column] ?? 0) - text.count))
      return alignedRight.contains(column) ? gap + text : text + gap
    }
    let line = columns.joined(separator: "  ")
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}
