// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

/// How far a transfer is, for people: one line, made to fit.
///
/// ```
/// sending   45%  [#######---------]  12.3 of 27.1 MB  4.2 MB/s  0:04 left  2 of 5: Gilgamesh.png
/// ```
struct ProgressLine: Sendable {
  /// With fewer columns than these there is room for a number or two.
  static let leastColumns = 20
  /// Less of a name than that says nothing.
  private static let leastNameColumns = 8

  /// What is done while bytes move: "sending".
  let action: String
  let snapshot: TransferSnapshot
  let rate: TransferRate
  var hasBar = true

  /// The line for a terminal of so many columns; it leaves the last one free.
  ///
  /// A character in the last column wraps on some terminals, and on others is erased with the end of the line. It also
  /// is room for the one mark of ours that not all terminals think narrow.
  func text(columns: Int) -> String {
    let room = columns - 1
    return columns < Self.leastColumns ? shortText(room) : fullText(room, columns: columns)
  }

  /// The first that fits of a few.
  private func shortText(_ room: Int) -> String {
    let amount =
      snapshot.extent.map { "\(ProgressAmounts.percent($0.done, of: $0.total))%" }
      ?? ProgressAmounts.bytes(snapshot.bytes)
    let candidates = speed.map { ["\(amount) \($0)", amount] } ?? [amount]
    return candidates.first { $0.columnCount <= room } ?? ""
  }

  /// The pieces that fit, the more important ones first; they stand in the order of their cases.
  private func fullText(_ room: Int, columns: Int) -> String {
    var pieces = Pieces(room: room)
    pieces.add(.action, snapshot.phase == .transferring ? action : snapshot.phase.word)
    if let (done, total) = snapshot.extent {
      pieces.add(.percent, padded("\(ProgressAmounts.percent(done, of: total))%"))
      // Before the bytes, which change their width: where there is room for one of them only, it is always the bar.
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

  /// As wide as the terminal alone decides: a bar that changes its width with every number is no help.
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

  /// Which item it is, and as much of its name as has room.
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

/// What a line is made of, as long as there is room.
private struct Pieces {
  enum Place: CaseIterable {
    case action
    case percent
    case bar
    case bytes
    case rate
    case remaining
    case item
  }

  private static let gap = "  "
  private var texts: [Place: String] = [:]
  private var room: Int

  init(room: Int) {
    self.room = room
  }

  /// How many columns another piece can have.
  var roomForNext: Int { room - (texts.isEmpty ? 0 : Self.gap.count) }

  /// Takes a piece in, unless there is no room for it.
  mutating func add(_ place: Place, _ text: String) {
    let columns = text.columnCount
    guard columns <= roomForNext else { return }
    room = roomForNext - columns
    texts[place] = text
  }

  var text: String { Place.allCases.compactMap { texts[$0] }.joined(separator: Self.gap) }
}
