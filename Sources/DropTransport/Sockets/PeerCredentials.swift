// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The credentials of the peer of a socket, as the kernel reports them.
public struct PeerCredentials: Sendable, Hashable {
  /// The user that the process ran as when the connection was made.
  public let userIdentifier: UInt32
  /// The process.
  ///
  /// Its number may belong to another process by now.
  public let processIdentifier: Int32

  init(ofSocket socket: CInt) throws(SystemError) {
    (userIdentifier, processIdentifier) = try SystemCalls.peer(of: socket)
  }

  /// Whether the peer ran as the user that this process runs as.
  public var isSameUser: Bool { userIdentifier == geteuid() }
}
