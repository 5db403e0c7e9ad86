// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The holes of a sparse file, as a reader finds them from the start of the file to its end.
///
/// The file system reports where data and holes start (`SEEK_DATA` and `SEEK_HOLE`, lseek(2)).
package struct FileHoles: Sendable {
  /// What the file system is asked for, as lseek(2) numbers it on Linux.
  package enum Target: Int32, Sendable {
    case data = 3
    case hole = 4
  }

  /// A shorter hole costs as little to read as to skip.
  private static let shortest: UInt64 = 1 << 20

  private let size: UInt64
  /// The offset before which there is no hole worth skipping; 0 while that is unknown.
  package private(set) var dataEnd: UInt64 = 0

  /// - Parameter size: The size of the file in bytes; 0 for a file that states none and has no holes.
  package init(size: UInt64) {
    self.size = size
  }

  /// Returns how many bytes to skip at an offset.
  ///
  /// - Parameters:
  ///   - position: The offset, which must not be smaller than in the call before.
  ///   - seek: Returns the offset of the next data or hole, `nil` if there is none before the end of the file. It may
  ///     move the offset of the descriptor.
  /// - Returns: The length of the hole at `position`; 0 if there is data, or a hole that is not worth skipping; `nil` if
  ///   `seek` was not called.
  /// - Throws: What `seek` throws.
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
  /// Returns where the next data or hole is, `nil` if only a hole follows.
  package static func seek(
    _ descriptor: CInt, _ offset: UInt64, _ target: FileHoles.Target
  ) throws(SystemError) -> UInt64? {
    do throws(SystemError) {
      return UInt64(try seek(descriptor, Int64(offset), target.rawValue))
    } catch {
      switch error.errorNumber {
      case ENXIO: return nil
      // A file system that knows no holes: all is data.
      case EINVAL, EOPNOTSUPP: return target == .data ? offset : nil
      default: throw error
      }
    }
  }
}
