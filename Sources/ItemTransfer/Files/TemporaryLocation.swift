// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
package import FoundationEssentials
internal import Glibc

/// A directory for temporary files and directories, which only their owner can access.
///
/// The files and directories have random names.
///
/// Every call blocks.
package struct TemporaryLocation: Sendable {
  /// The path of the directory, without a slash at the end.
  package let path: String
  private let isStandard: Bool

  /// The directory for temporary files: `TMPDIR` of the environment, else the system's directory.
  package static var standard: TemporaryLocation {
    TemporaryLocation(path: FileManager.default.temporaryDirectory.path, isStandard: true)
  }

  /// A directory of the user, in which temporary files have hidden names.
  package init(hiddenIn directory: URL) {
    self.init(path: directory.path, isStandard: false)
  }

  private init(path: String, isStandard: Bool) {
    self.path = path
    self.isStandard = isStandard
  }

  /// Creates a file that only its owner can read and write.
  ///
  /// - Returns: The file, and a descriptor for writing, which the caller owns.
  package func makeFile() throws(FileError) -> (file: TransientFile, descriptor: CInt) {
    let path = "\(path)/\(freshName)"
    let descriptor = try wrapping { () throws(SystemError) in
      try SystemCalls.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    }
    return (TransientFile(path: path), descriptor)
  }

  /// Creates a directory that only its owner can use.
  ///
  /// The caller removes it.
  ///
  /// - Returns: The path of the new directory, without a slash at the end.
  package func makeDirectory() throws(FileError) -> String {
    let path = "\(path)/\(freshName)"
    try wrapping { () throws(SystemError) in try SystemCalls.makeDirectory(path, 0o700) }
    return path
  }

  /// Creates a directory in the open directory `parent`, even if the path of `parent` has changed since it was opened.
  ///
  /// - Returns: The name of the new directory in `parent`.
  package func makeDirectory(at parent: CInt) throws(FileError) -> String {
    let name = freshName
    try wrapping { () throws(SystemError) in try SystemCalls.makeDirectoryAt(parent, name, 0o700) }
    return name
  }

  /// Returns the error for the failure of a system call in this directory.
  package func error(_ error: SystemError) -> FileError {
    isStandard
      ? FileError(FileError.makingTemporaryFiles, path, error, advice: "see TMPDIR") : FileError("create", path, error)
  }

  /// A hidden name has an extension, which distinguishes it from the staging directories that receivers clean up.
  private var freshName: String { isStandard ? "dragpipe-\(RandomName.text())" : ".dragpipe-\(RandomName.text()).tmp" }

  private func wrapping<Value>(_ calls: () throws(SystemError) -> Value) throws(FileError) -> Value {
    do throws(SystemError) { return try calls() } catch { throw self.error(error) }
  }
}

/// A file that is removed with the last reference to it.
package final class TransientFile: Sendable {
  /// The path of the file.
  package let path: String

  fileprivate init(path: String) {
    self.path = path
  }

  deinit {
    try? SystemCalls.unlinkAt(AT_FDCWD, path)
  }
}
