// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import UniformTypes

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ItemProvider {
  /// Loads the first representation, in the source's order, that may be used where `type` is wanted.
  ///
  /// Cancelling the task cancels the load.
  ///
  /// - Parameters:
  ///   - type: The type wanted; a more special one may come.
  ///   - progress: Where the loader counts what it has made; finished when it has succeeded.
  /// - Returns: All of its bytes; none is a result too.
  /// - Throws: `noRepresentation` when nothing conforms, `representationFailed` with the source's error,
  ///   `fileUnavailable` when the source's file cannot be read, `cancelled`.
  public func data(for type: UTType, progress: ItemProgress? = nil) async throws(ItemProviderError) -> Data {
    let representation = try representation(conformingTo: type)
    return try await representation.data(progress: progress ?? ItemProgress())
  }

  /// Loads a value through the first representation, in the source's order, that its type can import.
  ///
  /// ```swift
  /// let hero = try await provider.value(as: Hero.self)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the value; may be left to inference.
  ///   - progress: Where the loader counts what it has made; finished when it has succeeded.
  /// - Returns: The value.
  /// - Throws: As ``data(for:progress:)``, and `undecodable` when the bytes are no such value.
  public func value<Item: Transferable>(
    as type: Item.Type = Item.self, progress: ItemProgress? = nil
  ) async throws(ItemProviderError) -> Item {
    let importers = Item.representations.importers
    for representation in representations {
      guard let importer = importers.first(where: { representation.conforms(to: $0.contentType) })
      else { continue }
      let progress = progress ?? ItemProgress()
      return try await importer.value(from: representation, suggestedName: suggestedName, progress: progress)
    }
    throw ItemProviderError(.noRepresentation, contentType: importers.first?.contentType)
  }

  /// Lends the first representation that conforms to `type` as a file, for as long as `body` runs.
  ///
  /// The file is a copy with the suggested name, in a directory of its own; both are removed when `body` returns or
  /// throws. Move it away to keep it. Cancelling the task cancels the load, and `body` as far as it heeds that.
  ///
  /// - Parameters:
  ///   - type: The type wanted; a more special one may come.
  ///   - progress: Where the loader counts what it has made; finished when it has succeeded.
  ///   - isolation: The actor `body` runs on: the caller's.
  ///   - body: Uses the file.
  /// - Returns: What `body` returns.
  /// - Throws: `ItemProviderError` as ``data(for:progress:)`` does; whatever `body` throws.
  public func withFile<Result>(
    for type: UTType, progress: ItemProgress? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: (URL) async throws -> Result
  ) async throws -> Result {
    let representation = try representation(conformingTo: type)
    let content = try await representation.content(progress: progress ?? ItemProgress())
    let file = try await ItemProviderError.wrapping(representation.contentType, as: .fileUnavailable) {
      try await TemporaryFile.materialize(
        content, suggestedName: suggestedName, contentType: representation.contentType)
    }
    return try await file.lend(to: body)
  }

  private func representation(conformingTo type: UTType) throws(ItemProviderError) -> ItemRepresentation {
    guard let found = representations.first(where: { $0.conforms(to: type) }) else {
      throw ItemProviderError(.noRepresentation, contentType: type)
    }
    return found
  }
}

extension ItemRepresentation {
  /// Loads all bytes, whichever form the source has them in.
  package func data(progress: ItemProgress) async throws(ItemProviderError) -> Data {
    switch try await content(progress: progress) {
    case .data(let data): return data
    case .file(let sent):
      return try await ItemProviderError.wrapping(contentType, as: .fileUnavailable) {
        let data = try await runBlocking { try Data(contentsOf: sent.file) }
        try Task.checkCancellation()
        return data
      }
    }
  }
}
