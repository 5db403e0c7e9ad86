// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What the system says of a file, as far as an archive needs it.
struct FolderFileStatus: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case regular
    case directory
    case symbolicLink
    case pipe
    case socket
    case device
  }

  let kind: Kind
  /// Those of owner, group and others; not the bits that lend somebody's rights.
  let permissions: UInt32
  let size: Int64
  let device: UInt64
  let inode: UInt64
  /// Seconds since 1970 began.
  let modified: Int64
  let modifiedNanoseconds: Int64

  init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      default: .device
      }
    permissions = UInt32(status.st_mode & 0o777)
    size = Int64(status.st_size)
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    modified = Int64(status.st_mtim.tv_sec)
    modifiedNanoseconds = Int64(status.st_mtim.tv_nsec)
  }

  func isSameFile(as other: FolderFileStatus) -> Bool {
    device == other.device && inode == other.inode && kind == other.kind
  }

  /// Whether it is the same file, and nobody has written to it.
  func isUnchanged(since earlier: FolderFileStatus) -> Bool {
    isSameFile(as: earlier) && size == earlier.size && modified == earlier.modified
      && modifiedNanoseconds == earlier.modifiedNanoseconds
  }
}

extension FolderFileStatus.Kind: CustomStringConvertible {
  var description: String {
    switch self {
    case .regular: "file"
    case .directory: "folder"
    case .symbolicLink: "symbolic link"
    case .pipe: "pipe"
    case .socket: "socket"
    case .device: "device"
    }
  }
}
