// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import UniformTypes

/// A representation of a value as a file, for content that should not be complete in memory.
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

  /// Creates a representation for export and import.
  ///
  /// - Parameters:
  ///   - contentType: The type of the file.
  ///   - shouldAttemptToOpenInPlace: Whether to import the source's own file if the source allows it.
  ///   - exporting: Creates or finds the file on demand.
  ///   - importing: Reads the file. A copy is removed when the closure returns: move it to keep it.
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

  /// Creates a representation for export only.
  ///
  /// - Parameters:
  ///   - exportedContentType: The type of the file.
  ///   - shouldAllowToOpenInPlace: Whether a destination may use the file itself, even if the result of `exporting`
  ///     does not allow it.
  ///   - exporting: Creates or finds the file on demand.
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

  /// Creates a representation for import only.
  ///
  /// - Parameters:
  ///   - importedContentType: The type of the file.
  ///   - shouldAttemptToOpenInPlace: Whether to import the source's own file if the source allows it.
  ///   - importing: Reads the file. A copy is removed when the closure returns.
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
  /// Appends the representation to the list.
  public func append(to list: inout TransferRepresentationList<Item>) {
    if let exporting {
      var exporter = TransferRepresentationList<Item>.Exporter(
        contentType: contentType, method: .content { item, _ in .file(try await exporting(item)) })
      exporter.opensInPlace = shouldAllowToOpenInPlace
      exporter.form = .file
      list.exporters.append(exporter)
    }
    if let importing {
      list.importers.append(
        .init(contentType: contentType, method: .file(inPlace: shouldAttemptToOpenInPlace, importing)))
    }
  }
}

/// A file or a folder that a source offers.
public struct SentTransferredFile: Sendable {
  // Every load of any content has room for this structure, so the order of the properties avoids gaps.

  /// The URL of the file.
  public let file: URL
  /// An object that keeps the file accessible, if one is needed.
  package let owner: (any AnyObject & Sendable)?
  /// `nil` for the default choices.
  private var sharedFolderOptions: SharedFolderOptions?
  /// Whether a destination may use the file itself in place of a copy.
  public let allowAccessingOriginalFile: Bool
  /// Whether the source has named the file.
  ///
  /// Otherwise the URL has only a technical name.
  private var hasOwnName = false
  /// Whether the source's name of the file replaces the suggested name of the item.
  private var prefersOwnName = false

  /// The choices for the archive of a folder.
  package var folderOptions: FolderArchiveOptions {
    get { sharedFolderOptions?.options ?? FolderArchiveOptions() }
    set { sharedFolderOptions = SharedFolderOptions(newValue) }
  }

  /// Creates a reference to a file or to a folder with its content; neither is moved.
  ///
  /// - Parameters:
  ///   - file: A file URL.
  ///   - allowAccessingOriginalFile: Whether a destination may use the file itself on request. It may write to the
  ///     file, or keep it in a move. Other destinations get a copy.
  public init(_ file: URL, allowAccessingOriginalFile: Bool = false) {
    self.init(file, allowAccessingOriginalFile: allowAccessingOriginalFile, keepingAlive: nil)
    hasOwnName = true
  }

  /// Creates a reference to a file whose own name replaces the suggested name of the item.
  package init(named file: URL, allowAccessingOriginalFile: Bool) {
    self.init(file, allowAccessingOriginalFile: allowAccessingOriginalFile)
    prefersOwnName = true
  }

  /// Returns a reference to the same file by the descriptor of the open file `owner`.
  func opened(_ owner: LocalFile) -> SentTransferredFile {
    var copy = SentTransferredFile(
      URL(filePath: owner.descriptorPath, directoryHint: .notDirectory), allowAccessingOriginalFile: false,
      keepingAlive: owner)
    (copy.hasOwnName, copy.prefersOwnName) = (hasOwnName, prefersOwnName)
    return copy
  }

  /// The source's name of the file; `nil` for a technical name.
  private var ownName: String? {
    guard hasOwnName else { return nil }
    return (owner as? LocalFile).map { URL(filePath: $0.path).lastPathComponent } ?? file.lastPathComponent
  }

  /// Returns the name for a copy of the file; `nil` if there is neither a suggested name nor a name of the source.
  func copyName(insteadOf suggestedName: String?) -> String? {
    prefersOwnName ? ownName ?? suggestedName : suggestedName ?? ownName
  }

  /// Creates a reference to a file with an object that keeps it accessible.
  package init(
    _ file: URL, allowAccessingOriginalFile: Bool, keepingAlive owner: (any AnyObject & Sendable)?
  ) {
    self.file = file
    self.allowAccessingOriginalFile = allowAccessingOriginalFile
    self.owner = owner
  }
}

/// A box for folder options, so that a file without them needs room for one reference only.
private final class SharedFolderOptions: Sendable {
  let options: FolderArchiveOptions

  init(_ options: FolderArchiveOptions) {
    self.options = options
  }
}

/// A file or a folder that a destination receives.
public struct ReceivedTransferredFile: Sendable {
  /// The URL of the file, valid while the closure that receives it runs.
  public let file: URL
  /// Whether the file is the source's own file and not a copy.
  public let isOriginalFile: Bool
}
