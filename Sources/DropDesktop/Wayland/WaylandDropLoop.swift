// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization

/// The event loop of a target.
final class WaylandDropLoop: DropReceiver {
  private enum Signal: Sendable {
    case enter(serial: UInt32, x: Double, y: Double, offer: WaylandObject)
    case motion(x: Double, y: Double)
    case leave
    /// The items were dropped, with the action that the compositor had chosen by then.
    case drop(WaylandObject, action: UInt32)
    /// The compositor has chosen an action.
    case action(WaylandObject)
    case stop
  }

  /// A drag over the window.
  private struct Hover {
    let serial: UInt32
    let offer: WaylandObject
    let names: [String]
    var position: DesktopDrop.Position?
    /// The answer that the compositor knows; `nil` before the first one.
    var answer: DesktopDrop.Answer?
  }

  /// The state at the latest event, which the loop may process later.
  private struct Arrival {
    var isInside = false
    /// The dropped offers that the loop has not processed yet.
    var dropped: [WaylandObject] = []
    var hasEnded = false
  }

  private let target: DesktopDrop
  private let display: WaylandDisplay
  private let queue: AsyncQueue<DesktopDrop.Event>
  private let inbox: AsyncQueue<Signal>
  private let arrival: Shared<Arrival>
  private let sessions = OpenSessions()

  /// Creates the loop, which receives drags from now on.
  init(_ target: DesktopDrop, _ display: WaylandDisplay, _ queue: AsyncQueue<DesktopDrop.Event>) {
    self.target = target
    self.display = display
    self.queue = queue
    let (window, device, arrival) = (target.window, display.dataDevice, Shared(Arrival()))
    self.arrival = arrival
    inbox = display.router.events(limit: 1024) { last, new in
      if case (.motion, .motion) = (last, new) { true } else { false }
    } _: { [weak display] event in
      if event.object.interface == .dataOffer, event.name == "action" { return .action(event.object) }
      guard event.object == device else { return nil }
      switch event.name {
      case "enter":
        let isInWindow = event.object(1)?.id == window
        arrival.value.withLock { $0.isInside = isInWindow }
        guard isInWindow, let offer = event.object(4) else { return nil }
        return .enter(serial: event.uint(0), x: event.fixed(2), y: event.fixed(3), offer: offer)
      // The loop ignores these while no drag is over its window.
      case "motion": return .motion(x: event.fixed(1), y: event.fixed(2))
      case "leave": return .leave
      case "drop":
        // The display would destroy the offer as soon as the drag leaves, which follows the drop.
        return arrival.value.withLock { arrival in
          guard arrival.isInside, !arrival.hasEnded,
            let (offer, action) = display?.offers.withLock({ $0.claim() })
          else { return nil }
          arrival.dropped.append(offer)
          return .drop(offer, action: action)
        }
      default: return nil
      }
    }
    // The window may outlive this loop, whose subscription ends with the queue.
    display.session.whenClosed(window) { [weak inbox] in inbox?.put(.stop) }
  }

  func stop() {
    inbox.put(.stop)
  }

  func run() async {
    var hover: Hover?
    loop: while let signal = await inbox.next() {
      switch signal {
      case .enter(let serial, let x, let y, let offer):
        leave(&hover)
        let names = (try? await WaylandContent(display: display, offer: offer).typeNames()) ?? []
        hover = Hover(serial: serial, offer: offer, names: names)
        queue.add(.entered(names))
        move(&hover, x, y)
      case .motion(let x, let y): move(&hover, x, y)
      case .action(let offer) where offer == hover?.offer:
        // The user may have pressed a modifier key while the pointer rests.
        if let position = hover?.position { answer(&hover, x: position.x, y: position.y) }
      case .action: break
      case .leave: leave(&hover)
      case .drop(let offer, let action):
        arrival.value.withLock { $0.dropped.removeAll { $0 == offer } }
        if offer == hover?.offer { drop(&hover, action) } else { display.destroy(offer) }
      case .stop: break loop
      }
    }
    leave(&hover)
    inbox.close()
    let dropped = arrival.value.withLock { arrival in
      arrival.hasEnded = true
      return arrival.dropped
    }
    for offer in dropped { display.destroy(offer) }
    queue.close(discarding: true)
    sessions.refuseAll()
  }

  private func move(_ hover: inout Hover?, _ x: Double, _ y: Double) {
    // The window may have moved to an output with another scale.
    guard hover != nil, let scale = display.session.window(target.window)?.scale else { return }
    func pixels(_ units: Double) -> Int { Int(max(-32_768, min(32_767, (units * scale).rounded(.down)))) }
    answer(&hover, x: pixels(x), y: pixels(y))
  }

  /// Asks the program for its answer to a location, and passes a new answer to the compositor.
  private func answer(_ hover: inout Hover?, x: Int, y: Int) {
    guard var current = hover, let offer = display.offers.withLock({ $0[current.offer] }),
      // An answer after the drop would change the action that the source knows.
      !arrival.value.withLock({ $0.dropped.contains(current.offer) })
    else { return }
    // A source of an older version reports no actions, and copies.
    let actions = offer.sourceActions == 0 ? .copy : DropActions(waylandBits: offer.sourceActions)
    let position = DesktopDrop.Position(
      x: x, y: y, typeNames: current.names, proposedAction: DropAction(waylandBit: offer.action) ?? .copy,
      actions: actions.union(.copy))
    var answer = target.responder(position)
    if case .accept(let action) = answer {
      // A target copies unless it may move. If the source only lets its items be moved, it refuses.
      let chosen = actions.contains(action) ? action : .copy
      answer = actions.contains(chosen) && !current.names.isEmpty ? .accept(chosen) : .refuse
    }
    if answer != current.answer { send(answer, current) }
    (current.position, current.answer) = (position, answer)
    hover = current
    queue.add(.moved(position))
  }

  private func send(_ answer: DesktopDrop.Answer, _ hover: Hover) {
    let connection = display.connection
    switch answer {
    case .refuse:
      try? connection.send(hover.offer, "accept", .uint(hover.serial), .string(nil))
      try? connection.send(hover.offer, "set_actions", .uint(0), .uint(0))
    case .accept(let action):
      let name = hover.names.contains(TargetName.drop) ? TargetName.drop : hover.names.first
      try? connection.send(hover.offer, "accept", .uint(hover.serial), .string(name))
      try? connection.send(
        hover.offer, "set_actions", .uint(action.waylandBit | DropAction.copy.waylandBit), .uint(action.waylandBit))
    }
  }

  private func leave(_ hover: inout Hover?) {
    guard let left = hover.take() else { return }
    display.destroy(left.offer)
    queue.add(.left)
  }

  private func drop(_ hover: inout Hover?, _ chosen: UInt32) {
    guard let dropped = hover.take() else { return }
    guard let position = dropped.position, case .accept(let wanted)? = dropped.answer else {
      display.destroy(dropped.offer)
      queue.add(.left)
      return
    }
    // The compositor may have chosen another action than the program wanted, because of a modifier key.
    let chosen = DropAction(waylandBit: chosen)
    let drop = WaylandDrop(values: WaylandContent(display: display, offer: dropped.offer))
    let session = DesktopDrop.Session(target, drop, position, accepted: chosen ?? wanted)
    sessions.add(session)
    queue.add(.dropped(session))
  }
}

/// A value that several closures share.
private final class Shared<Value: Sendable>: Sendable {
  let value: Lock<Value>

  init(_ value: Value) { self.value = Lock(value) }
}

extension DropActions {
  /// Creates the actions of bits of the protocol.
  init(waylandBits: UInt32) {
    self = []
    for action in [DropAction.copy, .move] where waylandBits & action.waylandBit != 0 {
      formUnion(DropActions(rawValue: action.rawValue))
    }
  }
}

extension WaylandDisplay {
  /// Destroys an offer.
  func destroy(_ offer: WaylandObject) {
    for ended in offers.withLock({ $0.remove(offer) }) { try? connection.send(ended, "destroy") }
  }
}

/// A drop on a window of a Wayland display.
private struct WaylandDrop: ForeignDrop {
  let values: WaylandContent
  /// The action that the compositor has chosen; `nil` for none.
  ///
  /// It may change after the drop, because of an answer that was under way.
  private var chosen: DropAction? {
    values.offer.flatMap { offer in values.display.offers.withLock { $0[offer]?.action } }
      .flatMap { DropAction(waylandBit: $0) }
  }

  var content: any ForeignContent { values }

  func load(_ names: [String], in directory: URL?, progress: ItemProgress) async throws -> LoadedDrop {
    let others = names.filter { $0 != DroppedItemSummary.target }
    return LoadedDrop(try await IncomingItems(content: values, names: others, progress: progress).items())
  }

  /// Throws if the drop has ended, or has another action: the protocol does not report that the source was closed.
  func check(_ action: DropAction) async throws {
    try await values.display.roundTrip()
    guard let chosen else { throw DesktopError(.sourceFailed, "the compositor has ended the drop") }
    guard chosen == action else {
      throw DesktopError(.notAllowed, "the source expects a \(chosen), not a \(action)")
    }
  }

  /// Reports the end.
  ///
  /// The compositor accepts a report only with an action. It reports a drop without a report as a refusal.
  func end(accepting action: DropAction?) {
    guard let offer = values.offer else { return }
    if let action, action == chosen {
      try? values.display.connection.send(offer, "finish")
    }
    values.display.destroy(offer)
  }
}
