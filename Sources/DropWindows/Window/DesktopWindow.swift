// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
internal import Synchronization

/// A window on a display.
///
/// The caller runs the event loop: it passes each event of the connection to ``handle(_:)``, and performs the returned
/// actions. The window is drawn once for all events that arrive together: it requests a frame, and is drawn when the
/// display answers after the events. At most one such request is under way, however fast events arrive.
///
/// All functions may be called from any task.
package final class DesktopWindow: Sendable {
  struct Contents: Sendable {
    var state: WindowState
    /// The scene that the canvas shows.
    var scene: WindowScene
    var canvas: Canvas
    /// The area whose pixels the display has lost.
    var exposed = PixelRectangle.empty
    var isFrameRequested = false
    /// The number of times that the window was drawn.
    var frameCount = 0
    /// Whether the first exposure has arrived.
    ///
    /// The display does not show earlier drawings.
    var isVisible = false
    var isClosed = false
    /// The time at which the pointer rests, unless it moves before; `nil` without a task that waits for it.
    var restTime: ContinuousClock.Instant?
  }

  /// The time without a motion after which the pointer rests.
  static let restDelay = Duration.milliseconds(600)

  private let surface: any WindowSurface
  let contents: Lock<Contents>

  private init(_ surface: any WindowSurface, _ state: WindowState) {
    self.surface = surface
    contents = Lock(
      Contents(
        state: state, scene: WindowScene(theme: state.theme, bounds: .empty), canvas: Canvas(width: 0, height: 0)))
  }

  /// The number by which targets of drags name the window.
  package var identifier: UInt32 { surface.identifier }
  /// The number of pixels per point.
  package var scale: Double { layout.scale }

  /// Opens a window, and makes it visible.
  ///
  /// - Parameters:
  ///   - connection: The connection to the display; its events must be passed to ``handle(_:)``.
  ///   - model: The content.
  ///   - options: The settings.
  /// - Returns: The window, which may not be drawn yet.
  /// - Throws: `badAddress` for a screen without true colours, and the errors of the connection.
  package static func open(
    on connection: DisplayConnection, _ model: WindowModel, options: WindowOptions = .init()
  ) async throws(DisplayError) -> DesktopWindow {
    let surface: any WindowSurface
    switch connection {
    case .x11(let connection): surface = try await X11Surface(connection, options)
    case .wayland(let session): surface = try WaylandSurface(session, options)
    }
    let (scale, maximum) = (surface.scale, surface.maximumSize)
    let width = min(maximum.width, max(100, Int((options.width * scale).rounded())))
    let height = min(
      maximum.height, max(120, Int(((options.height ?? WindowLayout.preferredHeight(model)) * scale).rounded())))
    let state = WindowState(
      model, theme: options.chosenTheme, width: width, height: height, scale: scale,
      text: options.text ?? SystemText.drawing)
    let window = DesktopWindow(surface, state)
    try surface.open(options, title: model.title, theme: state.theme, bounds: state.layout.bounds)
    // The display maps the window while this thread draws.
    window.contents.withLock { contents in _ = contents.render() }
    try await surface.prepareInput()
    return window
  }

  deinit {
    close()
  }

  /// Requests another size in points; the window's content follows when the display has changed it.
  package func resize(width: Double, height: Double) throws(DisplayError) {
    let scale = scale
    func pixels(_ points: Double) -> Int { Int(max(1, min(32767, (points * scale).rounded()))) }
    try surface.resize(width: pixels(width), height: pixels(height))
  }

  /// Destroys the window.
  ///
  /// A second call has no effect.
  package func close() {
    contents.withLock { $0.isClosed = true }
    surface.close()
  }
}

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

  /// The size of the window, in points.
  package var size: (width: Double, height: Double) {
    let bounds = layout.bounds
    return (Double(bounds.width) / scale, Double(bounds.height) / scale)
  }

  /// Whether the display has begun to show the window.
  package var isVisible: Bool { contents.withLock { $0.isVisible } }

  /// The indices of the rows that are at least partly visible.
  package var visibleRows: [Int] { contents.withLock { $0.state.visibleRows } }

  /// The side of the picture that fills a part of the window, in pixels; 0 without such a picture.
  package var fillingSide: Int { contents.withLock { $0.state.fillingSide } }

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
    if changed.title != former.title { try surface.setTitle(changed.title) }
    try requestFrame()
  }

  /// Inserts a text into the field, in place of the selection.
  package func insert(_ text: String) throws(DisplayError) {
    contents.withLock { $0.state.insert(text) }
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

  /// Returns the place between two rows for a drop at a location; `nil` outside of the list.
  package func insertion(forDropAtX x: Int, y: Int) -> RowInsertion? {
    contents.withLock { $0.state.insertion(forDropAtX: x, y: y) }
  }

  /// Scrolls the column at a horizontal position by a number of steps of the wheel.
  ///
  /// - Returns: Whether the column has moved.
  @discardableResult
  package func scroll(by steps: Double, atX x: Int = 0) throws(DisplayError) -> Bool {
    let isMoved = contents.withLock { contents in
      let (column, step) = (contents.state.layout.column(atX: x), Double(contents.state.layout.scrollStep))
      let offset = contents.state.scrolls[column] + Int((steps * step).rounded())
      return !contents.state.scroll(column, to: offset).isEmpty
    }
    if isMoved { try requestFrame() }
    return isMoved
  }

  /// Returns the index of the row at a location or above it in the same column, for a drop; `nil` outside of the list.
  package func row(forDropAtX x: Int, y: Int) -> Int? {
    contents.withLock { contents in
      let layout = contents.state.layout
      return layout.row(forDropAtX: x, y: y, scroll: contents.state.scrolls[layout.column(atX: x)])
    }
  }

  /// Returns the part of the window at a location in pixels, such as the location of a drag over the window.
  package func target(x: Int, y: Int) -> WindowTarget? {
    contents.withLock { $0.state.target(x: x, y: y) }
  }

  /// Requests a frame, in which the window is drawn.
  ///
  /// At most one such request is under way. None is sent before the display shows the window.
  func requestFrame() throws(DisplayError) {
    let isNeeded = contents.withLock { contents in
      guard contents.isVisible, !contents.isClosed, !contents.isFrameRequested else { return false }
      contents.isFrameRequested = true
      return true
    }
    if isNeeded { try surface.requestFrame() }
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
      try surface.show(areas.filter { !$0.isEmpty }, of: contents.canvas)
      contents.frameCount += 1
    }
  }
}

extension DesktopWindow {
  /// Processes an event of the connection.
  ///
  /// Events of other windows have no effect. Input that another program has forged is ignored.
  ///
  /// - Returns: The actions that the user requests.
  /// - Throws: The error that has ended the connection.
  package func handle(_ event: DisplayEvent) throws(DisplayError) -> [WindowAction] {
    var actions: [WindowAction] = []
    for change in try surface.changes(by: event) {
      switch change {
      case .exposed(let area):
        contents.withLock { contents in
          contents.isVisible = true
          contents.exposed = contents.exposed.union(area)
        }
        try requestFrame()
      case .resized(let width, let height, let scale):
        contents.withLock { $0.state.resize(width: width, height: height, scale: scale) }
        try requestFrame()
      case .frame: try drawFrame()
      case .input(let input): actions += try handle(input)
      case .focused(let isFocused): actions.append(.changedFocus(isFocused))
      case .closeRequested: actions.append(.closed)
      case .destroyed:
        contents.withLock { $0.isClosed = true }
        actions.append(.closed)
      }
    }
    return actions
  }

  /// Processes an input, and requests that its effect is drawn.
  func handle(_ input: WindowInput) throws(DisplayError) -> [WindowAction] {
    let (actions, isChanged) = contents.withLock { contents in
      let hovered = contents.state.hovered
      let pressed = contents.state.pressed
      let tooltip = contents.state.tooltip
      let actions = contents.state.handle(input)
      // Most motions of the pointer change nothing.
      guard case .moved = input else { return (actions, true) }
      let isShown = !tooltip.isEmpty && contents.state.tooltip.isEmpty
      let isChanged = contents.state.hovered != hovered || contents.state.pressed != pressed || pressed == .field
      return (actions, !actions.isEmpty || isShown || isChanged)
    }
    if isChanged { try requestFrame() }
    if case .resized(let width, let height) = actions.first {
      try surface.resize(width: width, height: height)
    }
    if case .moved = input { showTooltipAfterRest() }
    return actions
  }

  /// Shows the tooltip of the row under the pointer when the pointer has rested.
  private func showTooltipAfterRest() {
    let isFirst = contents.withLock { contents in
      guard contents.state.tooltip.isEmpty, !contents.state.restTooltip.isEmpty else { return false }
      defer { contents.restTime = .now + Self.restDelay }
      return contents.restTime == nil
    }
    guard isFirst else { return }
    Task { [weak self] in
      while let end = self?.contents.withLock({ $0.restTime }), end > .now {
        // Motions delay the end.
        try await Task.sleep(until: end)
      }
      self?.contents.withLock { contents in
        contents.restTime = nil
        contents.state.showTooltip()
      }
      // An error means that the connection is closed, and the window with it.
      try self?.requestFrame()
    }
  }
}
