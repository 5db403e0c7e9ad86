// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// What somebody wants to see of a transfer while it goes on: the value of `--progress`.
enum ProgressMode: String, CaseIterable, Sendable {
  /// A line, where a terminal is there to show it.
  case auto
  /// A line on a terminal, plain lines anywhere else.
  case always
  /// Nothing.
  case never
  /// JSON Lines, for another program.
  case json

  /// Asks for one of them.
  static let option = OptionSpecification(
    name: "progress", value: ArgumentValue("WHEN", .words(allCases.map(\.rawValue))),
    summary: "show progress: auto (on a terminal), always, never, json")

  /// Makes sense of `--progress` and `--quiet`.
  ///
  /// - Parameters:
  ///   - option: The value of `--progress`; `nil` where it is not given, which means ``auto``.
  ///   - isQuiet: Whether nothing is to be shown, whatever `option` says.
  /// - Throws: `usage` for a value that is none of these.
  init(option: String?, isQuiet: Bool) throws(ToolFailure) {
    guard let mode = ProgressMode(rawValue: option ?? Self.auto.rawValue) else {
      throw ToolFailure(
        .usage, "--progress wants auto, always, never or json, not \((option ?? "").escapedForDisplay(limit: 40))")
    }
    self = isQuiet ? .never : mode
  }
}

/// The form that progress takes on what it is written to.
enum ProgressStyle: Sendable, Hashable {
  /// None at all.
  case hidden
  /// One line that is drawn over and over; its escape sequence is "erase to the end of the line" alone.
  case line
  /// A line from time to time, without any escape sequence.
  case plainLines
  /// JSON Lines.
  case records

  /// Chooses the form.
  ///
  /// - Parameters:
  ///   - mode: What is wanted.
  ///   - isTerminal: Whether it is written to a terminal.
  ///   - isShared: Whether another process draws on the same terminal; two lines in one place help nobody.
  ///   - variable: Looks up a variable of the environment.
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
