// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer

/// The schedule of progress output.
///
/// It uses no clock: all times are relative to the start of the transfer.
struct ProgressPresenter: Sendable {
  /// The interval at which the state is read.
  ///
  /// It is also the minimum interval between two lines.
  static let interval = Duration.milliseconds(100)
  /// The usual time before the first line.
  ///
  /// A shorter transfer shows no line. JSON records begin at once.
  static let usualDelay = Duration.milliseconds(500)
  private static let plainInterval = Duration.seconds(1)
  /// The interval between records while the state does not change.
  private static let restInterval = Duration.seconds(1)

  let style: ProgressStyle
  let action: String
  /// The time before the first line; JSON records begin at once.
  let delay: Duration
  private var rate = TransferRate()
  private var last: (time: Duration, snapshot: TransferSnapshot, text: String)?

  init(style: ProgressStyle, action: String, delay: Duration = Self.usualDelay) {
    self.style = style
    self.action = action
    self.delay = delay
  }

  /// Returns the output that is due, if any.
  ///
  /// - Parameters:
  ///   - snapshot: The current state.
  ///   - phaseChanges: The states at the starts of phases since the previous call.
  ///   - time: The time since the start of the transfer.
  ///   - columns: The width of the terminal in columns.
  /// - Returns: For a redrawn line, the line without a newline; in other styles, complete lines to write.
  mutating func present(
    _ snapshot: TransferSnapshot, after phaseChanges: [TransferSnapshot] = [], at time: Duration, columns: Int
  ) -> String? {
    rate.add(snapshot.bytes, at: time)
    switch style {
    case .hidden: return nil
    case .line:
      return time < delay ? nil : line(snapshot).text(columns: columns)
    case .plainLines:
      guard time >= delay, last.map({ time - $0.time >= Self.plainInterval }) ?? true else { return nil }
      let text = line(snapshot, hasBar: false).text(columns: columns) + "\n"
      guard text != last?.text else { return nil }
      last = (time, snapshot, text)
      return text
    case .records: return records(snapshot, after: phaseChanges, at: time)
    }
  }

  /// Returns the output for the end of the transfer; `nil` unless the output is JSON records.
  mutating func presentEnd(
    _ snapshot: TransferSnapshot, _ ending: ItemProgress.Ending, after phaseChanges: [TransferSnapshot] = [],
    at time: Duration
  ) -> String? {
    guard style == .records else { return nil }
    rate.add(snapshot.bytes, at: time)
    return phaseChanges.map { ProgressRecord($0, rate: rate).line }.joined()
      + ProgressRecord(snapshot, rate: rate, ending: ending).line
  }

  private func line(_ snapshot: TransferSnapshot, hasBar: Bool = true) -> ProgressLine {
    ProgressLine(action: action, snapshot: snapshot, rate: rate, hasBar: hasBar)
  }

  private mutating func records(
    _ snapshot: TransferSnapshot, after phaseChanges: [TransferSnapshot], at time: Duration
  ) -> String? {
    var shown = phaseChanges
    let isDue = last.map { time - $0.time >= ($0.snapshot == snapshot ? Self.restInterval : Self.interval) } ?? true
    if isDue, shown.last != snapshot { shown.append(snapshot) }
    guard !shown.isEmpty else { return nil }
    if isDue { last = (time, snapshot, "") }
    return shown.map { ProgressRecord($0, rate: rate).line }.joined()
  }
}
