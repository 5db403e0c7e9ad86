// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// The two open directions of a session: a socket or a pair of pipes.
struct SessionCarrier: ~Copyable {
  let input: StreamDescriptor
  let output: StreamDescriptor
  /// Whether the carrier can pass file descriptors.
  let handsDescriptors: Bool
  /// The verified credentials of the peer, if they are known.
  let peer: PeerCredentials?
  let child: ChildProcess?

  init(
    input: consuming OwnedDescriptor, output: consuming OwnedDescriptor, peer: PeerCredentials? = nil,
    child: ChildProcess? = nil
  ) throws(SystemError) {
    let interrupt = try Interrupt()
    let reader = try StreamDescriptor(input, access: O_RDONLY, interrupt: interrupt, idleTimeout: nil)
    let writer = try StreamDescriptor(output, access: O_WRONLY, interrupt: interrupt, idleTimeout: nil)
    let isSame = try SystemCalls.isSameFile(reader.raw, writer.raw)
    handsDescriptors = reader.mode == .socket && isSame && SystemCalls.isLocalSocket(reader.raw)
    self.input = reader
    self.output = writer
    self.peer = peer
    self.child = child
  }

  /// Creates a carrier with one socket for both directions.
  init(socket: consuming OwnedDescriptor, peer: PeerCredentials? = nil) throws(SystemError) {
    let other = OwnedDescriptor(try SystemCalls.duplicate(socket.raw))
    try self.init(input: socket, output: other, peer: peer)
  }

  /// Opens an endpoint.
  ///
  /// Blocks, but never waits for the peer.
  ///
  /// - Returns: The carrier; `nil` if the listener's queue is full.
  /// - Throws: `wrongUser` if the peer runs as another user; `systemCall` if this process cannot create a socket or
  ///   a pipe; `sourceUnavailable` if the endpoint cannot be opened for another reason.
  static func open(_ endpoint: DropEndpoint) throws(DropStreamError) -> SessionCarrier? {
    do throws(SystemError) {
      switch endpoint.kind {
      case .unixSocket(let path):
        let (socket, peer) = try LocalSocket.connect(path)
        return try SessionCarrier(socket: OwnedDescriptor(socket), peer: peer)
      case .descriptor(let descriptor):
        let socket = OwnedDescriptor(descriptor)
        // Two descriptors, such as standard input and output, get no credentials: they may lead to another machine.
        let peer = LocalSocket.ownPeer(of: socket.raw)
        return try SessionCarrier(socket: socket, peer: peer)
      case .pair(let input, let output):
        return try SessionCarrier(input: OwnedDescriptor(input), output: OwnedDescriptor(output))
      case .process(let command):
        let (child, input, output) = try ChildProcess.conversing(command)
        do throws(SystemError) {
          return try SessionCarrier(input: OwnedDescriptor(input), output: OwnedDescriptor(output), child: child)
        } catch {
          child.terminate()
          throw error
        }
      case .standardIO:
        let input = OwnedDescriptor(try SystemCalls.duplicate(STDIN_FILENO))
        let output = OwnedDescriptor(try SystemCalls.duplicate(STDOUT_FILENO))
        return try SessionCarrier(input: input, output: output)
      case .file, .standardInput, .standardOutput: throw SystemError(ENOTSOCK, in: "open")
      }
    } catch {
      if error == LocalSocket.noRoom { return nil }
      let isLocal = ["pipe2", "socket"].contains(error.call)
      let code: DropStreamError.Code =
        error == LocalSocket.wrongUser ? .wrongUser : isLocal ? .systemCall : .sourceUnavailable
      throw DropStreamError(code, "cannot open \(endpoint)", error)
    }
  }
}
