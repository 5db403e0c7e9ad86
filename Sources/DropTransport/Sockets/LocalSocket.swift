// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer

/// A namespace for connections through sockets of this machine.
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

/// The credentials of the peer of a socket, as the kernel reports them.
public struct PeerCredentials: Sendable, Hashable {
  /// The user that the process ran as when the connection was made.
  public let userIdentifier: UInt32
  /// The identifier of the process that the kernel recorded when the connection was made.
  ///
  /// After the end of that process, the identifier may belong to another process.
  public let processIdentifier: Int32

  init(ofSocket socket: CInt) throws(SystemError) {
    (userIdentifier, processIdentifier) = try SystemCalls.peer(of: socket)
  }

  /// Whether the peer ran as the user that this process runs as.
  public var isSameUser: Bool { userIdentifier == geteuid() }
}

/// The directory for this user's sockets.
///
/// Other users cannot access it.
enum RuntimeDirectory {
  /// `$XDG_RUNTIME_DIR/dragpipe`; if that variable is not an absolute path, a directory with the user's number in
  /// `/tmp`.
  static var path: String {
    let variable = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
    if variable.hasPrefix("/") { return variable + "/dragpipe" }
    return "/tmp/dragpipe-\(geteuid())"
  }

  /// Creates the directory, if it does not exist.
  ///
  /// - Throws: `destinationUnavailable` if the directory cannot be created, or if another user owns it or has access to
  ///   it. Another user may have created it first.
  static func prepare(_ path: String = path) throws(DropStreamError) {
    do throws(SystemError) {
      do throws(SystemError) { try SystemCalls.makeDirectory(path, 0o700) } catch {
        if error.errorNumber != EEXIST { throw error }
      }
      let status = try SystemCalls.statusAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW)
      guard status.kind == .directory, status.owner == geteuid(), status.permissions & 0o077 == 0 else {
        throw SystemError(EPERM, in: "mkdir")
      }
    } catch {
      throw DropStreamError(
        .destinationUnavailable, "\(path.escapedForDisplay()) is not a directory that only this user can access", error)
    }
  }
}
