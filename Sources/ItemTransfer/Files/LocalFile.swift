// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc

/// What the system says when a file cannot be used.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  package let operation: String
  package let path: String
  /// What to look at.
  var advice: String?
  package let errorNumber: Int32

  /// The operation where no temporary file or directory can be made.
  package static let makingTemporaryFiles = "cannot make temporary files in"

  /// The operation, the path and the system's own words.
  package var description: String {
    "\(operation) \(path)\(advice.map { " (\($0))" } ?? ""): \(String(cString: strerror(errorNumber)))"
  }
}

/// A file was written to while it was read: a part of what was read may be old, and another new.
package struct FileChangedError: Error, Sendable, Hashable, CustomStringConvertible {
  package let path: String

  package var description: String { "\(path) changed while it was read" }
}

/// An open file, closed with the last reference; every call blocks.
final class LocalFile: Sendable {
  /// How much is read or written between two looks at whether to stop.
  static let chunkLength = 256 << 10

  private let descriptor: Int32
  let path: String

  /// Takes an open file over.
  init(_ descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    close(descriptor)
  }

  /// Opens a file or a folder; a pipe or a device, which has no end or none of its own bytes, is an error.
  static func open(_ path: String) throws(FileError) -> LocalFile {
    // A FIFO must not hold up the open, nor a terminal become ours.
    let descriptor = DescriptorReserve.admit(Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY))
    guard descriptor >= 0 else { throw FileError(operation: "open", path: path, errorNumber: errno) }
    let file = LocalFile(descriptor, path: path)
    if case .other = try file.kind() { throw FileError(operation: "open", path: path, errorNumber: EINVAL) }
    return file
  }

  /// Makes a file that was not there.
  static func create(_ path: String, permissions: UInt32 = 0o600) throws(FileError) -> LocalFile {
    let descriptor = DescriptorReserve.admit(
      Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, permissions))
    guard descriptor >= 0 else { throw FileError(operation: "create", path: path, errorNumber: errno) }
    return LocalFile(descriptor, path: path)
  }

  /// The way to the file for as long as this is open, whatever becomes of its name.
  var descriptorPath: String { "/proc/self/fd/\(descriptor)" }

  enum Kind {
    case file(byteCount: Int64, permissions: UInt32)
    case folder
    case other
  }

  func kind() throws(FileError) -> Kind {
    let status = try status()
    switch status.kind {
    case .regular: return .file(byteCount: status.size, permissions: status.permissions & 0o777)
    case .directory: return .folder
    default: return .other
    }
  }

  func status() throws(FileError) -> FileStatus {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure("stat") }
    return FileStatus(status)
  }

  /// Whether somebody has written to it; what states no size, as in `/proc`, has no content that could stay the same.
  func hasChanged(since before: FileStatus) throws(FileError) -> Bool {
    guard before.statedSize != nil else { return false }
    return try !status().isUnchanged(since: before)
  }

  /// Returns where the next data or hole is, and reads there from now on; `nil` if only a hole follows.
  func seek(_ offset: UInt64, _ target: FileHoles.Target) throws(FileError) -> UInt64? {
    let found = lseek(descriptor, off_t(offset), target.rawValue)
    if found >= 0 { return UInt64(found) }
    switch errno {
    case ENXIO: return nil
    // A file system that knows no holes: all is data.
    case EINVAL, EOPNOTSUPP: return target == .data ? offset : nil
    default: throw failure("read")
    }
  }

  /// Reads at an offset from now on.
  func seek(to offset: UInt64) throws(FileError) {
    if lseek(descriptor, off_t(offset), SEEK_SET) < 0 { throw failure("read") }
  }

  /// Reads what there is, up to `limit` bytes; nothing at the end.
  func read(upTo limit: Int = chunkLength) throws(FileError) -> Data {
    var failed = false
    var bytes = Data(count: limit)
    let count = bytes.withUnsafeMutableBytes { buffer in
      var count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      while count < 0, errno == EINTR { count = Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
      failed = count < 0
      return max(0, count)
    }
    if failed { throw failure("read") }
    return count == bytes.count ? bytes : bytes.prefix(count)
  }

  func write(_ data: Data) throws {
    try data.withUnsafeBytes { try write($0) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest)
      let count = Glibc.write(descriptor, piece.baseAddress, min(piece.count, Self.chunkLength))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("write") }
      rest = rest.dropFirst(count)
    }
  }

  private func failure(_ operation: String) -> FileError {
    FileError(operation: operation, path: path, errorNumber: errno)
  }
}
