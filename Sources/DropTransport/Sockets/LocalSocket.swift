// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A socket with a path on this machine.
enum LocalSocket {
  /// What is thrown where another user's process is at the other end.
  static let wrongUser = SystemError(EPERM, in: "connect")

  /// Connects to a process of this user; waits only while that has no room for one more who waits.
  ///
  /// - Returns: The socket, the caller's to close, and who is at its other end.
  /// - Throws: ``wrongUser``, before a byte has gone either way.
  static func connect(_ path: String) throws(SystemError) -> (socket: CInt, peer: PeerCredentials) {
    let socket = OwnedDescriptor(try SystemCalls.socket())
    try SystemCalls.connect(socket.raw, path)
    let peer = try SystemCalls.peer(of: socket.raw)
    guard peer.isSameUser else { throw wrongUser }
    return (socket.release(), peer)
  }
}
