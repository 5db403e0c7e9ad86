// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Glibc

/// The status of a file as stat(2) reports it.
package struct FileStatus: Sendable, Hashable {
  /// A kind of file.
  package enum Kind: Sendable, Hashable {
    case regular
    case directory
    case symbolicLink
    case pipe
    case socket
    case characterDevice
    case blockDevice

    /// Creates the kind of the file type bits of a mode (`S_IFMT`).
    init(format: mode_t) {
      self =
        switch format {
        case S_IFREG: .regular
        case S_IFDIR: .directory
        case S_IFLNK: .symbolicLink
        case S_IFIFO: .pipe
        case S_IFSOCK: .socket
        case S_IFBLK: .blockDevice
        default: .characterDevice
        }
    }
  }

  /// The kind of the file.
  package let kind: Kind
  /// The permission bits, including set-user-ID, set-group-ID and the sticky bit.
  package let permissions: UInt32
  /// Whether reads and writes never wait for a peer: a regular file, or a memory device such as `/dev/null`.
  package let neverWaits: Bool
  /// The user number of the owner.
  package let owner: UInt32
  /// The group number of the file.
  package let group: UInt32
  /// The size in bytes.
  package let size: Int64
  /// The number of bytes on the disk; usually less than ``size`` for a file with holes.
  package let allocatedSize: Int64
  /// The number of the device that has the file system.
  package let device: UInt64
  /// The number of the file in its file system.
  package let inode: UInt64
  /// The number of names (hard links) of the file.
  package let linkCount: UInt64
  /// The time of the last change of the content; `nil` if the reported time is invalid.
  package let modificationTime: FileTime?
  /// The time of the last change of the content or of the status, such as the number of names.
  ///
  /// No program can set this time. `nil` if the reported time is invalid.
  package let changeTime: FileTime?

  private static let memoryDevices: UInt64 = 1

  /// Creates a status from the result of stat(2).
  package init(_ status: stat) {
    kind = Kind(format: status.st_mode & S_IFMT)
    // On Linux, memory devices have the major number 1 (Documentation/admin-guide/devices.txt).
    let major = (UInt64(status.st_rdev) >> 8) & 0xFFF
    neverWaits = kind == .regular || (kind == .characterDevice && major == Self.memoryDevices)
    permissions = UInt32(status.st_mode & 0o7777)
    owner = status.st_uid
    group = status.st_gid
    size = Int64(status.st_size)
    allocatedSize = Int64(status.st_blocks) * 512
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    linkCount = UInt64(status.st_nlink)
    modificationTime = FileTime(status.st_mtim)
    changeTime = FileTime(status.st_ctim)
  }

  /// The size of a regular file; `nil` for other kinds, and for size 0, because files in `/proc` have content and
  /// report no size.
  package var statedSize: Int64? {
    kind == .regular && size > 0 ? size : nil
  }

  /// Whether both statuses are of the same file.
  package func isSameFile(as other: FileStatus) -> Bool {
    device == other.device && inode == other.inode && kind == other.kind
  }

  /// Whether this is the same file with the same size and modification time.
  package func isUnchanged(since earlier: FileStatus) -> Bool {
    isSameFile(as: earlier) && size == earlier.size && modificationTime == earlier.modificationTime
  }
}

extension FileStatus.Kind: CustomStringConvertible {
  /// The kind in words.
  package var description: String {
    switch self {
    case .regular: "file"
    case .directory: "folder"
    case .symbolicLink: "symbolic link"
    case .pipe: "pipe"
    case .socket: "socket"
    case .characterDevice, .blockDevice: "device"
    }
  }
}

/// A time with the resolution of a file system, which is finer than the resolution of `Date`.
package struct FileTime: Hashable, Sendable {
  /// Seconds since 1970-01-01 00:00:00 UTC, without leap seconds.
  package let seconds: Int64
  /// The fraction of the second, 0 to 999,999,999.
  package let nanoseconds: UInt32

  /// Creates a time; `nil` if `nanoseconds` is a second or more.
  package init?(seconds: Int64, nanoseconds: UInt32) {
    guard nanoseconds < 1_000_000_000 else { return nil }
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Creates a time as a system call reports it; `nil` if it is invalid.
  init?(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: UInt32(truncatingIfNeeded: time.tv_nsec))
  }

  /// Creates the time of a date; `nil` if the date is out of range.
  package init?(_ date: Date) {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    guard let whole = Int64(exactly: seconds) else { return nil }
    let rest = (date.timeIntervalSince1970 - seconds) * 1e9
    self.init(seconds: whole, nanoseconds: UInt32(min(999_999_999, max(0, rest))))
  }

  /// This time as a `Date`, with its lower resolution.
  package var date: Date { Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9) }
}

/// The holes of a sparse file, found in one pass from its start to its end.
///
/// The file system reports the offsets of data and holes (`SEEK_DATA` and `SEEK_HOLE`, lseek(2)).
package struct FileHoles: Sendable {
  /// A `whence` argument of lseek(2), with its number on Linux.
  package enum Target: Int32, Sendable {
    case data = 3
    case hole = 4
  }

  /// The shortest hole that is skipped, in bytes.
  ///
  /// Reading a shorter hole takes about as long as skipping it.
  package static let shortest: UInt64 = 1 << 20

  private let size: UInt64
  /// The end of the data that the last search found; 0 before the first search.
  ///
  /// Holes inside this data are too short to be skipped.
  package private(set) var dataEnd: UInt64 = 0

  /// Starts at the beginning of a file.
  ///
  /// - Parameter size: The size of the file in bytes; 0 for a file that reports no size and has no holes.
  package init(size: UInt64) {
    self.size = size
  }

  /// Whether the file is long enough for a hole that is skipped.
  package var canBeFound: Bool { size >= Self.shortest }

  /// Returns the maximum number of bytes that a read at an offset may have, so that the next hole is skipped.
  package func dataLength(at position: UInt64) -> UInt64 {
    dataEnd > position ? dataEnd - position : .max
  }

  /// Returns how many bytes to skip at an offset.
  ///
  /// - Parameters:
  ///   - position: The offset, which must not be smaller than in the call before.
  ///   - seek: Returns the offset of the next data or hole, `nil` if there is none before the end of the file. It may
  ///     move the offset of the descriptor.
  /// - Returns: The number of bytes from `position` to the end of the hole there. It is 0 for data and for a hole that
  ///   is not worth skipping, and `nil` if `seek` was not called.
  /// - Throws: Rethrows the errors of `seek`.
  package mutating func length<Failure>(
    at position: UInt64, seek: (UInt64, Target) throws(Failure) -> UInt64?
  ) throws(Failure) -> UInt64? {
    guard canBeFound, position >= dataEnd, position < size else { return nil }
    let data = min(size, try seek(position, .data) ?? size)
    let isSkipped = data - position >= Self.shortest
    let start = isSkipped ? data : position
    // Short holes are read with the data around them, so that chunks are long.
    var next = data
    repeat {
      dataEnd = min(size, try seek(next, .hole) ?? size)
      next = min(size, try seek(dataEnd, .data) ?? size)
    } while dataEnd < size && next - dataEnd < Self.shortest && dataEnd - start < Self.shortest
    return isSkipped ? data - position : 0
  }
}

extension SystemCalls {
  /// Moves the file offset to the next data or hole at or after `offset`.
  ///
  /// - Returns: The new offset; `nil` if there is none, because only a hole follows or `offset` is not before the end.
  ///   If the file system does not report holes, `offset` for data and `nil` for a hole.
  package static func seek(
    _ descriptor: CInt, _ offset: UInt64, _ target: FileHoles.Target
  ) throws(SystemError) -> UInt64? {
    do throws(SystemError) {
      return UInt64(try seek(descriptor, Int64(offset), target.rawValue))
    } catch {
      switch error.errorNumber {
      case ENXIO: return nil
      // On a file system without holes, the complete file is data.
      case EINVAL, EOPNOTSUPP: return target == .data ? offset : nil
      default: throw error
      }
    }
  }
}
