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

    /// The name.
    case name

    /// The content.
    case content

    /// Neither the name nor the content is known: the type is text or data, depending on whether the bytes are text.
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
  /// The name, and whether it is a directory; the file is not opened, and need not exist.
  case name

  /// The first bytes.
  case content

  /// The name, and the first bytes if the name leaves several types or none.
  case nameAndContent
}

/// The reason why the type of a file could not be determined.
public struct FileTypeError: Error, Sendable, Hashable {
  /// The path that the caller passed.
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
