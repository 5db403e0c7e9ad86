// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The loop of a connection's thread, which reads and writes the socket until the connection ends.
struct X11Loop: ~Copyable {
  private let channel: X11Channel
  private var socket: ConnectionSocket
  private var decoder = X11PacketDecoder()

  init(_ channel: X11Channel, socket: consuming OwnedDescriptor) {
    self.channel = channel
    self.socket = ConnectionSocket(socket, to: "display")
  }

  /// Sends the setup request, and waits for the response.
  ///
  /// - Throws: The reason why the connection cannot be opened.
  mutating func handshake(_ request: X11SetupRequest) throws(DisplayError) -> X11Setup {
    channel.change { state, _ in state.queue(setup: request.encoded) }
    while true {
      if let header = decoder.peek(X11SetupResponse.headerSize),
        let bytes = decoder.take(X11SetupResponse.byteCount(header: header))
      {
        return try Self.setup(bytes)
      }
      guard try step() else { throw .closed }
    }
  }

  private static func setup(_ bytes: [UInt8]) throws(DisplayError) -> X11Setup {
    let response: X11SetupResponse
    do throws(X11SyntaxError) {
      response = try X11SetupResponse(bytes)
    } catch {
      throw .violation("byte \(error.offset) of the setup: \(error.reason)")
    }
    switch response {
    case .success(let setup): return setup
    case .failed(let reason), .authenticate(let reason):
      let words = reason.escapedForDisplay().split(separator: "\n").joined(separator: " ")
      throw DisplayError(.refused, "the display refused the connection: \(words) (check XAUTHORITY)")
    }
  }

  /// Reads and writes until the connection ends.
  ///
  /// - Throws: The error that ends the connection.
  mutating func run() throws(DisplayError) {
    while true {
      channel.change { state, delivery in state.receive(from: &decoder, into: &delivery) }
      guard try step() else { return }
    }
  }

  /// Writes, waits and reads, as ``ConnectionSocket/step(_:_:)`` does.
  private mutating func step() throws(DisplayError) -> Bool {
    try socket.step(channel, &decoder)
  }
}

extension X11PacketDecoder: ConnectionDecoder {
  /// Receives bytes.
  ///
  /// Descriptors that the server passes are not received.
  mutating func receive(from socket: CInt) throws(SystemError) -> Int? {
    try receive { (buffer) throws(SystemError) in try SystemCalls.receive(socket, buffer, CInt(MSG_DONTWAIT)) }
  }
}
