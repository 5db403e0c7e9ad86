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

  /// The interval of connection attempts to a listener with a full queue.
  private static let retryInterval = Duration.milliseconds(20)

  /// Connects to a process of this user, without waiting.
  ///
  /// - Parameter path: The path of the socket.
  /// - Returns: The socket, which the caller must close, and the credentials of its peer.
  /// - Throws: ``wrongUser``, before any byte is transferred; ``noRoom``; the error of the system call.
  static func connect(_ path: String) throws(SystemError) -> (socket: CInt, peer: PeerCredentials) {
    let socket = OwnedDescriptor(try SystemCalls.socket())
    try SystemCalls.setNonBlocking(socket.raw)
    try SystemCalls.connect(socket.raw, path)
    try SystemCalls.setNonBlocking(socket.raw, false)
    let peer = try PeerCredentials(ofSocket: socket.raw)
    guard peer.isSameUser else { throw wrongUser }
    return (socket.release(), peer)
  }

  /// Repeats an attempt to connect while the listener's queue is full.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint to connect to.
  ///   - limit: The longest wait; `nil` waits without limit.
  ///   - attempt: Connects without waiting; returns `nil` if the queue is full.
  /// - Returns: The first result.
  /// - Throws: `timedOut`; `cancelled`; the error of an attempt.
  static func waitForRoom<Connection: Sendable>(
    of endpoint: DropEndpoint, atMost limit: Duration?,
    _ attempt: @escaping @Sendable () throws(DropStreamError) -> Connection?
  ) async throws(DropStreamError) -> Connection {
    let end = limit.map { ContinuousClock.now + $0 }
    while true {
      if let connection = try await runBlocking(attempt) { return connection }
      if let limit, let end, ContinuousClock.now >= end {
        throw DropStreamError(.timedOut, "\(endpoint) accepted no connection for \(limit)")
      }
      do { try await Task.sleep(for: retryInterval) } catch { throw .cancelled }
    }
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
