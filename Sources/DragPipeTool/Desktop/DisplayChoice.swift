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
    Wayland compositor is found. Without a display, the exit code is 69.

    With --via terminal, the terminal itself takes part in drags, also over ssh. The terminal must support the drag
    protocol of kitty (OSC 72); otherwise the exit code is 69. It shows lines in place of a window.
    """
  /// The paragraph of the notes about clipboards.
  static let clipboardNote = """
    The environment variable WAYLAND_DISPLAY names the Wayland display, and DISPLAY the X11 display. The X11 display is
    used if no Wayland compositor is found, or if the compositor lets only windows copy. Without a display, the exit
    code is 69.

    With --via terminal, a text crosses to and from the clipboard of the terminal (OSC 52), also over ssh. Many terminals
    ask the user before they send their clipboard, or never send it.
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

  /// The display system; `nil` for the terminal.
  var system: DesktopOptions.System? {
    switch self {
    case .x11: .x11
    case .wayland: .wayland
    case .terminal: nil
    }
  }
}
