// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import FoundationEssentials
internal import Glibc

/// Where temporary files and directories are made: for their owner alone, and under names that nobody can guess.
///
/// Everything here blocks.
package struct TemporaryPlace: Sendable {
  /// The directory, with no slash at the end.
  package let path: String
  private let isUsual: Bool

  /// The directory that the system, or the user by the variable `TMPDIR`, has for this.
  package static var usual: TemporaryPlace {
    TemporaryPlace(path: FileManager.default.temporaryDirectory.path, isUsual: true)
  }

  /// A directory of somebody's, who should not see what is made.
  package init(hiddenIn directory: URL) {
    self.init(path: directory.path, isUsual: false)
  }

  private init(path: String, isUsual: Bool) {
    self.path = path
    self.isUsual = isUsual
  }

  /// Makes a file.
  ///
  /// - Returns: The file, and a descriptor to write to it, which is the caller's to close.
  package func makeFile() throws(FileError) -> (file: TransientFile, descriptor: CInt) {
    let path = "\(path)/\(freshName)"
    let descriptor = try valueOrError {
      DescriptorReserve.admit(open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600))
    }
    return (TransientFile(path: path), descriptor)
  }

  /// Makes a directory, which is the caller's to remove.
  ///
  /// - Returns: Where it is, with no slash at the end.
  package func makeDirectory() throws(FileError) -> String {
    let path = "\(path)/\(freshName)"
    _ = try valueOrError { mkdir(path, 0o700) }
    return path
  }

  /// Makes a directory in this place as `parent` is open on it, whatever has become of its path.
  ///
  /// - Returns: What it is called there.
  package func makeDirectory(at parent: CInt) throws(FileError) -> String {
    let name = freshName
    _ = try valueOrError { mkdirat(parent, name, 0o700) }
    return name
  }

  /// What is wrong with the place where the system says `errorNumber` of it.
  package func error(_ errorNumber: CInt) -> FileError {
    isUsual
      ? FileError(operation: FileError.makingTemporaryFiles, path: path, advice: "see TMPDIR", errorNumber: errorNumber)
      : FileError(operation: "create", path: path, errorNumber: errorNumber)
  }

  private var freshName: String { (isUsual ? "" : ".") + "dragpipe-\(UUID().uuidString)" }

  private func valueOrError(_ call: () -> CInt) throws(FileError) -> CInt {
    while true {
      let value = call()
      if value != -1 { return value }
      let code = errno
      if code != EINTR { throw error(code) }
    }
  }
}

/// A file that is removed when nobody refers to it any more.
package final class TransientFile: Sendable {
  package let path: String

  fileprivate init(path: String) {
    self.path = path
  }

  deinit {
    unlink(path)
  }
}
