// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// A window on an X11 display.
///
/// The window is drawn once for all events that arrive together: it sends a message to itself, and is drawn when this
/// message arrives after the events.
final class X11Surface: WindowSurface {
  private struct State: Sendable {
    var isClosed = false
    var clicks = ClickDetector()
    var keyboard: X11KeyboardMapping?
    /// Whether a request for the symbols of the keys is under way.
    var isKeyboardRequested = true
  }

  /// The maximum length of an image in a request, in bytes.
  ///
  /// Longer images would delay other requests.
  static let imageBytes = 256 << 10

  let connection: X11Connection
  let window: X11Identifier
  let scale: Double
  private let graphicsContext: X11Identifier
  private let atoms: WindowAtoms
  private let format: PixelFormat
  private let firstKeyboard: X11PendingResponse<X11KeyboardMapping>
  private let state = Lock(State())

  /// Reads what a window needs from the display.
  ///
  /// - Throws: `badAddress` for a screen without true colours, and the errors of the connection.
  init(_ connection: X11Connection, _ options: WindowOptions) async throws(DisplayError) {
    self.connection = connection
    let screen = connection.screen
    format = try PixelFormat(screen, connection.setup)
    // All these requests take one round trip.
    let resources = try connection.begin(
      .getProperty(screen.root, .resourceManager, type: .string, limit: 256 << 10))
    firstKeyboard = try connection.begin(.getKeyboardMapping(of: connection.setup))
    atoms = try await WindowAtoms(connection)
    var resourceText = ""
    if case .bytes(let bytes) = try await resources.value().data {
      resourceText = String(decoding: bytes, as: UTF8.self)
    }
    scale = options.chosenScale(resources: resourceText)
    window = try connection.newIdentifier()
    graphicsContext = try connection.newIdentifier()
  }

  var identifier: UInt32 { window.rawValue }

  /// The size of the screen: a window without a window manager cannot be moved, so it must fit.
  var maximumSize: (width: Int, height: Int) { (Int(connection.screen.width), Int(connection.screen.height)) }

  func open(_ options: WindowOptions, title: String, theme: Theme, bounds: PixelRectangle) throws(DisplayError) {
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
        window, parent: connection.screen.root, frame: frame,
        attributes: X11WindowAttributes(
          backgroundPixel: format.value(theme.background), bitGravity: 1,
          events: [
            .keyPress, .buttonPress, .buttonRelease, .enterWindow, .leaveWindow, .pointerMotion, .exposure,
            .structureNotify, .focusChange,
          ])))
    let properties = WindowProperties(window: window, atoms: atoms)
    let requests =
      properties.title(title)
      + properties.declaration(options, isDark: theme.isDark, frame: frame, scale: scale)
    for request in requests { try connection.send(request) }
    try connection.send(.createGC(graphicsContext, for: window))
    try connection.send(.mapWindow(window))
  }

  func prepareInput() async throws(DisplayError) {
    let mapping = try await firstKeyboard.value()
    state.withLock { state in
      state.keyboard = mapping
      state.isKeyboardRequested = false
    }
  }

  func setTitle(_ title: String) throws(DisplayError) {
    guard !state.withLock({ $0.isClosed }) else { return }
    for request in WindowProperties(window: window, atoms: atoms).title(title) { try connection.send(request) }
  }

  func resize(width: Int, height: Int) throws(DisplayError) {
    guard !state.withLock({ $0.isClosed }) else { return }
    func pixels(_ count: Int) -> UInt16 { UInt16(max(1, min(32767, count))) }
    try connection.send(.configureWindow(window, width: pixels(width), height: pixels(height)))
  }

  func requestFrame() throws(DisplayError) {
    try connection.send(
      .sendEvent(X11ClientMessage(window: window, type: atoms[.frame], data: .words32([])), to: window))
  }

  func show(_ areas: [PixelRectangle], of canvas: Canvas) throws(DisplayError) {
    let limit = min(connection.maximumRequestBytes, Self.imageBytes)
    for area in areas.flatMap({ PixelFormat.strips(of: $0, limit: limit) }) {
      let frame = X11Rectangle(
        x: Int16(clamping: area.x), y: Int16(clamping: area.y), width: UInt16(clamping: area.width),
        height: UInt16(clamping: area.height))
      try connection.send(
        .putImage(
          format.bytes(of: area, on: canvas), on: window, context: graphicsContext, frame: frame, depth: format.depth))
    }
  }

  func close() {
    let isClosed = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed
    }
    guard !isClosed else { return }
    // An error means that the connection is closed, and the window with it.
    try? connection.send(.freeGC(graphicsContext))
    try? connection.send(.destroyWindow(window))
  }

  // MARK: Events

  /// Returns what an event changes.
  ///
  /// Input that another program has forged is ignored.
  func changes(by event: DisplayEvent) throws(DisplayError) -> [SurfaceChange] {
    guard case .x11(let event) = event else { return [] }
    switch event.kind {
    case .expose(let expose) where expose.window == window:
      let area = expose.frame
      return [
        .exposed(
          PixelRectangle(x: Int(area.x), y: Int(area.y), width: Int(area.width), height: Int(area.height)))
      ]
    case .configureNotify(let change) where change.window == window:
      return [
        .resized(width: max(1, Int(change.frame.width)), height: max(1, Int(change.frame.height)), scale: scale)
      ]
    case .clientMessage(let message) where message.window == window: return try changes(by: message)
    case .mappingNotify: try reloadKeyboard()
    case .destroyNotify(window) where !event.isSentByClient:
      state.withLock { $0.isClosed = true }
      return [.destroyed]
    case .focusIn(let focus) where isChange(focus): return [.focused(true)]
    case .focusOut(let focus) where isChange(focus): return [.focused(false)]
    default:
      if !event.isSentByClient, let input = input(of: event.kind) { return [.input(input)] }
    }
    return []
  }

  /// Returns whether the window has got or lost the focus, other than for the time of a grab or with the pointer.
  private func isChange(_ focus: X11FocusEvent) -> Bool {
    focus.window == window && focus.mode != 1 && focus.mode != 2 && focus.detail < 5
  }

  private func changes(by message: X11ClientMessage) throws(DisplayError) -> [SurfaceChange] {
    if message.type == atoms[.frame] { return [.frame] }
    guard message.type == atoms[.protocols], case .words32(let words) = message.data, let kind = words.first else {
      return []
    }
    switch X11Atom(kind) {
    case atoms[.deleteWindow]: return [.closeRequested]
    case atoms[.ping]:
      let root = connection.screen.root
      let response = X11ClientMessage(window: root, type: message.type, data: message.data)
      try connection.send(
        .sendEvent(response, to: root, events: [.substructureNotify, .substructureRedirect]))
    default: break
    }
    return []
  }

  /// Requests the symbols of the keys again, unless such a request is under way.
  private func reloadKeyboard() throws(DisplayError) {
    let isRequested = state.withLock { state in
      defer { state.isKeyboardRequested = true }
      return state.isKeyboardRequested
    }
    guard !isRequested else { return }
    let pending = try connection.begin(.getKeyboardMapping(of: connection.setup))
    // Another task waits for the response, so that further events need not wait.
    Task { [weak self] in
      let mapping = try? await pending.value()
      self?.state.withLock { state in
        state.isKeyboardRequested = false
        if let mapping { state.keyboard = mapping }
      }
    }
  }

  private func input(of kind: X11Event.Kind) -> WindowInput? {
    switch kind {
    case .motionNotify(let event) where event.window == window:
      return .moved(x: Int(event.x), y: Int(event.y), isButtonPressed: event.state.contains(.button1))
    // Mode 1 starts a grab, and mode 2 ends it. During a grab, another window has the pointer.
    case .enterNotify(let event) where event.window == window && event.mode != 1:
      return .moved(x: Int(event.x), y: Int(event.y), isButtonPressed: event.state.contains(.button1))
    case .leaveNotify(let event) where event.window == window && event.mode != 2:
      return .left
    case .buttonPress(let event) where event.window == window:
      switch event.detail {
      case 1: return .pressed(x: Int(event.x), y: Int(event.y))
      case 4: return .scrolled(-1, x: Int(event.x))
      case 5: return .scrolled(1, x: Int(event.x))
      default: return nil
      }
    case .buttonRelease(let event) where event.window == window && event.detail == 1:
      let (x, y, scale) = (Int(event.x), Int(event.y), scale)
      let isDouble = state.withLock { $0.clicks.isDouble(at: event.time.rawValue, x: x, y: y, scale: scale) }
      return .released(x: x, y: y, isDouble: isDouble)
    case .keyPress(let event) where event.window == window:
      let symbol = state.withLock { $0.keyboard?.symbol(of: event) ?? 0 }
      guard let key = WindowKey(symbol: symbol) else { return nil }
      return .key(key, isShifted: event.state.contains(.shift), isControl: event.state.contains(.control))
    default:
      return nil
    }
  }
}
