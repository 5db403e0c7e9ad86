// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

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
