// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropTransport

/// The state machine, without input and output, of a drag's source.
///
/// After a position, the source sends no other position until the target has responded. It then sends only the latest
/// location. Messages that do not come from the present target are ignored.
struct DragSourceState: Sendable {
  /// A step that the caller performs, in the order of the returned list.
  enum Effect: Sendable, Hashable {
    /// Send a message to the target, whose windows are watched from the first message on.
    case send(DragMessage, DragTarget)
    /// Cancel the loads of the target that the drag has left.
    case left
    /// Call ``DragSourceState/timeOut(_:)`` with the number after the time limit of a step, unless another wait begins
    /// before.
    case wait(Wait, number: Int)
    /// Enable direct saves.
    case dropped(DragTarget)
    /// Release the pointer and close the icon, since the pointer no longer affects the drag.
    case released
    /// End the drag with a result.
    case end(Result<DesktopDrag.Outcome, DragTargetFailure>)
  }

  /// A step of the target that has a time limit.
  enum Wait: Sendable, Hashable {
    /// The response to the last position, once the button is released.
    case status
    /// The report that the drop is finished.
    case finished
  }

  private enum Phase {
    case hovering
    /// The button is released; the response to the last position is missing.
    case releasing(X11Time)
    case dropped
    case ended
  }

  private let source: X11Identifier
  private let types: [X11Atom]
  private let allowsMove: Bool
  private var phase = Phase.hovering
  private var target: DragTarget?
  /// Whether the response to the last position is missing.
  private var isAwaitingStatus = false
  /// The point of the last position that was sent.
  private var sent: DragPoint?
  /// The latest point, which is sent after the missing response.
  private var next: DragPoint?
  private var status: DragStatus?
  private var waitNumber = 0

  /// Creates the state of a drag from a window.
  init(source: X11Identifier, types: [X11Atom], allowsMove: Bool) {
    self.source = source
    self.types = types
    self.allowsMove = allowsMove
  }

  /// Whether the last response of the target accepts the drop.
  var isAccepted: Bool { status?.isAccepted == true }

  /// The effect of a drop at the last location for which the target has responded.
  var feedback: DesktopDrag.Feedback {
    guard isAccepted else { return .refused }
    return taken(status?.action) == .move ? .move : .copy
  }

  /// Whether the button is still pressed.
  var isHovering: Bool { if case .hovering = phase { true } else { false } }

  /// Whether the target has the drop, and has not finished.
  var isDropped: Bool { if case .dropped = phase { true } else { false } }

  // MARK: Pointer

  /// Handles a move of the pointer to a point over a target, or over none.
  mutating func move(over new: DragTarget?, _ point: DragPoint) -> [Effect] {
    guard case .hovering = phase else { return [] }
    var effects: [Effect] = []
    if new != target {
      effects += leave()
      if let new {
        target = new
        let hasTypeList = types.count > 3
        let first = Array(types.prefix(3))
        effects.append(
          .send(.enter(source: source, version: UInt32(new.version), hasTypeList: hasTypeList, types: first), new))
      }
    }
    return effects + send(point)
  }

  private mutating func send(_ point: DragPoint) -> [Effect] {
    guard let target else { return [] }
    guard !isAwaitingStatus else {
      next = point
      return []
    }
    next = nil
    if let sent, sent.action == point.action {
      if sent.x == point.x, sent.y == point.y { return [] }
      if let status, status.coversSilently(x: point.x, y: point.y) { return [] }
    }
    sent = point
    isAwaitingStatus = true
    let action = allowsMove || point.action != .move ? point.action : .copy
    return [
      .send(.position(source: source, x: point.x, y: point.y, time: point.time, action: action), target)
    ]
  }

  /// Handles a turn of the wheel, which scrolls the content of the target.
  mutating func scroll(by steps: Int) -> [Effect] {
    guard case .hovering = phase, let target else { return [] }
    return [.send(.scroll(source: source, steps: steps), target)]
  }

  private mutating func leave() -> [Effect] {
    guard let target else { return [] }
    self.target = nil
    (isAwaitingStatus, sent, next, status) = (false, nil, nil, nil)
    return [.send(.leave(source: source), target), .left]
  }

  /// Handles the release of the button at the last location.
  mutating func release(time: X11Time) -> [Effect] {
    guard case .hovering = phase else { return [] }
    guard target != nil else { return end(.success(.refused)) }
    guard isAwaitingStatus else { return drop(time) }
    phase = .releasing(time)
    return [.released, wait(for: .status)]
  }

  private mutating func drop(_ time: X11Time) -> [Effect] {
    guard let target, isAccepted else { return leave() + end(.success(.refused)) }
    phase = .dropped
    return [.released, .dropped(target), .send(.drop(source: source, time: time), target), wait(for: .finished)]
  }

  private mutating func wait(for step: Wait) -> Effect {
    waitNumber += 1
    return .wait(step, number: waitNumber)
  }

  /// Cancels the drag for the user or the program.
  ///
  /// After the drop, this has no effect: only the target ends the drag.
  mutating func cancel() -> [Effect] {
    switch phase {
    case .hovering, .releasing: leave() + end(.success(.cancelled))
    case .dropped, .ended: []
    }
  }

  // MARK: Target

  /// Handles a message to the source's window.
  mutating func receive(_ message: DragMessage) -> [Effect] {
    guard let target else { return [] }
    func isFromTarget(_ sender: X11Identifier) -> Bool { sender == target.window || sender == target.recipient }
    switch (message, phase) {
    case (.status(let sender, let new), .hovering) where isFromTarget(sender):
      status = new
      isAwaitingStatus = false
      return next.map { send($0) } ?? []
    case (.status(let sender, let new), .releasing(let time)) where isFromTarget(sender) && isAwaitingStatus:
      status = new
      isAwaitingStatus = false
      // The target must respond to the last location before the drop.
      let effects = next.map { send($0) } ?? []
      return isAwaitingStatus ? effects + [wait(for: .status)] : effects + drop(time)
    case (.finished(let sender, let isAccepted, let action), .dropped) where isFromTarget(sender):
      // Before version 5, the message states neither the acceptance nor the action.
      guard target.version >= 5 else { return end(.success(.dropped(taken(status?.action)))) }
      return end(.success(isAccepted ? .dropped(taken(action)) : .refused))
    default: return []
    }
  }

  /// Returns the action to report.
  ///
  /// An action that is missing or not allowed is treated as a copy.
  private func taken(_ action: DropAction?) -> DropAction {
    action == .move && allowsMove ? .move : .copy
  }

  /// Handles the destruction of a window, which may be the target's.
  mutating func close(_ window: X11Identifier) -> [Effect] {
    guard let target, window == target.window || window == target.recipient else { return [] }
    switch phase {
    case .hovering:
      self.target = nil
      (isAwaitingStatus, sent, next, status) = (false, nil, nil, nil)
      return [.left]
    case .releasing: return leave() + end(.success(.refused))
    case .dropped:
      return end(.failure(.closed))
    case .ended: return []
    }
  }

  /// Restarts the time limit of the target, which still reads the content.
  mutating func noteActivity() -> [Effect] {
    guard case .dropped = phase else { return [] }
    return [wait(for: .finished)]
  }

  /// Handles the end of a time limit.
  ///
  /// The number of an older wait is ignored.
  mutating func timeOut(_ number: Int) -> [Effect] {
    guard number == waitNumber else { return [] }
    switch phase {
    case .releasing:
      return leave() + end(.failure(.silent))
    case .dropped:
      return end(.failure(.unfinished))
    case .hovering, .ended: return []
    }
  }

  private mutating func end(_ result: Result<DesktopDrag.Outcome, DragTargetFailure>) -> [Effect] {
    phase = .ended
    return [.released, .end(result)]
  }
}
