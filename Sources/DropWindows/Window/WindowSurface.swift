// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire

/// The place of a window on a display, which shows the pixels of a canvas.
///
/// One class for each display system implements it.
protocol WindowSurface: AnyObject, Sendable {
  /// The number by which targets of drags name the window.
  var identifier: UInt32 { get }
  /// The number of pixels per point when the window opens.
  var scale: Double { get }
  /// The maximum size of a new window in pixels.
  var maximumSize: (width: Int, height: Int) { get }

  /// Creates the window.
  ///
  /// - Parameters:
  ///   - options: The settings.
  ///   - title: The title, which is untrusted.
  ///   - theme: The colours.
  ///   - bounds: The size in pixels.
  /// - Throws: The error that has ended the connection.
  func open(_ options: WindowOptions, title: String, theme: Theme, bounds: PixelRectangle) throws(DisplayError)
  /// Waits for what input needs, such as the symbols of the keys.
  func prepareInput() async throws(DisplayError)
  /// Changes the title, which is untrusted.
  func setTitle(_ title: String) throws(DisplayError)
  /// Requests another size in pixels.
  func resize(width: Int, height: Int) throws(DisplayError)
  /// Requests the change ``SurfaceChange/frame``, after the changes that have arrived.
  func requestFrame() throws(DisplayError)
  /// Shows areas of a canvas.
  func show(_ areas: [PixelRectangle], of canvas: Canvas) throws(DisplayError)
  /// Returns what an event of the display changes; nothing for events of other windows.
  func changes(by event: DisplayEvent) throws(DisplayError) -> [SurfaceChange]
  /// Destroys the window.
  func close()
}

/// A change of a window by its display.
enum SurfaceChange: Sendable {
  /// The display shows the window, but has lost the pixels of an area.
  case exposed(PixelRectangle)
  /// The window has another size in pixels, or another number of pixels per point.
  case resized(width: Int, height: Int, scale: Double)
  /// The requested frame can be drawn.
  case frame
  /// The user has given an input.
  case input(WindowInput)
  /// The window has got or lost the keyboard.
  case focused(Bool)
  /// The user closes the window, which still exists.
  case closeRequested
  /// The window no longer exists.
  case destroyed
}

/// A detector of double clicks: two releases within 400 milliseconds and 4 points.
struct ClickDetector: Sendable {
  private var last: (time: UInt32, x: Int, y: Int)?

  /// Notes a release of the first button at a time in milliseconds, and returns whether it ends a double click.
  mutating func isDouble(at time: UInt32, x: Int, y: Int, scale: Double) -> Bool {
    let former = last
    last = (time, x, y)
    let distance = WindowState.dragDistance * scale
    guard let former, time &- former.time <= 400, Double(abs(x - former.x)) <= distance,
      Double(abs(y - former.y)) <= distance
    else { return false }
    // A third click begins anew.
    last = nil
    return true
  }
}
