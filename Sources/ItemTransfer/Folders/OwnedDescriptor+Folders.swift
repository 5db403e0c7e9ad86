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

  /// Opens a folder in a directory.
  static func open(
    folder name: String, in directory: CInt, for entry: FolderEntryPath? = nil
  ) throws(FolderArchiveError) -> OwnedDescriptor {
    try open(name, in: directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, for: entry)
  }

  /// Opens a folder by its path below this folder, never through a symbolic link.
  ///
  /// An empty path opens this folder again.
  borrowing func folder(
    beneath path: ArraySlice<UInt8>, for entry: FolderEntryPath?
  ) throws(FolderArchiveError) -> OwnedDescriptor {
    let (directory, name) = (raw, path.isEmpty ? "." : String(decoding: path, as: UTF8.self))
    do throws(SystemError) {
      return OwnedDescriptor(try SystemCalls.openBeneath(directory, name, O_RDONLY | O_DIRECTORY))
    } catch {
      // Old kernels lack the call, and a sandbox may deny it.
      guard error.errorNumber == ENOSYS || error.errorNumber == EPERM else {
        throw FolderArchiveError(error, for: entry)
      }
    }
    var opened = try Self.open(folder: ".", in: directory, for: entry)
    for name in path.split(separator: FolderEntryPath.separator) {
      opened = try Self.open(folder: String(decoding: name, as: UTF8.self), in: opened.raw, for: entry)
    }
    return opened
  }

  /// Opens a file in a directory.
  ///
  /// The call does not wait for the other end of a pipe.
  static func open(
    file name: String, in directory: CInt, for entry: FolderEntryPath
  ) throws(FolderArchiveError) -> OwnedDescriptor {
    try open(name, in: directory, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, for: entry)
  }

  private static func open(
    _ name: String, in directory: CInt, _ flags: CInt, for entry: FolderEntryPath?
  ) throws(FolderArchiveError) -> OwnedDescriptor {
    try FolderArchiveError.wrapping(entry) { () throws(SystemError) in
      // C would end the name at its zero byte, and open another file.
      guard !name.utf8.contains(0) else { throw SystemError(ENOENT, in: "openat") }
      return try openAt(directory, name, flags)
    }
  }

  /// Returns the status of an open entry.
  borrowing func status(for entry: FolderEntryPath?) throws(FolderArchiveError) -> FileStatus {
    let descriptor = raw
    return try FolderArchiveError.wrapping(entry) { () throws(SystemError) in try SystemCalls.status(descriptor) }
  }

  /// Returns the names in this folder, sorted by their bytes.
  borrowing func names() throws(SystemError) -> [[UInt8]] {
    var reader = try DirectoryReader(raw)
    var names: [[UInt8]] = []
    while let name = try reader.next() { names.append(name) }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Removes a folder with its content as far as possible.
  ///
  /// Errors are ignored: the caller has an error to report. One folder is open at a time, regardless of the depth.
  borrowing func removeTree(_ name: String) {
    // An extracted folder may deny its owner access.
    func open(_ path: [[UInt8]]) -> OwnedDescriptor? {
      try? folder(beneath: Array(path.joined(separator: [FolderEntryPath.separator]))[...], for: nil)
    }
    var path = [Array(name.utf8)]
    var rest: [[[UInt8]]] = []
    try? SystemCalls.changeModeAt(raw, name, 0o700, AT_SYMLINK_NOFOLLOW)
    while !path.isEmpty {
      if rest.count < path.count {
        // The names that cannot be unlinked are folders.
        var folders: [[UInt8]] = []
        if let inside = open(path), let names = try? inside.names() {
          for bytes in names {
            let name = String(decoding: bytes, as: UTF8.self)
            do throws(SystemError) { try SystemCalls.unlinkAt(inside.raw, name) } catch {
              guard error.errorNumber == EISDIR || error.errorNumber == EPERM else { continue }
              try? SystemCalls.changeModeAt(inside.raw, name, 0o700, AT_SYMLINK_NOFOLLOW)
              folders.append(bytes)
            }
          }
        }
        rest.append(folders)
      }
      if let next = rest[path.count - 1].popLast() {
        path.append(next)
        continue
      }
      rest.removeLast()
      let last = String(decoding: path.removeLast(), as: UTF8.self)
      if let parent = open(path) { try? SystemCalls.unlinkAt(parent.raw, last, AT_REMOVEDIR) }
    }
  }
}
