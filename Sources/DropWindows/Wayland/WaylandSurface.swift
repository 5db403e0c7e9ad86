// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// A window on a Wayland display.
///
/// The compositor chooses the position, and whether the window stays above others. Coordinates of the protocol are
/// points; the number of pixels per point may change when the window moves to another output.
final class WaylandSurface: WindowSurface {
  /// A buffer with the area that differs from the canvas.
  private struct Frame: Sendable {
    let buffer: WaylandBuffer
    var stale: PixelRectangle
    var isBusy = false
  }

  private struct State: Sendable {
    var isClosed = false
    /// The size of the content in points.
    var size = (width: 0, height: 0)
    /// The size with the title bar that was requested last; 0 to keep a length.
    var requested: (width: Int, height: Int)?
    /// Whether the window is maximized or fills the screen, so that its size must be the requested one.
    var isMaximized = false
    /// The size in points before the window was maximized.
    var formerSize = (width: 0, height: 0)
    var hasFixedSize = false
    /// The smallest and the largest size that were declared.
    var limits: [Int] = []
    var isConfigured = false
    /// Whether a change waits for a commit, even if no pixel changes.
    var needsCommit = false
    var scale = 1.0
    /// The scales of the outputs that show the window.
    var outputs: Set<WaylandObject> = []
    var frames: [Frame] = []
    /// Buffers of other sizes, which the compositor may show until the next commit.
    var retired: [WaylandBuffer] = []
    /// The event after which the compositor can show another frame.
    var shown: WaylandObject?
    /// The event at which a requested frame is drawn.
    var requestedFrame: WaylandObject?
    var isFrameRequested = false
    var title = ""
    var isActive = false
    var bar: WaylandTitleBar?
    var hoveredPart: WaylandTitleBar.Part?
    var pressedPart: WaylandTitleBar.Part?
    /// The surface of this window with the pointer, according to the events that were handled.
    ///
    /// The session may have received later events.
    var pointerOwner: WaylandObject?
    /// The location of the pointer in points.
    var pointer = (x: 0.0, y: 0.0)
    var isButtonPressed = false
    var clicks = ClickDetector()
    /// The parts of a step of the wheel that have not been reported.
    var wheel = 0.0
    /// The turn of the wheel since the last frame of the pointer: its steps if it has any, and its distance.
    var turn: (steps: Double?, distance: Double) = (nil, 0)
    var modifiers = WaylandSession.Modifiers()
    var keyboard: (version: Int, keys: WaylandKeyboard)?
    var repeated: (code: UInt32, task: Task<Void, Never>)?
    /// The event at which the pressed key is repeated.
    var repetition: WaylandObject?
  }

  let surface: WaylandObject
  private let session: WaylandSession
  private let connection: WaylandConnection
  private let shell: WaylandObject
  private let toplevel: WaylandObject
  /// The choice who draws the title bar; `nil` if the compositor offers none.
  private let decoration: WaylandObject?
  private let viewporter: WaylandObject?
  private let viewport: WaylandObject?
  private let fractionalScale: WaylandObject?
  /// The scale of the options; `nil` to follow the outputs.
  private let fixedScale: Double?
  private let cursor: WaylandCursor
  private let text: any TextDrawing
  private let theme: Theme
  private let state: Lock<State>

  /// Creates the objects of a window.
  ///
  /// - Throws: `badAddress` if the compositor lacks what a window needs; the errors of the connection.
  init(_ session: WaylandSession, _ options: WindowOptions) throws(DisplayError) {
    guard let compositor = session.compositor, let base = session.windowBase, session.memory != nil else {
      let needed = [
        ("wl_compositor", session.compositor), ("xdg_wm_base", session.windowBase), ("wl_shm", session.memory),
      ]
      let missing = needed.filter { $0.1 == nil }.map(\.0).joined(separator: " and ")
      throw DisplayError(.badAddress, "the compositor does not offer \(missing), which windows need")
    }
    self.session = session
    let connection = session.connection
    self.connection = connection
    let surface = try connection.create(compositor, "create_surface")
    self.surface = surface
    shell = try connection.create(base, "get_xdg_surface", .object(surface))
    toplevel = try connection.create(shell, "get_toplevel")
    decoration =
      if let manager = try connection.bind(.decorationManager) {
        try connection.createLast(manager, "get_toplevel_decoration", .object(toplevel))
      } else {
        nil
      }
    viewporter = try connection.bind(.viewporter)
    viewport = try viewporter.map { (viewporter) throws(DisplayError) in
      try connection.create(viewporter, "get_viewport", .object(surface))
    }
    // A fractional scale needs a viewport.
    fractionalScale =
      if viewport != nil, let manager = try connection.bind(.fractionalScaleManager) {
        try connection.createLast(manager, "get_fractional_scale", .object(surface))
      } else {
        nil
      }
    let hasViewport = viewport != nil
    fixedScale = options.scale.map { scale in
      let scale = max(0.5, min(4, scale))
      return hasViewport ? scale : scale.rounded(.up)
    }
    cursor = try WaylandCursor(session)
    text = options.text ?? SystemText.drawing
    theme = options.chosenTheme
    var state = State()
    state.scale = fixedScale ?? Double(session.maximumScale)
    self.state = Lock(state)
    session.setScale(state.scale, of: surface)
  }

  var identifier: UInt32 { surface.id }
  var scale: Double { state.withLock { $0.scale } }
  /// The compositor makes a window smaller if it must fit.
  var maximumSize: (width: Int, height: Int) { (Self.maximumSide, Self.maximumSide) }

  /// The largest width and height in pixels, which limits the memory that a compositor can demand.
  private static let maximumSide = 8192

  func open(_ options: WindowOptions, title: String, theme: Theme, bounds: PixelRectangle) throws(DisplayError) {
    let scale = scale
    func points(_ pixels: Int) -> Int { max(1, Int((Double(pixels) / scale).rounded())) }
    let size = (width: points(bounds.width), height: points(bounds.height))
    state.withLock { state in
      state.size = size
      state.hasFixedSize = options.hasFixedSize
    }
    try connection.send(toplevel, "set_app_id", .string(options.programName.filter { $0 != "\0" }))
    try setTitle(title)
    if let decoration {
      // Mode 2 asks for a title bar of the compositor.
      try connection.send(decoration, "set_mode", .uint(2))
    } else {
      try addTitleBar()
    }
    try sendSizeLimits()
    // Without a buffer, this asks for the first size.
    try connection.send(surface, "commit")
  }

  func prepareInput() async throws(DisplayError) {}

  func setTitle(_ title: String) throws(DisplayError) {
    // The protocol demands UTF-8 without a zero byte, in a message of at most 4096 bytes.
    let title = title.escapedForDisplay(limit: 200, mayBeEscaped: true)
    state.withLock { $0.title = title }
    try unlessClosed { () throws(DisplayError) in try connection.send(toplevel, "set_title", .string(title)) }
  }

  func resize(width: Int, height: Int) throws(DisplayError) {
    // The size changes at the event, like a size that the compositor requests.
    try state.withLock { (state) throws(DisplayError) in
      guard !state.isClosed, !state.isMaximized else { return }
      func points(_ pixels: Int) -> Int { max(1, Int((Double(pixels) / state.scale).rounded())) }
      state.requested = (points(width), points(height) + barHeight(state))
      try requestFrame(&state)
    }
  }

  /// Sends requests of the window's objects, which another task may destroy meanwhile.
  private func unlessClosed(_ body: () throws(DisplayError) -> Void) throws(DisplayError) {
    do throws(DisplayError) {
      if !state.withLock({ $0.isClosed }) { try body() }
    } catch {
      // The reader of the events gets the error of a connection that has ended.
      if !state.withLock({ $0.isClosed }) { throw error }
    }
  }

  func close() {
    let (isClosed, bar, repeated) = state.withLock { state in
      defer { state.isClosed = true }
      return (state.isClosed, state.bar.take(), state.repeated.take())
    }
    guard !isClosed else { return }
    repeated?.task.cancel()
    bar?.close()
    // An error means that the connection is closed, and the window with it.
    if let fractionalScale { try? connection.send(fractionalScale, "destroy") }
    if let viewport { try? connection.send(viewport, "destroy") }
    if let viewporter { try? connection.send(viewporter, "destroy") }
    if let decoration { try? connection.send(decoration, "destroy") }
    try? connection.send(toplevel, "destroy")
    try? connection.send(shell, "destroy")
    try? connection.send(surface, "destroy")
    cursor.close()
    state.withLock { state in (state.frames, state.retired) = ([], []) }
    session.removeWindow(surface)
  }

  // MARK: The size

  /// The height of the title bar in points; 0 if the compositor draws it.
  private func barHeight(_ state: State) -> Int { state.bar == nil ? 0 : WaylandTitleBar.height }

  /// Declares the limits of the size with the title bar, if they have changed.
  private func sendSizeLimits() throws(DisplayError) {
    let minimum = WindowState.minimumSize
    let (limits, isNew) = state.withLock { state in
      let bar = barHeight(state)
      let fixed = [state.size.width, state.size.height + bar]
      let limits = state.hasFixedSize ? fixed + fixed : [Int(minimum.width), Int(minimum.height) + bar]
      defer { state.limits = limits }
      return (limits.map { Int32($0) }, state.limits != limits)
    }
    guard isNew else { return }
    try connection.send(toplevel, "set_min_size", .int(limits[0]), .int(limits[1]))
    if limits.count == 4 { try connection.send(toplevel, "set_max_size", .int(limits[2]), .int(limits[3])) }
  }

  private static func pixels(_ points: Int, _ scale: Double) -> Int { max(1, Int((Double(points) * scale).rounded())) }

  /// Takes the requested size or scale, and returns the change of the window.
  private func applySize() throws(DisplayError) -> [SurfaceChange] {
    let (size, scale, bar) = state.withLock { state in
      let bar = barHeight(state)
      if let requested = state.requested.take() {
        if requested.width > 0 { state.size.width = requested.width }
        if requested.height > 0 { state.size.height = requested.height - bar }
      }
      let limit = Int(Double(Self.maximumSide) / state.scale)
      state.size = (max(1, min(limit, state.size.width)), max(1, min(limit, state.size.height)))
      return (state.size, state.scale, bar)
    }
    session.setScale(scale, of: surface)
    try connection.send(
      shell, "set_window_geometry", .int(0), .int(Int32(-bar)), .int(Int32(size.width)), .int(Int32(size.height + bar)))
    try sendSizeLimits()
    return [.resized(width: Self.pixels(size.width, scale), height: Self.pixels(size.height, scale), scale: scale)]
  }

  /// Follows the outputs that show the window, if there is no better source of the scale.
  private func updateScale() throws(DisplayError) -> [SurfaceChange] {
    guard fixedScale == nil, fractionalScale == nil else { return [] }
    let outputs = state.withLock { $0.outputs }
    guard let scale = outputs.compactMap({ session.scale(of: $0) }).max() else { return [] }
    return try setScale(Double(scale))
  }

  private func setScale(_ scale: Double) throws(DisplayError) -> [SurfaceChange] {
    let isChanged = state.withLock { state in
      defer { state.scale = scale }
      return state.scale != scale
    }
    return isChanged ? try applySize() : []
  }

  // MARK: The title bar

  private func addTitleBar() throws(DisplayError) {
    guard state.withLock({ $0.bar == nil && !$0.isClosed }) else { return }
    let bar = try WaylandTitleBar(session, above: surface, viewporter: viewporter, theme: theme, text: text)
    state.withLock { $0.bar = bar }
  }

  private func removeTitleBar() {
    state.withLock { $0.bar.take() }?.close()
  }

  /// Draws the title bar, which the next commit of the window shows.
  ///
  /// - Returns: Whether the title bar has changed.
  private func drawTitleBar() throws(DisplayError) -> Bool {
    let state = state.withLock { $0 }
    guard let bar = state.bar else { return false }
    return try bar.draw(
      state.title, width: state.size.width, scale: state.scale, isActive: state.isActive, hovered: state.hoveredPart)
  }

  /// The change by which the title bar is drawn anew; none before the window is shown.
  private var titleBarChange: [SurfaceChange] {
    state.withLock { $0.bar != nil && $0.isConfigured } ? [.exposed(.empty)] : []
  }

  // MARK: Frames

  /// Requests a frame.
  ///
  /// If the compositor still shows the last frame, its next event brings the change; otherwise, the answer to a request.
  func requestFrame() throws(DisplayError) {
    try state.withLock { (state) throws(DisplayError) in
      state.isFrameRequested = true
      if state.shown == nil { try requestFrame(&state) }
    }
  }

  /// Requests an event, under the lock, since the event may arrive before the function returns.
  private func requestFrame(_ state: inout State) throws(DisplayError) {
    guard state.requestedFrame == nil else { return }
    state.requestedFrame = try connection.create(WaylandConnection.display, "sync")
  }

  func show(_ areas: [PixelRectangle], of canvas: Canvas) throws(DisplayError) {
    try unlessClosed { () throws(DisplayError) in
      guard state.withLock({ $0.isConfigured }), !canvas.bounds.isEmpty else { return }
      let isBarNew = try drawTitleBar()
      let needsCommit = state.withLock { $0.needsCommit }
      guard isBarNew || needsCommit || !areas.isEmpty else { return }
      if !areas.isEmpty { try attach(areas, of: canvas) }
      try connection.send(surface, "commit")
      state.withLock { state in
        state.needsCommit = false
        state.retired = []
      }
    }
  }

  private func attach(_ areas: [PixelRectangle], of canvas: Canvas) throws(DisplayError) {
    let index = try frame(areas, of: canvas)
    let (buffer, stale, scale, size) = state.withLock { state in
      defer {
        state.frames[index].stale = .empty
        state.frames[index].isBusy = true
      }
      return (state.frames[index].buffer, state.frames[index].stale, state.scale, state.size)
    }
    buffer.withPixels { target in
      for y in stale.y..<stale.endY {
        for index in y * canvas.width + stale.x..<y * canvas.width + stale.endX { target[index] = canvas.pixels[index] }
      }
    }
    try connection.send(surface, "attach", .object(buffer.object), .int(0), .int(0))
    if let viewport {
      try connection.send(viewport, "set_destination", .int(Int32(size.width)), .int(Int32(size.height)))
    } else {
      try connection.send(surface, "set_buffer_scale", .int(Int32(scale)))
    }
    for area in areas {
      try connection.send(
        surface, "damage_buffer", .int(Int32(area.x)), .int(Int32(area.y)), .int(Int32(area.width)),
        .int(Int32(area.height)))
    }
    let shown = try connection.create(surface, "frame")
    state.withLock { $0.shown = shown }
  }

  /// Returns the index of a buffer that the compositor does not read, and notes the changed areas in all buffers.
  private func frame(_ areas: [PixelRectangle], of canvas: Canvas) throws(DisplayError) -> Int {
    let free = state.withLock { state -> Int? in
      func isOutdated(_ frame: Frame) -> Bool {
        frame.buffer.width != canvas.width || frame.buffer.height != canvas.height
      }
      state.retired += state.frames.filter(isOutdated).map(\.buffer)
      state.frames.removeAll(where: isOutdated)
      for index in state.frames.indices {
        state.frames[index].stale = areas.reduce(state.frames[index].stale) { $0.union($1) }
      }
      return state.frames.firstIndex { !$0.isBusy }
    }
    if let free { return free }
    let buffer = try WaylandBuffer(session, width: canvas.width, height: canvas.height, isOpaque: true)
    return state.withLock { state in
      // A compositor that releases no buffer gets a new one for each frame, and the oldest is given up.
      if state.frames.count >= 4 { state.retired.append(state.frames.removeFirst().buffer) }
      state.frames.append(Frame(buffer: buffer, stale: canvas.bounds))
      return state.frames.count - 1
    }
  }

  // MARK: Events

  func changes(by event: DisplayEvent) throws(DisplayError) -> [SurfaceChange] {
    guard case .wayland(let event) = event else { return [] }
    var changes: [SurfaceChange] = []
    try unlessClosed { () throws(DisplayError) in changes = try self.changes(by: event) }
    return changes
  }

  private func changes(by event: WaylandEvent) throws(DisplayError) -> [SurfaceChange] {
    switch event.object.interface {
    case .callback: return try changes(atEndOf: event.object)
    case .buffer where event.name == "release":
      state.withLock { state in
        if let index = state.frames.firstIndex(where: { $0.buffer.object == event.object }) {
          state.frames[index].isBusy = false
        }
      }
    case .xdgSurface where event.object == shell: return try configure(event.uint(0))
    case .toplevel where event.object == toplevel: return changes(byToplevel: event)
    case .seat where event.name == "capabilities":
      return loseInput(hasPointer: event.uint(0) & 1 != 0, hasKeyboard: event.uint(0) & 2 != 0)
    case .registry where event.name == "global_remove":
      return loseInput(hasPointer: session.pointer != nil, hasKeyboard: session.keyboard != nil)
    case .toplevelDecoration where event.object == decoration:
      if event.uint(0) == 2 { removeTitleBar() } else { try addTitleBar() }
      return state.withLock { $0.isConfigured } ? try applySize() : []
    case .surface where event.object == surface:
      guard let output = event.object(0), event.name == "enter" || event.name == "leave" else { return [] }
      state.withLock { state in
        if event.name == "enter" { state.outputs.insert(output) } else { state.outputs.remove(output) }
      }
      return try updateScale()
    case .output where event.name == "done": return try updateScale()
    case .fractionalScale where event.object == fractionalScale && fixedScale == nil:
      return try setScale(max(0.5, min(4, Double(event.uint(0)) / 120)))
    case .pointer: return try changes(byPointer: event)
    case .keyboard: return try changes(byKeyboard: event)
    default: break
    }
    return []
  }

  private func changes(atEndOf callback: WaylandObject) throws(DisplayError) -> [SurfaceChange] {
    var changes: [SurfaceChange] = []
    let (isRepetition, isSized, isFrame) = state.withLock { state in
      if callback == state.repetition {
        state.repetition = nil
        return (true, false, false)
      }
      guard callback == state.shown || callback == state.requestedFrame else { return (false, false, false) }
      if callback == state.shown { state.shown = nil } else { state.requestedFrame = nil }
      let isFrame = state.isFrameRequested && state.shown == nil && state.isConfigured
      if isFrame { state.isFrameRequested = false }
      let isSized = state.requested != nil && state.isConfigured
      if isSized { state.needsCommit = true }
      return (false, isSized, isFrame)
    }
    if isRepetition { return key(state.withLock { $0.repeated?.code }) }
    if isSized { changes += try applySize() }
    if isFrame { changes.append(.frame) }
    return changes
  }

  private func changes(byToplevel event: WaylandEvent) -> [SurfaceChange] {
    switch event.name {
    case "close": return [.closeRequested]
    case "configure":
      let (width, height) = (Int(event.int(0)), Int(event.int(1)))
      let states = event.array(2).withUnsafeBytes { bytes in
        (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self) }
      }
      state.withLock { state in
        let wasMaximized = state.isMaximized
        // State 1 is maximized, and 2 fills the screen.
        state.isMaximized = states.contains(1) || states.contains(2)
        if state.isMaximized, !wasMaximized { state.formerSize = state.size }
        let isRestored = wasMaximized && !state.isMaximized
        let former = isRestored ? (state.formerSize.width, state.formerSize.height + barHeight(state)) : (0, 0)
        if !state.hasFixedSize || !state.isConfigured || state.isMaximized {
          // Zero leaves the choice to this program.
          state.requested = (width > 0 ? width : former.0, height > 0 ? height : former.1)
        } else if isRestored {
          state.requested = former
        }
      }
    default: break
    }
    return []
  }

  private func configure(_ serial: UInt32) throws(DisplayError) -> [SurfaceChange] {
    try connection.send(shell, "ack_configure", .uint(serial))
    let isFirst = state.withLock { state in
      defer { (state.isConfigured, state.needsCommit) = (true, true) }
      return !state.isConfigured
    }
    let changes = try applySize()
    let bounds = state.withLock { state in
      PixelRectangle(
        x: 0, y: 0, width: Self.pixels(state.size.width, state.scale),
        height: Self.pixels(state.size.height, state.scale))
    }
    return changes + [.exposed(isFirst ? bounds : .empty)]
  }

  // MARK: The pointer

  private func changes(byPointer event: WaylandEvent) throws(DisplayError) -> [SurfaceChange] {
    switch event.name {
    case "enter":
      guard let entered = event.object(1), entered == surface || isBar(entered) else { return [] }
      state.withLock { $0.pointerOwner = entered }
      try cursor.show(event.uint(0))
      return entered == surface ? move(event.fixed(2), event.fixed(3)) : hover(part(x: event.fixed(2)))
    case "leave": return losePointer(from: event.object(1))
    default: break
    }
    guard let owner = state.withLock({ $0.pointerOwner }) else { return [] }
    guard owner == surface else { return try changes(ofBarBy: event) }
    switch event.name {
    case "motion": return move(event.fixed(1), event.fixed(2))
    case "button" where event.uint(2) == Self.leftButton: return press(event)
    case "axis" where event.uint(1) == 0: state.withLock { $0.turn.distance += event.fixed(2) }
    case "axis_discrete" where event.uint(0) == 0: turn(by: Double(event.int(1)))
    case "axis_value120" where event.uint(0) == 0: turn(by: Double(event.int(1)) / 120)
    case "frame": return scroll()
    default: break
    }
    return []
  }

  /// Notes that the pointer has left a surface of this window.
  private func losePointer(from left: WaylandObject?) -> [SurfaceChange] {
    let isOwner = state.withLock { state in
      guard let owner = state.pointerOwner, owner == left else { return false }
      (state.pointerOwner, state.isButtonPressed, state.pressedPart, state.turn) = (nil, false, nil, (nil, 0))
      return true
    }
    guard isOwner else { return [] }
    return left == surface ? [.input(.left)] : hover(nil)
  }

  /// Ends the input of a seat that has lost its pointer or keyboard, and reports no end of it.
  private func loseInput(hasPointer: Bool, hasKeyboard: Bool) -> [SurfaceChange] {
    let (owner, isActive) = state.withLock { ($0.pointerOwner, $0.isActive) }
    return (hasPointer ? [] : losePointer(from: owner)) + (hasKeyboard || !isActive ? [] : setActive(false))
  }

  /// The code of the left button, as in the kernel's event interface.
  private static let leftButton: UInt32 = 0x110

  private func move(_ x: Double, _ y: Double) -> [SurfaceChange] {
    let (location, isPressed) = state.withLock { state in
      state.pointer = (x, y)
      return (pixels(state), state.isButtonPressed)
    }
    return [.input(.moved(x: location.x, y: location.y, isButtonPressed: isPressed))]
  }

  private func pixels(_ state: State) -> (x: Int, y: Int) {
    func pixels(_ points: Double) -> Int { Int(max(-32_768, min(32_767, (points * state.scale).rounded(.down)))) }
    return (pixels(state.pointer.x), pixels(state.pointer.y))
  }

  private func press(_ event: WaylandEvent) -> [SurfaceChange] {
    let isPressed = event.uint(3) == 1
    let input = state.withLock { state -> WindowInput in
      state.isButtonPressed = isPressed
      let (x, y) = pixels(state)
      if isPressed { return .pressed(x: x, y: y) }
      let isDouble = state.clicks.isDouble(at: event.uint(1), x: x, y: y, scale: state.scale)
      return .released(x: x, y: y, isDouble: isDouble)
    }
    return [.input(input)]
  }

  private func turn(by steps: Double) {
    state.withLock { $0.turn.steps = ($0.turn.steps ?? 0) + steps }
  }

  /// Reports the whole steps of the wheel at the end of a frame.
  ///
  /// A wheel reports its steps beside the distance, which then does not count.
  private func scroll() -> [SurfaceChange] {
    let (count, x) = state.withLock { state -> (Int, Int) in
      let steps = state.turn.steps ?? state.turn.distance / 10
      state.turn = (nil, 0)
      state.wheel = max(-100, min(100, state.wheel + steps))
      let whole = state.wheel.rounded(.towardZero)
      state.wheel -= whole
      return (Int(whole), pixels(state).x)
    }
    return count == 0 ? [] : [.input(.scrolled(count, x: x))]
  }

  // MARK: The pointer on the title bar

  private func isBar(_ object: WaylandObject) -> Bool { state.withLock { $0.bar?.surface == object } }

  private func part(x: Double) -> WaylandTitleBar.Part? {
    state.withLock { state in state.bar?.part(x: x, width: state.size.width) }
  }

  private func hover(_ part: WaylandTitleBar.Part?) -> [SurfaceChange] {
    let isChanged = state.withLock { state in
      defer { state.hoveredPart = part }
      return state.hoveredPart != part
    }
    return isChanged ? titleBarChange : []
  }

  private func changes(ofBarBy event: WaylandEvent) throws(DisplayError) -> [SurfaceChange] {
    switch event.name {
    case "motion": return hover(part(x: event.fixed(1)))
    case "button" where event.uint(2) == Self.leftButton:
      let isPressed = event.uint(3) == 1
      let (part, pressed) = state.withLock { state in
        defer { state.pressedPart = isPressed ? state.hoveredPart : nil }
        return (state.hoveredPart, state.pressedPart)
      }
      if part == .close, pressed == .close, !isPressed { return [.closeRequested] }
      if part == .title, isPressed, let seat = session.seat {
        try connection.send(toplevel, "move", .object(seat), .uint(event.uint(0)))
      }
    default: break
    }
    return []
  }

  // MARK: The keyboard

  private func changes(byKeyboard event: WaylandEvent) throws(DisplayError) -> [SurfaceChange] {
    switch event.name {
    case "enter", "leave":
      return event.object(1) == surface ? setActive(event.name == "enter") : []
    case "modifiers":
      state.withLock { $0.modifiers = WaylandSession.Modifiers(event) }
    case "key" where state.withLock { $0.isActive }:
      let code = event.uint(2)
      guard event.uint(3) == 1 else {
        if state.withLock({ $0.repeated?.code }) == code { stopRepeating() }
        return []
      }
      let changes = key(code)
      // A modifier does not end the repetition of another key.
      guard !changes.isEmpty else { return [] }
      stopRepeating()
      if WaylandKeyboard.repeats(code) { startRepeating(code) }
      return changes
    default: break
    }
    return []
  }

  private func setActive(_ isActive: Bool) -> [SurfaceChange] {
    stopRepeating()
    state.withLock { $0.isActive = isActive }
    return [.focused(isActive)] + titleBarChange
  }

  private func key(_ code: UInt32?) -> [SurfaceChange] {
    guard let code else { return [] }
    let (input, modifiers) = (session.input, state.withLock { $0.modifiers })
    let keys = state.withLock { state -> WaylandKeyboard? in
      state.keyboard?.version == input.keymapVersion ? state.keyboard?.keys : nil
    }
    let keyboard = keys ?? WaylandKeyboard(keymap: input.keymap)
    if keys == nil { state.withLock { $0.keyboard = (input.keymapVersion, keyboard) } }
    guard let key = WindowKey(symbol: keyboard.symbol(ofKey: code, modifiers)) else { return [] }
    let (isShifted, isControl) = WaylandKeyboard.modifiers(modifiers)
    return [.input(.key(key, isShifted: isShifted, isControl: isControl))]
  }

  /// Repeats a key until it is released, as the program must do itself.
  ///
  /// Each repetition is an answer of the compositor, so a compositor that stalls gets no further requests.
  private func startRepeating(_ code: UInt32) {
    let (delay, rate) = session.input.repetition
    guard rate > 0 else { return }
    let task = Task { [weak self] in
      var pause = Duration.milliseconds(delay)
      while (try? await Task.sleep(for: pause)) != nil {
        guard let self else { return }
        pause = .milliseconds(1000 / rate)
        let isAlive = state.withLock { state in
          guard state.repeated?.code == code, state.repetition == nil else { return true }
          state.repetition = try? connection.create(WaylandConnection.display, "sync")
          return state.repetition != nil
        }
        guard isAlive else { return }
      }
    }
    state.withLock { $0.repeated = (code, task) }
  }

  private func stopRepeating() {
    let repeated = state.withLock { state in
      state.repetition = nil
      return state.repeated.take()
    }
    repeated?.task.cancel()
  }
}
