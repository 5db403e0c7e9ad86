// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// Opens, lists and removes the entries of a folder tree by descriptor, never through a symbolic link in the tree.
extension OwnedDescriptor {
  /// Opens a folder by a path of the user, which may contain symbolic links.
  static func open(folder path: String) throws(FolderArchiveError) -> OwnedDescriptor {
    try open(path, in: AT_FDCWD, O_RDONLY | O_DIRECTORY, for: nil)
  }

  /// Opens an archive by a path of the user.
  ///
  /// The call does not wait for the other end of a pipe.
  static func open(archive path: String) throws(FolderArchiveError) -> OwnedDescriptor {
    try open(path, in: AT_FDCWD, O_RDONLY | O_NONBLOCK | O_NOCTTY, for: nil)
  }

  /// Opens a folder in a directory.
  static func open(
    folder name: String, in directory: CInt, for entry: FolderEntryPath? = nil
  ) throws(FolderArchiveError) -> OwnedDescriptor {
    try open(name, in: directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, for: entry)
  }

  /// Opens a folder in this one.
  borrowing func folder(_ name: String, for entry: FolderEntryPath?) throws(FolderArchiveError) -> OwnedDescriptor {
    try Self.open(folder: name, in: raw, for: entry)
  }

  /// Opens a file in this folder.
  ///
  /// The call does not wait for the other end of a pipe.
  borrowing func file(_ name: String, for entry: FolderEntryPath?) throws(FolderArchiveError) -> OwnedDescriptor {
    try Self.open(name, in: raw, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, for: entry)
  }

  /// Creates a file in this folder; fails with EEXIST if the name exists.
  ///
  /// The umask applies.
  borrowing func newFile(
    _ name: String, permissions: UInt32, for entry: FolderEntryPath?
  ) throws(FolderArchiveError) -> OwnedDescriptor {
    try Self.open(name, in: raw, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions, for: entry)
  }

  private static func open(
    _ name: String, in directory: CInt, _ flags: CInt, _ mode: UInt32 = 0, for entry: FolderEntryPath?
  ) throws(FolderArchiveError) -> OwnedDescriptor {
    try FolderArchiveError.wrapping(entry) { () throws(SystemError) in
      // C would end the name at its zero byte, and open another file.
      guard !name.utf8.contains(0) else { throw SystemError(ENOENT, in: "openat") }
      return try openAt(directory, name, flags, mode)
    }
  }

  /// Returns the status of an open entry.
  borrowing func status(for entry: FolderEntryPath?) throws(FolderArchiveError) -> FileStatus {
    let descriptor = raw
    return try FolderArchiveError.wrapping(entry) { () throws(SystemError) in try SystemCalls.status(descriptor) }
  }

  /// Returns the names in this folder that start with `prefix`, sorted by their bytes.
  borrowing func names(
    for entry: FolderEntryPath?, atMost limit: Int, startingWith prefix: [UInt8] = [], _ isCancelled: () -> Bool
  ) throws(FolderArchiveError) -> [[UInt8]] {
    let descriptor = raw
    var reader = try FolderArchiveError.wrapping(entry) { () throws(SystemError) in try DirectoryReader(descriptor) }
    var names: [[UInt8]] = []
    while true {
      try checkCancellation(isCancelled)
      let next: [UInt8]?
      do throws(SystemError) { next = try reader.next() } catch { throw FolderArchiveError(error, for: entry) }
      guard let name = next else { break }
      guard name.starts(with: prefix) else { continue }
      guard names.count < limit else {
        throw FolderArchiveError(.limitExceeded, "there are too many files and folders", path: entry)
      }
      names.append(name)
    }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Removes a folder with its content as far as possible.
  ///
  /// Errors are ignored: the caller has an error to report.
  borrowing func removeTree(_ name: String) {
    // An extracted folder may deny its owner access.
    try? SystemCalls.changeModeAt(raw, name, 0o700, AT_SYMLINK_NOFOLLOW)
    if let inside = try? folder(name, for: nil), let names = try? inside.names(for: nil, atMost: .max, { false }) {
      for name in names {
        let name = String(decoding: name, as: UTF8.self)
        do throws(SystemError) {
          try SystemCalls.unlinkAt(inside.raw, name)
        } catch {
          if error.errorNumber == EISDIR || error.errorNumber == EPERM { inside.removeTree(name) }
        }
      }
    }
    try? SystemCalls.unlinkAt(raw, name, AT_REMOVEDIR)
  }
}
