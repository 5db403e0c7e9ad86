// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// What writers and readers of folder archives have in common: a folder's tree as a stored (not compressed) zip.
enum FolderArchive {
  /// How much content is held at a time, and the longest stretch of work between two looks at a cancellation.
  static let chunkSize = 256 << 10

  /// What an archive may ask for; held against every number before memory is reserved for it.
  ///
  /// The same for both directions, so that whatever is written with the defaults can be read with them.
  struct Limits: Sendable, Hashable {
    /// Files and folders, the top one and those that only the paths of others name included.
    var entries = 65_536
    /// Bytes of all files together.
    var contentBytes: Int64 = 64 << 30
    /// Bytes of one name.
    var nameBytes = 255
    /// Names in a path.
    var depth = 64
    /// Bytes of a path, from the top folder's name on.
    var pathBytes = 4096
    /// Bytes of the central directory, and of all paths together.
    var directoryBytes: Int64 = 64 << 20
  }
}

/// Why a folder could not be made an archive, or an archive a folder.
package struct FolderArchiveError: Error, Sendable, Hashable {
  /// The kinds of failure.
  package enum Code: Hashable, Sendable {
    /// The archive contradicts itself or the format.
    case malformed
    /// There is more of something than the limits allow.
    case limitExceeded
    /// A name would reach outside the folder, or lie about itself on a terminal.
    case unsafeName
    /// There is a symbolic link, a socket, a pipe or a device, none of which is content.
    case specialFile
    /// The archive uses a part of the format that is not read here, such as compression.
    case unsupported
    /// A file is not what it was when the work began.
    case changedWhileRead
    /// Something with the new folder's name is there already.
    case alreadyExists
    /// The system refused; ``FolderArchiveError/errorNumber`` says why.
    case system
    /// The work was cancelled.
    case cancelled
  }

  package let code: Code
  /// What exactly is wrong; a part of ``description``.
  let reason: String
  /// The entry it is wrong with, from the top folder's name on; not escaped.
  let path: FolderEntryPath?
  /// Where in the archive.
  let byteOffset: Int64?
  /// The system's error number.
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

  static let cancelled = FolderArchiveError(.cancelled, "the work was cancelled")

  /// Describes the failure of a system call on behalf of an entry.
  init(_ error: SystemError, for entry: FolderEntryPath?) {
    self.init(.system, "\(error.call) failed: \(error)", path: entry, errorNumber: error.errorNumber)
  }

  /// Makes system calls on behalf of an entry, and turns their failure into an error of this type.
  static func wrapping<Value: ~Copyable>(
    _ entry: FolderEntryPath?, _ calls: () throws(SystemError) -> Value
  ) throws(FolderArchiveError) -> Value {
    do throws(SystemError) { return try calls() } catch { throw FolderArchiveError(error, for: entry) }
  }

  /// The same failure of the system, said as what it means where it has happened.
  func meaning(_ code: Code, _ reason: String) -> FolderArchiveError {
    FolderArchiveError(code, reason, path: path, at: byteOffset, errorNumber: errorNumber)
  }
}

extension FolderArchiveError: CustomStringConvertible {
  /// One line: which entry, what is wrong with it, and at which byte.
  package var description: String {
    let entry = path.map { "\($0): " } ?? ""
    let offset = byteOffset.map { " at byte \($0)" } ?? ""
    return entry + reason + offset
  }
}

/// Throws when `isCancelled` says so.
func checkCancellation(_ isCancelled: () -> Bool) throws(FolderArchiveError) {
  if isCancelled() { throw .cancelled }
}
