// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The position and the size of a scene's window on a desktop, in points of 1/96 inch.
public struct SceneAppearance: Sendable {
  /// The width.
  public var width = 460.0
  /// The height.
  public var height = 520.0
  /// The location of the upper left corner; `nil` to leave it to the window manager.
  public var position: (x: Double, y: Double)?
  /// The number of the X11 screen, from 0; `nil` for the screen that the variable `DISPLAY` names.
  public var screen: Int?
  /// Whether the window grows when it opens, and shrinks before it closes.
  public var isAnimated = false

  /// Creates the usual appearance.
  public init(width: Double = 460, height: Double = 520) {
    (self.width, self.height) = (width, height)
  }

  /// The name of the display with the chosen screen; `nil` for that of the environment.
  var displayName: String? {
    guard let screen, let variable = getenv("DISPLAY") else { return nil }
    // The name is HOST:DISPLAY or HOST:DISPLAY.SCREEN.
    let name = String(cString: variable)
    let end = name.lastIndex(of: ":").flatMap { name[$0...].firstIndex(of: ".") } ?? name.endIndex
    return "\(name[..<end]).\(screen)"
  }
}
