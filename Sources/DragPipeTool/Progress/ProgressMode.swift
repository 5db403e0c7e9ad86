// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

/// The progress of a transfer for another program, as one line of JSON.
///
/// The line has no keys for unknown values. Only the last record has an ``ending``.
struct ProgressRecord: Encodable, Sendable {
  /// The maximum size of a line in bytes.
  ///
  /// A pipe takes this number of bytes at once or not at all.
  ///
  /// Most of this space is for the name, since each of its characters takes up to twelve bytes.
  static let byteLimit = 4096
  private static let nameLimit = 255

  let phase: String
  /// The number of the current item, from 1.
  let item: Int?
  /// The first 255 Unicode scalars of the item's name.
  let name: String?
  let bytes: UInt64
  let totalBytes: UInt64?
  /// The number of completed items.
  let items: Int
  let totalItems: Int?
  let bytesPerSecond: UInt64?
  let secondsRemaining: UInt64?
  let ending: String?

  init(_ snapshot: TransferSnapshot, rate: TransferRate, ending: ItemProgress.Ending? = nil) {
    phase = snapshot.phase.word
    item = snapshot.item > 0 ? snapshot.item : nil
    name = snapshot.name.map { String(String.UnicodeScalarView($0.unicodeScalars.prefix(Self.nameLimit))) }
    bytes = snapshot.bytes
    let total = snapshot.totalBytes.map { max($0, snapshot.bytes) }
    totalBytes = total
    items = ending == .finished ? snapshot.item : max(0, snapshot.item - 1)
    totalItems = snapshot.totalItems
    bytesPerSecond = rate.bytesPerSecond
    secondsRemaining = total.flatMap { rate.secondsRemaining(for: $0 - snapshot.bytes) }
    self.ending = ending?.word
  }

  /// The JSON object without control characters, then a newline.
  var line: String {
    // Encoding cannot fail, since the record has only integers and strings.
    (try? JSONOutput().text(self)).map { $0 + "\n" } ?? ""
  }
}

extension ItemProgress.Phase {
  /// The word for the phase, in progress lines and in JSON.
  var word: String {
    switch self {
    case .preparing: "preparing"
    case .transferring: "transferring"
    case .verifying: "verifying"
    }
  }
}

extension ItemProgress.Ending {
  /// The word for the ending, in JSON.
  var word: String {
    switch self {
    case .finished: "finished"
    case .cancelled: "cancelled"
    case .failed: "failed"
    }
  }
}

/// The value of `--progress`.
enum ProgressMode: String, CaseIterable, Sendable {
  /// A progress line on a terminal, nothing elsewhere.
  ///
  /// A terminal that cannot redraw a line, or that shows the line of another process, gets nothing.
  case auto
  /// A progress line on a terminal that can redraw it, plain lines elsewhere.
  case always
  /// No progress.
  case never
  /// One JSON object a line, for another program.
  case json

  /// The option that selects a mode.
  static let option = OptionSpecification(
    name: "progress", value: ArgumentValue("WHEN", .words(allCases.map(\.rawValue))),
    summary: "show progress: auto (on a terminal), always, never, json")

  /// Parses `--progress` and `--quiet`.
  ///
  /// - Parameters:
  ///   - option: The value of `--progress`; `nil` means ``auto``.
  ///   - isQuiet: Whether `--quiet` is given, which hides all progress.
  /// - Throws: `usage` for any other value of `--progress`.
  init(option: String?, isQuiet: Bool) throws(ToolFailure) {
    guard let mode = ProgressMode(rawValue: option ?? Self.auto.rawValue) else {
      throw ToolFailure(
        .usage,
        "--progress \((option ?? "").escapedForDisplay(limit: 40)) is unknown; use auto, always, never or json")
    }
    self = isQuiet ? .never : mode
  }
}

/// The form of progress output.
enum ProgressStyle: Sendable, Hashable {
  /// No output.
  case hidden
  /// One line that is redrawn. Its only escape sequence erases to the end of the line.
  case line
  /// At most one new line each second, without escape sequences.
  case plainLines
  /// One JSON object a line.
  case records

  /// Chooses the form for a mode.
  ///
  /// - Parameters:
  ///   - mode: The requested mode.
  ///   - isTerminal: Whether the output is a terminal.
  ///   - isShared: Whether another process draws on the same terminal. Two progress lines would overwrite each other.
  ///   - variable: Looks up an environment variable.
  init(_ mode: ProgressMode, isTerminal: Bool, isShared: Bool, variable: (String) -> String?) {
    let isBare = !(variable("NO_COLOR") ?? "").isEmpty || variable("TERM") == "dumb"
    self =
      switch mode {
      case .never: .hidden
      case .json: .records
      case .auto: isTerminal && !isBare && !isShared ? .line : .hidden
      case .always: isTerminal && !isBare ? .line : .plainLines
      }
  }
}
