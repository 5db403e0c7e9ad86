// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropTransport

/// A table for people: a line for each representation.
///
/// Columns are as wide as what is in the first rows, and grow where later ones need it.
struct InspectionTable: InspectionReport {
  /// So many rows are looked at before the first is written.
  private static let gatheredRowCount = 256
  private static let gap = "  "
  /// Wider than this no name makes the rows of others, where there is no terminal to say how wide they may be.
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

  /// Columns of the terminal; `nil` where there is none.
  private let width: Int?
  private let showsContent: Bool
  private let gathersRows: Bool
  private var rows: [Row] = []
  private var totals = InspectionTotals()
  private var widths = Widths()
  private var hasHeader = false

  /// - Parameters:
  ///   - width: Columns of the terminal; `nil` where there is none.
  ///   - showsContent: Whether previews are wanted.
  ///   - gathersRows: Whether rows may wait for others, by which columns are made.
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
        (row.bytes, row.check) = ("\(representation.byteCount)", representation.crc32cDigits)
      }
      row.remarks = representation.remarks
      if showsContent { row.lines = ContentPreview(representation)?.lines ?? [] }
      rows.append(row)
    }
    if isFirst { rows.append(Row(item: "\(totals.items)", name: item.shownName)) }
    return gathersRows && rows.count < Self.gatheredRowCount ? "" : takeRows()
  }

  /// An error is told elsewhere; the table then ends without the line that vouches for it.
  mutating func end(_ error: DropStreamError?) -> String {
    takeRows() + (error == nil ? totals.verdict : "")
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
    // Of a terminal no line is broken; elsewhere nothing is left out.
    func cell(_ text: String, _ width: Int) -> String {
      (self.width == nil ? text : text.shortened(toColumns: width)).padded(toColumns: width)
    }
    let line = [
      row.item.padded(toColumns: widths.item, atStart: true), cell(row.name, widths.name), cell(row.type, widths.type),
      row.bytes.padded(toColumns: widths.bytes, atStart: true),
    ].joined(separator: Self.gap)
    // No blanks at the end of a line.
    if row.remarks.isEmpty { return "\(line)\(Self.gap)\(row.check)\n" }
    let remarks = width == nil ? row.remarks : row.remarks.shortened(toColumns: widths.remarks)
    return [line, row.check.padded(toColumns: widths.check), remarks].joined(separator: Self.gap) + "\n"
  }

  /// How wide the columns are.
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

    /// The widths with which a row fits into `width` columns: the names give way, and a third is left for remarks.
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
