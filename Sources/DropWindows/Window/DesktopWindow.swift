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
  }

  /// The maximum length of an image in a request, in bytes.
  ///
  /// Longer images would delay other requests.
  static let imageBytes = 256 << 10

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
    let width = min(Int(screen.width), max(200, Int((options.width * scale).rounded())))
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
    let position = options.position ?? (0, 0)
    let frame = X11Rectangle(
      x: pixels(position.x), y: pixels(position.y), width: UInt16(clamping: bounds.width),
      height: UInt16(clamping: bounds.height))
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
      + properties.declaration(
        programName: options.programName, isDark: theme.isDark, position: options.position == nil ? nil : frame,
        minimumWidth: Int(240 * scale), minimumHeight: Int(160 * scale))
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
