// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A file that a source hands over.
public struct SentTransferredFile: Sendable {
  /// Where the file is.
  public let file: URL
  /// Whether a destination may use the file itself in place of a copy.
  public let allowAccessingOriginalFile: Bool
  /// What the file is to be had through, if it is not simply there.
  package let owner: (any AnyObject & Sendable)?
  /// Whether it was found to be a file that this program may read.
  package let isKnownReadable: Bool

  /// Hands over a file, which stays where it is, or a folder with everything in it.
  ///
  /// - Parameters:
  ///   - file: A file URL.
  ///   - allowAccessingOriginalFile: Whether a destination that asks for it may use the file itself, even write to it, or
  ///     keep it in a move; every other gets a copy.
  public init(_ file: URL, allowAccessingOriginalFile: Bool = false) {
    self.init(file, allowAccessingOriginalFile: allowAccessingOriginalFile, keepingAlive: nil)
  }

  package init(
    _ file: URL, allowAccessingOriginalFile: Bool, keepingAlive owner: (any AnyObject & Sendable)?,
    isKnownReadable: Bool = false
  ) {
    self.file = file
    self.allowAccessingOriginalFile = allowAccessingOriginalFile
    self.owner = owner
    self.isKnownReadable = isKnownReadable
  }
}

/// A file that a destination is handed.
public struct ReceivedTransferredFile: Sendable {
  /// Where the file is, for as long as the importing closure runs.
  public let file: URL
  /// Whether it is the source's own file and not a copy.
  public let isOriginalFile: Bool
}
