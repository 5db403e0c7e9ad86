// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import UniformTypes

/// The options of a scene's window.
///
/// Sizes and positions concern windows on a desktop, and are in points of 1/96 inch.
public struct SceneWindowOptions: Sendable {
  /// The types of items that can be dropped on the window; empty for a window without drops.
  ///
  /// On a desktop, a drag of other types is refused while it is over the window. The app still checks each item, since a
  /// type is a claim of the source.
  public var dropTypes: [UTType]
  /// Whether dropped items are inserted between the rows, where a line shows the place during a drag.
  ///
  /// ``/DropScenes/SceneDrop/position`` is then the position of the row above the line plus 1, or the position of the row
  /// below it at the start of a column. Otherwise, it is the position of the row under the pointer.
  public var insertsDrops: Bool
  /// The width.
  public var width: Double
  /// The height.
  public var height: Double
  /// The location of the upper left corner; `nil` to leave it to the window manager.
  public var position: (x: Double, y: Double)?
  /// The number of the X11 screen, from 0; `nil` for the screen that the variable `DISPLAY` names.
  public var screen: Int?
  /// Whether a handle in the lower right corner changes the size, also without a window manager.
  public var hasSizeHandle = false
  /// Whether the window grows when it opens, and shrinks before it closes.
  public var isAnimated = false

  /// Creates options.
  public init(dropTypes: [UTType] = [], insertsDrops: Bool = false, width: Double = 460, height: Double = 520) {
    (self.dropTypes, self.insertsDrops, self.width, self.height) = (dropTypes, insertsDrops, width, height)
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
