// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
  private let exporting: (@Sendable (Item) async throws -> SentTransferredFile)?
  private let importing: (@Sendable (ReceivedTransferredFile) async throws -> Item)?

  /// Hands over both ways.
  ///
  /// - Parameters:
  ///   - contentType: What the file is.
  ///   - exporting: Makes or finds the file, only when it is asked for.
  ///   - importing: Reads the file, which is gone once the closure returns: move it away to keep it.
  public init(
    contentType: UTType, exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile,
    importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
  ) {
    self.contentType = contentType
    self.exporting = exporting
    self.importing = importing
  }

  /// Hands over to others only.
  public init(exportedContentType: UTType, exporting: @escaping @Sendable (Item) async throws -> SentTransferredFile) {
    contentType = exportedContentType
    self.exporting = exporting
    importing = nil
  }

  /// Takes from others only.
  public init(
    importedContentType: UTType, importing: @escaping @Sendable (ReceivedTransferredFile) async throws -> Item
  ) {
    contentType = importedContentType
    exporting = nil
    self.importing = importing
  }

  /// Nothing: this representation stands for itself.
  public var body: NoBody<Item> { NoBody() }

  /// Adds itself, for each way it has a closure for.
  public func append(to list: inout TransferRepresentationList<Item>) {
    if let exporting {
      list.exporters.append(.init(contentType: contentType) { item, _ in .file(try await exporting(item)) })
    }
    if let importing { list.importers.append(.init(contentType: contentType, method: .file(importing))) }
  }
}
