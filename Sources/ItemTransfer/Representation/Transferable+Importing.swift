// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
public import UniformTypes

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
  ///   - contentType: What it is; `nil` takes that from the file (see ``/UniformTypes/UTType/identify(fileAt:by:)``),
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
