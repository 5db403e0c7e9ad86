// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropWindows

/// The rows that a window showed, by their text.
///
/// A row of the same text as a former row is that row, wherever it is now. If several rows have the same text, the
/// first is the former first, and so on.
struct RowMatches {
  private var former: [String: [WindowRow]] = [:]

  init(_ rows: [WindowRow]) {
    for row in rows.reversed() { former[row.text, default: []].append(row) }
  }

  /// Transfers the selection and the marks of former rows to the rows that follow them, and marks all other rows as new.
  func transfer(to rows: inout [WindowRow], marksNew: Bool) {
    var former = former
    for index in rows.indices {
      if let row = former[rows[index].text]?.popLast() {
        rows[index].isSelected = row.isSelected
        rows[index].isNew = row.isNew
      } else {
        rows[index].isNew = marksNew
      }
    }
  }
}
