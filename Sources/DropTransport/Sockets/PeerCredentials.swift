// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// Who is at the other end of a socket, as the kernel knows it.
public struct PeerCredentials: Sendable, Hashable {
  /// The user the process ran as when the connection was made.
  public let userIdentifier: UInt32
  /// The process; its number may belong to another by now.
  public let processIdentifier: Int32

  init(ofSocket socket: CInt) throws(SystemError) {
    (userIdentifier, processIdentifier) = try SystemCalls.peer(of: socket)
  }

  /// Whether it runs as the user this process runs as.
  public var isSameUser: Bool { userIdentifier == geteuid() }
}
