// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import Glibc

/// A failed operation on a file: the operation, the path and the failure of the system call.
package struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The operation, such as `open`.
  package let operation: String
  /// The path of the file or directory.
  package let path: String
  /// Advice for the user, such as a setting to check, if any.
  private let advice: String?
  private let systemError: SystemError

  /// Creates the error of an operation from the failure of its system call.
  init(_ operation: String, _ path: String, _ error: SystemError, advice: String? = nil) {
    self.operation = operation
    self.path = path
    self.advice = advice
    systemError = error
  }

  /// The operation in errors about the directory for temporary files.
  package static let makingTemporaryFiles = "cannot create temporary files in"

  /// The error number of the system call.
  package var errorNumber: CInt { systemError.errorNumber }

  /// The operation, the path and the system's text for the error number.
  package var description: String {
    "\(operation) \(path)\(advice.map { " (\($0))" } ?? ""): \(systemError)"
  }

  /// Makes system calls for an operation, and converts their failure to this type.
  static func wrapping<Value: ~Copyable>(
    _ operation: String, _ path: String, _ calls: () throws(SystemError) -> Value
  ) throws(FileError) -> Value {
    try mapError(calls()) { FileError(operation, path, $0) }
  }
}

/// The error for a file that was modified while it was read, so that its parts may not belong together.
struct FileChangedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The path of the file.
  let path: String

  /// The error in one sentence, with the path.
  var description: String { "\(path) changed while it was read" }
}

/// An open file, which is closed when the last reference is released.
///
/// Every call blocks.
final class LocalFile: Sendable {
  /// The maximum number of bytes that are read between two checks for cancellation.
  static let chunkLength = 256 << 10

  private let descriptor: OwnedDescriptor
  let path: String

  /// Takes ownership of an open file.
  init(_ descriptor: consuming OwnedDescriptor, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  /// Opens a file or a folder.
  ///
  /// - Throws: `FileError`; its error number is EINVAL for a pipe or a device, which may have no end.
  static func open(_ path: String) throws(FileError) -> LocalFile {
    let opened = try FileError.wrapping("open", path) { () throws(SystemError) in
      // A FIFO must not block the call, and a terminal must not become the controlling terminal.
      try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    }
    let file = LocalFile(opened, path: path)
    if case .other = try file.kind() { throw FileError("open", path, SystemError(EINVAL, in: "open")) }
    return file
  }

  /// Creates a file; fails with EEXIST if the path exists.
  static func create(_ path: String, permissions: UInt32 = 0o600) throws(FileError) -> LocalFile {
    let created = try FileError.wrapping("create", path) { () throws(SystemError) in
      try OwnedDescriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions)
    }
    return LocalFile(created, path: path)
  }

  /// A path that opens the file in this process while this object lives, even if the file is renamed or removed.
  var descriptorPath: String { "/proc/self/fd/\(descriptor.raw)" }

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
    try wrapping("stat") { (descriptor) throws(SystemError) in try SystemCalls.status(descriptor) }
  }

  /// Returns whether the file was modified since its status was `before`.
  ///
  /// A file that states no size, as in `/proc`, is never treated as modified.
  func hasChanged(since before: FileStatus) throws(FileError) -> Bool {
    guard before.statedSize != nil else { return false }
    return try !status().isUnchanged(since: before)
  }

  /// Moves the file offset to the next data or hole at or after `offset`.
  ///
  /// - Returns: The new offset; `nil` if only a hole follows.
  func seek(_ offset: UInt64, _ target: FileHoles.Target) throws(FileError) -> UInt64? {
    try wrapping("read") { (descriptor) throws(SystemError) in try SystemCalls.seek(descriptor, offset, target) }
  }

  /// Moves the file offset.
  func seek(to offset: UInt64) throws(FileError) {
    _ = try wrapping("read") { (descriptor) throws(SystemError) in
      try SystemCalls.seek(descriptor, Int64(offset), SEEK_SET)
    }
  }

  /// Reads up to `limit` bytes; empty at the end of the file.
  func read(upTo limit: Int = chunkLength) throws(FileError) -> Data {
    var bytes = Data(count: limit)
    // `withUnsafeMutableBytes` would erase the type of the error, so the closure returns a `Result`.
    let result = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(FileError) in
        try wrapping("read") { (descriptor) throws(SystemError) in try SystemCalls.read(descriptor, buffer) }
      }
    }
    let count = try result.get()
    return count == bytes.count ? bytes : bytes.prefix(count)
  }

  func write(_ data: Data) throws {
    try data.withUnsafeBytes { try write($0) }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FileError) {
    try wrapping("write") { (descriptor) throws(SystemError) in try SystemCalls.writeAll(descriptor, bytes) }
  }

  private func wrapping<Value>(
    _ operation: String, _ calls: (CInt) throws(SystemError) -> Value
  ) throws(FileError) -> Value {
    try mapError(calls(descriptor.raw)) { FileError(operation, path, $0) }
  }
}
