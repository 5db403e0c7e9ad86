// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// The window with the picture that follows the pointer.
///
/// It has no background, so the server shows the windows below until the picture is drawn.
final class DragIconWindow: Sendable {
  private struct State {
    var isOpen = true
    /// Whether the server has exposed the window.
    ///
    /// The server discards everything that is drawn before the exposure.
    var isVisible = false
    var feedback = DesktopDrag.Feedback.refused
  }

  let window: X11Identifier
  private let icon: DesktopDrag.Icon
  private let display: X11Display
  private let context: X11Identifier
  private let state = Lock(State())

  /// Creates the window, which is not visible yet.
  ///
  /// - Parameters:
  ///   - icon: The picture.
  ///   - display: The display.
  ///   - shape: The extension that limits the window to the opaque part; `nil` for a rectangle.
  /// - Throws: The error that has ended the connection.
  init(_ icon: DesktopDrag.Icon, _ display: X11Display, shape: X11Extension?) throws {
    self.icon = icon
    self.display = display
    let connection = display.connection
    window = try connection.newIdentifier()
    context = try connection.newIdentifier()
    let frame = X11Rectangle(x: -10_000, y: -10_000, width: UInt16(icon.width), height: UInt16(icon.height))
    try connection.send(
      .createWindow(
        window, parent: connection.screen.root, frame: frame,
        attributes: X11WindowAttributes(overridesRedirect: true, savesUnder: true, events: [.exposure])))
    if let shape {
      try connection.send(.shapeRectangles(shape, .bounding, of: window, icon.visibleRectangles))
      // A search for the window under the pointer must not find the picture.
      try connection.send(.shapeRectangles(shape, .input, of: window, []))
    }
    try connection.send(.createGC(context, for: window))
  }

  /// Moves the window beside the pointer, and never under it.
  func move(to point: DragPoint) throws {
    guard state.withLock({ $0.isOpen }) else { return }
    func sum(_ value: Int16, _ offset: Int) -> Int16 { Int16(clamping: Int(value) + max(1, offset)) }
    try display.connection.send(
      .configureWindow(window, x: sum(point.x, icon.offsetX), y: sum(point.y, icon.offsetY), stacking: .above))
  }

  /// Makes the window visible.
  func open() throws {
    guard state.withLock({ $0.isOpen }) else { return }
    try display.connection.send(.mapWindow(window))
  }

  /// Shows the effect of a drop, if it has changed.
  func show(_ feedback: DesktopDrag.Feedback) throws {
    let isChanged = state.withLock { state in
      defer { state.feedback = feedback }
      return state.feedback != feedback && state.isVisible
    }
    if isChanged { try draw() }
  }

  /// Draws the picture, in parts that a request can hold.
  ///
  /// Nothing is drawn if the root window does not use true colours with 32 bits for each pixel.
  func draw() throws {
    let (isOpen, feedback) = state.withLock { state in
      state.isVisible = true
      return (state.isOpen, state.feedback)
    }
    guard isOpen else { return }
    let screen = display.connection.screen
    let setup = display.connection.setup
    guard let visual = screen.visuals.first(where: { $0.identifier == screen.rootVisual }), visual.isTrueColor,
      setup.formats.contains(where: { $0.depth == screen.rootDepth && $0.bitsPerPixel == 32 })
    else { return }
    let pixels = icon.pixels(for: feedback)
    let rowCount = max(1, min(icon.height, (display.connection.maximumRequestBytes - 64) / (4 * icon.width)))
    for top in stride(from: 0, to: icon.height, by: rowCount) {
      let count = min(rowCount, icon.height - top)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(4 * count * icon.width)
      for pixel in pixels[top * icon.width..<(top + count) * icon.width] {
        let value = visual.value(of: pixel)
        let order = setup.imageByteOrder == .littleEndian ? value.littleEndian : value.bigEndian
        withUnsafeBytes(of: order) { bytes.append(contentsOf: $0) }
      }
      let frame = X11Rectangle(x: 0, y: Int16(top), width: UInt16(icon.width), height: UInt16(count))
      try display.connection.send(.putImage(bytes, on: window, context: context, frame: frame, depth: screen.rootDepth))
    }
  }

  /// Destroys the window.
  ///
  /// Further calls have no effect.
  func close() {
    let wasOpen = state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen
    }
    guard wasOpen else { return }
    try? display.connection.send(.freeGC(context))
    try? display.connection.send(.destroyWindow(window))
  }

  deinit {
    close()
  }
}

extension DesktopDrag.Icon {
  /// The rectangles of the pixels that are at least half opaque.
  ///
  /// Equal adjacent rows share their rectangles.
  var visibleRectangles: [X11Rectangle] {
    let pixels = pixels(for: .copy)
    var rectangles: [X11Rectangle] = []
    var former: [Range<Int>] = []
    var top = 0
    for y in 0...height {
      let spans = y < height ? Self.spans(of: pixels[y * width..<(y + 1) * width]) : []
      guard y == height || spans != former else { continue }
      rectangles += former.map { span in
        X11Rectangle(x: Int16(span.lowerBound), y: Int16(top), width: UInt16(span.count), height: UInt16(y - top))
      }
      (former, top) = (spans, y)
    }
    return rectangles
  }

  private static func spans(of row: ArraySlice<UInt32>) -> [Range<Int>] {
    var spans: [Range<Int>] = []
    for (x, pixel) in row.enumerated() where pixel >> 24 >= 128 {
      if let last = spans.last, last.upperBound == x {
        spans[spans.count - 1] = last.lowerBound..<x + 1
      } else {
        spans.append(x..<x + 1)
      }
    }
    return spans
  }
}

extension X11Visual {
  /// Returns the value of a pixel with premultiplied alpha.
  ///
  /// A visible pixel is opaque and has its colour before premultiplication. A blended pixel would form a light or dark
  /// edge.
  func value(of pixel: UInt32) -> UInt32 {
    let alpha = max(1, pixel >> 24)
    func part(_ shift: UInt32, _ mask: UInt32) -> UInt32 {
      let component = min(255, (pixel >> shift & 0xFF) * 255 / alpha)
      let width = mask.nonzeroBitCount
      let scaled = width >= 8 ? component << UInt32(width - 8) : component >> UInt32(8 - width)
      return scaled << UInt32(mask.trailingZeroBitCount) & mask
    }
    return part(16, redMask) | part(8, greenMask) | part(0, blueMask)
  }
}
