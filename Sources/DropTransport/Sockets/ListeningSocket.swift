// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer
internal import Synchronization

/// A socket at a path that others connect to; its path is taken away with it.
///
/// Nobody but this user may connect from the very start: the socket has its permissions before it has a name.
final class ListeningSocket: Sendable {
  private let socket: OwnedDescriptor
  private let directory: OwnedDescriptor
  private let name: String
  private let shownPath: String
  private let identity: FileStatus
  private let isRemoved = Atomic(false)

  /// Starts to listen; blocks.
  ///
  /// - Parameters:
  ///   - path: Where.
  ///   - interrupt: Ends a wait for the place.
  /// - Throws: `alreadyExists` where somebody listens, or something else than a socket is there; `limitExceeded` for a
  ///   path that is too long; `destinationUnavailable`; `cancelled` when interrupted.
  init(_ path: String, _ interrupt: Interrupt) throws(DropStreamError) {
    shownPath = path.escapedForDisplay()
    let shownPath = shownPath
    guard path.utf8.count <= SystemCalls.socketPathLength else {
      throw DropStreamError(
        .limitExceeded, "\(shownPath) has \(path.utf8.count) bytes, and a socket's path \(SystemCalls.socketPathLength)"
      )
    }
    let split = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let parent = split.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    name = String(path[(split.map { path.utf8.index(after: $0) } ?? path.startIndex)...])
    guard !name.isEmpty, !name.utf8.contains(0) else {
      throw DropStreamError(.destinationUnavailable, "\(shownPath) has no name for a socket")
    }
    if parent == RuntimeDirectory.path { try RuntimeDirectory.prepare() }
    do throws(SystemError) {
      directory = try .open(parent, O_RDONLY | O_DIRECTORY)
      // Of those that find a socket nobody listens at, one may take its place.
      try Self.lock(directory.raw, interrupt)
      try Self.checkVacancy(path, directory.raw, name)
      socket = OwnedDescriptor(try SystemCalls.socket())
      try SystemCalls.changeMode(socket.raw, 0o600)
      // Of several that wait for a connection one gets it.
      try SystemCalls.setNonBlocking(socket.raw)
      // Bound under another name, so that nobody is turned away before it listens.
      let other = ".dragpipe-\(RandomName.text())"
      try SystemCalls.bind(socket.raw, "/proc/self/fd/\(directory.raw)/\(other)")
      do throws(SystemError) {
        try SystemCalls.listen(socket.raw, 128)
        identity = try SystemCalls.statusAt(directory.raw, other, AT_SYMLINK_NOFOLLOW)
        try SystemCalls.renameAt(directory.raw, other, directory.raw, name)
      } catch {
        try? SystemCalls.unlinkAt(directory.raw, other)
        throw error
      }
      try? SystemCalls.lock(directory.raw, LOCK_UN)
    } catch {
      if error.errorNumber == ECANCELED { throw .cancelled }
      if error.errorNumber == EADDRINUSE {
        throw DropStreamError(.alreadyExists, "somebody listens at \(shownPath)", error)
      }
      if error.errorNumber == EEXIST {
        throw DropStreamError(.alreadyExists, "\(shownPath) is there, and no socket", error)
      }
      throw DropStreamError(.destinationUnavailable, "cannot listen at \(shownPath)", error)
    }
  }

  deinit {
    removePath()
  }

  /// Takes the path away; nobody finds the socket any more.
  func removePath() {
    guard !isRemoved.exchange(true, ordering: .acquiringAndReleasing) else { return }
    // Somebody may have put another in its place.
    guard let status = try? SystemCalls.statusAt(directory.raw, name, AT_SYMLINK_NOFOLLOW),
      status.isSameFile(as: identity)
    else { return }
    try? SystemCalls.unlinkAt(directory.raw, name)
  }

  /// Waits for a lock, but not for long: whoever may look into the directory may hold it for ever.
  private static func lock(_ directory: CInt, _ interrupt: Interrupt) throws(SystemError) {
    for _ in 0..<100 {
      do throws(SystemError) { return try SystemCalls.lock(directory, LOCK_EX | LOCK_NB) } catch {
        if error.errorNumber != EWOULDBLOCK { throw error }
      }
      if interrupt.isRaised(within: 20) { throw SystemError(ECANCELED, in: "flock") }
    }
    throw SystemError(EBUSY, in: "flock")
  }

  /// Whether the name is free, or that of a socket that nobody listens at.
  ///
  /// - Throws: `EADDRINUSE` where somebody does, `EEXIST` for anything else, which is never taken away.
  private static func checkVacancy(_ path: String, _ directory: CInt, _ name: String) throws(SystemError) {
    let status: FileStatus
    do throws(SystemError) { status = try SystemCalls.statusAt(directory, name, AT_SYMLINK_NOFOLLOW) } catch {
      if error.errorNumber == ENOENT { return }
      throw error
    }
    guard status.kind == .socket else { throw SystemError(EEXIST, in: "bind") }
    do throws(SystemError) {
      let probe = OwnedDescriptor(try SystemCalls.socket())
      try SystemCalls.setNonBlocking(probe.raw)
      try SystemCalls.connect(probe.raw, path)
    } catch {
      // Refused: nobody listens. Another answer, such as that too many wait there, is one of somebody who does.
      if error.errorNumber == ECONNREFUSED { return }
    }
    throw SystemError(EADDRINUSE, in: "bind")
  }

  /// Waits for a connection of this user; blocks.
  ///
  /// Others are turned away before a byte of theirs is looked at.
  ///
  /// - Parameter interrupt: Ends the wait.
  /// - Returns: The connection, and who is at its other end.
  /// - Throws: `cancelled` when interrupted; `systemCall`.
  func accept(_ interrupt: Interrupt) throws(DropStreamError) -> (CInt, PeerCredentials) {
    while true {
      var descriptors = [
        pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0),
        pollfd(fd: interrupt.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      do throws(SystemError) {
        _ = try SystemCalls.poll(&descriptors, -1)
        if descriptors[1].revents != 0 { throw SystemError(ECANCELED, in: "poll") }
        let connection = OwnedDescriptor(try SystemCalls.accept(socket.raw))
        let peer = try PeerCredentials(ofSocket: connection.raw)
        if peer.isSameUser { return (connection.release(), peer) }
      } catch {
        switch error.errorNumber {
        case ECANCELED: throw .cancelled
        // Whoever wanted to connect has thought better of it.
        case EINTR, EAGAIN, ECONNABORTED: continue
        // Sessions that end give descriptors back.
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: if interrupt.isRaised(within: 50) { throw .cancelled }
        default: throw DropStreamError(.systemCall, "cannot listen at \(shownPath)", error)
        }
      }
    }
  }
}
