// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport

/// A tree for people: each item, and its representations below it.
struct InspectionTree: InspectionReport {
  /// A type gets this much at least, however narrow the terminal is.
  private static let leastTypeWidth = 16

  /// Columns of the terminal; `nil` where there is none.
  private let width: Int?
  private let showsContent: Bool
  private var totals = InspectionTotals()

  init(width: Int?, showsContent: Bool) {
    self.width = width
    self.showsContent = showsContent
  }

  func start() -> String { "" }

  mutating func add(_ item: DropItemDescription) -> String {
    totals.add(item)
    let number = "\(totals.items)  "
    var text = number + shortened(item.shownName, besides: number.count) + "\n"
    for (index, representation) in item.representations.enumerated() {
      let isLast = index == item.representations.count - 1
      text += (isLast ? "└─ " : "├─ ") + line(representation) + "\n"
      guard showsContent, let preview = ContentPreview(representation) else { continue }
      for line in preview.lines { text += (isLast ? "     " : "│    ") + line + "\n" }
    }
    return text
  }

  /// An error is told elsewhere; the tree then ends without the line that vouches for it.
  func end(_ error: DropStreamError?) -> String { error == nil ? totals.verdict : "" }

  private func line(_ representation: DropItemDescription.Representation) -> String {
    var facts =
      representation.failure == nil
      ? "  \(ToolHelp.count(representation.byteCount, "byte"))  crc32c \(representation.crc32cDigits)" : ""
    let remarks = representation.remarks
    if !remarks.isEmpty { facts += "  \(remarks)" }
    if let width { facts = facts.shortened(toColumns: max(0, width - 3 - Self.leastTypeWidth)) }
    return shortened(representation.shownType, besides: 3 + facts.columnCount) + facts
  }

  private func shortened(_ text: String, besides others: Int) -> String {
    width.map { text.shortened(toColumns: max(Self.leastTypeWidth, $0 - others)) } ?? text
  }
}
