// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// A Wayland display.
final class WaylandDisplay: DisplayBackend {
  let connection: WaylandConnection
  let session: WaylandSession
  let router = EventRouter<WaylandEvent>()
  let options: DesktopOptions
  /// The manager of drags and of the clipboard for windows with the keyboard.
  let dataManager: WaylandObject?
  /// The device of the seat for drags, and for the clipboard of windows.
  let dataDevice: WaylandObject?
  /// The device of the seat for the primary selection of windows.
  let primaryDevice: (manager: WaylandObject, device: WaylandObject)?
  /// The device for clipboards that needs no window; `nil` if the compositor offers none.
  let control: (manager: WaylandObject, device: WaylandObject)?
  let offers = Lock(WaylandOffers())
  let unfinished = UnfinishedTasks()

  /// Connects to a compositor.
  ///
  /// - Throws: The errors of the connection.
  static func open(_ address: WaylandAddress, _ options: DesktopOptions) async throws -> WaylandDisplay {
    try WaylandDisplay(await .open(address, timeout: options.idleTimeout), options)
  }

  /// Creates a display for an open connection.
  ///
  /// After an error, the connection is closed.
  init(_ connection: WaylandConnection, _ options: DesktopOptions) throws {
    self.connection = connection
    self.options = options
    do {
      session = try WaylandSession(connection)
      guard let seat = session.seat else { throw DesktopError(.noDisplay, "the compositor has no seat") }
      // Version 3 brings actions, and the report of the end of a drop.
      dataManager = try connection.bind(.dataDeviceManager, atLeast: 3)
      dataDevice = try dataManager.map { (manager) throws(DisplayError) in
        try connection.create(manager, "get_data_device", .object(seat))
      }
      let found =
        if let manager = try connection.bind(.dataControlManager) {
          manager
        } else {
          // Version 2 brings the primary selection.
          try connection.bind(.wlrDataControlManager, atLeast: 2)
        }
      control = try found.map { (manager) throws(DisplayError) in
        (manager, try connection.create(manager, "get_data_device", .object(seat)))
      }
      primaryDevice =
        if control == nil, let manager = try connection.bind(.primarySelectionManager) {
          (manager, try connection.create(manager, "get_device", .object(seat)))
        } else {
          nil
        }
    } catch {
      connection.close()
      throw error
    }
  }

  var connectionForWindows: DisplayConnection { .wayland(session) }

  /// Waits for the selections, and for the sizes of the outputs.
  func prepare() async throws { try await roundTrip() }

  func route() async {
    await router.route {
      do {
        guard let event = try await self.connection.nextEvent() else { return nil }
        try self.session.receive(event)
        try self.receive(event)
        return event
      } catch let error as DisplayError {
        throw Self.end(error)
      }
    }
  }

  func close() async {
    await unfinished.wait()
    // Queued requests, such as the end of a drop, must reach the compositor.
    await Task { try? await roundTrip() }.value
    connection.close()
  }

  func disconnect() { connection.close() }

  var failure: DesktopError { router.failure }

  func windowEvents(limit: Int) -> AsyncQueue<DisplayEvent> {
    let others: Set<WaylandInterface> = [
      .dataDevice, .dataOffer, .dataSource, .dataControlDevice, .dataControlOffer, .dataControlSource,
      .wlrDataControlDevice, .wlrDataControlOffer, .wlrDataControlSource, .primarySelectionDevice,
      .primarySelectionOffer, .primarySelectionSource,
    ]
    return router.events(limit: limit) { others.contains($0.object.interface) ? nil : .wayland($0) }
  }

  /// Returns the error of an ended connection: a compositor that rejects a request also ends the connection.
  private static func end(_ error: DisplayError) -> DesktopError {
    error.code == .requestFailed ? DesktopError(.displayGone, error.description) : DesktopError(error)
  }

  /// Waits until the events of all earlier requests have been routed.
  func roundTrip() async throws {
    let ends = router.events(limit: 1024) { event in
      event.object.interface == .callback && event.name == "done" ? event.object : nil
    }
    let callback: WaylandObject
    do {
      callback = try connection.create(WaylandConnection.display, "sync")
    } catch {
      throw Self.end(error)
    }
    while try await next(of: ends, while: "the compositor processes requests") != callback {}
  }

  // MARK: Offers

  /// Notes the offers of other programs, in the order of the events.
  private func receive(_ event: WaylandEvent) throws {
    let (isControl, isCore) = (event.object == control?.device, event.object == dataDevice)
    let isPrimary = event.object == primaryDevice?.device
    let ended = offers.withLock { offers -> [WaylandObject] in
      switch event.name {
      case "data_offer": return offers.add(event.object(0))
      case "offer": offers.addName(event.string(0), to: event.object, limit: options.maximumTypes)
      case "source_actions": offers[event.object]?.sourceActions = event.uint(0)
      case "action" where event.object.interface == .dataOffer: offers[event.object]?.action = event.uint(0)
      case "selection" where isControl || (isCore && control == nil):
        return offers.select(event.object(0), for: .clipboard)
      case "selection" where isPrimary, "primary_selection" where isControl:
        return offers.select(event.object(0), for: .primary)
      // The control device reports the same content.
      case "selection" where isCore: return offers.remove(event.object(0))
      // The device has ended with its seat.
      case "finished" where isControl: return offers.select(nil, for: .clipboard) + offers.select(nil, for: .primary)
      case "enter" where isCore: return offers.enter(event.object(4))
      case "leave" where isCore: return offers.leave()
      // Without the keyboard, the offers are invalid, and other programs may copy unnoticed.
      case "leave" where event.object.interface == .keyboard && control == nil:
        return offers.select(nil, for: .clipboard) + offers.select(nil, for: .primary)
      default: break
      }
      return []
    }
    for offer in ended { try connection.send(offer, "destroy") }
  }
}

/// The offers of other programs to this connection.
struct WaylandOffers: Sendable {
  struct Offer: Sendable {
    var names: [String] = []
    /// The actions that the source of a drag allows, in the bits of the protocol.
    var sourceActions: UInt32 = 0
    /// The action that the compositor has chosen; 0 for none.
    var action: UInt32 = 0
  }

  /// The maximum number of offers whose use the compositor has not stated yet.
  private static let maximumPending = 16

  private var offers: [WaylandObject: Offer] = [:]
  /// The offers whose use is not stated yet, in the order of their arrival.
  private var pending: [WaylandObject] = []
  private(set) var selections: [Clipboard.Selection: WaylandObject] = [:]
  /// The offer of the drag over a window of this connection.
  private var dragged: WaylandObject?

  subscript(offer: WaylandObject) -> Offer? {
    get { offers[offer] }
    set { offers[offer] = newValue }
  }

  /// Adds an offer, and returns the offers to destroy.
  mutating func add(_ offer: WaylandObject?) -> [WaylandObject] {
    guard let offer else { return [] }
    offers[offer] = Offer()
    pending.append(offer)
    guard pending.count > Self.maximumPending else { return [] }
    return remove(pending.first)
  }

  /// Adds a type; implausible, repeated and surplus names are ignored.
  mutating func addName(_ name: String?, to offer: WaylandObject, limit: Int) {
    guard let name, TargetName.isPlausible(name), name != DesktopName.saveTargets.rawValue,
      let names = offers[offer]?.names, names.count < limit, !names.contains(name)
    else { return }
    offers[offer]?.names.append(name)
  }

  /// Makes an offer the content of a selection, and returns the offers to destroy.
  mutating func select(_ offer: WaylandObject?, for selection: Clipboard.Selection) -> [WaylandObject] {
    keep(offer)
    let former = selections[selection]
    selections[selection] = offer
    return former == offer ? [] : remove(former)
  }

  /// Notes that a drag with an offer is over a window of this connection, and returns the offers to destroy.
  mutating func enter(_ offer: WaylandObject?) -> [WaylandObject] {
    keep(offer)
    let former = dragged == offer ? [] : leave()
    dragged = offer
    return former
  }

  /// Notes that a drag has left, and returns the offers to destroy: unless a target has claimed it, that of the drag.
  mutating func leave() -> [WaylandObject] {
    remove(dragged.take())
  }

  /// Passes the offer of the drag, with its action, to the target on which it was dropped.
  mutating func claim() -> (offer: WaylandObject, action: UInt32)? {
    dragged.take().map { ($0, offers[$0]?.action ?? 0) }
  }

  private mutating func keep(_ offer: WaylandObject?) {
    pending.removeAll { $0 == offer }
  }

  /// Removes an offer, and returns the offers to destroy.
  mutating func remove(_ offer: WaylandObject?) -> [WaylandObject] {
    keep(offer)
    guard let offer, offers.removeValue(forKey: offer) != nil else { return [] }
    return [offer]
  }
}
