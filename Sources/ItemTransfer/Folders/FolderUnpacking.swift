// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
internal import FoundationEssentials
internal import Glibc

/// A folder that is created from the chunks of its archive as they arrive.
///
/// Every call blocks. An error removes everything that was created, and so does ``discard()``.
package final class FolderUnpacker {
  /// The choices of a destination.
  package struct Options: Sendable, Hashable {
    /// Whether everything gets exactly the permissions in the archive.
    package var ignoresUmask = false
    /// Whether the folder and its content are flushed to the disk.
    package var isDurable = false
    /// Whether symbolic links may lead out of the folder.
    package var allowsAllLinks = false
    /// Whether files and folders get the extended attributes in the archive; only attributes of users (`user.*`).
    package var setsAttributes = false
    /// Whether everything gets the owner and the group in the archive.
    package var setsOwners = false

    /// Creates the default choices.
    package init() {}
  }

  private let parent: OwnedDescriptor
  private let name: String
  private let extraction: FolderExtraction
  /// `nil` after an error, or after the end.
  private var reader: TarReader<FolderExtraction>?

  /// Creates an empty folder.
  ///
  /// - Parameters:
  ///   - directory: A descriptor of the parent folder, which the caller owns.
  ///   - name: The name of the new folder, which must not exist.
  ///   - options: The choices of the destination.
  /// - Throws: `alreadyExists`, `unsafeName`, `limitExceeded`, `system`.
  package convenience init(
    into directory: CInt, as name: String, options: Options = Options()
  ) throws(FolderArchiveError) {
    try self.init(into: directory, as: name, options: options, limits: FolderArchive.Limits())
  }

  init(
    into directory: CInt, as name: String, options: Options, limits: FolderArchive.Limits
  ) throws(FolderArchiveError) {
    let path = try FolderEntryPath(top: name, FolderArchive.Limits())
    parent = try OwnedDescriptor.open(folder: ".", in: directory)
    do throws(SystemError) {
      try SystemCalls.makeDirectoryAt(directory, name, 0o777)
    } catch {
      let failure = FolderArchiveError(error, for: path)
      throw error.errorNumber == EEXIST ? failure.meaning(.alreadyExists, "the name exists already") : failure
    }
    self.name = name
    do throws(FolderArchiveError) {
      let top = try OwnedDescriptor.open(folder: name, in: directory, for: path)
      extraction = FolderExtraction(top, options, limits)
    } catch {
      try? SystemCalls.unlinkAt(directory, name, AT_REMOVEDIR)
      throw error
    }
    reader = TarReader(extraction, limits: limits)
  }

  /// Creates the entries of the next bytes of the archive.
  ///
  /// - Throws: `malformed`, `unsupported`, `limitExceeded`, `unsafeName`, `specialFile`, `system`.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(FolderArchiveError) {
    do throws(FolderArchiveError) { try reader?.append(bytes) } catch {
      discard()
      throw error
    }
  }

  /// Creates the entries of the next bytes of the archive, which are `count` zeros.
  package func append(zeros count: UInt64) throws(FolderArchiveError) {
    do throws(FolderArchiveError) { try reader?.append(zeros: count) } catch {
      discard()
      throw error
    }
  }

  /// Creates the links, and sets the last permissions and times.
  ///
  /// - Throws: `malformed` if the archive is truncated or lacks the target of a hard link; `unsafeName`, `system`.
  package func finish() throws(FolderArchiveError) {
    do throws(FolderArchiveError) {
      try reader?.finish()
      try extraction.finish()
    } catch {
      discard()
      throw error
    }
    reader = nil
  }

  /// Removes the folder with its content as far as possible.
  package func discard() {
    guard reader != nil else { return }
    reader = nil
    parent.removeTree(name)
  }
}

/// Functions on folders by descriptor.
package enum FolderUnpacking {
  /// Returns the names in a folder that start with `prefix`, sorted by their bytes.
  package static func names(
    in directory: CInt, _ path: String, startingWith prefix: String = ""
  ) throws(SystemError) -> [String] {
    let folder = try OwnedDescriptor.openAt(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    return try folder.names().filter { $0.starts(with: prefix.utf8) }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Removes everything in an open folder, and then the folder.
  ///
  /// Other processes may be able to rename folders in the parent directory. So the content is removed through the
  /// descriptor, and the name only while it belongs to the same folder.
  ///
  /// - Parameters:
  ///   - folder: A descriptor of the folder.
  ///   - name: Its name.
  ///   - directory: A descriptor of the parent directory.
  ///   - isKept: Returns whether an entry of the folder stays.
  /// - Throws: `ENOTEMPTY` if something stays; `ENOENT` if the name belongs to another folder; other system errors.
  package static func remove(
    _ folder: CInt, named name: String, in directory: CInt, except isKept: (String) -> Bool = { _ in false }
  ) throws(SystemError) {
    for entry in try names(in: folder, ".") where !isKept(entry) {
      do throws(SystemError) {
        try SystemCalls.unlinkAt(folder, entry)
      } catch {
        guard error.errorNumber == EISDIR || error.errorNumber == EPERM else { throw error }
        remove(entry, in: folder)
      }
    }
    try removeEmpty(folder, named: name, in: directory)
  }

  /// Removes an open folder that is empty, while its name belongs to it.
  package static func removeEmpty(_ folder: CInt, named name: String, in directory: CInt) throws(SystemError) {
    try check(name, of: folder, in: directory)
    try SystemCalls.unlinkAt(directory, name, AT_REMOVEDIR)
  }

  /// Checks that a name in a directory belongs to an open folder.
  ///
  /// - Throws: `ENOENT` if it belongs to something else.
  package static func check(_ name: String, of folder: CInt, in directory: CInt) throws(SystemError) {
    let named = try SystemCalls.statusAt(directory, name, AT_SYMLINK_NOFOLLOW)
    guard named.isSameFile(as: try SystemCalls.status(folder)) else { throw SystemError(ENOENT, in: "open") }
  }

  /// Removes a folder with its content, as far as possible; no other user may be able to write to the parent.
  package static func remove(_ name: String, in directory: CInt) {
    guard let descriptor = try? SystemCalls.duplicate(directory) else { return }
    OwnedDescriptor(descriptor).removeTree(name)
  }
}
