// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// A title bar above a window, for compositors that draw none.
final class WaylandTitleBar: Sendable {
  /// The parts of a title bar.
  enum Part: Sendable {
    /// The part by which the user moves the window.
    case title
    /// The button that closes the window.
    case close
  }

  /// The height in points.
  static let height = 34

  /// The state that the title bar shows.
  private struct Look: Equatable {
    var title = ""
    var width = 0
    var scale = 1.0
    var isActive = false
    var hovered: Part?
  }

  let surface: WaylandObject
  private let session: WaylandSession
  private let subsurface: WaylandObject
  private let viewport: WaylandObject?
  private let theme: Theme
  private let text: any TextDrawing
  /// The content, and the buffer before it, which the compositor may show until the window's next commit.
  private let shown = Lock<(look: Look, buffer: WaylandBuffer, former: WaylandBuffer?)?>(nil)

  /// Creates a title bar; `nil` if the compositor cannot join surfaces.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - parent: The surface of the window.
  ///   - viewporter: The extension that scales pictures; `nil` if there is none.
  ///   - theme: The colours of the window.
  ///   - text: The font.
  /// - Throws: The errors of the connection.
  init?(
    _ session: WaylandSession, above parent: WaylandObject, viewporter: WaylandObject?, theme: Theme,
    text: any TextDrawing
  ) throws(DisplayError) {
    let connection = session.connection
    guard let compositor = session.compositor, let joiner = try connection.bind(.subcompositor) else { return nil }
    surface = try connection.create(compositor, "create_surface")
    subsurface = try connection.createLast(joiner, "get_subsurface", .object(surface), .object(parent))
    try connection.send(subsurface, "set_position", .int(0), .int(Int32(-Self.height)))
    viewport =
      if let viewporter { try connection.create(viewporter, "get_viewport", .object(surface)) } else { nil }
    (self.session, self.theme, self.text) = (session, theme, text)
  }

  /// Returns the part at a location in points.
  func part(x: Double, width: Int) -> Part { x >= Double(width - Self.height) ? .close : .title }

  /// Draws the title bar if it has changed; the next commit of the window shows it.
  ///
  /// - Parameters:
  ///   - title: The title, which is untrusted.
  ///   - width: The width of the window in points.
  ///   - scale: The number of pixels per point.
  ///   - isActive: Whether the window has the keyboard.
  ///   - hovered: The part under the pointer.
  /// - Returns: Whether the title bar has changed.
  /// - Throws: The errors of the connection, and of the memory for the pixels.
  func draw(
    _ title: String, width: Int, scale: Double, isActive: Bool, hovered: Part?
  ) throws(DisplayError) -> Bool {
    let pixelsPerPoint = viewport == nil ? scale.rounded(.up) : scale
    let look = Look(title: title, width: width, scale: pixelsPerPoint, isActive: isActive, hovered: hovered)
    guard shown.withLock({ $0?.look }) != look else { return false }
    func pixels(_ points: Int) -> Int { max(1, Int((Double(points) * pixelsPerPoint).rounded())) }
    let (pixelWidth, side) = (pixels(width), pixels(Self.height))
    var canvas = Canvas(width: pixelWidth, height: side)
    scene(look, width: pixelWidth, side: side).draw(canvas.bounds, on: &canvas, text: text)
    let buffer = try WaylandBuffer(session, width: pixelWidth, height: side, isOpaque: true)
    buffer.fill(canvas.pixels, width: pixelWidth)
    shown.withLock { $0 = (look, buffer, $0?.buffer) }
    let connection = session.connection
    try connection.send(surface, "attach", .object(buffer.object), .int(0), .int(0))
    if let viewport {
      try connection.send(viewport, "set_destination", .int(Int32(width)), .int(Int32(Self.height)))
    } else {
      try connection.send(surface, "set_buffer_scale", .int(Int32(pixelsPerPoint)))
    }
    try connection.send(surface, "damage_buffer", .int(0), .int(0), .int(Int32(pixelWidth)), .int(Int32(side)))
    try connection.send(surface, "commit")
    return true
  }

  private func scene(_ look: Look, width: Int, side: Int) -> WindowScene {
    let bounds = PixelRectangle(x: 0, y: 0, width: width, height: side)
    var scene = WindowScene(theme: theme, bounds: bounds)
    func add(_ shape: DrawingCommand.Shape, _ frame: PixelRectangle) {
      scene.commands.append(DrawingCommand(shape: shape, frame: frame, clip: bounds))
    }
    add(.fill(look.isActive ? theme.surface : theme.background, radius: 0), bounds)
    let line = max(1, Int(look.scale))
    add(.fill(theme.border, radius: 0), PixelRectangle(x: 0, y: side - line, width: width, height: line))
    let button = PixelRectangle(x: width - side, y: 0, width: side, height: side - line)
    if look.hovered == .close { add(.fill(theme.failure, radius: 0), button) }
    let title = look.title.escapedForDisplay(limit: 200, mayBeEscaped: true)
    add(
      .text(
        title, TextStyle(size: WindowLayout.bodySize * look.scale, isBold: true),
        look.isActive ? theme.text : theme.secondaryText, .center),
      PixelRectangle(x: side, y: 0, width: max(0, width - 2 * side), height: side))
    let symbolSide = Int(16 * look.scale)
    add(
      .symbol(.cross, look.hovered == .close ? theme.surface : theme.secondaryText),
      PixelRectangle(
        x: button.x + (side - symbolSide) / 2, y: (side - symbolSide) / 2, width: symbolSide, height: symbolSide))
    return scene
  }

  /// Destroys the title bar.
  func close() {
    if let viewport { try? session.connection.send(viewport, "destroy") }
    try? session.connection.send(subsurface, "destroy")
    try? session.connection.send(surface, "destroy")
  }
}
