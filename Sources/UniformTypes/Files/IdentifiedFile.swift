// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The type of a file, and the evidence it is based on.
public struct IdentifiedFile: Sendable, Hashable {
  /// The evidence for a type.
  public enum Basis: String, Sendable, Hashable, Codable {
    /// The kind of the item in the file system: a directory, a named pipe, a device.
    case kind

    /// The extended attribute `user.mime_type` of the file.
    case attribute

    /// The name of the file. The content, if it was consulted, does not refute the name.
    case name

    /// The first bytes of the file, alone or because they selected one of several types that claim the name.
    case content

    /// Weak evidence, such as an undeclared extension, or only whether the bytes are text.
    case guess
  }

  /// The uniform type of the file.
  public var type: UTType

  /// The MIME type of the file (RFC 2045), without parameters.
  public var mimeType: String

  /// The evidence for the type.
  public var basis: Basis
}

/// The evidence to consult for the type of a file.
public enum FileEvidence: Sendable, Hashable, CaseIterable {
  /// The name, and the kind of the item, such as a directory. The file is not opened, and need not exist.
  case name

  /// The kind of the item, and its first bytes if it is a regular file.
  case content

  /// The kind of the item, its extended attribute `user.mime_type`, its name, and its first bytes, which may refute the
  /// name.
  case nameAndContent
}

/// The reason why the type of a file could not be determined.
public struct FileTypeError: Error, Sendable, Hashable {
  /// The path that the caller passed, or the URL if it is not a file URL.
  public var path: String

  /// The system's error number (`errno`).
  public var errorNumber: Int32
}

extension FileTypeError: CustomStringConvertible {
  /// The path with its control characters escaped, and the system's text for the error number.
  public var description: String {
    "\(path.escapedForDisplay()): \(String(cString: strerror(errorNumber)))"
  }
}
