// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials

/// The event loop of a drag.
///
/// It passes input to a ``DragSourceState``, and performs the effects that the state returns.
final class DragLoop: Sendable {
  private enum Signal: Sendable {
    case motion(X11InputEvent)
    case release(X11InputEvent)
    case key(UInt8)
    case wheel(Int)
    case message(DragMessage)
    case closed(X11Identifier)
    /// Another program owns the selection now.
    case lost
    case exposed
    case activity
    case timeOut(Int)
  }

  private let display: X11Display
  private let source: DragSource
  private let atoms: DragAtoms
  private let content: DragContent
  private let icon: DragIconWindow?
  private let allowsMove: Bool
  private let opensWindow: Bool
  private let finishTimeout: Duration
  private let onDrop: @Sendable (String?) -> Void
  private let inbox: AsyncQueue<Signal>

  /// Creates the loop, which receives signals from now on.
  init(
    _ source: DragSource, _ atoms: DragAtoms, _ content: DragContent, icon: DragIconWindow?, allowsMove: Bool,
    opensWindow: Bool, finishTimeout: Duration, onDrop: @escaping @Sendable (String?) -> Void
  ) {
    display = source.display
    self.source = source
    self.atoms = atoms
    self.content = content
    self.allowsMove = allowsMove
    self.opensWindow = opensWindow
    self.finishTimeout = finishTimeout
    self.onDrop = onDrop
    self.icon = icon
    let iconWindow = icon?.window
    inbox = source.display.router.events(limit: 1024) { last, new in
      switch (last, new) {
      case (.motion, .motion), (.activity, .activity), (.exposed, .exposed): true
      default: false
      }
    } _: { event in
      Self.signal(event, source, iconWindow, atoms)
    }
  }

  /// Returns the signal of an event; `nil` if the event does not concern the drag.
  ///
  /// Input events that another program has forged are ignored.
  private static func signal(
    _ event: X11Event, _ source: DragSource, _ icon: X11Identifier?, _ atoms: DragAtoms
  ) -> Signal? {
    let window = source.window
    if case .clientMessage(let message) = event.kind, message.window == window {
      return DragMessage(message, atoms).map { .message($0) }
    }
    guard !event.isSentByClient else { return nil }
    if let closed = event.closedWindow { return .closed(closed) }
    switch event.kind {
    case .motionNotify(let input) where input.window == window: return .motion(input)
    case .buttonRelease(let input) where input.window == window: return .release(input)
    case .keyPress(let input) where input.window == window: return .key(input.detail)
    case .buttonPress(let input) where input.window == window && (4...5).contains(input.detail):
      return .wheel(input.detail == 4 ? -1 : 1)
    case .selectionClear(let clear)
    where clear.owner == source.owner && clear.selection == atoms[.selection] && !source.time.isLater(than: clear.time):
      return .lost
    case .expose(let expose) where expose.window == icon: return .exposed
    default: return nil
    }
  }

  private static var lost: DesktopError { DesktopError(.notOwned, "another program has started a drag") }

  /// Follows the pointer until the drag has ended.
  func run(button: Int, time: X11Time) async throws -> DesktopDrag.Outcome {
    defer {
      icon?.close()
      source.release()
    }
    var run = Run(DragSourceState(source: source.window, types: source.types, allowsMove: allowsMove))
    defer { run.timer?.cancel() }
    do {
      guard let start = try await source.grab(button: button, time: time) else { return .cancelled }
      let escapeKeys = try await source.escapeKeys()
      try await follow(start, &run)
      try icon?.open()
      while run.result == nil {
        guard let signal = await inbox.next() else { throw display.router.failure }
        try await handle(signal, button, escapeKeys, &run)
        if let target = run.newTarget.take() {
          onDrop(try await DragTargetFinder(display: display, atoms: atoms).title(of: target))
        }
      }
    } catch {
      // The target must learn that the drag has left.
      try? perform(run.state.cancel(), &run)
      try Task.checkCancellation()
      throw error
    }
    switch run.result {
    case .success(.dropped) where run.isLost && !content.isSent: throw Self.lost
    case .success(.refused) where run.isOverDesktop: return .open
    case .success(let outcome): return outcome
    case .failure(let failure): throw failure.error
    case nil: return .cancelled
    }
  }

  /// The variables of the loop.
  private struct Run {
    var state: DragSourceState
    var timer: Task<Void, Never>?
    /// Whether there is no window under the pointer.
    var isOverDesktop = false
    /// Whether another program has taken the selection after the drop.
    var isLost = false
    var result: Result<DesktopDrag.Outcome, DragTargetFailure>?
    /// The target of the drop until the caller is notified.
    var newTarget: DragTarget?

    init(_ state: DragSourceState) {
      self.state = state
    }
  }

  private func handle(_ signal: Signal, _ button: Int, _ escapeKeys: Set<UInt8>, _ run: inout Run) async throws {
    switch signal {
    case .motion(let input): try await follow(point(input), &run)
    case .release(let input):
      guard input.detail == button else { return }
      try await follow(point(input), &run)
      try perform(run.state.release(time: input.time), &run)
    case .key(let code):
      if escapeKeys.contains(code) { try perform(run.state.cancel(), &run) }
    case .wheel(let steps): try perform(run.state.scroll(by: steps), &run)
    case .message(let message): try perform(run.state.receive(message), &run)
    case .closed(let window): try perform(run.state.close(window), &run)
    case .lost:
      // After the drop, a transfer goes on. The target's report shows later whether it has received the content.
      guard run.state.isDropped else { throw Self.lost }
      run.isLost = true
    case .exposed: try icon?.draw()
    case .activity: try perform(run.state.noteActivity(), &run)
    case .timeOut(let number): try perform(run.state.timeOut(number), &run)
    }
  }

  /// Returns the location of an input event.
  ///
  /// The key Shift proposes a move, if the caller allows it.
  private func point(_ input: X11InputEvent) -> DragPoint {
    DragPoint(
      x: input.rootX, y: input.rootY, time: input.time,
      action: allowsMove && input.state.contains(.shift) ? .move : .copy)
  }

  private func follow(_ point: DragPoint, _ run: inout Run) async throws {
    guard run.state.isHovering else { return }
    // The icon moves first, so that it never covers the new location.
    try icon?.move(to: point)
    let finder = DragTargetFinder(display: display, atoms: atoms)
    let target = try await finder.target(x: point.x, y: point.y)
    run.isOverDesktop = opensWindow && target == nil ? try await finder.isDesktop(x: point.x, y: point.y) : false
    try perform(run.state.move(over: target, point), &run)
  }

  private func perform(_ effects: [DragSourceState.Effect], _ run: inout Run) throws {
    for effect in effects {
      switch effect {
      case .send(let message, let target):
        if case .enter = message { try source.enter(target) }
        try display.connection.send(.sendEvent(message.encoded(for: target.window, atoms), to: target.recipient))
      case .left: content.cancelLoads()
      case .wait(let step, let number):
        run.timer?.cancel()
        let (limit, inbox) = (step == .status ? display.options.idleTimeout : finishTimeout, inbox)
        run.timer = Task {
          guard (try? await Task.sleep(for: limit)) != nil else { return }
          inbox.put(.timeOut(number))
        }
      case .dropped(let target):
        enableSaving()
        run.newTarget = target
      case .released:
        icon?.close()
        source.release()
      case .end(let result): run.result = result
      }
    }
    try icon?.show(run.isOverDesktop ? .open : run.state.feedback)
  }

  private func enableSaving() {
    let (source, inbox) = (source, inbox)
    let dropTime = Date()
    content.begin { [weak content] in
      guard let address = await source.savedAddress(dropTime: dropTime) else { return .unreachable }
      return await content?.save(at: address) ?? .failed
    } activity: {
      inbox.put(.activity) { last, _ in if case .activity = last { true } else { false } }
    }
  }
}
