// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A file that a source hands over.
public struct SentTransferredFile: Sendable {
  /// Where the file is.
  public let file: URL

  /// Hands over a file, which stays where it is; the destination gets a copy.
  public init(_ file: URL) {
    self.file = file
  }
}

/// A file that a destination is handed.
public struct ReceivedTransferredFile: Sendable {
  /// Where the file is, for as long as the importing closure runs.
  public let file: URL
  /// Whether it is the source's own file and not a copy.
  public let isOriginalFile: Bool
}
