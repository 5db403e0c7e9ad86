// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
internal import Synchronization

extension DesktopWindow.Contents {
  /// Draws the present state on the canvas.
  ///
  /// - Returns: The area that has changed.
  mutating func render() -> PixelRectangle {
    let new = state.scene()
    let damage = new.damage(since: scene)
    scene = new
    guard !damage.isEmpty else { return damage }
    if canvas.bounds != new.bounds { canvas = Canvas(width: new.bounds.width, height: new.bounds.height) }
    new.draw(damage, on: &canvas, text: state.text)
    return damage
  }
}

extension DesktopWindow {
  /// The content of the window.
  package var model: WindowModel { contents.withLock { $0.state.model } }

  /// The areas of the window's parts, in pixels.
  package var layout: WindowLayout { contents.withLock { $0.state.layout } }

  /// Whether the display has begun to show the window.
  package var isVisible: Bool { contents.withLock { $0.isVisible } }

  /// Returns the picture of items for a drag, with the window's colours and scale.
  package func dragPicture(of rows: [WindowRow]) -> DragPicture {
    let state = contents.withLock { $0.state }
    return DragPicture(of: rows, theme: state.theme, scale: scale, text: state.text)
  }

  /// Changes the content, and requests that the window is drawn.
  ///
  /// - Parameter body: Changes the content. It runs again if an input or another task changes the content meanwhile.
  /// - Throws: The error that has ended the connection.
  package func update(_ body: (inout WindowModel) -> Void) throws(DisplayError) {
    // The caller's function must not run under the lock, so it changes a copy.
    var former: WindowModel
    var changed: WindowModel
    var isStored: Bool
    repeat {
      let state = contents.withLock { $0.state }
      former = state.model
      changed = former
      body(&changed)
      let model = changed
      isStored = contents.withLock { contents in
        guard contents.state.modelVersion == state.modelVersion else { return false }
        contents.state.model = model
        return true
      }
    } while !isStored
    if changed.title != former.title, !contents.withLock({ $0.isClosed }) {
      for request in WindowProperties(window: identifier, atoms: atoms).title(changed.title) {
        try connection.send(request)
      }
    }
    try requestFrame()
  }

  /// Advances the animation of items with an unknown size, and requests that the window is drawn.
  ///
  /// - Returns: Whether such an item exists. If so, call the function again after about 50 milliseconds.
  /// - Throws: The error that has ended the connection.
  package func advanceAnimation() throws(DisplayError) -> Bool {
    let isAnimated = contents.withLock { $0.state.advanceAnimation() }
    if isAnimated { try requestFrame() }
    return isAnimated
  }

  /// Returns the index of the row at a location or above it in the same column, for a drop; `nil` outside of the list.
  package func row(forDropAtX x: Int, y: Int) -> Int? {
    contents.withLock { $0.state.layout.row(forDropAtX: x, y: y, scroll: $0.state.scroll) }
  }

  /// Returns the part of the window at a location in pixels, such as the location of a drag over the window.
  package func target(x: Int, y: Int) -> WindowTarget? {
    contents.withLock { $0.state.target(x: x, y: y) }
  }

  /// Sends a message to the window, which is drawn when the message arrives.
  ///
  /// At most one such message is under way. None is sent before the display shows the window.
  func requestFrame() throws(DisplayError) {
    let isNeeded = contents.withLock { contents in
      guard contents.isVisible, !contents.isClosed, !contents.isFrameRequested else { return false }
      contents.isFrameRequested = true
      return true
    }
    guard isNeeded else { return }
    try connection.send(
      .sendEvent(X11ClientMessage(window: identifier, type: atoms[.frame], data: .words32([])), to: identifier))
  }

  /// Draws all changes, and sends them to the display.
  func drawFrame() throws(DisplayError) {
    // The lock keeps the images of concurrent calls in order. The lock is held briefly, since the connection only
    // queues the images.
    try contents.withLock { (contents) throws(DisplayError) in
      contents.isFrameRequested = false
      // Another program may send the message too. Without changes, nothing is sent to the display.
      guard contents.isVisible, !contents.isClosed else { return }
      let damage = contents.render()
      let exposed = contents.exposed.intersection(contents.canvas.bounds)
      contents.exposed = .empty
      let areas = damage.intersects(exposed) ? [damage.union(exposed)] : [damage, exposed]
      let limit = min(connection.maximumRequestBytes, Self.imageBytes)
      for area in areas.flatMap({ PixelFormat.strips(of: $0, limit: limit) }) {
        try send(area, of: contents.canvas)
      }
      contents.frameCount += 1
    }
  }

  private func send(_ area: PixelRectangle, of canvas: Canvas) throws(DisplayError) {
    let frame = X11Rectangle(
      x: Int16(clamping: area.x), y: Int16(clamping: area.y), width: UInt16(clamping: area.width),
      height: UInt16(clamping: area.height))
    try connection.send(
      .putImage(
        format.bytes(of: area, on: canvas), on: identifier, context: graphicsContext, frame: frame,
        depth: format.depth))
  }
}
