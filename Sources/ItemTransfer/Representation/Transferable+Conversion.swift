// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
public import UniformTypes

extension Transferable {
  /// Makes the value's bytes in the first representation that conforms to a type.
  ///
  /// ```swift
  /// let json = try await hero.exported(as: .json)
  /// ```
  ///
  /// - Parameter contentType: The type wanted; `nil` takes the first representation.
  /// - Returns: All of its bytes.
  /// - Throws: `ItemProviderError` like ``ItemProvider/data(for:progress:)``, but `CancellationError` when cancelled.
  public func exported(as contentType: UTType?) async throws -> Data {
    do throws(ItemProviderError) {
      return try await exporter(of: contentType).data(progress: ItemProgress())
    } catch {
      throw error.atUntypedEdge
    }
  }

  /// Writes the value into a directory, as a file of the caller's own under its suggested name.
  ///
  /// - Parameters:
  ///   - directory: Where the file goes; it must exist. Nothing in it is replaced.
  ///   - contentType: The type wanted; `nil` takes the first representation.
  /// - Returns: Where the file is.
  /// - Throws: `ItemProviderError` as ``ItemProvider/saveFile(for:in:progress:)`` does, but `CancellationError` when
  ///   cancelled.
  public func export(to directory: URL, contentType: UTType?) async throws -> URL {
    do throws(ItemProviderError) {
      return try await exporter(of: contentType)
        .savedFile(suggestedName: suggestedFilename, in: directory, progress: ItemProgress())
    } catch {
      throw error.atUntypedEdge
    }
  }

  /// Lends the value as a file for as long as a closure runs; the file is removed afterwards.
  ///
  /// - Parameters:
  ///   - contentType: The type wanted; `nil` takes the first representation.
  ///   - isolation: The actor the closure runs on: the caller's.
  ///   - fileHandler: Uses the file.
  /// - Returns: What the closure returns.
  /// - Throws: As ``exported(as:)``; whatever the closure throws.
  public func withExportedFile<Result>(
    contentType: UTType?, isolation: isolated (any Actor)? = #isolation,
    fileHandler: (URL) async throws -> Result
  ) async throws -> Result {
    try await exporter(of: contentType)
      .lendFile(suggestedName: suggestedFilename, inPlace: false, progress: nil) { try await fileHandler($0.file) }
  }

  private func exporter(of contentType: UTType?) throws(ItemProviderError) -> ItemRepresentation {
    let exporters = Self.representations.exporters(of: self)
    guard let found = exporters.first(where: { exporter in contentType.map(exporter.conforms(to:)) ?? true }) else {
      throw ItemProviderError(.noRepresentation, contentType: contentType)
    }
    return found
  }

  // MARK: What there is

  /// The types this value can be had as, those left out whose condition it does not meet.
  ///
  /// - Parameter visibility: How near the destination is; `all` stands for anybody.
  /// - Returns: The types, in the order of the representations.
  public func exportedContentTypes(_ visibility: TransferRepresentationVisibility = .all) -> [UTType] {
    Self.representations.exporters(of: self).filter { $0.visibility.includes(visibility) }.map(\.contentType)
  }

  /// The types values of this kind can be had as, whatever their conditions.
  ///
  /// - Parameter visibility: How near the destination is; `all` stands for anybody.
  /// - Returns: The types, in the order of the representations.
  public static func exportedContentTypes(visibility: TransferRepresentationVisibility = .all) -> [UTType] {
    representations.exporters.filter { $0.visibility.includes(visibility) }.map(\.contentType)
  }

  /// The types a value can be made of.
  public func importedContentTypes() -> [UTType] {
    Self.importedContentTypes()
  }

  /// The types a value can be made of, in the order in which they are tried.
  public static func importedContentTypes() -> [UTType] {
    representations.importers.map(\.contentType)
  }

  /// What a file made of the value should be called; `nil` where its representations do not say.
  public var suggestedFilename: String? {
    Self.representations.suggestedFileName(of: self)
  }
}

extension Transferable {
  /// Makes a value of bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes, which may come from anybody.
  ///   - contentType: What they are; `nil` tries each representation until one can read them.
  /// - Throws: `ItemProviderError`: `noRepresentation` when none takes the type, `undecodable` with the reason of the
  ///   last one tried; `CancellationError`.
  public init(importing data: Data, contentType: UTType?) async throws {
    self = try await Self.imported(.data(data), contentType: contentType, suggestedName: nil)
  }

  /// Makes a value of a file, which stays as it is.
  ///
  /// - Parameters:
  ///   - file: A file URL.
  ///   - contentType: What it is; `nil` takes that from the file (see ``UniformTypes/UTType/identify(fileAt:by:)``),
  ///     and tries each representation until one can read it where none takes that type.
  /// - Throws: As ``init(importing:contentType:)-(Data,_)``, and `fileUnavailable` when the file cannot be read.
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
        if error.code == .cancelled || contentType != nil { throw error.atUntypedEdge }
        failure = error
      }
    }
    throw failure
  }
}
