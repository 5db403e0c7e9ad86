// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
internal import Glibc
public import UniformTypes

extension Transferable {
  /// Exports the value as the first representation that conforms to a type.
  ///
  /// ```swift
  /// let json = try await hero.exported(as: .json)
  /// ```
  ///
  /// - Parameter contentType: The requested type; `nil` takes the first representation.
  /// - Returns: All bytes.
  /// - Throws: The errors of ``ItemProvider/data(for:progress:timeout:)``.
  public func exported(as contentType: UTType?) async throws -> Data {
    try await exporter(of: contentType).data(progress: ItemProgress())
  }

  /// Exports the value as a file in a directory, under its suggested name.
  ///
  /// An existing file is not replaced. If the representation has itself written its file to that place, during this
  /// call and under the suggested name, this file is the result.
  ///
  /// - Parameters:
  ///   - directory: An existing directory for the file.
  ///   - contentType: The requested type; `nil` takes the first representation.
  /// - Returns: The URL of the file.
  /// - Throws: The errors of ``ItemProvider/saveFile(for:in:progress:timeout:)``.
  public func export(to directory: URL, contentType: UTType?) async throws -> URL {
    let (exporter, name, progress) = (try exporter(of: contentType), suggestedFilename, ItemProgress())
    let place = directory.appendingPathComponent(
      TemporaryFile.fileName(suggestedName: name, contentType: exporter.contentType)
    ).standardizedFileURL
    let former = await Self.status(of: place)
    let content = try await exporter.content(progress: progress)
    if case .file(let sent) = content, sent.file.standardizedFileURL.path == place.path,
      let now = await Self.status(of: place), now != former
    {
      return place
    }
    return try await exporter.savedFile(of: content, suggestedName: name, in: directory, progress: progress)
  }

  private static func status(of file: URL) async -> FileStatus? {
    await runBlocking { try? SystemCalls.statusAt(AT_FDCWD, file.path) }
  }

  /// Exports the value as a file while a closure runs; the file is removed afterwards.
  ///
  /// - Parameters:
  ///   - contentType: The requested type; `nil` takes the first representation.
  ///   - isolation: The actor that the closure runs on: the caller's.
  ///   - fileHandler: Uses the file.
  /// - Returns: The result of the closure.
  /// - Throws: The errors of ``exported(as:)`` and of the closure.
  public func withExportedFile<Result>(
    contentType: UTType?, isolation: isolated (any Actor)? = #isolation,
    fileHandler: (URL) async throws -> Result
  ) async throws -> Result {
    let name: ItemRepresentation.NameOfFile = { [suggestedFilename] _, _ in suggestedFilename }
    return try await exporter(of: contentType)
      .withLoadedFile(suggestedName: name, inPlace: false, progress: nil) {
        try await fileHandler($0.file)
      }
  }

  private func exporter(of contentType: UTType?) throws(ItemProviderError) -> ItemRepresentation {
    let exporters = ExportedValue(self).representations
    guard let found = exporters.first(where: { exporter in contentType.map(exporter.conforms(to:)) ?? true }) else {
      throw ItemProviderError(.noRepresentation, contentType: contentType)
    }
    return found
  }

  // MARK: Types

  /// Returns the types of the representations whose conditions this value satisfies.
  ///
  /// - Parameter visibility: The kind of destination; `all` means any process.
  /// - Returns: The types, in the order of the representations.
  public func exportedContentTypes(_ visibility: TransferRepresentationVisibility = .all) -> [UTType] {
    ExportedValue(self).representations.filter { $0.visibility.includes(visibility) }.map(\.contentType)
  }

  /// Returns the types of all representations, regardless of their conditions.
  ///
  /// - Parameter visibility: The kind of destination; `all` means any process.
  /// - Returns: The types, in the order of the representations.
  public static func exportedContentTypes(visibility: TransferRepresentationVisibility = .all) -> [UTType] {
    representations.exporters.filter { $0.visibility.includes(visibility) }.map(\.contentType)
  }

  /// Returns the types that a value can be imported from.
  public func importedContentTypes() -> [UTType] {
    Self.importedContentTypes()
  }

  /// Returns the types that a value can be imported from, in the order of the attempts.
  public static func importedContentTypes() -> [UTType] {
    representations.importers.filter(\.isListed).map(\.contentType)
  }

  /// The suggested name of a file of the value; `nil` if its representations suggest none.
  public var suggestedFilename: String? {
    Self.representations.suggestedName(of: self)
  }
}

extension Transferable {
  /// Imports a value from bytes.
  ///
  /// - Parameters:
  ///   - data: Untrusted bytes.
  ///   - contentType: The type of the bytes; `nil` tries each representation in turn.
  /// - Throws: `ItemProviderError`: `noRepresentation` if no representation imports the type, `undecodable` with the
  ///   reason of the last attempt; `cancelled`.
  public init(importing data: Data, contentType: UTType?) async throws {
    self = try await Self.imported(.data(data), contentType: contentType, suggestedName: nil)
  }

  /// Imports a value from a file, which stays where it is.
  ///
  /// - Parameters:
  ///   - file: A file URL.
  ///   - contentType: The type of the file; `nil` identifies the type (see
  ///     ``/UniformTypes/UTType/identify(fileAt:by:)``), and tries each representation in turn if none imports that
  ///     type.
  /// - Throws: The errors of ``init(importing:contentType:)-(Data,_)``, and `fileUnavailable` if the file cannot be
  ///   read.
  public init(importing file: URL, contentType: UTType?) async throws {
    var type = contentType
    if type == nil {
      let found = try? await runBlocking { try UTType.identify(fileAt: file.path).type }
      let isKnown = found.map { found in Self.representations.importers.contains { found.conforms(to: $0.contentType) }
      }
      type = isKnown == true ? found : nil
    }
    let sent = SentTransferredFile(file, allowAccessingOriginalFile: true)
    self = try await Self.imported(.file(sent), contentType: type, suggestedName: file.lastPathComponent)
  }

  private static func imported(
    _ content: ItemContent, contentType: UTType?, suggestedName: String?
  ) async throws -> Self {
    var failure = ItemProviderError(.noRepresentation, contentType: contentType)
    for importer in representations.importers
    where contentType.map({ $0.conforms(to: importer.contentType) }) ?? true {
      let representation = ItemRepresentation(contentType: contentType ?? importer.contentType) { _ in content }
      do throws(ItemProviderError) {
        return try await importer.value(from: representation, suggestedName: suggestedName, progress: ItemProgress())
      } catch {
        if error.code == .cancelled || contentType != nil { throw error }
        failure = error
      }
    }
    throw failure
  }
}
