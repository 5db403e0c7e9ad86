// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// A socket with a path on this machine.
enum LocalSocket {
  /// The error for a peer that runs as another user.
  static let wrongUser = SystemError(EPERM, in: "connect")

  /// The error for a listener with a full queue.
  static let noRoom = SystemError(EAGAIN, in: "connect")

  /// Connects to a process of this user.
  ///
  /// Waits only while the listener's queue is full.
  ///
  /// - Parameters:
  ///   - path: The path of the socket.
  ///   - mayWait: Whether to wait. Nothing interrupts the wait.
  /// - Returns: The socket, which the caller must close, and the credentials of its peer.
  /// - Throws: ``wrongUser``, before any byte is transferred; ``noRoom`` instead of waiting; the error of the system
  ///   call.
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

  /// Returns the credentials of a descriptor's peer.
  ///
  /// - Returns: The credentials; `nil` unless the descriptor is a local socket whose peer is a process of this user.
  static func ownPeer(of descriptor: CInt) -> PeerCredentials? {
    guard SystemCalls.isLocalSocket(descriptor), let peer = try? PeerCredentials(ofSocket: descriptor) else {
      return nil
    }
    return peer.isSameUser ? peer : nil
  }
}
