// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem

/// A connection to a Wayland compositor.
///
/// One thread reads and writes the socket; it runs no code of the caller. The connection is closed when the last
/// reference to it is released.
///
/// Functions may be called from any task, and requests are sent in the order of the calls. Only one task at a time may
/// read the events.
package final class WaylandConnection: Sendable {
  private let channel: WaylandChannel
  /// The registry of the global objects.
  package let registry: WaylandObject
  /// The object that represents the connection itself.
  package static var display: WaylandObject { WaylandObjects.display }

  private init(channel: WaylandChannel, registry: WaylandObject) {
    self.channel = channel
    self.registry = registry
  }

  deinit {
    close()
  }

  // MARK: Globals

  /// The global objects that the compositor offers now.
  ///
  /// After the connection is opened, each change is also an event of ``registry``.
  package var globals: [WaylandGlobal] { channel.change { state, _ in state.globals } }

  /// Binds the first global object of an interface.
  ///
  /// - Parameters:
  ///   - interface: The interface.
  ///   - version: The lowest version that the caller can use.
  /// - Returns: The object; `nil` if the compositor does not offer the version.
  /// - Throws: The errors of ``send(_:_:_:)``.
  package func bind(
    _ interface: WaylandInterface, atLeast version: UInt32 = 1
  ) throws(DisplayError) -> WaylandObject? {
    guard let global = globals.first(where: { $0.interface == interface.name }) else { return nil }
    return try bind(global, as: interface, atLeast: version)
  }

  /// Binds a global object.
  ///
  /// - Returns: The object; `nil` if the global object has another interface, or a version below `version`.
  /// - Throws: The errors of ``send(_:_:_:)``.
  package func bind(
    _ global: WaylandGlobal, as interface: WaylandInterface, atLeast version: UInt32 = 1
  ) throws(DisplayError) -> WaylandObject? {
    let common = min(global.version, interface.version)
    guard global.interface == interface.name, common >= max(1, version) else { return nil }
    return try channel.queue { (state) throws(DisplayError) in
      try state.queue(
        registry, "bind", [.uint(global.name), .string(interface.name), .uint(common)], creating: (interface, common))
    }
  }

  /// Returns the version of an object; 0 if it is destroyed.
  package func version(of object: WaylandObject) -> UInt32 {
    channel.change { state, _ in state.version(of: object) ?? 0 }
  }

  // MARK: Requests

  /// Queues a request that creates no object.
  ///
  /// The descriptors among the arguments are taken, and closed after they are sent or after an error. After a request
  /// that ends its object, the object's events are dropped.
  ///
  /// - Throws: The reason why the connection ended; `requestFailed` for a destroyed object, or for a request or
  ///   arguments that the version of the interface lacks; `limitExceeded` if the request exceeds 4096 bytes, or if too
  ///   much is queued.
  package func send(
    _ object: WaylandObject, _ request: String, _ arguments: WaylandArgument...
  ) throws(DisplayError) {
    _ = try channel.queue { (state) throws(DisplayError) in try state.queue(object, request, arguments) }
  }

  /// Queues a request that creates an object.
  ///
  /// - Parameters:
  ///   - object: The object that gets the request.
  ///   - request: The name of the request.
  ///   - arguments: The arguments, without the new object.
  /// - Returns: The new object.
  /// - Throws: The errors of ``send(_:_:_:)``.
  package func create(
    _ object: WaylandObject, _ request: String, _ arguments: WaylandArgument...
  ) throws(DisplayError) -> WaylandObject {
    try create(object, request, arguments)
  }

  /// Creates the only object that is needed of a manager, and destroys the manager.
  ///
  /// - Throws: The errors of ``send(_:_:_:)``.
  package func createLast(
    _ manager: WaylandObject, _ request: String, _ arguments: WaylandArgument...
  ) throws(DisplayError) -> WaylandObject {
    let new = try create(manager, request, arguments)
    try send(manager, "destroy")
    return new
  }

  private func create(
    _ object: WaylandObject, _ request: String, _ arguments: [WaylandArgument]
  ) throws(DisplayError) -> WaylandObject {
    let new = try channel.queue { (state) throws(DisplayError) in try state.queue(object, request, arguments) }
    guard let new else { throw DisplayError(.requestFailed, "\(request) of \(object.interface) creates no object") }
    return new
  }

  /// Waits until the compositor has processed all earlier requests.
  ///
  /// Before the function returns, the events of these requests are queued. Cancellation ends the wait at once.
  ///
  /// - Throws: The reason why the connection ended; `cancelled`; the errors of ``send(_:_:_:)``.
  package func synchronize() async throws(DisplayError) {
    try await channel.synchronize()
  }

  // MARK: Events

  /// Waits for the next event.
  ///
  /// Cancellation does not lose an event.
  ///
  /// - Returns: The event, or `nil` after ``close()``.
  /// - Throws: The reason why the connection ended, after the last event; `cancelled`.
  /// - Precondition: No other task waits for an event.
  package func nextEvent() async throws(DisplayError) -> WaylandEvent? {
    try await channel.nextEvent()
  }

  /// Closes the connection.
  ///
  /// Queued requests are written only if the socket accepts them at once. If they must reach the compositor, call
  /// ``synchronize()`` first. The compositor destroys all objects of the connection.
  package func close() {
    channel.end(.closed)
  }

  // MARK: Opening

  /// Connects to a compositor, and waits for its global objects.
  ///
  /// Cancellation ends the attempt at once.
  ///
  /// - Parameters:
  ///   - address: The address of the compositor.
  ///   - timeout: The time in which the connection must be open, restricted to 1 ms to 1 hour.
  ///   - limits: The limits of the connection.
  /// - Returns: The open connection.
  /// - Throws: `unreachable`, `timedOut`, `serverGone`, `protocolViolation`, `requestFailed`, `limitExceeded`,
  ///   `cancelled`, `systemCall`; `badAddress` for a descriptor that is not a socket, or was used before.
  package static func open(
    _ address: WaylandAddress, timeout: Duration = .seconds(10), limits: WaylandLimits = .init()
  ) async throws(DisplayError) -> WaylandConnection {
    let timeout = min(max(timeout, .milliseconds(1)), .seconds(3600))
    return try await open(timeout: timeout, limits: limits) { () throws(DisplayError) in
      try address.connect(timeout: timeout)
    }
  }

  /// Opens a connection over a connected socket, such as one end of a socket pair.
  ///
  /// The socket is closed after an error.
  package static func open(
    socket: consuming OwnedDescriptor, timeout: Duration = .seconds(10), limits: WaylandLimits = .init()
  ) async throws(DisplayError) -> WaylandConnection {
    let socket = WaylandDescriptor(socket)
    return try await open(timeout: timeout, limits: limits) { () throws(DisplayError) in
      guard let socket = socket.take() else { throw .closed }
      return socket
    }
  }

  private static func open(
    timeout: Duration, limits: WaylandLimits,
    connect: @escaping @Sendable () throws(DisplayError) -> OwnedDescriptor
  ) async throws(DisplayError) -> WaylandConnection {
    let channel = try WaylandChannel(WaylandState(limits: limits))
    channel.change { state, _ in state.deadline = .now + timeout }
    let registry = try channel.queue { (state) throws(DisplayError) in
      try state.queue(WaylandObjects.display, "get_registry", [])
    }
    guard let registry else { throw .closed }
    BlockingExecutor.startThread {
      do throws(DisplayError) {
        try channel.run(try connect())
      } catch {
        channel.end(error)
      }
      // Closes the descriptors of requests that were not written.
      channel.change { state, delivery in
        delivery.release(state.output.take(after: []))
      }
    }
    do throws(DisplayError) {
      try await channel.synchronize()
      try channel.change { (state, delivery) throws(DisplayError) in
        // The deadline may have passed just after the last response.
        if let ending = state.ending { throw ending }
        state.deadline = nil
        // The caller gets the first globals from the connection.
        state.removeEvents(into: &delivery)
      }
    } catch {
      channel.end(.closed)
      throw error
    }
    return WaylandConnection(channel: channel, registry: registry)
  }
}
