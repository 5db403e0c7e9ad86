// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport

/// A table with one line for each representation.
///
/// Column widths follow from the first rows, and grow with later ones.
struct InspectionTable: InspectionReport {
  /// The number of rows that are measured before the first is written.
  private static let gatheredRowCount = 256
  private static let gap = "  "
  /// The limits of the columns without a terminal, so that one long name does not widen every row.
  private static let widestName = 40
  private static let widestType = 48
  private static let header = Row(
    item: "ITEM", name: "NAME", type: "TYPE", bytes: "BYTES", check: "CRC32C", remarks: "REMARKS")

  private struct Row {
    var item = ""
    var name = ""
    var type = "-"
    var bytes = "-"
    var check = "-"
    var remarks = ""
    var lines: [String] = []
  }

  /// The columns of the terminal; `nil` without one.
  private let width: Int?
  private let showsContent: Bool
  private let gathersRows: Bool
  private var rows: [Row] = []
  private var totals = InspectionTotals()
  private var widths = Widths()
  private var hasHeader = false

  /// Creates an empty table.
  ///
  /// - Parameters:
  ///   - width: The columns of the terminal; `nil` without one.
  ///   - showsContent: Whether to show previews.
  ///   - gathersRows: Whether to delay rows, to measure several together.
  init(width: Int?, showsContent: Bool, gathersRows: Bool = true) {
    self.width = width
    self.showsContent = showsContent
    self.gathersRows = gathersRows
  }

  func start() -> String { "" }

  mutating func add(_ item: DropItemDescription) -> String {
    totals.add(item)
    var isFirst = true
    for representation in item.representations {
      var row = Row()
      if isFirst { (row.item, row.name) = ("\(totals.items)", item.shownName) }
      isFirst = false
      row.type = representation.shownType
      if representation.failure == nil {
        (row.bytes, row.check) = ("\(representation.byteCount)", representation.crc32cDigits ?? "-")
      }
      row.remarks = representation.remarks
      if showsContent { row.lines = ContentPreview(representation)?.lines ?? [] }
      rows.append(row)
    }
    if isFirst { rows.append(Row(item: "\(totals.items)", name: item.shownName)) }
    return gathersRows && rows.count < Self.gatheredRowCount ? "" : takeRows()
  }

  /// Ends the table.
  ///
  /// Only a complete stream gets the verdict; the caller reports an error.
  mutating func end(_ error: DropStreamError?, _ coverage: InspectionCoverage) -> String {
    takeRows() + (error == nil ? totals.verdict(coverage) : "")
  }

  private mutating func takeRows() -> String {
    guard !rows.isEmpty else { return "" }
    let added = hasHeader ? rows : [Self.header] + rows
    (hasHeader, rows) = (true, [])
    for row in added { widths.fit(row) }
    let shown = widths.narrowed(to: width)
    return added.map { line($0, shown) + $0.lines.map { "      \($0)\n" }.joined() }.joined()
  }

  private func line(_ row: Row, _ widths: Widths) -> String {
    // On a terminal, cells are shortened so that no line wraps; elsewhere they are complete.
    func cell(_ text: String, _ width: Int) -> String {
      (self.width == nil ? text : text.shortened(toColumns: width)).padded(toColumns: width)
    }
    let line = [
      row.item.padded(toColumns: widths.item, atStart: true), cell(row.name, widths.name), cell(row.type, widths.type),
      row.bytes.padded(toColumns: widths.bytes, atStart: true),
    ].joined(separator: Self.gap)
    // No trailing blanks.
    if row.remarks.isEmpty { return "\(line)\(Self.gap)\(row.check)\n" }
    let remarks = width == nil ? row.remarks : row.remarks.shortened(toColumns: widths.remarks)
    return [line, row.check.padded(toColumns: widths.check), remarks].joined(separator: Self.gap) + "\n"
  }

  /// The widths of the columns.
  private struct Widths {
    var item = 0
    var name = 0
    var type = 0
    var bytes = 0
    var check = 8
    var remarks = 0

    mutating func fit(_ row: Row) {
      item = max(item, row.item.columnCount)
      name = max(name, row.name.columnCount)
      type = max(type, row.type.columnCount)
      bytes = max(bytes, row.bytes.columnCount)
      remarks = max(remarks, row.remarks.columnCount)
    }

    /// Returns the widths for a row of `width` columns: names and types shrink, and remarks keep a third.
    func narrowed(to width: Int?) -> Widths {
      var shown = self
      guard let width else {
        shown.name = min(name, InspectionTable.widestName)
        shown.type = min(type, InspectionTable.widestType)
        return shown
      }
      let room = max(24, width - item - bytes - check - 5 * InspectionTable.gap.count)
      shown.remarks = min(remarks, max(room / 3, room - name - type))
      let names = room - shown.remarks
      shown.type = min(type, max(names / 2, names - name))
      shown.name = min(name, names - shown.type)
      return shown
    }
  }
}

/// A tree: each item with its representations below it.
struct InspectionTree: InspectionReport {
  /// The least width of a type, on any terminal.
  private static let leastTypeWidth = 16

  /// The columns of the terminal; `nil` without one.
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

  /// Ends the tree.
  ///
  /// Only a complete stream gets the verdict; the caller reports an error.
  func end(_ error: DropStreamError?, _ coverage: InspectionCoverage) -> String {
    error == nil ? totals.verdict(coverage) : ""
  }

  private func line(_ representation: DropItemDescription.Representation) -> String {
    var facts = representation.failure == nil ? "  \(ToolHelp.count(representation.byteCount, "byte"))" : ""
    if let digits = representation.crc32cDigits { facts += "  crc32c \(digits)" }
    let remarks = representation.remarks
    if !remarks.isEmpty { facts += "  \(remarks)" }
    if let width { facts = facts.shortened(toColumns: max(0, width - 3 - Self.leastTypeWidth)) }
    return shortened(representation.shownType, besides: 3 + facts.columnCount) + facts
  }

  private func shortened(_ text: String, besides others: Int) -> String {
    width.map { text.shortened(toColumns: max(Self.leastTypeWidth, $0 - others)) } ?? text
  }
}
