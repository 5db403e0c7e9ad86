// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import Synchronization

/// The event loop of a target.
///
/// It passes messages to a ``DropTargetState``, and performs the effects that the state returns.
final class DropLoop: DropReceiver {
  private enum Signal: Sendable {
    case message(DragMessage)
    case closed(X11Identifier)
    case stop
  }

  let window: X11Identifier
  private let target: DesktopDrop
  private let display: X11Display
  private let atoms: DragAtoms
  private let queue: AsyncQueue<DesktopDrop.Event>
  private let inbox: AsyncQueue<Signal>
  private let sessions = OpenSessions()

  /// Creates the loop, which receives messages from now on.
  init(_ target: DesktopDrop, _ display: X11Display, _ atoms: DragAtoms, _ queue: AsyncQueue<DesktopDrop.Event>) {
    self.target = target
    self.display = display
    self.atoms = atoms
    self.queue = queue
    let window = X11Identifier(target.window)
    self.window = window
    inbox = display.router.events(limit: 1024) { last, new in
      // A regular source sends a new location only after the response. A hostile source may send any number of them.
      if case (.message(.position(let first, _, _, _, _)), .message(.position(let second, _, _, _, _))) = (last, new) {
        return first == second
      }
      return false
    } _: { event in
      if case .clientMessage(let message) = event.kind, message.window == window {
        return DragMessage(message, atoms).map { .message($0) }
      }
      return event.closedWindow.map { .closed($0) }
    }
  }

  /// Ends the loop.
  func stop() {
    inbox.put(.stop)
  }

  /// Responds to drags until ``stop()`` is called, the window is closed, or the connection ends.
  func run() async {
    defer { try? display.connection.send(.deleteProperty(window, atoms[.aware])) }
    var state = DropTargetState(window: window)
    loop: while let signal = await inbox.next() {
      switch signal {
      case .message(let message): await perform(state.receive(message), &state)
      case .closed(window), .stop: break loop
      case .closed(let other): await perform(state.close(other), &state)
      }
    }
    await perform(state.end(), &state)
    queue.close(discarding: true)
    sessions.refuseAll()
  }

  private func perform(_ effects: [DropTargetState.Effect], _ state: inout DropTargetState) async {
    for effect in effects {
      switch effect {
      case .inspect(let source, let hasTypeList, let types, let number):
        let (names, actions) = await inspect(source, hasTypeList ? nil : types)
        await perform(state.inspected(names, actions, number: number), &state)
      case .send(let message, let source): send(message, to: source)
      case .entered(let offer): queue.add(.entered(offer.typeNames))
      case .ask(let offer, let point):
        let position = await position(offer, point)
        let answer = position.map(target.responder) ?? .refuse
        if let position { queue.add(.moved(position)) }
        await perform(state.answer(answer, to: point), &state)
      case .scrolled(let steps): queue.add(.scrolled(steps))
      case .left: queue.add(.left)
      case .dropped(let offer, let point, let action):
        guard let position = await position(offer, point) else {
          send(.finished(target: window, isAccepted: false, action: nil), to: offer.source)
          continue
        }
        let drop = X11Drop(display: display, atoms: atoms, window: window, offer: offer)
        let session = DesktopDrop.Session(target, drop, position, accepted: action)
        sessions.add(session)
        queue.add(.dropped(session))
      }
    }
  }

  private func send(_ message: DragMessage, to source: X11Identifier) {
    try? display.connection.send(.sendEvent(message.encoded(for: source, atoms), to: source))
  }

  /// Returns a location in the coordinates of the window; `nil` if the window no longer exists.
  private func position(_ offer: DragOffer, _ point: DragPoint) async -> DesktopDrop.Position? {
    let connection = display.connection
    let found = try? await connection.response(
      to: .translateCoordinates(from: connection.screen.root, to: window, x: point.x, y: point.y))
    guard let found else { return nil }
    return DesktopDrop.Position(
      x: Int(found.x), y: Int(found.y), typeNames: offer.typeNames, proposedAction: point.action,
      actions: offer.actions)
  }

  /// Reads the types and the actions of a source, and watches its window.
  ///
  /// - Parameters:
  ///   - source: The window.
  ///   - types: The types of the message; `nil` to read them from the source's property.
  /// - Returns: The names and the actions. If the source has vanished, its properties give no names and no actions; if
  ///   the connection has ended, both lists are empty.
  private func inspect(_ source: X11Identifier, _ types: [X11Atom]?) async -> ([String], DropActions) {
    let limit = 4 * display.options.maximumTypes
    do {
      try display.watch(source)
      let actions = try display.connection.begin(
        .getProperty(source, atoms[.actionList], type: .atom, limit: 64))
      let list = try display.connection.begin(.getProperty(source, atoms[.typeList], type: .atom, limit: limit))
      let actionWords = (try? await actions.value()).map { Self.words($0) } ?? []
      let listed = (try? await list.value()).map { Self.words($0) } ?? []
      var seen: Set<X11Atom> = []
      let found = (types ?? listed.map { X11Atom($0) }).filter { $0 != .none && seen.insert($0).inserted }
      let names = try await display.connection.names(of: found).compactMap { $0 }
      let allowed = actionWords.compactMap { atoms.action($0) }.reduce(into: DropActions()) {
        $0.formUnion(DropActions(rawValue: $1.rawValue))
      }
      return (names.filter { TargetName.isPlausible($0) }, allowed)
    } catch {
      return ([], [])
    }
  }

  private static func words(_ property: X11Property) -> [UInt32] {
    if case .words32(let words) = property.data { words } else { [] }
  }
}
