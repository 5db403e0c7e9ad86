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
    /// The size that the compositor has requested with its last events.
    var requested: (width: Int, height: Int)?
    var hasFixedSize = false
    var isConfigured = false
    var scale = 1.0
    /// The scales of the outputs that show the window.
    var outputs: Set<WaylandObject> = []
    var frames: [Frame] = []
    /// The event after which the compositor can show another frame.
    var shown: WaylandObject?
    /// The event at which a requested frame is drawn.
    var requestedFrame: WaylandObject?
    var isFrameRequested = false
    var title = ""
    var isActive = false
    var bar: WaylandTitleBar?
    var hoveredPart: WaylandTitleBar.Part?
    /// The location of the pointer in points.
    var pointer = (x: 0.0, y: 0.0)
    var isButtonPressed = false
    var clicks = ClickDetector()
    /// The parts of a step of the wheel that have not been reported.
    var wheel = 0.0
    var hasDiscreteWheel = false
    var keyboard: (version: Int, keys: WaylandKeyboard)?
    var repeated: (code: UInt32, task: Task<Void, Never>)?
    /// The events at which the pressed key is repeated.
    var repetitions: Set<WaylandObject> = []
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
      throw DisplayError(.badAddress, "the compositor does not support windows")
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
        try connection.create(manager, "get_toplevel_decoration", .object(toplevel))
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
        try connection.create(manager, "get_fractional_scale", .object(surface))
      } else {
        nil
      }
    fixedScale = options.scale.map { max(0.5, min(4, $0)) }
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
  /// The largest size that a compositor is asked for; it makes the window smaller if it must fit.
  var maximumSize: (width: Int, height: Int) { (8192, 8192) }

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
    let isClosed = state.withLock { state in
      state.title = title
      return state.isClosed
    }
    guard !isClosed else { return }
    try connection.send(toplevel, "set_title", .string(title))
    try showTitleBar()
  }

  func resize(width: Int, height: Int) throws(DisplayError) {
    let isClosed = state.withLock { state in
      func points(_ pixels: Int) -> Int { max(1, min(8192, Int((Double(pixels) / state.scale).rounded()))) }
      state.requested = (points(width), points(height))
      return state.isClosed
    }
    guard !isClosed else { return }
    // The size changes at the event, like a size that the compositor requests.
    let callback = try connection.create(WaylandConnection.display, "sync")
    state.withLock { $0.requestedFrame = $0.requestedFrame ?? callback }
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
    if let decoration { try? connection.send(decoration, "destroy") }
    try? connection.send(toplevel, "destroy")
    try? connection.send(shell, "destroy")
    try? connection.send(surface, "destroy")
    state.withLock { $0.frames = [] }
    session.removeWindow(surface)
  }

  // MARK: The size

  /// The height of the title bar in points; 0 if the compositor draws it.
  private func barHeight(_ state: State) -> Int { state.bar == nil ? 0 : WaylandTitleBar.height }

  private func sendSizeLimits() throws(DisplayError) {
    let (size, isFixed, bar) = state.withLock { ($0.size, $0.hasFixedSize, barHeight($0)) }
    let minimum = WindowState.minimumSize
    let lowest = isFixed ? size : (width: Int(minimum.width), height: Int(minimum.height))
    try connection.send(toplevel, "set_min_size", .int(Int32(lowest.width)), .int(Int32(lowest.height + bar)))
    if isFixed {
      try connection.send(toplevel, "set_max_size", .int(Int32(size.width)), .int(Int32(size.height + bar)))
    }
  }

  /// Takes the requested size or scale, and returns the change of the window.
  private func applySize() throws(DisplayError) -> [SurfaceChange] {
    let (size, scale, bar) = state.withLock { state in
      if let requested = state.requested.take() { state.size = requested }
      return (state.size, state.scale, barHeight(state))
    }
    session.setScale(scale, of: surface)
    func pixels(_ points: Int) -> Int { max(1, Int((Double(points) * scale).rounded())) }
    try connection.send(
      shell, "set_window_geometry", .int(0), .int(Int32(-bar)), .int(Int32(size.width)), .int(Int32(size.height + bar)))
    try showTitleBar()
    return [.resized(width: pixels(size.width), height: pixels(size.height), scale: scale)]
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
    try sendSizeLimits()
  }

  private func removeTitleBar() {
    state.withLock { $0.bar.take() }?.close()
  }

  private func showTitleBar() throws(DisplayError) {
    let state = state.withLock { $0 }
    guard let bar = state.bar, state.isConfigured, !state.isClosed else { return }
    try bar.show(
      state.title, width: state.size.width, scale: state.scale, isActive: state.isActive, hovered: state.hoveredPart)
  }

  // MARK: Frames

  /// Requests a frame.
  ///
  /// If the compositor still shows the last frame, its next event brings the change; otherwise, the answer to a request.
  func requestFrame() throws(DisplayError) {
    let isImmediate = state.withLock { state in
      state.isFrameRequested = true
      return state.shown == nil && state.requestedFrame == nil
    }
    guard isImmediate else { return }
    let callback = try connection.create(WaylandConnection.display, "sync")
    state.withLock { $0.requestedFrame = callback }
  }

  func show(_ areas: [PixelRectangle], of canvas: Canvas) throws(DisplayError) {
    let isOpen = state.withLock { !$0.isClosed && $0.isConfigured }
    guard isOpen, !canvas.bounds.isEmpty else { return }
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
      try connection.send(surface, "set_buffer_scale", .int(Int32(max(1, scale.rounded()))))
    }
    for area in areas {
      try connection.send(
        surface, "damage_buffer", .int(Int32(area.x)), .int(Int32(area.y)), .int(Int32(area.width)),
        .int(Int32(area.height)))
    }
    let shown = try connection.create(surface, "frame")
    state.withLock { $0.shown = shown }
    try connection.send(surface, "commit")
  }

  /// Returns the index of a buffer that the compositor does not read, and notes the changed areas in all buffers.
  private func frame(_ areas: [PixelRectangle], of canvas: Canvas) throws(DisplayError) -> Int {
    let free = state.withLock { state -> Int? in
      state.frames.removeAll { $0.buffer.width != canvas.width || $0.buffer.height != canvas.height }
      for index in state.frames.indices {
        state.frames[index].stale = areas.reduce(state.frames[index].stale) { $0.union($1) }
      }
      return state.frames.firstIndex { !$0.isBusy }
    }
    if let free { return free }
    let buffer = try WaylandBuffer(session, width: canvas.width, height: canvas.height, isOpaque: true)
    return state.withLock { state in
      // A compositor that releases no buffer gets a new one for each frame, and the oldest is given up.
      if state.frames.count >= 4 { state.frames.removeFirst() }
      state.frames.append(Frame(buffer: buffer, stale: canvas.bounds))
      return state.frames.count - 1
    }
  }

  // MARK: Events

  func changes(by event: DisplayEvent) throws(DisplayError) -> [SurfaceChange] {
    guard case .wayland(let event) = event, !state.withLock({ $0.isClosed }) else { return [] }
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
      if state.repetitions.remove(callback) != nil { return (true, false, false) }
      guard callback == state.shown || callback == state.requestedFrame else { return (false, false, false) }
      if callback == state.shown { state.shown = nil } else { state.requestedFrame = nil }
      let isFrame = state.isFrameRequested && state.shown == nil && state.isConfigured
      if isFrame { state.isFrameRequested = false }
      return (false, state.requested != nil && state.isConfigured, isFrame)
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
      state.withLock { state in
        // Zero leaves the choice to this program.
        guard width > 0, height > 0, !state.hasFixedSize || !state.isConfigured else { return }
        state.requested = (max(1, min(8192, width)), max(1, min(8192, height - barHeight(state))))
      }
    default: break
    }
    return []
  }

  private func configure(_ serial: UInt32) throws(DisplayError) -> [SurfaceChange] {
    try connection.send(shell, "ack_configure", .uint(serial))
    let isFirst = state.withLock { state in
      defer { state.isConfigured = true }
      return !state.isConfigured
    }
    let changes = try applySize()
    let bounds = state.withLock { state in
      PixelRectangle(
        x: 0, y: 0, width: Int((Double(state.size.width) * state.scale).rounded()),
        height: Int((Double(state.size.height) * state.scale).rounded()))
    }
    // Each acknowledged size needs a commit, so the window is drawn anew.
    return changes + [.exposed(isFirst ? bounds : PixelRectangle(x: 0, y: 0, width: 1, height: 1))]
  }

  // MARK: The pointer

  private func changes(byPointer event: WaylandEvent) throws(DisplayError) -> [SurfaceChange] {
    switch event.name {
    case "enter":
      guard let entered = event.object(1) else { return [] }
      if isBar(entered) {
        try cursor.show(event.uint(0))
        try hover(part(x: event.fixed(2)))
        return []
      }
      guard entered == surface else { return [] }
      try cursor.show(event.uint(0))
      return move(event.fixed(2), event.fixed(3))
    case "leave":
      if let left = event.object(1), isBar(left) { try hover(nil) }
      guard event.object(1) == surface else { return [] }
      state.withLock { $0.isButtonPressed = false }
      return [.input(.left)]
    default: break
    }
    guard let owner = session.input.pointerSurface else { return [] }
    if isBar(owner) { return try changes(ofBarBy: event) }
    guard owner == surface else { return [] }
    switch event.name {
    case "motion": return move(event.fixed(1), event.fixed(2))
    case "button" where event.uint(2) == Self.leftButton: return press(event)
    case "axis" where event.uint(1) == 0: return scroll(by: event.fixed(2) / 10, isDiscrete: false)
    case "axis_discrete" where event.uint(0) == 0: return scroll(by: Double(event.int(1)), isDiscrete: true)
    case "axis_value120" where event.uint(0) == 0: return scroll(by: Double(event.int(1)) / 120, isDiscrete: true)
    case "frame": state.withLock { $0.hasDiscreteWheel = false }
    default: break
    }
    return []
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

  /// Adds to the turn of the wheel, and reports its whole steps.
  ///
  /// A wheel reports its steps beside the distance, which then does not count.
  private func scroll(by steps: Double, isDiscrete: Bool) -> [SurfaceChange] {
    let (count, x) = state.withLock { state -> (Int, Int) in
      if isDiscrete, !state.hasDiscreteWheel { state.hasDiscreteWheel = true }
      guard isDiscrete || !state.hasDiscreteWheel else { return (0, 0) }
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

  private func hover(_ part: WaylandTitleBar.Part?) throws(DisplayError) {
    state.withLock { $0.hoveredPart = part }
    try showTitleBar()
  }

  private func changes(ofBarBy event: WaylandEvent) throws(DisplayError) -> [SurfaceChange] {
    switch event.name {
    case "motion": try hover(part(x: event.fixed(1)))
    case "button" where event.uint(2) == Self.leftButton:
      let (part, isPressed) = (state.withLock { $0.hoveredPart }, event.uint(3) == 1)
      if part == .close, !isPressed { return [.closeRequested] }
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
      guard event.object(1) == surface else { return [] }
      let isActive = event.name == "enter"
      stopRepeating()
      state.withLock { $0.isActive = isActive }
      try showTitleBar()
      return [.focused(isActive)]
    case "key" where session.input.keyboardSurface == surface:
      let code = event.uint(2)
      guard event.uint(3) == 1 else {
        if state.withLock({ $0.repeated?.code }) == code { stopRepeating() }
        return []
      }
      stopRepeating()
      if WaylandKeyboard.repeats(code) { startRepeating(code) }
      return key(code)
    default: return []
    }
  }

  private func key(_ code: UInt32?) -> [SurfaceChange] {
    guard let code else { return [] }
    let input = session.input
    let keys = state.withLock { state -> WaylandKeyboard? in
      state.keyboard?.version == input.keymapVersion ? state.keyboard?.keys : nil
    }
    let keyboard = keys ?? WaylandKeyboard(keymap: input.keymap)
    if keys == nil { state.withLock { $0.keyboard = (input.keymapVersion, keyboard) } }
    guard let key = WindowKey(symbol: keyboard.symbol(ofKey: code, input.modifiers)) else { return [] }
    let (isShifted, isControl) = WaylandKeyboard.modifiers(input.modifiers)
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
        guard state.withLock({ $0.repetitions.isEmpty }) else { continue }
        guard let callback = try? connection.create(WaylandConnection.display, "sync") else { return }
        state.withLock { _ = $0.repetitions.insert(callback) }
      }
    }
    state.withLock { $0.repeated = (code, task) }
  }

  private func stopRepeating() {
    let repeated = state.withLock { state in
      state.repetitions = []
      return state.repeated.take()
    }
    repeated?.task.cancel()
  }
}
