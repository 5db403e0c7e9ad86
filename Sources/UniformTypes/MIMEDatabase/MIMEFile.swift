// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Reads small files whole, and says from their metadata whether they changed.
///
/// The files are copied, not mapped: whoever shortens a mapped file kills its reader.
enum MIMEFile {
  /// The most bytes of one file of the database that are read; the system's largest text file has 40 KB.
  static let maximumLength = 16 << 20

  /// Why a file that is there is not read.
  enum Refusal: Error, Hashable {
    case tooLong(limit: Int)
    case notRegular
    case unreadable(errorNumber: CInt)
  }

  /// What tells a file from its successor.
  struct Fingerprint: Sendable, Hashable {
    let device: UInt64
    let inode: UInt64
    let length: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  /// The contents of a regular file.
  ///
  /// - Parameters:
  ///   - path: Where the file is; links are followed.
  ///   - limit: The most bytes it may have.
  /// - Returns: `nil` where there is no such file.
  /// - Throws: The reason why a file is not read.
  static func contents(of path: String, limit: Int = maximumLength) throws(Refusal) -> [UInt8]? {
    // Non-blocking, so that a FIFO put in a file's place cannot hold the reader up.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .unreadable(errorNumber: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(errorNumber: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard status.st_size <= limit else { throw .tooLong(limit: limit) }
    return Array(unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      while count < buffer.count {
        let got = read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
        if got < 0, errno == EINTR { continue }
        guard got > 0 else { break }
        count += got
      }
    }
  }

  /// - Returns: Nothing when there is no file at `path`.
  static func fingerprint(of path: String) -> Fingerprint? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Fingerprint(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), length: Int64(status.st_size),
      seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }
}

extension MIMEFile.Refusal: CustomStringConvertible {
  var description: String {
    switch self {
    case .tooLong(let limit): "the file has more than \(limit) bytes"
    case .notRegular: "this is not a regular file"
    case .unreadable(let errorNumber): String(cString: strerror(errorNumber))
    }
  }
}
