// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import UniformTypes

/// Hands over a value as a file, for content that should not be in memory as a whole.
///
/// ```swift
/// FileRepresentation(contentType: .mpeg4Movie) { SentTransferredFile($0.file) } importing: { received in
///   let copy = URL.temporaryDirectory.appending(path: received.file.lastPathComponent)
///   try FileManager.default.moveItem(at: received.file, to: copy)
///   return Film(file: copy)
/// }
/// ```
public struct FileRepresentation<Item: Transferable>: TransferRepresentation {
  private let contentType: UTType
  private let shouldAttemptToOpenInPlace: Bool
  private let shouldAllowToOpenInPlace: Bool
  private let exporting: (@Sendable (Item) async throws -> SentTransferredFile)?
  private let importing: (@Sendable (ReceivedTransferredFile) async throws -> Item)?

  /// Hands over both ways.
  ///
  /// - Parameters:
  ///   - contentType: What the file is.
  ///   - shouldAttemptToOpenInPlace: Whether to import the source's own file where the source allows that.
  ///   - exporting: Makes or finds the file, only when it is asked for.
  ///   - importing: Reads the file, which is gone once the closure returns unless it is the original: move it away to
  ///     keep it.
  public init(
    contentType: UTType, shouldAttemptToOpenInPlace: Bool = false,
    exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile,
    importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
  ) {
    self.contentType = contentType
    self.shouldAttemptToOpenInPlace = shouldAttemptToOpenInPlace
    shouldAllowToOpenInPlace = false
    self.exporting = exporting
    self.importing = importing
  }

  /// Hands over to others only.
  ///
  /// - Parameters:
  ///   - exportedContentType: What the file is.
  ///   - shouldAllowToOpenInPlace: Whether a destination may use the file itself, whatever `exporting` says of it.
  ///   - exporting: Makes or finds the file, only when it is asked for.
  public init(
    exportedContentType: UTType, shouldAllowToOpenInPlace: Bool = false,
    exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile
  ) {
    contentType = exportedContentType
    shouldAttemptToOpenInPlace = false
    self.shouldAllowToOpenInPlace = shouldAllowToOpenInPlace
    importing = nil
    self.exporting = exporting
  }

  /// Takes from others only.
  ///
  /// - Parameters:
  ///   - importedContentType: What the file is.
  ///   - shouldAttemptToOpenInPlace: Whether to import the source's own file where the source allows that.
  ///   - importing: Reads the file, which is gone once the closure returns unless it is the original.
  public init(
    importedContentType: UTType, shouldAttemptToOpenInPlace: Bool = false,
    importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
  ) {
    contentType = importedContentType
    self.shouldAttemptToOpenInPlace = shouldAttemptToOpenInPlace
    shouldAllowToOpenInPlace = false
    exporting = nil
    self.importing = importing
  }
}

extension FileRepresentation {
  /// Adds what it stands for.
  public func append(to list: inout TransferRepresentationList<Item>) {
    if let exporting {
      var exporter = TransferRepresentationList<Item>.Exporter(contentType: contentType) { item, _ in
        .file(try await exporting(item))
      }
      exporter.opensInPlace = shouldAllowToOpenInPlace
      list.exporters.append(exporter)
    }
    if let importing {
      list.importers.append(
        .init(contentType: contentType, method: .file(inPlace: shouldAttemptToOpenInPlace, importing)))
    }
  }
}

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
  ///   - allowAccessingOriginalFile: Whether a destination that asks for it may use the file itself, and even write to
  ///     it; every other gets a copy.
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
