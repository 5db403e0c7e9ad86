// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemTransfer

/// Decides what is shown when: pure, with times counted from the transfer's start.
struct ProgressPresenter: Sendable {
  /// How often anything is looked at, and a line drawn at most.
  static let interval = Duration.milliseconds(100)
  /// People see nothing of what is over sooner.
  static let usualDelay = Duration.milliseconds(500)
  private static let plainInterval = Duration.seconds(1)
  /// A program hears that often of a transfer which stands still.
  private static let restInterval = Duration.seconds(1)

  let style: ProgressStyle
  let action: String
  /// How long people see nothing.
  let delay: Duration
  private var rate = TransferRate()
  private var last: (time: Duration, snapshot: TransferSnapshot, text: String)?

  init(style: ProgressStyle, action: String, delay: Duration = Self.usualDelay) {
    self.style = style
    self.action = action
    self.delay = delay
  }

  /// What is to be shown now, if anything.
  ///
  /// - Parameters:
  ///   - snapshot: How far the transfer is.
  ///   - phaseChanges: The moments before it at which a phase began.
  ///   - time: Since the transfer's start.
  ///   - columns: Of the terminal.
  /// - Returns: The line to draw, without a line's end; whole lines in every other style.
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

  /// What is to be shown when all is over.
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
