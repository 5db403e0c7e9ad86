// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport

/// The report as a table with one line for each representation.
///
/// The first rows determine the widths of the columns. A longer cell in a later row widens its column from there on.
struct InspectionTable: InspectionReport {
  /// The number of rows to measure before the first row is written.
  private static let gatheredRowCount = 256
  private static let gap = "  "
  /// The maximum widths of these columns if the output is not a terminal, so that one long name does not widen every
  /// row.
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

  /// The width of the terminal in columns, or `nil` if the output is not a terminal.
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
  ///   - width: The width of the terminal in columns, or `nil` if the output is not a terminal.
  ///   - showsContent: Whether to show previews.
  ///   - gathersRows: Whether to hold rows until several rows have been measured together.
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
      row.lines = representation.entryLines
      if showsContent { row.lines += ContentPreview(representation)?.lines ?? [] }
      rows.append(row)
    }
    if isFirst { rows.append(Row(item: "\(totals.items)", name: item.shownName)) }
    let lineCount = rows.reduce(rows.count) { $0 + $1.lines.count }
    return gathersRows && lineCount < Self.gatheredRowCount ? "" : takeRows()
  }

  /// Returns the remaining rows and, for a complete stream, the line that confirms it.
  ///
  /// The caller reports the error, if there is one.
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
    // On a terminal, cells are shortened so that no line wraps. Other output gets complete cells.
    func cell(_ text: String, _ width: Int) -> String {
      (self.width == nil ? text : text.shortened(toColumns: width)).padded(toColumns: width)
    }
    let line = [
      row.item.padded(toColumns: widths.item, atStart: true), cell(row.name, widths.name), cell(row.type, widths.type),
      row.bytes.padded(toColumns: widths.bytes, atStart: true),
    ].joined(separator: Self.gap)
    // Adds no padding at the end of a line.
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

    /// Returns the widths for rows of `width` columns.
    ///
    /// Names and types shrink first; remarks keep up to a third of the space. Without a `width`, names and types get at
    /// most their maximum widths.
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

/// The report as a tree: each item, with its representations below it.
struct InspectionTree: InspectionReport {
  /// The minimum width of a name or a type in columns, however narrow the terminal is.
  private static let leastTypeWidth = 16

  /// The width of the terminal in columns, or `nil` if the output is not a terminal.
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
      let preview = showsContent ? ContentPreview(representation)?.lines ?? [] : []
      for line in representation.entryLines + preview { text += (isLast ? "     " : "│    ") + line + "\n" }
    }
    return text
  }

  /// Returns the line that confirms a complete stream, or an empty string after an error.
  ///
  /// The caller reports the error, if there is one.
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
