// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The common part of archive writers and readers: a folder's tree as a POSIX pax tar stream.
enum FolderArchive {
  /// The maximum number of bytes of a chunk.
  static let chunkSize = 256 << 10

  /// The prefix of the extended attributes that archives carry; other attributes belong to the system.
  static let attributePrefix = "user."

  /// The limits of an archive, checked before memory is allocated.
  ///
  /// Reading and writing have the same limits, so every archive written with the defaults can be read with them.
  struct Limits: Sendable, Hashable {
    /// The maximum number of entries, including the top folder and folders that only paths imply.
    var entries = 1_000_000
    /// The maximum size of all files together, in bytes, holes included.
    var contentBytes: Int64 = 64 << 30
    /// The maximum length of a name, in bytes.
    var nameBytes = 255
    /// The maximum length of a path from the top folder's name, and of a link, in bytes: the system's own limit.
    var pathBytes = 4096
    /// The maximum number of names in a path.
    var depth = 512
    /// The maximum size of the paths in memory, such as the paths of links, in bytes.
    ///
    /// Each path counts 64 bytes more than its length.
    var tableBytes = 64 << 20
    /// The maximum size of the pax records of an entry, in bytes.
    var recordBytes: Int64 = 1 << 20
    /// The maximum number of parts with data of a sparse file.
    var segments = 1 << 17

    /// Adds the size of a file to the size of all files.
    ///
    /// - Throws: `limitExceeded` if the sum exceeds ``contentBytes``.
    func add(_ size: Int64, to sum: inout Int64, for path: FolderEntryPath?) throws(FolderArchiveError) {
      let (new, overflows) = sum.addingReportingOverflow(size)
      guard !overflows, new <= contentBytes else {
        throw FolderArchiveError(.limitExceeded, "the files are larger than \(contentBytes) bytes", path: path)
      }
      sum = new
    }
  }

  static func tooManyEntries(_ path: FolderEntryPath) -> FolderArchiveError {
    FolderArchiveError(.limitExceeded, "there are too many files and folders", path: path)
  }

  static func tooManySegments(_ limits: Limits) -> FolderArchiveError {
    FolderArchiveError(.limitExceeded, "a sparse file has more than \(limits.segments) parts")
  }
}

/// A failure to archive a folder or to extract an archive.
package struct FolderArchiveError: Error, Sendable, Hashable {
  /// The kinds of failure.
  package enum Code: Hashable, Sendable {
    /// The archive is inconsistent or violates the format.
    case malformed
    /// The folder or the archive exceeds a limit.
    case limitExceeded
    /// A name is invalid or could mislead a user, or a link leads out of the folder.
    case unsafeName
    /// The folder or the archive contains a socket, a pipe or a device.
    case specialFile
    /// The archive uses an unsupported part of the format, such as a second volume.
    case unsupported
    /// A file or a folder changed while the archive was written, or was moved while it was extracted.
    case changedWhileRead
    /// The name of the new folder exists already.
    case alreadyExists
    /// A system call failed; ``FolderArchiveError/errorNumber`` is its error number.
    case system
  }

  /// The kind of failure.
  package let code: Code
  /// The problem; a part of ``description``.
  let reason: String
  /// The affected entry, starting with the top folder's name; not escaped.
  let path: FolderEntryPath?
  /// The offset of the problem in the archive.
  let byteOffset: Int64?
  /// The error number of the failed system call.
  package let errorNumber: CInt?

  init(
    _ code: Code, _ reason: String, path: FolderEntryPath? = nil, at byteOffset: Int64? = nil, errorNumber: CInt? = nil
  ) {
    self.code = code
    self.reason = reason
    self.path = path
    self.byteOffset = byteOffset
    self.errorNumber = errorNumber
  }

  /// Describes the failure of a system call on behalf of an entry.
  init(_ error: SystemError, for entry: FolderEntryPath?) {
    self.init(.system, "\(error.call) failed: \(error)", path: entry, errorNumber: error.errorNumber)
  }

  /// Makes system calls on behalf of an entry, and turns their failure into an error of this type.
  static func wrapping<Value: ~Copyable>(
    _ entry: FolderEntryPath?, _ calls: () throws(SystemError) -> Value
  ) throws(FolderArchiveError) -> Value {
    try mapError(calls()) { FolderArchiveError($0, for: entry) }
  }

  /// Returns the same failure with the location of the entry, unless it has one.
  func located(_ path: FolderEntryPath?, at byteOffset: Int64?) -> FolderArchiveError {
    FolderArchiveError(
      code, reason, path: self.path ?? path, at: self.byteOffset ?? byteOffset, errorNumber: errorNumber)
  }

  /// Returns the same failure of a system call with a more specific code and reason.
  func meaning(_ code: Code, _ reason: String) -> FolderArchiveError {
    FolderArchiveError(code, reason, path: path, at: byteOffset, errorNumber: errorNumber)
  }
}

extension FolderArchiveError: CustomStringConvertible {
  /// One line with the entry, the problem and the byte offset.
  package var description: String {
    let entry = path.map { "\($0): " } ?? ""
    let offset = byteOffset.map { " at byte \($0)" } ?? ""
    return entry + reason + offset
  }
}
