// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropTransport

/// The source's end of a drag, without input and output.
///
/// At most one position waits for the response of the target. Only the latest location is sent after it. Messages that
/// do not come from the present target are ignored.
struct DragSourceState: Sendable {
  /// A step for the caller, in the order of the list.
  enum Effect: Sendable, Hashable {
    /// Send a message to the target.
    case send(DragMessage, DragTarget)
    /// The target does not get the content any more.
    case left
    /// Call ``DragSourceState/timeOut(_:)`` with the number after the wait for a step, unless another wait begins.
    case wait(Wait, number: Int)
    /// Watch the windows of the target, which may save the item now.
    case dropped(DragTarget)
    /// Release the pointer: the drag is over, or only the target's report is missing.
    case released
    /// The drag has ended.
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
  /// The point whose response is missing.
  private var isAwaitingStatus = false
  /// The point of the last message.
  private var sent: DragPoint?
  /// The point for the message after the response.
  private var next: DragPoint?
  private var status: DragStatus?
  private var waitNumber = 0

  /// Creates the state of a drag from a window.
  init(source: X11Identifier, types: [X11Atom], allowsMove: Bool) {
    self.source = source
    self.types = types
    self.allowsMove = allowsMove
  }

  /// Whether the target has reported that it would accept the drop here.
  var isAccepted: Bool { status?.isAccepted == true }

  /// The effect of a drop at the last location for which the target has responded.
  var feedback: DesktopDrag.Feedback {
    guard isAccepted else { return .refused }
    return taken(status?.action) == .move ? .move : .copy
  }

  /// Whether the button is still pressed.
  var isHovering: Bool { if case .hovering = phase { true } else { false } }

  // MARK: Pointer

  /// The pointer is over a target, or over none.
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

  private mutating func leave() -> [Effect] {
    guard let target else { return [] }
    self.target = nil
    (isAwaitingStatus, sent, next, status) = (false, nil, nil, nil)
    return [.send(.leave(source: source), target), .left]
  }

  /// The button is released at the last location.
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

  /// The user or the program cancels the drag.
  ///
  /// After the drop, this has no effect: the target decides.
  mutating func cancel() -> [Effect] {
    switch phase {
    case .hovering, .releasing: leave() + end(.success(.cancelled))
    case .dropped, .ended: []
    }
  }

  // MARK: Target

  /// A message has arrived at the source's window.
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
      // The decision belongs to the last location.
      let effects = next.map { send($0) } ?? []
      return isAwaitingStatus ? effects + [wait(for: .status)] : effects + drop(time)
    case (.finished(let sender, let isAccepted, let action), .dropped) where isFromTarget(sender):
      // Before version 5, the message has neither of the two values.
      guard target.version >= 5 else { return end(.success(.dropped(taken(status?.action)))) }
      return end(.success(isAccepted ? .dropped(taken(action)) : .refused))
    default: return []
    }
  }

  /// The action that counts: a target that takes no allowed action has copied.
  private func taken(_ action: DropAction?) -> DropAction {
    action == .move && allowsMove ? .move : .copy
  }

  /// The window of a target does not exist any more.
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

  /// The target still reads the content: its time limit begins again.
  mutating func noteActivity() -> [Effect] {
    guard case .dropped = phase else { return [] }
    return [wait(for: .finished)]
  }

  /// The wait with a number has taken too long.
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
