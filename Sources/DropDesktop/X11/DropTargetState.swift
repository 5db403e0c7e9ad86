// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropTransport

/// The state machine, without input and output, of a drag's target until the drop.
///
/// Messages that do not come from the window that entered last are ignored. The caller performs each effect before it
/// passes the next message.
struct DropTargetState: Sendable {
  /// A step that the caller performs, in the order of the returned list.
  enum Effect: Sendable, Hashable {
    /// Read the types and actions of the source, and watch its window; then call
    /// ``DropTargetState/inspected(_:_:number:)``.
    case inspect(X11Identifier, hasTypeList: Bool, types: [X11Atom], number: Int)
    /// Send a message to the source.
    case send(DragMessage, X11Identifier)
    /// The drag has entered, and its types have been read.
    case entered(DragOffer)
    /// Ask the program for its answer to a location, then call ``DropTargetState/answer(_:to:)``.
    case ask(DragOffer, DragPoint)
    /// The user has turned the wheel.
    case scrolled(Int)
    /// The drag has left, or was cancelled.
    case left
    /// The user has dropped the content.
    case dropped(DragOffer, DragPoint, DropAction)
  }

  private enum Phase {
    case idle
    /// The caller has not read the types yet.
    case inspecting
    case hovering(DragOffer)
  }

  private let window: X11Identifier
  private var phase = Phase.idle
  private var source: X11Identifier?
  private var version: UInt8 = 0
  private var number = 0
  /// The accepted action at the location `latest`.
  private var accepted: DropAction?
  private var latest: DragPoint?

  /// Creates the state of a window.
  init(window: X11Identifier) {
    self.window = window
  }

  /// Handles a message to the window.
  mutating func receive(_ message: DragMessage) -> [Effect] {
    switch message {
    case .enter(let source, let version, let hasTypeList, let types):
      return enter(source, version, hasTypeList, types)
    case .position(let source, let x, let y, let time, let action) where source == self.source:
      return move(DragPoint(x: x, y: y, time: time, action: action ?? .copy))
    case .scroll(let source, let steps) where source == self.source: return [.scrolled(steps)]
    case .leave(let source) where source == self.source: return leave()
    case .drop(let source, let time) where source == self.source: return drop(time)
    default: return []
    }
  }

  private mutating func enter(
    _ source: X11Identifier, _ version: UInt32, _ hasTypeList: Bool, _ types: [X11Atom]
  ) -> [Effect] {
    guard let version = DragVersion.common(with: version), source != .none else { return [] }
    // A source that has crashed has not sent a leave message.
    let effects = leave()
    self.source = source
    self.version = version
    number += 1
    phase = .inspecting
    return effects + [.inspect(source, hasTypeList: hasTypeList, types: types, number: number)]
  }

  /// Continues with the types and actions of the source.
  ///
  /// - Parameters:
  ///   - names: The names of the types, which are untrusted.
  ///   - actions: The actions that the source lists.
  ///   - number: The number of the effect. The number of an older effect is ignored.
  /// - Returns: The effects.
  mutating func inspected(_ names: [String], _ actions: DropActions, number: Int) -> [Effect] {
    guard number == self.number, case .inspecting = phase, let source else { return [] }
    let offer = DragOffer(source: source, version: version, typeNames: names, actions: actions.union(.copy))
    phase = .hovering(offer)
    return [.entered(offer)]
  }

  private mutating func move(_ point: DragPoint) -> [Effect] {
    guard case .hovering(var offer) = phase else { return [] }
    latest = point
    accepted = nil
    // The source allows each action that it proposes. Sources list their actions only if they allow several.
    offer.actions.formUnion(DropActions(rawValue: point.action.rawValue))
    phase = .hovering(offer)
    return [.ask(offer, point)]
  }

  /// Handles the program's answer to a location.
  ///
  /// The answer to an older location is ignored.
  mutating func answer(_ answer: DesktopDrop.Answer, to point: DragPoint) -> [Effect] {
    guard case .hovering(let offer) = phase, point == latest else { return [] }
    accepted =
      switch answer {
      case .refuse: nil
      case .accept(let action): offer.actions.contains(action) ? action : .copy
      }
    let status = DragStatus(isAccepted: accepted != nil, action: accepted)
    return [.send(.status(target: window, status), offer.source)]
  }

  private mutating func drop(_ time: X11Time) -> [Effect] {
    guard case .hovering(var offer) = phase else { return [] }
    guard let latest, let accepted else {
      let refusal = DragMessage.finished(target: window, isAccepted: false, action: nil)
      return [.send(refusal, offer.source)] + leave()
    }
    offer.time = time
    reset()
    return [.dropped(offer, latest, accepted)]
  }

  private mutating func leave() -> [Effect] {
    defer { reset() }
    if case .hovering = phase { return [.left] }
    return []
  }

  private mutating func reset() {
    phase = .idle
    (source, accepted, latest) = (nil, nil, nil)
  }

  /// Handles the destruction of a window, which may be the source's.
  mutating func close(_ window: X11Identifier) -> [Effect] {
    window == source ? leave() : []
  }

  /// Ends a drag over the window, because the target no longer accepts drags.
  mutating func end() -> [Effect] {
    leave()
  }
}

/// The content of a drag, as its source describes it.
struct DragOffer: Sendable, Hashable {
  /// The window of the source.
  let source: X11Identifier
  /// The version of the protocol that both ends use.
  let version: UInt8
  /// The names of the types.
  let typeNames: [String]
  /// The actions that the source allows.
  var actions: DropActions
  /// The time of the drop.
  var time = X11Time.current
}
