// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// A socket with a path on this machine.
enum LocalSocket {
  /// What is thrown where another user's process is at the other end.
  static let wrongUser = SystemError(EPERM, in: "connect")

  /// What is thrown where so many wait to be let in that there is no room for one more.
  static let noRoom = SystemError(EAGAIN, in: "connect")

  /// Connects to a process of this user; waits only while that has no room for one more who waits.
  ///
  /// - Parameters:
  ///   - path: Where the socket is.
  ///   - mayWait: Whether to wait, which nothing interrupts.
  /// - Returns: The socket, the caller's to close, and who is at its other end.
  /// - Throws: ``wrongUser``, before a byte has gone either way; ``noRoom`` instead of waiting.
  static func connect(
    _ path: String, mayWait: Bool = true
  ) throws(SystemError) -> (socket: CInt, peer: PeerCredentials) {
    let socket = OwnedDescriptor(try SystemCalls.socket())
    if !mayWait { try SystemCalls.setNonBlocking(socket.raw) }
    try SystemCalls.connect(socket.raw, path)
    if !mayWait { try SystemCalls.setNonBlocking(socket.raw, false) }
    let peer = try PeerCredentials(ofSocket: socket.raw)
    guard peer.isSameUser else { throw wrongUser }
    return (socket.release(), peer)
  }

  /// Who is at the other end of a descriptor, if that is a socket of this machine and a process of this user made it.
  static func ownPeer(of descriptor: CInt) -> PeerCredentials? {
    guard SystemCalls.isLocalSocket(descriptor), let peer = try? PeerCredentials(ofSocket: descriptor) else {
      return nil
    }
    return peer.isSameUser ? peer : nil
  }
}
