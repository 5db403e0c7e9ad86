// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
internal import Synchronization

/// A window on a display.
///
/// The caller runs the event loop: it passes each event of the connection to ``handle(_:)``, and performs the returned
/// actions. The window is drawn once for all events that arrive together: it sends a message to itself, and is drawn
/// when this message arrives after the events. At most one such message is under way, however fast events arrive.
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
    /// The last release of the first button, for double clicks.
    var lastRelease: X11InputEvent?
    var keyboard: X11KeyboardMapping?
    /// Whether a request for the symbols of the keys is under way.
    var isKeyboardRequested = false
    /// The time at which the pointer rests, unless it moves before; `nil` without a task that waits for it.
    var restTime: ContinuousClock.Instant?
  }

  /// The maximum length of an image in a request, in bytes.
  ///
  /// Longer images would delay other requests.
  static let imageBytes = 256 << 10
  /// The time without a motion after which the pointer rests.
  static let restDelay = Duration.milliseconds(600)

  /// The connection.
  package let connection: X11Connection
  /// The identifier of the window on the display.
  package let identifier: X11Identifier
  /// The number of pixels per point.
  package let scale: Double
  let graphicsContext: X11Identifier
  let atoms: WindowAtoms
  let format: PixelFormat
  let contents: Lock<Contents>

  private init(
    _ connection: X11Connection, atoms: WindowAtoms, format: PixelFormat, state: WindowState
  ) throws(DisplayError) {
    self.connection = connection
    self.atoms = atoms
    self.format = format
    scale = state.layout.scale
    identifier = try connection.newIdentifier()
    graphicsContext = try connection.newIdentifier()
    contents = Lock(
      Contents(
        state: state, scene: WindowScene(theme: state.theme, bounds: .empty), canvas: Canvas(width: 0, height: 0)))
  }

  /// Opens a window, and makes it visible.
  ///
  /// - Parameters:
  ///   - connection: The connection to the display; its events must be passed to ``handle(_:)``.
  ///   - model: The content.
  ///   - options: The settings.
  /// - Returns: The window, which may not be drawn yet.
  /// - Throws: `badAddress` for a screen without true colours, and the errors of the connection.
  package static func open(
    on connection: X11Connection, _ model: WindowModel, options: WindowOptions = .init()
  ) async throws(DisplayError) -> DesktopWindow {
    let screen = connection.screen
    let format = try PixelFormat(screen, connection.setup)
    // All these requests take one round trip.
    let resources = try connection.begin(
      .getProperty(screen.root, .resourceManager, type: .string, limit: 256 << 10))
    let keyboard = try connection.begin(.getKeyboardMapping(of: connection.setup))
    let atoms = try await WindowAtoms(connection)
    var resourceText = ""
    if case .bytes(let bytes) = try await resources.value().data {
      resourceText = String(decoding: bytes, as: UTF8.self)
    }
    let scale = options.chosenScale(resources: resourceText)
    // A window without a window manager cannot be moved, so it must fit on the screen.
    let width = min(Int(screen.width), max(100, Int((options.width * scale).rounded())))
    let height = min(
      Int(screen.height), max(120, Int(((options.height ?? WindowLayout.preferredHeight(model)) * scale).rounded())))
    let state = WindowState(
      model, theme: options.chosenTheme, width: width, height: height, scale: scale,
      text: options.text ?? SystemText.drawing)
    let window = try DesktopWindow(connection, atoms: atoms, format: format, state: state)
    try window.create(options, model.title, state.theme)
    // The server maps the window while this thread draws.
    window.contents.withLock { contents in _ = contents.render() }
    let mapping = try await keyboard.value()
    window.contents.withLock { $0.keyboard = mapping }
    return window
  }

  deinit {
    close()
  }

  /// Requests another size in points; the window's content follows when the display has changed it.
  package func resize(width: Double, height: Double) throws(DisplayError) {
    guard !contents.withLock({ $0.isClosed }) else { return }
    func pixels(_ points: Double) -> UInt16 { UInt16(max(1, min(32767, (points * scale).rounded()))) }
    try connection.send(.configureWindow(identifier, width: pixels(width), height: pixels(height)))
  }

  private func create(_ options: WindowOptions, _ title: String, _ theme: Theme) throws(DisplayError) {
    let bounds = contents.withLock { $0.state.layout.bounds }
    func pixels(_ points: Double) -> Int16 { Int16(max(-32768, min(32767, (points * scale).rounded()))) }
    var frame = X11Rectangle(
      x: 0, y: 0, width: UInt16(clamping: bounds.width), height: UInt16(clamping: bounds.height))
    if let position = options.position {
      (frame.x, frame.y) = (pixels(position.x), pixels(position.y))
    } else if options.isDialog {
      // This is not declared as a position, so a window manager may choose the middle of one of several monitors.
      frame.x = Int16(clamping: (Int(connection.screen.width) - bounds.width) / 2)
      frame.y = Int16(clamping: (Int(connection.screen.height) - bounds.height) / 2)
    }
    try connection.send(
      .createWindow(
        identifier, parent: connection.screen.root, frame: frame,
        attributes: X11WindowAttributes(
          backgroundPixel: format.value(theme.background), bitGravity: 1,
          events: [
            .keyPress, .buttonPress, .buttonRelease, .enterWindow, .leaveWindow, .pointerMotion, .exposure,
            .structureNotify, .focusChange,
          ])))
    let properties = WindowProperties(window: identifier, atoms: atoms)
    let requests =
      properties.title(title)
      + properties.declaration(options, isDark: theme.isDark, frame: frame, scale: scale)
    for request in requests { try connection.send(request) }
    try connection.send(.createGC(graphicsContext, for: identifier))
    try connection.send(.mapWindow(identifier))
  }

  /// Requests the symbols of the keys again, unless such a request is under way.
  func reloadKeyboard() throws(DisplayError) {
    let isRequested = contents.withLock { contents in
      defer { contents.isKeyboardRequested = true }
      return contents.isKeyboardRequested
    }
    guard !isRequested else { return }
    let pending = try connection.begin(.getKeyboardMapping(of: connection.setup))
    // Another task waits for the response, so that further events need not wait.
    Task { [weak self] in
      let mapping = try? await pending.value()
      self?.contents.withLock { contents in
        contents.isKeyboardRequested = false
        if let mapping { contents.keyboard = mapping }
      }
    }
  }

  /// Destroys the window.
  ///
  /// A second call has no effect.
  package func close() {
    let isClosed = contents.withLock { contents in
      defer { contents.isClosed = true }
      return contents.isClosed
    }
    guard !isClosed else { return }
    // An error means that the connection is closed, and the window with it.
    try? connection.send(.freeGC(graphicsContext))
    try? connection.send(.destroyWindow(identifier))
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
    if changed.title != former.title, !contents.withLock({ $0.isClosed }) {
      for request in WindowProperties(window: identifier, atoms: atoms).title(changed.title) {
        try connection.send(request)
      }
    }
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

extension DesktopWindow {
  /// Processes an event of the connection.
  ///
  /// Events of other windows have no effect. Input that another program has forged is ignored.
  ///
  /// - Returns: The actions that the user requests.
  /// - Throws: The error that has ended the connection.
  package func handle(_ event: X11Event) throws(DisplayError) -> [WindowAction] {
    switch event.kind {
    case .expose(let expose) where expose.window == identifier:
      contents.withLock { contents in
        contents.isVisible = true
        let area = expose.frame
        contents.exposed = contents.exposed.union(
          PixelRectangle(x: Int(area.x), y: Int(area.y), width: Int(area.width), height: Int(area.height)))
      }
      try requestFrame()
    case .configureNotify(let change) where change.window == identifier:
      contents.withLock {
        $0.state.resize(width: max(1, Int(change.frame.width)), height: max(1, Int(change.frame.height)))
      }
      try requestFrame()
    case .clientMessage(let message) where message.window == identifier:
      return try handle(message)
    case .mappingNotify:
      try reloadKeyboard()
    case .destroyNotify(let window) where window == identifier && !event.isSentByClient:
      contents.withLock { $0.isClosed = true }
      return [.closed]
    default:
      guard !event.isSentByClient, let input = input(of: event.kind) else { return [] }
      return try handle(input)
    }
    return []
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
      try resize(width: Double(width) / scale, height: Double(height) / scale)
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

  private func handle(_ message: X11ClientMessage) throws(DisplayError) -> [WindowAction] {
    if message.type == atoms[.frame] {
      try drawFrame()
      return []
    }
    guard message.type == atoms[.protocols], case .words32(let words) = message.data, let kind = words.first else {
      return []
    }
    switch X11Atom(kind) {
    case atoms[.deleteWindow]:
      return [.closed]
    case atoms[.ping]:
      let root = connection.screen.root
      let response = X11ClientMessage(window: root, type: message.type, data: message.data)
      try connection.send(
        .sendEvent(response, to: root, events: [.substructureNotify, .substructureRedirect]))
    default:
      break
    }
    return []
  }

  /// Returns whether a release of the first button follows another within 400 milliseconds and 4 points.
  private func isDouble(_ event: X11InputEvent) -> Bool {
    contents.withLock { contents in
      let last = contents.lastRelease
      contents.lastRelease = event
      guard let last, event.time.rawValue &- last.time.rawValue <= 400 else { return false }
      let distance = WindowState.dragDistance * scale
      guard Double(abs(Int(event.x) - Int(last.x))) <= distance, Double(abs(Int(event.y) - Int(last.y))) <= distance
      else { return false }
      // A third click begins anew.
      contents.lastRelease = nil
      return true
    }
  }

  private func input(of kind: X11Event.Kind) -> WindowInput? {
    switch kind {
    case .motionNotify(let event) where event.window == identifier:
      return .moved(x: Int(event.x), y: Int(event.y), isButtonPressed: event.state.contains(.button1))
    // Mode 1 starts a grab, and mode 2 ends it. During a grab, another window has the pointer.
    case .enterNotify(let event) where event.window == identifier && event.mode != 1:
      return .moved(x: Int(event.x), y: Int(event.y), isButtonPressed: event.state.contains(.button1))
    case .leaveNotify(let event) where event.window == identifier && event.mode != 2:
      return .left
    case .buttonPress(let event) where event.window == identifier:
      switch event.detail {
      case 1: return .pressed(x: Int(event.x), y: Int(event.y))
      case 4: return .scrolled(-1, x: Int(event.x))
      case 5: return .scrolled(1, x: Int(event.x))
      default: return nil
      }
    case .buttonRelease(let event) where event.window == identifier && event.detail == 1:
      return .released(x: Int(event.x), y: Int(event.y), isDouble: isDouble(event))
    case .keyPress(let event) where event.window == identifier:
      let symbol = contents.withLock { $0.keyboard?.symbol(of: event) ?? 0 }
      guard let key = WindowKey(symbol: symbol) else { return nil }
      return .key(key, isShifted: event.state.contains(.shift), isControl: event.state.contains(.control))
    default:
      return nil
    }
  }
}
