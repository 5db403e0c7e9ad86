// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// An X11 display.
final class X11Display: DisplayBackend {
  let connection: X11Connection
  let router = EventRouter<X11Event>()
  let drags = RunningDrags()
  let options: DesktopOptions
  let atoms: DesktopAtoms
  /// An invisible window that owns the selections.
  ///
  /// Its property changes report the server's time.
  let window: X11Identifier
  let unfinished = UnfinishedTasks()

  /// Connects to a display.
  ///
  /// - Throws: The errors of the connection.
  static func open(_ address: DisplayAddress, _ options: DesktopOptions) async throws -> X11Display {
    let authority = try await runBlocking {
      try DisplayAuthority.load(environment: ProcessVariables.values(of: ["XAUTHORITY", "HOME"]))
    }
    return try await X11Display(.open(address, authority: authority, timeout: options.idleTimeout), options)
  }

  /// Creates a display for an open connection.
  ///
  /// After an error, the connection is closed.
  init(_ connection: X11Connection, _ options: DesktopOptions) async throws {
    self.connection = connection
    self.options = options
    do {
      atoms = try await DesktopAtoms(connection)
      window = try connection.newIdentifier()
      try connection.send(
        .createWindow(
          window, parent: connection.screen.root, frame: X11Rectangle(x: -1, y: -1, width: 1, height: 1),
          attributes: X11WindowAttributes(overridesRedirect: true, events: Self.transferEvents)))
    } catch {
      connection.close()
      throw error
    }
  }

  /// The event mask of each window that takes part in a transfer.
  ///
  /// Both ends use the same mask, since a window may be at both ends and a connection has one mask for each window.
  static let transferEvents: X11EventMask = [.propertyChange, .structureNotify]

  func prepare() async throws {}

  func route() async { await router.route { try await self.connection.nextEvent() } }

  /// Waits until the server has processed all queued requests, even in a cancelled task.
  func settle() async {
    let connection = connection
    await Task { try? await connection.synchronize() }.value
  }

  func disconnect() { connection.close() }

  var failure: DesktopError { router.failure }

  func close() async {
    await unfinished.wait()
    // Queued requests, such as a response to another program, must reach the server.
    await settle()
    connection.close()
  }

  var connectionForWindows: DisplayConnection { .x11(connection) }

  func windowEvents(limit: Int) -> AsyncQueue<DisplayEvent> { router.events(limit: limit) { .x11($0) } }

  /// Returns the time of the server, which selections and drags require.
  func currentTime() async throws -> X11Time {
    let (window, property) = (window, atoms[.time])
    let times = router.events { event -> X11Time? in
      guard case .propertyNotify(let change) = event.kind, !event.isSentByClient, !change.isDeleted,
        change.window == window, change.property == property
      else { return nil }
      return change.time
    }
    try connection.send(.changeProperty(window, property, type: .integer, .words32([]), mode: .append))
    return try await next(of: times, while: "the display reports its time")
  }
}

/// The names of the atoms in the selection protocols.
///
/// The raw value is the name on the wire.
enum DesktopName: String, CaseIterable, Sendable {
  case clipboard = "CLIPBOARD"
  case clipboardManager = "CLIPBOARD_MANAGER"
  case targets = "TARGETS"
  case multiple = "MULTIPLE"
  case timestamp = "TIMESTAMP"
  case saveTargets = "SAVE_TARGETS"
  case pair = "ATOM_PAIR"
  case incremental = "INCR"
  case utf8String = "UTF8_STRING"
  case null = "NULL"
  /// The property that this program changes to receive the server's time.
  case time = "_DRAGPIPE_TIME"
  /// The property of this program's windows through which the values of selections cross.
  case value = "_DRAGPIPE_VALUE"
}

/// The atoms of the names in ``DesktopName``.
typealias DesktopAtoms = X11AtomTable<DesktopName>
