// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

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
    guard size >= Self.shortest, position >= dataEnd, position < size else { return nil }
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
