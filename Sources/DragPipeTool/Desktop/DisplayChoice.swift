// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
internal import DropSystem

/// The display system that the user has chosen with the option `--via`.
enum DisplayChoice: String, CaseIterable, Sendable {
  case x11
  case wayland
  case terminal

  /// The option, for the commands of the desktop.
  static let option = OptionSpecification(
    name: "via", value: ArgumentValue("SYSTEM", .words(allCases.map(\.rawValue))),
    summary: "use x11, wayland or terminal; default: what is found")

  /// The paragraph of the notes about windows.
  static let windowNote = """
    The environment variable WAYLAND_DISPLAY names the Wayland display, and DISPLAY the X11 display, which is used if no
    Wayland compositor is found.

    If neither is set, or with --via terminal, the terminal itself takes part in drags, also over ssh. The terminal must
    support the drag protocol of kitty (OSC 72). It shows lines in place of a window. Without a display and such a
    terminal, the exit code is 69.
    """
  /// The paragraph of the notes about clipboards.
  static let clipboardNote = """
    The environment variable WAYLAND_DISPLAY names the Wayland display, and DISPLAY the X11 display. The X11 display is
    used if no Wayland compositor is found, or if the compositor lets only windows copy. Without a display, the exit
    code is 69.

    With --via terminal, a text crosses to and from the clipboard of the terminal (OSC 52), also over ssh. Many terminals
    ask the user before they send their clipboard, or never send it. If neither variable is set, dragpipe copy does this
    too.
    """

  /// Parses the option.
  ///
  /// - Returns: The choice; `nil` without the option.
  init?(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard let value = try arguments.value("via") else { return nil }
    guard let choice = Self(rawValue: value) else {
      throw ToolFailure(.usage, "--via \(value.escapedForDisplay()) is not x11, wayland or terminal")
    }
    self = choice
  }

  /// Uses a display, or the terminal.
  ///
  /// Without a choice, and if there is no display, the terminal is used if it supports drags.
  ///
  /// - Parameters:
  ///   - choice: The choice of the user.
  ///   - options: The options of the display.
  ///   - display: Uses a display.
  ///   - terminal: Uses the terminal.
  /// - Throws: The errors of the closures.
  static func run(
    _ choice: DisplayChoice?, _ options: DesktopOptions, display: () async throws -> Void,
    terminal: () async throws -> Void
  ) async throws {
    var usesTerminal = choice == .terminal
    if choice == nil, !DesktopDisplay.isNamed { usesTerminal = await DesktopTerminal.supportsDrags(options) }
    if usesTerminal { try await terminal() } else { try await display() }
  }

  /// Returns whether a copy goes to the clipboard of the terminal, which keeps it.
  static func copiesToTerminal(_ choice: DisplayChoice?) -> Bool {
    choice == .terminal || (choice == nil && !DesktopDisplay.isNamed && DesktopTerminal.exists)
  }

  /// The display system; `nil` for the terminal.
  var system: DesktopOptions.System? {
    switch self {
    case .x11: .x11
    case .wayland: .wayland
    case .terminal: nil
    }
  }
}
