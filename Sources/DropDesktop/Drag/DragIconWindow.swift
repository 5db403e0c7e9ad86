// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// The window with the picture that follows the pointer.
final class DragIconWindow: Sendable {
  let window: X11Identifier
  private let icon: DesktopDrag.Icon
  private let display: DesktopDisplay
  private let context: X11Identifier
  private let isOpen = Lock(true)

  /// Creates the window, which is not visible yet.
  init(_ icon: DesktopDrag.Icon, _ display: DesktopDisplay) throws {
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
    try connection.send(.createGC(context, for: window))
  }

  /// Moves the window beside the pointer, and never under it.
  func move(to point: DragPoint) throws {
    guard isOpen.withLock({ $0 }) else { return }
    func sum(_ value: Int16, _ offset: Int) -> Int16 { Int16(clamping: Int(value) + max(1, offset)) }
    try display.connection.send(
      .configureWindow(window, x: sum(point.x, icon.offsetX), y: sum(point.y, icon.offsetY), stacking: .above))
  }

  /// Makes the window visible.
  func show() throws {
    guard isOpen.withLock({ $0 }) else { return }
    try display.connection.send(.mapWindow(window))
  }

  /// Draws the picture on white, in parts that a request can hold.
  func draw() throws {
    guard isOpen.withLock({ $0 }) else { return }
    let screen = display.connection.screen
    let setup = display.connection.setup
    guard let visual = screen.visuals.first(where: { $0.identifier == screen.rootVisual }), visual.isTrueColor,
      setup.formats.contains(where: { $0.depth == screen.rootDepth && $0.bitsPerPixel == 32 })
    else { return }
    let rowCount = max(1, min(icon.height, (display.connection.maximumRequestBytes - 64) / (4 * icon.width)))
    for top in stride(from: 0, to: icon.height, by: rowCount) {
      let count = min(rowCount, icon.height - top)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(4 * count * icon.width)
      for pixel in icon.pixels[top * icon.width..<(top + count) * icon.width] {
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
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    guard wasOpen else { return }
    try? display.connection.send(.freeGC(context))
    try? display.connection.send(.destroyWindow(window))
  }
}

extension X11Visual {
  /// Returns the value of a pixel with premultiplied alpha, on white.
  func value(of pixel: UInt32) -> UInt32 {
    let rest = 255 - pixel >> 24
    func part(_ shift: UInt32, _ mask: UInt32) -> UInt32 {
      let component = min(255, (pixel >> shift & 0xFF) + rest)
      let width = mask.nonzeroBitCount
      let scaled = width >= 8 ? component << UInt32(width - 8) : component >> UInt32(8 - width)
      return scaled << UInt32(mask.trailingZeroBitCount) & mask
    }
    return part(16, redMask) | part(8, greenMask) | part(0, blueMask)
  }
}
