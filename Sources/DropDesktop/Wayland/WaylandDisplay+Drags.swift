// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import Synchronization

extension DropAction {
  /// The bit of the action in the protocol; 0 for none.
  var waylandBit: UInt32 {
    switch self {
    case .copy: 1
    case .move: 2
    case .link: 0
    }
  }

  /// Creates the action of a bit of the protocol; `nil` for no action, and for the request to ask the user.
  init?(waylandBit: UInt32) {
    switch waylandBit {
    case 1: self = .copy
    case 2: self = .move
    default: return nil
    }
  }
}

extension WaylandDisplay {
  func run(
    _ drag: DesktopDrag, from press: DesktopDrag.Press, onDrop: @escaping @Sendable (String?) -> Void
  ) async throws -> DesktopDrag.Outcome {
    guard let dataManager, let dataDevice else {
      throw DesktopError(.noDisplay, "the compositor does not support drags with actions")
    }
    let source = try WaylandSource(self, dataManager, "create_data_source", drag.content)
    defer { source.close() }
    // The compositor starts a drag only for the press of a button that is still down. From here on, the source reports
    // its release.
    guard let start = session.input.press else { return .cancelled }
    let actions = drag.allowsMove ? DropAction.copy.waylandBit | DropAction.move.waylandBit : DropAction.copy.waylandBit
    try connection.send(source.object, "set_actions", .uint(actions))
    let scale = session.window(start.surface.id)?.scale ?? 1
    let icon = try drag.icon.map { try WaylandDragIcon($0, session, scale: scale) }
    defer { icon?.close() }
    try connection.send(
      dataDevice, "start_drag", .object(source.object), .object(start.surface), .object(icon?.surface),
      .uint(start.serial))
    try icon?.show(drag.opensWindow ? .open : .refused)
    return try await WaylandDragLoop(self, drag, source, icon, button: start.button, onDrop: onDrop).run()
  }

  func target(_ target: DesktopDrop, _ queue: AsyncQueue<DesktopDrop.Event>) async throws -> any DropReceiver {
    guard dataDevice != nil else {
      throw DesktopError(.noDisplay, "the compositor does not support drags with actions")
    }
    guard session.window(target.window) != nil else { throw DesktopError(.sourceFailed, "there is no such window") }
    return WaylandDropLoop(target, self, queue)
  }
}

/// The loop of a drag.
private final class WaylandDragLoop: Sendable {
  private let display: WaylandDisplay
  private let drag: DesktopDrag
  private let source: WaylandSource
  private let icon: WaylandDragIcon?
  private let button: UInt32
  private let onDrop: @Sendable (String?) -> Void

  init(
    _ display: WaylandDisplay, _ drag: DesktopDrag, _ source: WaylandSource, _ icon: WaylandDragIcon?, button: UInt32,
    onDrop: @escaping @Sendable (String?) -> Void
  ) {
    self.display = display
    self.drag = drag
    self.source = source
    self.icon = icon
    self.button = button
    self.onDrop = onDrop
  }

  /// The state of the drag, as the compositor reports it.
  private struct State {
    var isAccepted = false
    /// Whether the pointer is over a window of this connection.
    var isOverOwnWindow = false
    var action: DropAction?
    var isDropped = false
    /// Whether the compositor may not report the end: sway does not for windows of X11.
    var isEndUnreported = false
    var timer: Task<Void, Never>?
    var timerNumber = 0

    /// Returns the effect of a drop; the compositor does not report windows of other programs.
    func feedback(of drag: DesktopDrag) -> DesktopDrag.Feedback {
      guard isAccepted else { return drag.opensWindow && !isOverOwnWindow ? .open : .refused }
      return action == .move && drag.allowsMove ? .move : .copy
    }
  }

  func run() async throws -> DesktopDrag.Outcome {
    let (content, source) = (drag.content, source)
    content.begin {
      .unreachable
    } activity: {
      source.add(.activity)
    }
    defer { content.cancelLoads() }
    return try await follow()
  }

  private func follow() async throws -> DesktopDrag.Outcome {
    try await withThrowingDiscardingTaskGroup { group in
      defer { group.cancelAll() }
      var state = State()
      defer { state.timer?.cancel() }
      while let signal = await source.next() {
        switch signal {
        case .request(let name, let descriptor): source.send(name, to: descriptor, in: &group) {}
        case .target(let type): state.isAccepted = type != nil
        case .action(0) where state.isDropped:
          // Without an action, no target of Wayland can finish.
          state.isEndUnreported = true
          startTimer(&state)
        case .action(let bits): state.action = DropAction(waylandBit: bits)
        case .hovering(let isOverOwnWindow): state.isOverOwnWindow = isOverOwnWindow
        // Not all compositors report that a target no longer accepts the drag because it has left.
        case .leaving: state.isAccepted = false
        // During a drag, no window receives the release.
        case .released(let button): if button == self.button, !state.isDropped { return .cancelled }
        case .dropped:
          state.isDropped = true
          startTimer(&state)
          onDrop(nil)
        case .activity: if state.isDropped { startTimer(&state) }
        case .timeOut(let number):
          guard number == state.timerNumber else { break }
          if state.isEndUnreported, drag.content.isSent { return .dropped(.copy) }
          throw DragTargetFailure.unfinished.error
        case .finished where !state.isDropped: break
        case .finished:
          // Some targets accept without an action, and a target must not move what may only be copied.
          return .dropped(state.action == .move && drag.allowsMove ? .move : .copy)
        case .cancelled: return outcome(ofCancelled: state)
        case .served: break
        }
        if !state.isDropped { try icon?.show(state.feedback(of: drag)) }
      }
      try Task.checkCancellation()
      throw display.router.failure
    }
  }

  /// Returns the outcome of a drag that no target has taken.
  ///
  /// The compositor does not report whether there was a window of another program.
  private func outcome(ofCancelled state: State) -> DesktopDrag.Outcome {
    let isOverTarget = state.isDropped || state.isAccepted || state.isOverOwnWindow
    return drag.opensWindow && !isOverTarget ? .open : .refused
  }

  private func startTimer(_ state: inout State) {
    state.timer?.cancel()
    state.timerNumber += 1
    let limit = state.isEndUnreported ? min(display.options.idleTimeout, drag.finishTimeout) : drag.finishTimeout
    let (number, source) = (state.timerNumber, source)
    state.timer = Task {
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      source.add(.timeOut(number))
    }
  }
}

/// The surface with the picture that follows the pointer.
private final class WaylandDragIcon: Sendable {
  let surface: WaylandObject
  private let icon: DesktopDrag.Icon
  private let session: WaylandSession
  private let scale: Double
  /// The extension for a scale that is not a whole number; some compositors ignore it for the picture of a drag.
  private let viewport: WaylandObject?
  /// The pictures that were shown, which the compositor may still read.
  private let buffers = Lock<[DesktopDrag.Feedback: WaylandBuffer]>([:])
  private let shown = Lock<DesktopDrag.Feedback?>(nil)

  init(_ icon: DesktopDrag.Icon, _ session: WaylandSession, scale: Double) throws(DisplayError) {
    guard let compositor = session.compositor else {
      throw DisplayError(.badAddress, "the compositor has no surfaces")
    }
    self.icon = icon
    self.session = session
    let surface = try session.connection.create(compositor, "create_surface")
    self.surface = surface
    let viewporter = scale == scale.rounded() ? nil : try session.connection.bind(.viewporter)
    viewport = try viewporter.map { (viewporter) throws(DisplayError) in
      try session.connection.createLast(viewporter, "get_viewport", .object(surface))
    }
    self.scale = viewport == nil ? max(1, scale.rounded()) : scale
  }

  /// Shows the effect of a drop, if it has changed.
  func show(_ feedback: DesktopDrag.Feedback) throws(DisplayError) {
    let former = shown.withLock { shown in
      defer { shown = feedback }
      return shown
    }
    guard former != feedback else { return }
    let known = buffers.withLock { $0[feedback] }
    let buffer = if let known { known } else { try makeBuffer(feedback) }
    let isFirst = former == nil
    func units(_ pixels: Int) -> Int32 { Int32(max(1, (Double(pixels) / scale).rounded())) }
    let offset = isFirst ? (x: units(icon.offsetX), y: units(icon.offsetY)) : (x: 0, y: 0)
    let connection = session.connection
    if connection.version(of: surface) >= 5 {
      try connection.send(surface, "attach", .object(buffer.object), .int(0), .int(0))
      try connection.send(surface, "offset", .int(offset.x), .int(offset.y))
    } else {
      try connection.send(surface, "attach", .object(buffer.object), .int(offset.x), .int(offset.y))
    }
    if let viewport {
      try connection.send(viewport, "set_destination", .int(units(icon.width)), .int(units(icon.height)))
    } else {
      try connection.send(surface, "set_buffer_scale", .int(Int32(scale)))
    }
    try connection.send(surface, "damage_buffer", .int(0), .int(0), .int(Int32(icon.width)), .int(Int32(icon.height)))
    try connection.send(surface, "commit")
  }

  private func makeBuffer(_ feedback: DesktopDrag.Feedback) throws(DisplayError) -> WaylandBuffer {
    // The sides must be multiples of a whole scale.
    let unit = viewport == nil ? Int(scale) : 1
    func padded(_ side: Int) -> Int { (side + unit - 1) / unit * unit }
    let buffer = try WaylandBuffer(
      session, width: padded(icon.width), height: padded(icon.height), isOpaque: false)
    buffer.fill(icon.pixels(for: feedback), width: icon.width)
    buffers.withLock { $0[feedback] = buffer }
    return buffer
  }

  /// Destroys the surface.
  func close() {
    if let viewport { try? session.connection.send(viewport, "destroy") }
    try? session.connection.send(surface, "destroy")
  }
}
