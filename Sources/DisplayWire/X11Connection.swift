// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// A connection to a display.
///
/// One thread reads and writes the socket; it runs no code of the caller. The connection is closed when the last
/// reference to it is released.
///
/// Functions may be called from any task, and requests are sent in the order of the calls. Only one task at a time may
/// read the events.
package final class X11Connection: Sendable {
  /// The description of the server.
  package let setup: X11Setup
  /// The screen that the address names.
  package let screen: X11Screen
  /// The maximum length of a request, in bytes.
  package let maximumRequestBytes: Int
  let channel: X11Channel
  let names = Lock(X11NameCache())
  private let identifierCount = Lock<UInt64>(0)

  init(channel: X11Channel, setup: X11Setup, screen: X11Screen, maximumRequestBytes: Int) {
    self.channel = channel
    self.setup = setup
    self.screen = screen
    self.maximumRequestBytes = maximumRequestBytes
  }

  deinit {
    close()
  }

  // MARK: Requests

  /// Queues a request without a response.
  ///
  /// If the server rejects the request, the error arrives as an event. Requests are sent in the order of the calls.
  ///
  /// - Throws: The reason why the connection ended; `limitExceeded` if the request is too long for the server, or if
  ///   too many bytes are queued.
  package func send(_ request: X11Request) throws(DisplayError) {
    try checkLength(request)
    try channel.queue(request)
  }

  /// Queues a request, and waits for its response.
  ///
  /// Cancellation ends the wait at once. A response that arrives later is dropped.
  ///
  /// - Throws: `requestFailed` for an error of the server; `cancelled`; the errors of ``send(_:)``.
  package func response<Response>(to query: X11Query<Response>) async throws(DisplayError) -> Response {
    try await begin(query).value()
  }

  /// Queues a request without waiting for its response.
  ///
  /// Several such requests take only one round trip.
  ///
  /// - Throws: The errors of ``send(_:)``.
  package func begin<Response>(
    _ query: X11Query<Response>
  ) throws(DisplayError) -> X11PendingResponse<Response> {
    try checkLength(query.request)
    let completion = Completion<[UInt8]>()
    try channel.queue(query.request, maximumExtraBytes: query.maximumExtraBytes, completion: completion)
    return X11PendingResponse(query: query, completion: completion, channel: channel)
  }

  private func checkLength(_ request: X11Request) throws(DisplayError) {
    guard request.byteCount <= maximumRequestBytes else {
      throw DisplayError(
        .limitExceeded,
        "\(request.name) of \(request.byteCount) bytes exceeds the display's limit of \(maximumRequestBytes)")
    }
  }

  /// Waits until the server has processed all earlier requests.
  ///
  /// Before the function returns, the events and errors of these requests are queued.
  package func synchronize() async throws(DisplayError) {
    _ = try await response(to: .getInputFocus())
  }

  /// Returns a new identifier for a resource.
  ///
  /// - Throws: `limitExceeded` if all identifiers have been used.
  package func newIdentifier() throws(DisplayError) -> X11Identifier {
    let mask = UInt64(setup.resourceMask)
    let step = mask & ~(mask - 1)
    let count = identifierCount.withLock { count in
      defer { if (count + 1) * step <= mask { count += 1 } }
      return count
    }
    // Starts at 1, since some servers reserve the identifier that equals the base.
    let value = (count + 1) * step
    guard value <= mask else {
      throw DisplayError(.limitExceeded, "all \(mask / step) resource identifiers of the display are used")
    }
    return X11Identifier(setup.resourceBase | UInt32(value))
  }

  // MARK: Events

  /// Waits for the next event.
  ///
  /// Cancellation does not lose an event.
  ///
  /// - Returns: The event, or `nil` after ``close()``.
  /// - Throws: The reason why the connection ended, after the last event; `cancelled`.
  /// - Precondition: No other task waits for an event.
  package func nextEvent() async throws(DisplayError) -> X11Event? {
    try await channel.nextEvent()
  }

  /// Closes the connection.
  ///
  /// Queued requests are written only if the socket accepts them at once. If they must reach the server, call
  /// ``synchronize()`` first. The server destroys all resources of the connection.
  package func close() {
    channel.end(.closed)
  }
}

/// A request that was queued, and whose response can be awaited later.
package struct X11PendingResponse<Response: Sendable>: Sendable {
  let query: X11Query<Response>
  let completion: Completion<[UInt8]>
  let channel: X11Channel

  /// Waits for the response.
  ///
  /// Only one task may call this function.
  ///
  /// Cancellation ends the wait at once. A response that arrives later is dropped.
  ///
  /// - Throws: `requestFailed` for an error of the server; `cancelled`; the reason why the connection ended.
  package func value() async throws(DisplayError) -> Response {
    let packet = try await completion.value()
    do throws(X11SyntaxError) {
      return try query.decode(packet)
    } catch {
      let failure = DisplayError.violation(
        "byte \(error.offset) of the response to \(query.request.name): \(error.reason)")
      channel.end(failure)
      throw failure
    }
  }
}

extension X11Connection {
  /// Connects to a display.
  ///
  /// Cancellation ends the attempt at once.
  ///
  /// - Parameters:
  ///   - address: The address of the display.
  ///   - authority: The user's cookies.
  ///   - timeout: The time in which the connection must be open, restricted to 1 ms to 1 hour. The lookup of a host
  ///     name and a connection by TCP may take longer.
  ///   - limits: The limits of the connection.
  /// - Returns: The open connection.
  /// - Throws: `unreachable`, `refused`, `timedOut`, `serverGone`, `protocolViolation`, `badAddress` for a screen that
  ///   does not exist, `cancelled`, `systemCall`.
  package static func open(
    _ address: DisplayAddress, authority: DisplayAuthority = .none, timeout: Duration = .seconds(10),
    limits: X11Limits = .init()
  ) async throws(DisplayError) -> X11Connection {
    try await open(screen: address.screen, timeout: timeout, limits: limits) { () throws(DisplayError) in
      let socket = try address.connect(timeout: bounded(timeout))
      let cookie = authority.cookie(for: address, socket: socket.raw)
      return X11Transport(socket, X11SetupRequest(cookie: cookie))
    }
  }

  /// Opens a connection over a connected socket, such as one end of a socket pair.
  ///
  /// The socket is closed after an error.
  package static func open(
    socket: CInt, cookie: [UInt8]? = nil, screen: Int = 0, timeout: Duration = .seconds(10),
    limits: X11Limits = .init()
  ) async throws(DisplayError) -> X11Connection {
    let channel: X11Channel
    do throws(DisplayError) {
      channel = try X11Channel(limits: limits)
    } catch {
      try? SystemCalls.close(socket)
      throw error
    }
    return try await open(screen: screen, timeout: timeout, channel: channel) { () throws(DisplayError) in
      X11Transport(OwnedDescriptor(socket), X11SetupRequest(cookie: cookie))
    }
  }

  private static func bounded(_ timeout: Duration) -> Duration {
    min(max(timeout, .milliseconds(1)), .seconds(3600))
  }

  private static func open(
    screen number: Int, timeout: Duration, limits: X11Limits,
    connect: @escaping @Sendable () throws(DisplayError) -> X11Transport
  ) async throws(DisplayError) -> X11Connection {
    try await open(screen: number, timeout: timeout, channel: try X11Channel(limits: limits), connect: connect)
  }

  private static func open(
    screen number: Int, timeout: Duration, channel: X11Channel,
    connect: @escaping @Sendable () throws(DisplayError) -> X11Transport
  ) async throws(DisplayError) -> X11Connection {
    let deadline = ContinuousClock.now + bounded(timeout)
    channel.change { state, _ in state.deadline = deadline }
    let completion = Completion<X11Setup>()
    start(channel, completion, connect)
    do throws(DisplayError) {
      let setup = try await completion.value()
      guard setup.screens.indices.contains(number) else {
        throw DisplayError(
          .badAddress, "screen \(number) does not exist; the display has \(setup.screens.count)")
      }
      let maximum = try await maximumRequestBytes(channel, setup)
      try channel.change { (state, _) throws(DisplayError) in
        // The deadline may have passed just after the last response.
        if let ending = state.ending { throw ending }
        state.deadline = nil
      }
      return X11Connection(
        channel: channel, setup: setup, screen: setup.screens[number], maximumRequestBytes: maximum)
    } catch {
      channel.end(.closed)
      throw error
    }
  }

  /// Starts the thread of a connection.
  private static func start(
    _ channel: X11Channel, _ completion: Completion<X11Setup>,
    _ connect: @escaping @Sendable () throws(DisplayError) -> X11Transport
  ) {
    BlockingExecutor.startThread {
      do throws(DisplayError) {
        let transport = try connect()
        let request = transport.request
        var loop = X11Loop(channel, socket: transport.release())
        completion.complete(.success(try loop.handshake(request)))
        try loop.run()
      } catch {
        completion.complete(.failure(error))
        channel.end(error)
      }
    }
  }

  /// Enables requests of more than 262,140 bytes if the server supports them, and returns the maximum length in bytes.
  private static func maximumRequestBytes(
    _ channel: X11Channel, _ setup: X11Setup
  ) async throws(DisplayError) -> Int {
    guard let bigRequests = try await response(of: .queryExtension(X11Extension.bigRequestsName), channel) else {
      return setup.maximumRequestBytes
    }
    let length = try await response(of: .bigRequestsEnable(bigRequests), channel)
    // The queue must be able to hold the longest request.
    return max(setup.maximumRequestBytes, min(4 * Int(length), channel.limits.queuedBytes))
  }

  private static func response<Response>(
    of query: X11Query<Response>, _ channel: X11Channel
  ) async throws(DisplayError) -> Response {
    let completion = Completion<[UInt8]>()
    try channel.queue(query.request, maximumExtraBytes: query.maximumExtraBytes, completion: completion)
    return try await X11PendingResponse(query: query, completion: completion, channel: channel).value()
  }
}

/// A connected socket, and the setup request to send through it.
private struct X11Transport: ~Copyable {
  private let socket: OwnedDescriptor
  let request: X11SetupRequest

  init(_ socket: consuming OwnedDescriptor, _ request: X11SetupRequest) {
    self.socket = socket
    self.request = request
  }

  consuming func release() -> OwnedDescriptor { socket }
}

extension DisplayAddress {
  /// Connects to the server.
  ///
  /// This function blocks.
  fileprivate func connect(timeout: Duration) throws(DisplayError) -> OwnedDescriptor {
    do throws(SystemError) {
      switch transport {
      case .network(let host):
        let milliseconds = CInt(clamping: timeout.components.seconds * 1000)
        let port = UInt16(clamping: 6000 + display)
        return OwnedDescriptor(try SystemCalls.connectNetwork(host, port: port, milliseconds: max(1000, milliseconds)))
      case .local:
        let abstract = OwnedDescriptor(try SystemCalls.socket())
        try SystemCalls.setSendTimeout(abstract.raw, timeout)
        // Any user can listen at an abstract name of which no server makes use, and would get the cookie.
        if (try? SystemCalls.connectAbstract(abstract.raw, socketPath)) != nil,
          let user = try? SystemCalls.peer(of: abstract.raw).user, user == 0 || user == geteuid()
        {
          return abstract
        }
        let socket = OwnedDescriptor(try SystemCalls.socket())
        try SystemCalls.setSendTimeout(socket.raw, timeout)
        try SystemCalls.connect(socket.raw, socketPath)
        return socket
      }
    } catch {
      // If the server accepts no connections, its queue stays full and the send timeout expires.
      if error.errorNumber == EAGAIN || error.errorNumber == ETIMEDOUT {
        throw DisplayError(.timedOut, "the display \(self) did not accept the connection in time")
      }
      throw DisplayError(.unreachable, "no display at \(self)", error)
    }
  }
}

extension DisplayAuthority {
  /// Returns the cookie for a server to which `socket` is connected.
  fileprivate func cookie(for address: DisplayAddress, socket: CInt) -> [UInt8]? {
    let peer = (try? SystemCalls.networkPeer(of: socket)) ?? []
    let isLoopback = peer.count == 4 ? peer[0] == 127 : peer.dropLast().allSatisfy { $0 == 0 } && peer.last == 1
    // The entry for a server on this machine contains the machine's host name.
    if peer.isEmpty || isLoopback {
      return cookie(family: Family.local, address: SystemCalls.hostName(), display: address.display)
    }
    let family = peer.count == 4 ? Family.internet : Family.internet6
    return cookie(family: family, address: peer, display: address.display)
  }
}

/// The atoms and extensions that a connection has already requested.
struct X11NameCache: Sendable {
  /// The maximum number of cached atoms.
  ///
  /// An atom that is not cached is requested each time.
  static let maximumCount = 65_536

  /// The atoms by the bytes of their names: `String` would take a Greek question mark for a semicolon.
  private var atoms: [[UInt8]: X11Atom] = [:]
  private var names: [X11Atom: String] = [:]
  /// The requested extensions; the value is `nil` for an extension that the server lacks.
  var extensions: [String: X11Extension?] = [:]

  func atom(_ name: [UInt8]) -> X11Atom? { atoms[name] }

  func name(_ atom: X11Atom) -> String? { names[atom] }

  mutating func add(_ name: String, _ atom: X11Atom) {
    guard atoms.count < Self.maximumCount, names.count < Self.maximumCount, atom != .none else { return }
    atoms[Array(name.utf8)] = atom
    names[atom] = name
  }
}

extension X11Connection {
  /// Returns the atoms for names.
  ///
  /// All names that are not cached are requested in one round trip.
  ///
  /// - Throws: `limitExceeded` for a name of more than 65,535 bytes; the errors of ``response(to:)``.
  package func intern(_ names: [String]) async throws(DisplayError) -> [X11Atom] {
    var pending: [(name: String, key: [UInt8], response: X11PendingResponse<X11Atom>)] = []
    let keys = names.map { Array($0.utf8) }
    var atoms: [[UInt8]: X11Atom] = [:]
    for (name, key) in zip(names, keys) where atoms[key] == nil {
      let known = self.names.withLock { $0.atom(key) }
      // The value of a pending name is replaced below.
      atoms[key] = known ?? X11Atom.none
      if known == nil {
        guard name.utf8.count <= 65_535 else {
          throw DisplayError(.limitExceeded, "a name of \(name.utf8.count) bytes exceeds the display's limit of 65535")
        }
        pending.append((name, key, try begin(.internAtom(name))))
      }
    }
    for (name, key, response) in pending {
      let atom = try await response.value()
      self.names.withLock { $0.add(name, atom) }
      atoms[key] = atom
    }
    return keys.map { atoms[$0] ?? .none }
  }

  /// Returns the atom for a name.
  package func intern(_ name: String) async throws(DisplayError) -> X11Atom {
    try await intern([name]).first ?? .none
  }

  /// Returns the names of atoms.
  ///
  /// All names that are not cached are requested in one round trip.
  ///
  /// Other programs choose the names, so they are untrusted.
  ///
  /// - Returns: The names, with `nil` for each number that is not an atom.
  /// - Throws: The errors of ``response(to:)`` except `requestFailed`.
  package func names(of atoms: [X11Atom]) async throws(DisplayError) -> [String?] {
    var pending: [(atom: X11Atom, response: X11PendingResponse<String>)] = []
    var found: [X11Atom: String] = [:]
    for atom in Set(atoms) where atom != .none {
      if let name = names.withLock({ $0.name(atom) }) {
        found[atom] = name
      } else {
        pending.append((atom, try begin(.getAtomName(atom))))
      }
    }
    for (atom, response) in pending {
      do throws(DisplayError) {
        let name = try await response.value()
        names.withLock { $0.add(name, atom) }
        found[atom] = name
      } catch {
        guard error.code == .requestFailed else { throw error }
      }
    }
    return atoms.map { found[$0] }
  }

  /// Returns an extension of the server.
  ///
  /// The response is cached, also if the server lacks the extension.
  ///
  /// - Returns: The extension; `nil` if the server lacks it.
  /// - Throws: The errors of ``response(to:)``.
  package func serverExtension(_ name: String) async throws(DisplayError) -> X11Extension? {
    if let known = names.withLock({ $0.extensions[name] }) { return known }
    let found = try await response(to: .queryExtension(name))
    names.withLock { $0.extensions[name] = .some(found) }
    return found
  }

  /// Negotiates the version of the extension XFIXES and returns the extension.
  ///
  /// From then on, its events arrive as ``X11Event/Kind/selectionOwnerNotify(_:)``.
  ///
  /// - Returns: The extension; `nil` if the server lacks it.
  /// - Throws: The errors of ``response(to:)``.
  package func xfixes() async throws(DisplayError) -> X11Extension? {
    guard let xfixes = try await serverExtension(X11Extension.xfixesName) else { return nil }
    _ = try await response(to: .xfixesQueryVersion(xfixes))
    channel.change { state, _ in state.xfixes = xfixes }
    return xfixes
  }
}

/// The atoms for all names that an enumeration lists.
package struct X11AtomTable<Name: CaseIterable & Hashable & RawRepresentable & Sendable>: Sendable
where Name.RawValue == String {
  private let atoms: [Name: X11Atom]

  /// Requests the atoms of all names, in one round trip.
  ///
  /// - Throws: The errors of ``X11Connection/intern(_:)-([String])``.
  package init(_ connection: X11Connection) async throws(DisplayError) {
    let names = Array(Name.allCases)
    let found = try await connection.intern(names.map(\.rawValue))
    self.init(Dictionary(uniqueKeysWithValues: zip(names, found)))
  }

  /// Creates a table from known atoms.
  package init(_ atoms: [Name: X11Atom]) {
    self.atoms = atoms
  }

  /// The atom for a name.
  package subscript(_ name: Name) -> X11Atom { atoms[name] ?? .none }
}
