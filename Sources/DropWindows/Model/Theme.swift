// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The colours of a window.
///
/// Each text has a contrast of at least 4.5 to 1 with the areas behind it, except the title of a disabled button.
package struct Theme: Sendable, Hashable {
  /// The background of the window.
  package var background: Color
  /// The area of a list or a drop zone.
  package var surface: Color
  /// A row or a button under the pointer.
  package var hover: Color
  /// A selected row, a drop zone under a drag, and the row that drags all items while the pointer is over it.
  package var tint: Color
  /// The edges of areas, and the empty part of a progress bar.
  package var border: Color
  /// Names and titles.
  package var text: Color
  /// Hints and descriptions.
  package var secondaryText: Color
  /// The focus, a progress bar and the main button.
  package var accent: Color
  /// The text on the main button.
  package var accentText: Color
  /// A completed item.
  package var success: Color
  /// A failed item.
  package var failure: Color
  /// The paper of the icons.
  package var paper: Color
  /// The edges and lines of the icons, the handle of the scroll bar, and the title of a disabled button.
  package var ink: Color

  /// Dark text on bright areas.
  package static let light = Theme(
    background: Color(0xF4F5F7), surface: Color(0xFFFFFF), hover: Color(0xEEF1F5), tint: Color(0xE1ECFD),
    border: Color(0xD3D7DE), text: Color(0x1B1D21), secondaryText: Color(0x5A5F69), accent: Color(0x1B66D9),
    accentText: Color(0xFFFFFF), success: Color(0x177338), failure: Color(0xB3261E), paper: Color(0xFDFDFE),
    ink: Color(0x8C94A3))

  /// Bright text on dark areas.
  package static let dark = Theme(
    background: Color(0x1C1D20), surface: Color(0x26282C), hover: Color(0x303338), tint: Color(0x22395C),
    border: Color(0x3D4148), text: Color(0xF1F2F4), secondaryText: Color(0xB0B5BF), accent: Color(0x6FA8FF),
    accentText: Color(0x0B1A31), success: Color(0x6CCF8C), failure: Color(0xFF968E), paper: Color(0xE6E8EC),
    ink: Color(0x737A87))

  /// Returns the dark theme if the variable `GTK_THEME` ends with `-dark` or `:dark`, and the light theme otherwise.
  package static func automatic(environment: [String: String]) -> Theme {
    let name = environment["GTK_THEME"]?.lowercased() ?? ""
    return name.hasSuffix("-dark") || name.hasSuffix(":dark") ? .dark : .light
  }

  /// Whether the areas are darker than the text.
  package var isDark: Bool { background.luminance < text.luminance }
}
