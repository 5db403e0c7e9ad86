// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
package import DropSystem
internal import Glibc
internal import Synchronization

/// A connection to an X11 display, for the clipboard and for drags.
///
/// ```swift
/// try await DesktopDisplay.withConnection { display in
///   let texts = try await Clipboard(display).withItems { try await $0.first?.value(as: String.self) }
/// }
/// ```
///
/// While the body of ``withConnection(to:options:isolation:_:)`` runs, one task routes the events to all clipboards and
/// drags of the connection.
public final class DesktopDisplay: Sendable {
  /// The connection, for the module of this package that opens windows.
  package let connection: X11Connection
  let router = EventRouter()
  let drags = RunningDrags()
  let options: DesktopOptions
  let atoms: DesktopAtoms
  /// An invisible window that owns the selections.
  ///
  /// Its property changes report the server's time.
  let window: X11Identifier
  /// The tasks to await before the connection is closed.
  private let unfinished = Lock<[Int: Task<Void, Never>]>([:])

  /// Connects to a display.
  ///
  /// - Parameters:
  ///   - name: The name of the display in the form of the variable `DISPLAY`; `nil` uses this variable. Only displays
  ///     of this machine are allowed.
  ///   - options: Timeouts and limits.
  ///   - actor: The caller's isolation; omit it.
  ///   - body: Uses the display. The connection is closed when it returns.
  /// - Returns: The result of `body`.
  /// - Throws: `noDisplay`, `timedOut`, `displayGone`, and the errors of `body`.
  public static func withConnection<Result>(
    to name: String? = nil, options: DesktopOptions = .init(), isolation actor: isolated (any Actor)? = #isolation,
    _ body: (DesktopDisplay) async throws -> Result
  ) async throws -> Result {
    let display: DesktopDisplay
    do {
      let address = try DisplayAddress(parsing: name ?? Self.variable("DISPLAY"))
      let authority = try await runBlocking { try DisplayAuthority.load(environment: environment) }
      display = try await DesktopDisplay(.open(address, authority: authority, timeout: options.idleTimeout), options)
    } catch {
      throw DesktopError(caught: error)
    }
    return try await display.whileRouting(body)
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

  /// Routes the events of the connection until the body returns, then closes it.
  func whileRouting<Result>(
    isolation actor: isolated (any Actor)? = #isolation, _ body: (DesktopDisplay) async throws -> Result
  ) async throws -> Result {
    // A cancelled body may need events to finish a transfer, so its cancellation does not stop the routing.
    let routing = Task { await router.route(connection) }
    do {
      let result = try await body(self)
      await close()
      await routing.value
      return result
    } catch {
      await close()
      await routing.value
      throw error
    }
  }

  /// Waits until the server has processed all queued requests, even in a cancelled task.
  func settle() async {
    let connection = connection
    await Task { try? await connection.synchronize() }.value
  }

  /// Runs work in a new task, which ends before the connection is closed.
  func finishBeforeClosing(_ work: @escaping @Sendable () async -> Void) {
    unfinished.withLock { tasks in
      let number = (tasks.keys.max() ?? 0) + 1
      tasks[number] = Task {
        await work()
        unfinished.withLock { $0[number] = nil }
      }
    }
  }

  private func close() async {
    while let task = unfinished.withLock({ $0.values.first }) { await task.value }
    // Queued requests, such as a response to another program, must reach the server.
    await settle()
    connection.close()
  }

  /// Returns a queue of all events of the connection from now on.
  ///
  /// After 65,536 unread events, further events are dropped.
  package func windowEvents() -> AsyncQueue<X11Event> {
    router.events(limit: 65_536) { $0 }
  }

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

  /// Waits for the next value of a queue.
  ///
  /// - Throws: `timedOut` after the idle timeout; `displayGone`; `CancellationError`.
  func next<Value: Sendable>(of values: AsyncQueue<Value>, while task: String) async throws -> Value {
    let timeout = options.idleTimeout
    let value: Value? = try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { await values.next() }
      group.addTask {
        try await Task.sleep(for: timeout)
        throw DesktopError(.timedOut, "no response within \(timeout) while \(task)")
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    if let value { return value }
    try Task.checkCancellation()
    throw router.failure
  }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  private static var environment: [String: String] {
    var found: [String: String] = [:]
    for name in ["XAUTHORITY", "HOME"] { found[name] = variable(name) }
    return found
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
