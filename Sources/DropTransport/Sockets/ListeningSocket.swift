// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import ItemTransfer
internal import Synchronization

/// A listening socket at a path, or an inherited listening socket.
///
/// The path is removed when the last reference is released, if it was not removed before. The path of an inherited socket
/// belongs to its owner, such as systemd.
///
/// Other users cannot connect, because the socket gets its permissions before it gets its name. The user `root` can, so
/// ``accept(_:)`` also checks the user.
final class ListeningSocket: Sendable {
  private struct Place: ~Copyable {
    let directory: OwnedDescriptor
    let name: String
    let identity: FileStatus
  }

  private let socket: OwnedDescriptor
  /// The file of the socket; `nil` for an inherited socket.
  private let place: Place?
  private let shownPath: String
  private let isRemoved = Atomic(false)

  /// Takes over a socket that listens already.
  ///
  /// - Throws: `unsupported` if it is not a local socket that listens; `systemCall`.
  init(inherited descriptor: CInt) throws(DropStreamError) {
    socket = OwnedDescriptor(descriptor)
    shownPath = "descriptor \(descriptor)"
    place = nil
    guard SystemCalls.isListening(descriptor) else {
      throw DropStreamError(.unsupported, "\(shownPath) is not a Unix socket that listens")
    }
    try mapError(SystemCalls.setNonBlocking(descriptor)) { DropStreamError(.systemCall, "cannot listen", $0) }
  }

  /// Starts to listen; blocks.
  ///
  /// - Parameters:
  ///   - path: The path of the socket.
  ///   - interrupt: Ends the wait for another listener at the same path.
  /// - Throws: `alreadyExists` if a process listens there or the file is not a socket; `limitExceeded` if the path is
  ///   too long; `destinationUnavailable`; `cancelled` when interrupted.
  init(_ path: String, _ interrupt: Interrupt) throws(DropStreamError) {
    shownPath = path.escapedForDisplay()
    let shownPath = shownPath
    guard path.utf8.count <= SystemCalls.socketPathLength else {
      throw DropStreamError(
        .limitExceeded,
        "\(shownPath) has \(path.utf8.count) bytes; the limit for a socket is \(SystemCalls.socketPathLength) bytes")
    }
    let split = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let parent = split.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let name = String(path[(split.map { path.utf8.index(after: $0) } ?? path.startIndex)...])
    guard !name.isEmpty, !name.utf8.contains(0) else {
      throw DropStreamError(.destinationUnavailable, "\(shownPath) does not end with a valid name of a socket")
    }
    if parent == RuntimeDirectory.path { try RuntimeDirectory.prepare() }
    do throws(SystemError) {
      let directory = try OwnedDescriptor.open(parent, O_RDONLY | O_DIRECTORY)
      // The lock lets only one of several processes replace a stale socket.
      let lock = try ListenerLock(of: name, in: directory.raw, interrupt)
      try Self.checkVacancy(path, directory.raw, name)
      socket = OwnedDescriptor(try SystemCalls.socket())
      try SystemCalls.changeMode(socket.raw, 0o600)
      // Several threads may wait for a connection, and only one of them accepts it. The other threads must not block.
      try SystemCalls.setNonBlocking(socket.raw)
      // Binds the socket under a temporary name, so that no client is refused before the socket listens.
      let other = ".dragpipe-\(RandomName.text())"
      try SystemCalls.bind(socket.raw, "/proc/self/fd/\(directory.raw)/\(other)")
      do throws(SystemError) {
        try SystemCalls.listen(socket.raw, 128)
        let identity = try SystemCalls.statusAt(directory.raw, other, AT_SYMLINK_NOFOLLOW)
        try SystemCalls.renameAt(directory.raw, other, directory.raw, name)
        place = Place(directory: directory, name: name, identity: identity)
      } catch {
        try? SystemCalls.unlinkAt(directory.raw, other)
        throw error
      }
      _ = consume lock
    } catch {
      if error.errorNumber == ECANCELED { throw .cancelled }
      if error.errorNumber == EADDRINUSE {
        throw DropStreamError(.alreadyExists, "another process listens at \(shownPath)", error)
      }
      if error.errorNumber == EEXIST {
        throw DropStreamError(.alreadyExists, "\(shownPath) exists and is not a socket", error)
      }
      throw DropStreamError(.destinationUnavailable, "cannot listen at \(shownPath)", error)
    }
  }

  deinit {
    removePath()
  }

  /// Removes the path, so that no client can connect any more.
  func removePath() {
    guard !isRemoved.exchange(true, ordering: .acquiringAndReleasing) else { return }
    switch place {
    case .none: return
    case .some(let place):
      // Another process may have replaced the socket.
      guard let status = try? SystemCalls.statusAt(place.directory.raw, place.name, AT_SYMLINK_NOFOLLOW),
        status.isSameFile(as: place.identity)
      else { return }
      try? SystemCalls.unlinkAt(place.directory.raw, place.name)
    }
  }

  /// Checks that the name is free or belongs to a stale socket.
  ///
  /// - Throws: `EADDRINUSE` if a process listens there; `EEXIST` for any other file, which is never removed.
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
      // After a refusal, no process listens, but one may be about to. Any other result, such as a full queue, means that
      // a process listens.
      if error.errorNumber == ECONNREFUSED, !isBound(name, status) { return }
    }
    throw SystemError(EADDRINUSE, in: "bind")
  }

  /// Returns whether a process has a socket that it bound to a path, according to `/proc/net/unix`.
  ///
  /// The list has the path as the process gave it. A relative path counts only if the file's permissions are not those
  /// of this package, whose sockets listen before they get their name: the directory of that process is unknown.
  private static func isBound(_ name: String, _ status: FileStatus) -> Bool {
    guard let file = try? OwnedDescriptor.open("/proc/net/unix", O_RDONLY),
      let list = try? file.contents(limit: 1 << 26)
    else { return false }
    let slash = UInt8(ascii: "/")
    return list.split(separator: 0x0A).dropFirst().contains { line in
      let fields = line.split(separator: 0x20, maxSplits: 7)
      guard fields.count == 8, let last = fields[7].split(separator: slash).last, last.elementsEqual(name.utf8) else {
        return false
      }
      // An abstract name has no file.
      if fields[7].first == UInt8(ascii: "@") { return false }
      guard fields[7].first == slash, !fields[7].starts(with: "/proc/self/".utf8) else {
        return status.permissions != 0o600
      }
      let path = String(decoding: fields[7], as: UTF8.self)
      return (try? SystemCalls.statusAt(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW))?.isSameFile(as: status) == true
    }
  }

  /// Waits for a connection of this user; blocks.
  ///
  /// Connections of other users are closed before a byte of them is read.
  ///
  /// - Parameter interrupt: Ends the wait.
  /// - Returns: The connection, which the caller must close, and the credentials of its peer.
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
        // The client closed the connection before it was accepted.
        case EINTR, EAGAIN, ECONNABORTED: continue
        // Sessions that end release descriptors.
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: if interrupt.isRaised(within: 50) { throw .cancelled }
        default: throw DropStreamError(.systemCall, "cannot listen at \(shownPath)", error)
        }
      }
    }
  }
}

/// A locked file beside a socket, which is removed before its lock is released.
///
/// A lock on the directory would not do: any process that can open it could hold its lock forever.
private struct ListenerLock: ~Copyable {
  private let file: OwnedDescriptor
  private let directory: CInt
  private let name: String

  /// Creates a file that only this user can open, and locks it within 2 seconds.
  ///
  /// In a directory in which other users may create files, they can prevent that, as they can occupy the path itself.
  ///
  /// - Throws: `EBUSY` after that time; `ECANCELED` when interrupted.
  init(of socket: String, in directory: CInt, _ interrupt: Interrupt) throws(SystemError) {
    self.directory = directory
    name = ".dragpipe-\(socket).lock"
    for _ in 0..<100 {
      let opened = try OwnedDescriptor.openAt(directory, name, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
      if try SystemCalls.lockedStatus(opened.raw, named: name, in: directory, AT_SYMLINK_NOFOLLOW) != nil {
        file = consume opened
        return
      }
      if interrupt.isRaised(within: 20) { throw SystemError(ECANCELED, in: "flock") }
    }
    throw SystemError(EBUSY, in: "flock")
  }

  deinit {
    try? SystemCalls.unlinkAt(directory, name)
  }
}
