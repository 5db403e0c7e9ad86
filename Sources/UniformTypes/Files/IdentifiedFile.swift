// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a file was found to be, and by what.
public struct IdentifiedFile: Sendable, Hashable {
  /// What the finding rests on.
  public enum Basis: String, Sendable, Hashable, Codable {
    /// The kind of the item in the file system: a directory, a named pipe, a device.
    case kind

    /// The extended attribute `user.mime_type`, by which somebody said so.
    case attribute

    /// The name.
    case name

    /// The content.
    case content

    /// Neither the name nor the content is known: text or data, by whether it reads as text.
    case guess
  }

  /// Its uniform type.
  public var type: UTType

  /// Its MIME type (RFC 2045), without parameters.
  public var mimeType: String

  /// What the finding rests on.
  public var basis: Basis
}

/// What to look at in order to tell what a file is.
public enum FileEvidence: Sendable, Hashable, CaseIterable {
  /// The name, and whether it is a directory; the file is not opened, and need not exist.
  case name

  /// The first bytes.
  case content

  /// The name, and where that leaves several answers or none, the first bytes.
  case nameAndContent
}
