// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc

/// A file that is open for reading, together with its status.
///
/// Opening does not wait for the writer of a named pipe, and does not make a terminal the controlling terminal. The
/// path may therefore name any kind of file: check ``FileStatus/kind`` of the status before you read.
package struct ReadableFile: ~Copyable, Sendable {
  private let descriptor: OwnedDescriptor
  /// The status of the opened file, which is the target if the path names a link.
  package let status: FileStatus

  /// Opens the file at a path; follows links.
  ///
  /// - Throws: The error of `open` or `fstat`.
  package init(path: String) throws(SystemError) {
    let opened = try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    status = try SystemCalls.status(opened.raw)
    descriptor = opened
  }

  /// Reads the bytes after the bytes of the previous call; the first call reads from the start.
  ///
  /// - Parameter limit: The maximum number of bytes. Memory is reserved for all of them.
  /// - Returns: `limit` bytes, or fewer if the file ends before.
  /// - Throws: The error of `read`.
  package borrowing func read(upTo limit: Int) throws(SystemError) -> [UInt8] {
    let source = descriptor.raw
    // The initializer of Array would erase the type of the error.
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      do throws(SystemError) {
        while count < buffer.count {
          let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
          let length = try SystemCalls.read(source, room)
          if length == 0 { break }
          count += length
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

extension SystemCalls {
  /// Returns the status of the file at a path; follows links.
  package static func status(ofPath path: String) throws(SystemError) -> FileStatus {
    try statusAt(AT_FDCWD, path)
  }

  /// Returns the value of an extended attribute of the file at a path; follows links.
  ///
  /// - Parameters:
  ///   - name: The name of the attribute, with its namespace: `user.mime_type`.
  ///   - path: The path of the file.
  ///   - limit: The maximum length of the value in bytes.
  /// - Returns: The bytes of the value.
  /// - Throws: The error of `getxattr`: `ENODATA` without such an attribute, `ERANGE` for a value above the limit.
  package static func extendedAttribute(
    _ name: String, ofPath path: String, limit: Int
  ) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let value = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      do throws(SystemError) {
        count = try valueOrErrno("getxattr") { dragpipe_get_attribute(path, name, buffer.baseAddress, buffer.count) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return value
  }
}
