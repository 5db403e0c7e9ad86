// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The options and the commands of an app, for its help.
///
/// Each entry is a usage and its description, such as `"drag N to WINDOW": "drags a photo to a window"`.
public struct SceneAppHelp: Sendable {
  /// A usage and its description.
  public typealias Entries = KeyValuePairs<String, String>

  let summary: String
  let options: [(usage: String, text: String)]
  let commands: [(usage: String, text: String)]

  /// Creates the help of an app.
  ///
  /// - Parameters:
  ///   - summary: A line about the program, such as `"board: cards in columns"`.
  ///   - options: The options of the command line.
  ///   - commands: The lines that the windows accept, and the commands with a colon.
  public init(summary: String, options: Entries = [:], commands: Entries) {
    self.summary = summary
    self.options =
      options.map { ($0.key, $0.value) } + [
        ("--desktop", "show each window on the display of the desktop"),
        ("--script FILE", "read the commands from a file; - is standard input"), ("--help", "print this help"),
      ]
    self.commands = commands.map { ($0.key, $0.value) }
  }

  private static let terminalCommands = [
    ("help", "show this help"), (":say TEXT", "print the text"),
    (":show [WINDOW]", "show the lines of all windows, or of one"),
    (":key WINDOW", "make a window the key window"),
    (":wait WINDOW TEXT", "wait until the window shows the text, at most a minute"),
    (":resize WINDOW N", "set the width of a window to N characters"),
    (":refresh WINDOW", "ask a window to refresh its content"),
    (":close WINDOW", "close a window after its lines; twice: at once"),
    (":kill WINDOW", "kill a window's process"), (":quit", "end the app and keep its sessions, as Ctrl-C does"),
  ]

  private static let keys = [
    ("Tab, Shift-Tab", "make the next or previous window the key window"),
    ("PageUp, PageDown", "scroll the key window"),
    ("Shift-Up, Shift-Down", "scroll it by a line"),
    ("Up, Down", "recall former lines; scroll if there are none"),
    ("Left, Right, Home, End, Backspace, Delete", "edit the line"),
    ("Ctrl-U", "delete the text before the cursor"), ("Ctrl-C", "delete the line; end the app if the line is empty"),
    ("Ctrl-D", "end the app if the line is empty"), ("Ctrl-L", "draw the screen again"),
    ("Escape", "close a text such as this help"),
  ]

  /// The lines of the help.
  var lines: [String] {
    [summary, ""] + Self.table(options) + [
      "", "A line goes to the key window. WINDOW is a number or the start of a title:",
    ]
      + Self.table(commands) + ["", "Commands of all apps:"] + Self.table(Self.terminalCommands)
      + ["", "Keys on a terminal:"] + Self.table(Self.keys)
  }

  private static func table(_ rows: [(usage: String, text: String)]) -> [String] {
    let width = rows.map(\.usage.columnCount).filter { $0 <= 24 }.max() ?? 0
    // A usage that is too wide for its column has its own line.
    return rows.flatMap { usage, text in
      usage.columnCount > width
        ? ["  \(usage)", "    \("".padded(toColumns: width))\(text)"] : ["  \(usage.padded(toColumns: width))  \(text)"]
    }
  }
}

/// The request for the help of an app on the command line.
struct HelpRequest: Error {
  let help: SceneAppHelp
}
