// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// Why it could not be told what a file is.
public struct FileTypeError: Error, Sendable, Hashable {
  /// The path as it was given.
  public var path: String

  /// The system's error number (`errno`).
  public var errorNumber: Int32
}

extension FileTypeError: CustomStringConvertible {
  /// The path, its control characters escaped, and the system's own words.
  public var description: String {
    "\(path.escapedForDisplay()): \(String(cString: strerror(errorNumber)))"
  }
}
