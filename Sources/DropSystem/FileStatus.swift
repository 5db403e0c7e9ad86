// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Glibc

/// What the system says of a file, as far as it is of use here.
package struct FileStatus: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case regular
    case directory
    case symbolicLink
    case pipe
    case socket
    case terminalOrDevice
  }

  package let kind: Kind
  /// The permission bits alone, with those that lend the rights of the owner and the group.
  package let permissions: UInt32
  /// Whether it is always ready to be read and written: a file, or memory in the guise of a device, such as `/dev/null`.
  package let neverWaits: Bool
  package let owner: UInt32
  package let group: UInt32
  package let size: Int64
  package let device: UInt64
  package let inode: UInt64
  /// How many names the file has.
  package let linkCount: UInt64
  /// When the content was changed last.
  package let modificationTime: FileTime?

  private static let memoryDevices: UInt64 = 1

  package init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFIFO: .pipe
      case S_IFSOCK: .socket
      default: .terminalOrDevice
      }
    // Linux numbers devices so (Documentation/admin-guide/devices.txt): 1 is memory.
    let major = (UInt64(status.st_rdev) >> 8) & 0xFFF
    neverWaits = kind == .regular || (status.st_mode & S_IFMT == S_IFCHR && major == Self.memoryDevices)
    permissions = UInt32(status.st_mode & 0o7777)
    owner = status.st_uid
    group = status.st_gid
    size = Int64(status.st_size)
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    linkCount = UInt64(status.st_nlink)
    modificationTime = FileTime(
      seconds: Int64(status.st_mtim.tv_sec), nanoseconds: UInt32(truncatingIfNeeded: status.st_mtim.tv_nsec))
  }

  /// The size of a file that states one: in `/proc` files of size 0 are full of text.
  package var statedSize: Int64? {
    kind == .regular && size > 0 ? size : nil
  }

  /// Whether both are the same file.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode && kind == other.kind
  }

  /// Whether it is the same file, and nobody has written to it.
  package func isUnchanged(since earlier: FileStatus) -> Bool {
    isSameFile(as: earlier) && size == earlier.size && modificationTime == earlier.modificationTime
  }
}

extension FileStatus.Kind: CustomStringConvertible {
  package var description: String {
    switch self {
    case .regular: "file"
    case .directory: "folder"
    case .symbolicLink: "symbolic link"
    case .pipe: "pipe"
    case .socket: "socket"
    case .terminalOrDevice: "device"
    }
  }
}

/// A time as a file system has it, which is finer than a `Date`.
package struct FileTime: Hashable, Sendable {
  /// Since 1970, without leap seconds.
  package let seconds: Int64
  /// Behind them; less than a second's.
  package let nanoseconds: UInt32

  /// - Returns: `nil` for nanoseconds that are a second or more.
  package init?(seconds: Int64, nanoseconds: UInt32) {
    guard nanoseconds < 1_000_000_000 else { return nil }
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// - Returns: `nil` for a time that no file has.
  package init?(_ date: Date) {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    guard let whole = Int64(exactly: seconds) else { return nil }
    let rest = (date.timeIntervalSince1970 - seconds) * 1e9
    self.init(seconds: whole, nanoseconds: UInt32(min(999_999_999, max(0, rest))))
  }

  package var date: Date { Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9) }
}
