// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
internal import Glibc
internal import ItemTransfer

/// A file that is written under a temporary name, and renamed when it is complete.
///
/// The temporary name is `.dragpipe-`, random characters and `.part`. Only the owner can read the file until
/// ``publish(like:)`` sets its permissions. Both names are in the directory that was opened, even if its path changes
/// meanwhile.
package final class StagedOutput {
  private let directory: OwnedDescriptor
  private let name: String
  private let temporaryName: String
  let shownPath: String
  private let replaces: Bool
  private let isDurable: Bool
  private var isPending = true
  /// The identity of the created file, so that a file which replaces it is detected.
  private var identity: FileStatus?

  /// Opens the directory, and rejects a final name that is not available.
  ///
  /// - Parameters:
  ///   - path: The final path of the file.
  ///   - replaces: Whether the file may replace a regular file of that name.
  ///   - isDurable: Whether the file and its name are flushed to the disk before ``publish(like:)`` returns.
  /// - Throws: `alreadyExists`, `destinationUnavailable`.
  package init(_ path: String, replaces: Bool, isDurable: Bool = false) throws(DropStreamError) {
    shownPath = path.escapedForDisplay()
    self.replaces = replaces
    self.isDurable = isDurable
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let directoryPath = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    temporaryName = ".dragpipe-\(RandomName.text()).part"
    do throws(SystemError) {
      if name.isEmpty || name == "." || name == ".." { throw SystemError(EISDIR, in: "open") }
      directory = try .place(directoryPath)
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot create \(shownPath)", error)
    }
    try checkPlace()
  }

  /// Rejects a name that exists, unless it belongs to a regular file that may be replaced.
  ///
  /// A FIFO, a device or a link is always rejected.
  private func checkPlace() throws(DropStreamError) {
    guard let status = try? SystemCalls.statusAt(directory.raw, name, AT_SYMLINK_NOFOLLOW) else { return }
    guard replaces else { throw alreadyExists }
    if status.kind != .regular {
      throw DropStreamError(.alreadyExists, "\(shownPath) exists and is not a regular file, so it cannot be replaced")
    }
  }

  deinit {
    remove()
  }

  /// Creates the file and opens it for writing.
  ///
  /// Call this method once.
  package func open() throws(DropStreamError) -> OwnedDescriptor {
    do throws(SystemError) {
      let file = try OwnedDescriptor.openAt(
        directory.raw, temporaryName, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
      identity = try SystemCalls.status(file.raw)
      return file
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot create \(shownPath)", error)
    }
  }

  /// Renames the file to its final name, with the permissions of a new file.
  ///
  /// - Parameter old: A file whose owner and permissions the new file gets instead.
  /// - Throws: `alreadyExists`, `destinationUnavailable`; the file keeps its temporary name. `systemCall` if the final
  ///   name cannot be flushed to the disk; the file then has its final name.
  package func publish(like old: FileStatus? = nil) throws(DropStreamError) {
    // Another process may have created a file of that name meanwhile.
    try checkPlace()
    do throws(SystemError) {
      // The set-user-ID and set-group-ID bits are not copied.
      let permissions = if let old { old.permissions & 0o777 } else { try permissionsOfNewFiles() }
      // Owner and mode change by descriptor, not by name: another process could have created a link of that name.
      let file = try OwnedDescriptor.openAt(directory.raw, temporaryName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      let status = try SystemCalls.status(file.raw)
      guard let identity, status.isSameFile(as: identity) else { throw SystemError(ESTALE, in: "open") }
      if let old, status.owner != old.owner || status.group != old.group {
        try SystemCalls.changeOwner(file.raw, old.owner, old.group)
      }
      try SystemCalls.changeMode(file.raw, permissions)
      // The rename removes the old file: after a power failure, the old or the new content must exist.
      if replaces || isDurable { try SystemCalls.sync(file.raw) }
      if replaces {
        try SystemCalls.renameAt(directory.raw, temporaryName, directory.raw, name)
      } else {
        try SystemCalls.renameExclusivelyAt(directory.raw, temporaryName, directory.raw, name)
      }
      isPending = false
    } catch {
      if error.errorNumber == EEXIST { throw alreadyExists }
      throw DropStreamError(.destinationUnavailable, "cannot rename the temporary file to \(shownPath)", error)
    }
    guard isDurable else { return }
    try mapError(SystemCalls.syncDirectory(directory.raw)) {
      DropStreamError(.systemCall, "cannot flush the name of \(shownPath) to the disk", $0)
    }
  }

  private func permissionsOfNewFiles() throws(SystemError) -> UInt32 {
    try SystemCalls.permissionsOfNewFiles(directory.raw, probe: ".dragpipe-\(RandomName.text()).part")
  }

  /// Removes the file, unless it has its final name.
  func remove() {
    guard isPending else { return }
    isPending = false
    try? SystemCalls.unlinkAt(directory.raw, temporaryName)
  }

  private var alreadyExists: DropStreamError { DropStreamError(.alreadyExists, "\(shownPath) is there already") }
}
