// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
internal import Glibc
internal import ItemTransfer

/// A file that is written under another name beside its own, which it gets when it is whole.
///
/// The other name begins with `.dragpipe-`, cannot be guessed, and ends in `.part`; only the owner can read the file
/// until then. Whatever becomes of the directory's path meanwhile, both names are in the directory that it was.
package final class StagedOutput {
  private let directory: OwnedDescriptor
  private let name: String
  private let temporaryName: String
  let shownPath: String
  private let replaces: Bool
  private let isDurable: Bool
  private var isPending = true
  /// The file that was made, to be told from one that somebody has put in its place.
  private var identity: FileStatus?

  /// Makes the file.
  ///
  /// - Parameters:
  ///   - path: What the file will be.
  ///   - replaces: Whether it may take the place of a regular file that has the name.
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
      throw DropStreamError(.destinationUnavailable, "cannot make \(shownPath)", error)
    }
    try checkPlace()
  }

  /// Refuses to take the place of what is no regular file: nobody means a FIFO, a device or a link to go.
  private func checkPlace() throws(DropStreamError) {
    guard let status = try? SystemCalls.statusAt(directory.raw, name, AT_SYMLINK_NOFOLLOW) else { return }
    guard replaces else { throw alreadyExists }
    if status.kind != .regular {
      throw DropStreamError(.alreadyExists, "\(shownPath) is there already, and is no regular file to be replaced")
    }
  }

  deinit {
    remove()
  }

  /// Opens the file for writing; to be called once.
  package func open() throws(DropStreamError) -> OwnedDescriptor {
    do throws(SystemError) {
      let file = try OwnedDescriptor.openAt(
        directory.raw, temporaryName, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
      identity = try SystemCalls.status(file.raw)
      return file
    } catch {
      throw DropStreamError(.destinationUnavailable, "cannot make \(shownPath)", error)
    }
  }

  /// Gives the file its name, and the permissions that a new file gets.
  ///
  /// - Parameter old: A file whose owner and permissions it gets instead.
  /// - Throws: `alreadyExists`, `destinationUnavailable`; the file is still there, under the other name. `systemCall`
  ///   where the name cannot be flushed to the disk: the file has it then.
  package func publish(like old: FileStatus? = nil) throws(DropStreamError) {
    // Somebody may have put something else there meanwhile.
    try checkPlace()
    do throws(SystemError) {
      // The right to run as a file's owner is not handed on.
      let permissions = if let old { old.permissions & 0o777 } else { try permissionsOfNewFiles() }
      // By the file, not by its name: whoever may write to the directory could have put a link there.
      let file = try OwnedDescriptor.openAt(directory.raw, temporaryName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      let status = try SystemCalls.status(file.raw)
      guard let identity, status.isSameFile(as: identity) else { throw SystemError(ESTALE, in: "open") }
      if let old, status.owner != old.owner || status.group != old.group {
        try SystemCalls.changeOwner(file.raw, old.owner, old.group)
      }
      try SystemCalls.changeMode(file.raw, permissions)
      // The old file is gone with the renaming: after a power failure there must be the one or the other.
      if replaces || isDurable { try SystemCalls.sync(file.raw) }
      if replaces {
        try SystemCalls.renameAt(directory.raw, temporaryName, directory.raw, name)
      } else {
        try SystemCalls.renameExclusivelyAt(directory.raw, temporaryName, directory.raw, name)
      }
      isPending = false
    } catch {
      if error.errorNumber == EEXIST { throw alreadyExists }
      throw DropStreamError(.destinationUnavailable, "cannot name \(shownPath)", error)
    }
    guard isDurable else { return }
    do throws(SystemError) { try SystemCalls.syncDirectory(directory.raw) } catch {
      throw DropStreamError(.systemCall, "cannot flush the name of \(shownPath) to the disk", error)
    }
  }

  private func permissionsOfNewFiles() throws(SystemError) -> UInt32 {
    try SystemCalls.permissionsOfNewFiles(directory.raw, probe: ".dragpipe-\(RandomName.text()).part")
  }

  /// Takes the file away, unless it has its name.
  func remove() {
    guard isPending else { return }
    isPending = false
    try? SystemCalls.unlinkAt(directory.raw, temporaryName)
  }

  private var alreadyExists: DropStreamError { DropStreamError(.alreadyExists, "\(shownPath) is there already") }
}

/// Names that nobody can guess beforehand, and that nobody's file has.
enum RandomName {
  private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
  private static let length = 12

  /// Twelve letters and digits.
  static func text() -> String {
    var generator = SystemRandomNumberGenerator()
    let text = (0..<length).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] }
    return String(decoding: text, as: UTF8.self)
  }

  /// Whether a text could be one of ``text()``.
  static func isOne(_ text: some Collection<UInt8>) -> Bool {
    text.count == length && text.allSatisfy(letters.contains)
  }
}
