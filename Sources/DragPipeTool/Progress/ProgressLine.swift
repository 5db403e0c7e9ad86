// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

/// The progress of a transfer as one line that fits the terminal.
///
/// ```
/// sending   45%  [#######---------]  12.3 of 27.1 MB  4.2 MB/s  0:04 left  2 of 5: Gilgamesh.png
/// ```
struct ProgressLine: Sendable {
  /// The minimum width for the long form of the line, in columns.
  ///
  /// A narrower line has one or two numbers.
  static let leastColumns = 20
  /// The minimum width of a name, in columns.
  private static let leastNameColumns = 8

  /// The word for the transfer while bytes move, such as "sending".
  let action: String
  let snapshot: TransferSnapshot
  let rate: TransferRate
  var hasBar = true

  /// Returns the line for a terminal of `columns` columns.
  ///
  /// The last column stays free.
  ///
  /// Some terminals wrap after a character in the last column, and others erase that character with the end of the
  /// line. The free column also absorbs the ellipsis, which some terminals show in two columns.
  func text(columns: Int) -> String {
    let room = columns - 1
    return columns < Self.leastColumns ? shortText(room) : fullText(room, columns: columns)
  }

  /// Returns the longest short form that fits, or an empty string.
  private func shortText(_ room: Int) -> String {
    let amount =
      snapshot.extent.map { "\(ProgressAmounts.percent($0.done, of: $0.total))%" }
      ?? ProgressAmounts.bytes(snapshot.bytes)
    let candidates = speed.map { ["\(amount) \($0)", amount] } ?? [amount]
    return candidates.first { $0.columnCount <= room } ?? ""
  }

  /// Returns the pieces that fit.
  ///
  /// Important pieces are added first, but the line always shows pieces in the same order.
  private func fullText(_ room: Int, columns: Int) -> String {
    var pieces = Pieces(room: room)
    pieces.add(.action, snapshot.phase == .transferring ? action : snapshot.phase.word)
    if let (done, total) = snapshot.extent {
      pieces.add(.percent, padded("\(ProgressAmounts.percent(done, of: total))%"))
      // The bar is added before the bytes, whose width changes: if only one piece fits, it is always the bar.
      if hasBar { pieces.add(.bar, bar(done, of: total, columns: columns)) }
      pieces.add(.bytes, ProgressAmounts.bytes(done, of: total))
    } else if snapshot.bytes > 0 {
      pieces.add(.bytes, ProgressAmounts.bytes(snapshot.bytes))
    }
    if let speed { pieces.add(.rate, speed) }
    if let remaining { pieces.add(.remaining, remaining) }
    addItem(to: &pieces)
    return pieces.text
  }

  /// Returns a bar whose width depends only on the terminal, so the bar does not change its width during a transfer.
  private func bar(_ done: UInt64, of total: UInt64, columns: Int) -> String {
    let width = columns < 72 ? 10 : columns < 100 ? 16 : 24
    let filled = total == 0 ? width : min(width, Int(Double(done) / Double(total) * Double(width)))
    return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled) + "]"
  }

  private func padded(_ percent: String) -> String {
    String(repeating: " ", count: max(0, 4 - percent.count)) + percent
  }

  private var speed: String? {
    rate.bytesPerSecond.flatMap { $0 > 0 ? "\(ProgressAmounts.bytes($0))/s" : nil }
  }

  private var remaining: String? {
    guard let (done, total) = snapshot.extent, done < total else { return nil }
    return rate.secondsRemaining(for: total - done).map { "\(ProgressAmounts.time($0)) left" }
  }

  /// Adds the number of the item, and its name up to the remaining width.
  private func addItem(to pieces: inout Pieces) {
    guard snapshot.item > 0 else {
      if let count = snapshot.totalItems { pieces.add(.item, ToolHelp.count(count, "item")) }
      return
    }
    let total = snapshot.totalItems.map { max($0, snapshot.item) }
    let number = total == 1 ? "" : total.map { "\(snapshot.item) of \($0)" } ?? "item \(snapshot.item)"
    let name = (snapshot.name ?? "").escapedForDisplay(limit: 80)
    let introduction = number.isEmpty || name.isEmpty ? number : "\(number): "
    let left = pieces.roomForNext - introduction.count
    if !name.isEmpty, left >= min(Self.leastNameColumns, name.columnCount) {
      pieces.add(.item, introduction + name.truncated(toColumns: left))
    } else if !number.isEmpty {
      pieces.add(.item, number)
    }
  }
}

/// The pieces of a line of limited width.
private struct Pieces {
  enum Position: CaseIterable {
    case action
    case percent
    case bar
    case bytes
    case rate
    case remaining
    case item
  }

  private static let gap = "  "
  private var texts: [Position: String] = [:]
  private var room: Int

  init(room: Int) {
    self.room = room
  }

  /// The number of columns for the next piece, after the gap that precedes it.
  var roomForNext: Int { room - (texts.isEmpty ? 0 : Self.gap.count) }

  /// Adds a piece if it fits.
  mutating func add(_ position: Position, _ text: String) {
    let columns = text.columnCount
    guard columns <= roomForNext else { return }
    room = roomForNext - columns
    texts[position] = text
  }

  var text: String { Position.allCases.compactMap { texts[$0] }.joined(separator: Self.gap) }
}
