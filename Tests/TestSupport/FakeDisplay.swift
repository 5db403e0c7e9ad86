// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
internal import Glibc
internal import Synchronization

/// A request that a fake server has received.
package struct FakeRequest: Sendable, Hashable {
  /// The number of the request, or of the extension that it belongs to.
  package let opcode: UInt8
  /// The second byte of the header.
  package let detail: UInt8
  /// The bytes after the header.
  package let body: [UInt8]
  /// The sequence number on the wire.
  package let sequence: UInt16

  /// Returns 16 bits of the body, or 0 if the body is shorter.
  package func word16(_ offset: Int) -> UInt16 {
    guard offset + 2 <= body.count else { return 0 }
    return UInt16(body[offset]) | UInt16(body[offset + 1]) << 8
  }

  /// Returns 32 bits of the body, or 0 if the body is shorter.
  package func word32(_ offset: Int) -> UInt32 {
    UInt32(word16(offset)) | UInt32(word16(offset + 2)) << 16
  }
}

/// A server at the other end of a socket pair, which can violate the protocol in any way.
///
/// It stores atoms, properties and the owners of selections, and records all requests. Its thread ends when either side
/// closes the connection.
package final class FakeDisplay: Sendable {
  /// A closure that reacts to a request, and returns whether the server does not react itself.
  package typealias Handler = @Sendable (FakeRequest, FakeDisplay) -> Bool

  /// The root window of the only screen.
  package static let root = X11Identifier(0x100)
  /// The extension XFIXES of the server.
  package static let xfixes = X11Extension(
    name: X11Extension.xfixesName, majorOpcode: 138, firstEvent: 87, firstError: 140)

  /// The client's end of the socket pair, of which the client takes ownership.
  package let client: CInt
  private let socket: OwnedDescriptor
  private let setup: [UInt8]
  private let handler: Handler
  let state = Lock(FakeDisplayState())
  private let writing = Lock(())

  /// Starts a server that responds with `setup`, if it is not empty, and runs the handler on its thread.
  package init(
    setup: [UInt8] = FakeDisplay.setup(), handler: @escaping Handler = { _, _ in false }
  ) throws {
    let (server, client) = try SystemCalls.socketPair()
    socket = OwnedDescriptor(server)
    self.client = client
    self.setup = setup
    self.handler = handler
    BlockingExecutor.startThread { self.run() }
  }

  /// The requests in the order of their arrival.
  package var requests: [FakeRequest] { state.withLock { $0.requests } }

  /// The setup request of the client.
  package var setupRequest: [UInt8] { state.withLock { $0.setupRequest } }

  /// Whether the connection is closed.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Connects a client to this server.
  package func connect(
    timeout: Duration = .seconds(60), limits: X11Limits = .init()
  ) async throws(DisplayError) -> X11Connection {
    try await X11Connection.open(socket: client, timeout: timeout, limits: limits)
  }

  /// Sends bytes unchanged, and waits until the socket has accepted them or the client has gone.
  package func send(_ bytes: [UInt8]) {
    writing.withLock { _ in
      var offset = 0
      while offset < bytes.count {
        let count = bytes.withUnsafeBytes { buffer in
          try? SystemCalls.send(socket.raw, UnsafeRawBufferPointer(rebasing: buffer[offset...]), CInt(MSG_NOSIGNAL))
        }
        guard let count else { return }
        offset += count
      }
    }
  }

  /// Sends an event of 32 bytes, with the sequence number of the last request.
  package func send(event: [UInt8]) {
    var event = event
    let sequence = state.withLock { $0.sequence }
    event[2] = UInt8(truncatingIfNeeded: sequence)
    event[3] = UInt8(truncatingIfNeeded: sequence >> 8)
    send(event)
  }

  /// Sends a response, whose body is padded with zeros to at least 24 bytes and a multiple of four.
  package func respond(to request: FakeRequest, detail: UInt8 = 0, _ body: [UInt8] = []) {
    let padded = body + [UInt8](repeating: 0, count: max(24 - body.count, -body.count & 3))
    var writer = X11Writer()
    writer.write8(1)
    writer.write8(detail)
    writer.write16(request.sequence)
    writer.write32(UInt32((padded.count - 24) / 4))
    writer.write(padded)
    send(writer.bytes)
  }

  /// Sends an error.
  package func reject(_ request: FakeRequest, code: UInt8, value: UInt32 = 0) {
    var writer = X11Writer()
    writer.write8(0)
    writer.write8(code)
    writer.write16(request.sequence)
    writer.write32(value)
    writer.write16(UInt16(request.detail))
    writer.write8(request.opcode)
    writer.skip(21)
    send(writer.bytes)
  }

  /// Closes the connection.
  package func close() {
    shutdown(socket.raw, CInt(SHUT_RDWR))
  }

  // MARK: Thread

  private func run() {
    defer {
      state.withLock { $0.isClosed = true }
      close()
    }
    guard let header = receive(12) else { return }
    let lengths = [6, 8].map { Int(header[$0]) | Int(header[$0 + 1]) << 8 }
    guard let rest = receive(lengths.reduce(0) { $0 + ($1 + 3) & ~3 }) else { return }
    state.withLock { $0.setupRequest = header + rest }
    send(setup)
    while let request = nextRequest() {
      if !handler(request, self) { react(to: request) }
    }
  }

  private func nextRequest() -> FakeRequest? {
    guard let header = receive(4) else { return nil }
    var count = 4 * (Int(header[2]) | Int(header[3]) << 8) - 4
    if count < 0 {
      guard let length = receive(4) else { return nil }
      count = 4 * (0..<4).reduce(0) { $0 | Int(length[$1]) << (8 * $1) } - 8
    }
    guard count >= 0, let body = receive(count) else { return nil }
    return state.withLock { state in
      state.sequence &+= 1
      let request = FakeRequest(opcode: header[0], detail: header[1], body: body, sequence: state.sequence)
      state.requests.append(request)
      return request
    }
  }

  private func receive(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var received = 0
    while received < count {
      let length = bytes.withUnsafeMutableBytes { buffer in
        try? SystemCalls.receive(socket.raw, UnsafeMutableRawBufferPointer(rebasing: buffer[received...]), 0)
      }
      guard let length, length > 0 else { return nil }
      received += length
    }
    return bytes
  }
}
