// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A descriptor of a file or folder at work, with one owner, closed when the owner is done with it.
struct FolderDescriptor: ~Copyable, Sendable {
  let raw: CInt

  init(_ raw: CInt) {
    self.raw = raw
  }

  deinit {
    _ = Glibc.close(raw)
  }

  /// Closes now, so that an error which the system had kept for later is heard.
  consuming func close(path: FolderEntryPath?) throws(FolderArchiveError) {
    let descriptor = raw
    discard self
    try FolderCalls.close(descriptor, path: path)
  }

  /// Opens a folder that the user has named, through links where there are any.
  static func open(folder path: String) throws(FolderArchiveError) -> FolderDescriptor {
    FolderDescriptor(try FolderCalls.openAt(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, path: nil))
  }

  /// Opens an archive that the user has named, without waiting for whom a pipe would be connected to.
  static func open(archive path: String) throws(FolderArchiveError) -> FolderDescriptor {
    FolderDescriptor(try FolderCalls.openAt(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, path: nil))
  }

  /// Opens a folder in this one, never through a link.
  borrowing func folder(_ name: String, path: FolderEntryPath?) throws(FolderArchiveError) -> FolderDescriptor {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    return FolderDescriptor(try FolderCalls.openAt(raw, name, flags, path: path))
  }

  /// Opens a file in this folder, never through a link, and without waiting for whom a pipe would be connected to.
  borrowing func file(_ name: String, path: FolderEntryPath?) throws(FolderArchiveError) -> FolderDescriptor {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    return FolderDescriptor(try FolderCalls.openAt(raw, name, flags, path: path))
  }

  /// Makes a file in this folder, which must not be there; the umask applies.
  borrowing func newFile(
    _ name: String, permissions: UInt32, path: FolderEntryPath?
  ) throws(FolderArchiveError) -> FolderDescriptor {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
    return FolderDescriptor(try FolderCalls.openAt(raw, name, flags, permissions, path: path))
  }
}
