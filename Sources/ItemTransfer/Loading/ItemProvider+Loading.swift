// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import UniformTypes

extension ItemProvider {
  /// Loads the first representation, in the source's order, that may be used where `type` is wanted.
  ///
  /// A folder comes as a zip archive of its tree. Cancelling the task or the progress cancels the load.
  ///
  /// - Parameters:
  ///   - type: The type wanted; a more special one may come.
  ///   - progress: Counts the bytes, and ends with the load.
  /// - Returns: All of its bytes; none is a result too.
  /// - Throws: `noRepresentation` when nothing conforms, `representationFailed` with the source's error, `wrongSize`,
  ///   `fileUnavailable` when the source's file cannot be read, `cancelled`.
  public func data(for type: UTType, progress: ItemProgress? = nil) async throws(ItemProviderError) -> Data {
    try await representation(conformingTo: type, for: progress).loading(progress) {
      (representation, progress) throws(ItemProviderError) in try await representation.data(progress: progress)
    }
  }

  /// Loads the first representation that conforms to `type` chunk by chunk, however large it is.
  ///
  /// The loader runs now; what it makes is read as the stream is gone through.
  ///
  /// - Parameters:
  ///   - type: The type wanted; a more special one may come.
  ///   - progress: Counts the bytes, and ends with the stream; cancelled, it ends the stream before its next chunk. A
  ///     stream that is let go of before its end cancels it.
  /// - Returns: The chunks, to be gone through once.
  /// - Throws: `noRepresentation`, `representationFailed`, `cancelled`.
  public func bytes(
    for type: UTType, progress: ItemProgress? = nil
  ) async throws(ItemProviderError) -> ItemByteStream {
    let representation = try representation(conformingTo: type, for: progress)
    guard let progress else { return try await representation.bytes(progress: ItemProgress()) }
    // The part of the work that has no stream yet is stopped like any other load; the progress goes on after it.
    let preparing = ItemProgress()
    let id = progress.addCancellationHandler { preparing.cancel() }
    defer { progress.removeCancellationHandler(id) }
    do throws(ItemProviderError) {
      return try await representation.loading(preparing) { representation, _ throws(ItemProviderError) in
        try await representation.bytes(progress: progress)
      }
    } catch {
      progress.end(with: error)
      throw error
    }
  }

  /// Loads a value through the first representation, in the source's order, that its type can import.
  ///
  /// ```swift
  /// let hero = try await provider.value(as: Hero.self)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the value; may be left to inference.
  ///   - progress: Counts the bytes, and ends with the load.
  /// - Returns: The value.
  /// - Throws: As ``data(for:progress:)``, and `undecodable` when the bytes are no such value.
  public func value<Item: Transferable>(
    as type: Item.Type = Item.self, progress: ItemProgress? = nil
  ) async throws(ItemProviderError) -> Item {
    let (representation, importer) = try choosing(for: progress) { () throws(ItemProviderError) in
      try choice(for: Item.self)
    }
    // In a capture list, the closure would not run where its caller does.
    let suggestedName = suggestedName
    return try await representation.loading(progress) { representation, progress throws(ItemProviderError) in
      try await importer.value(from: representation, suggestedName: suggestedName, progress: progress)
    }
  }

  /// Whether any representation is one that a type can import.
  public func canLoadValue<Item: Transferable>(as type: Item.Type) -> Bool {
    (try? choice(for: Item.self)) != nil
  }

  /// Lends the first representation that conforms to `type` as a file, for as long as `body` runs.
  ///
  /// The file is a copy with the suggested name, in a directory of its own; both are removed when `body` returns or
  /// throws. Move it away to keep it. For a type that conforms to ``/UniformTypes/UTType/directory`` it is a folder.
  /// Cancelling the task or the progress cancels the load. When `body` runs, the progress has ended: cancelling the
  /// task reaches it, as far as it heeds that, and nothing else does.
  ///
  /// - Parameters:
  ///   - type: The type wanted; a more special one may come.
  ///   - progress: Counts the bytes, and ends with the load.
  ///   - isolation: The actor `body` runs on: the caller's.
  ///   - body: Uses the file.
  /// - Returns: What `body` returns.
  /// - Throws: `ItemProviderError` as ``data(for:progress:)`` does, but `CancellationError` when cancelled; whatever
  ///   `body` throws.
  public func withFile<Result>(
    for type: UTType, progress: ItemProgress? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: (URL) async throws -> Result
  ) async throws -> Result {
    try await representation(conformingTo: type, for: progress).lendFile(
      suggestedName: suggestedName, inPlace: false, progress: progress
    ) { try await body($0.file) }
  }

  /// Lends the source's own file where the source allows that, else a copy as ``withFile(for:progress:isolation:_:)``.
  ///
  /// - Parameters:
  ///   - type: The type wanted; a more special one may come.
  ///   - progress: Counts the bytes, and ends with the load.
  ///   - isolation: The actor `body` runs on: the caller's.
  ///   - body: Uses the file, which says whether it is the original; an original stays.
  /// - Returns: What `body` returns.
  /// - Throws: As ``withFile(for:progress:isolation:_:)``.
  public func withInPlaceFile<Result>(
    for type: UTType, progress: ItemProgress? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: (ReceivedTransferredFile) async throws -> Result
  ) async throws -> Result {
    try await representation(conformingTo: type, for: progress).lendFile(
      suggestedName: suggestedName, inPlace: true, progress: progress, to: body)
  }

  /// Saves the first representation that conforms to `type` in a directory, as a file or folder of the receiver's own.
  ///
  /// It is complete when it appears, under the suggested name. Nothing that exists is replaced.
  ///
  /// - Parameters:
  ///   - type: The type wanted; a more special one may come.
  ///   - directory: Where the file goes; it must exist.
  ///   - progress: Counts the bytes, and ends with the load.
  /// - Returns: Where the file is.
  /// - Throws: As ``data(for:progress:)``; `fileUnavailable` also when the name is taken.
  public func saveFile(
    for type: UTType, in directory: URL, progress: ItemProgress? = nil
  ) async throws(ItemProviderError) -> URL {
    try await representation(conformingTo: type, for: progress).loading(progress) {
      [suggestedName] (representation, progress) throws(ItemProviderError) in
      try await representation.savedFile(suggestedName: suggestedName, in: directory, progress: progress)
    }
  }

  // MARK: Choosing

  /// Fails the progress of a load that comes to nothing because there is nothing to choose.
  func choosing<Choice>(
    for progress: ItemProgress?, _ choose: () throws(ItemProviderError) -> Choice
  ) throws(ItemProviderError) -> Choice {
    do throws(ItemProviderError) {
      return try choose()
    } catch {
      progress?.end(with: error)
      throw error
    }
  }

  private func representation(
    conformingTo type: UTType, for progress: ItemProgress?
  ) throws(ItemProviderError) -> ItemRepresentation {
    try choosing(for: progress) { () throws(ItemProviderError) in try representation(conformingTo: type) }
  }

  func representation(conformingTo type: UTType) throws(ItemProviderError) -> ItemRepresentation {
    guard let found = representations.first(where: { $0.conforms(to: type) }) else {
      throw ItemProviderError(.noRepresentation, contentType: type)
    }
    return found
  }

  func choice<Item: Transferable>(
    for type: Item.Type
  ) throws(ItemProviderError) -> (representation: ItemRepresentation, importer: ItemImporter<Item>) {
    if let choice = Item.importer(among: representations) { return choice }
    throw ItemProviderError(.noRepresentation, contentType: Item.representations.importers.first?.contentType)
  }
}

extension ItemRepresentation {
  func savedFile(
    suggestedName: String?, in directory: URL, progress: ItemProgress
  ) async throws(ItemProviderError) -> URL {
    let file = try await temporaryFile(suggestedName: suggestedName, in: directory, progress: progress)
    return try await ItemProviderError.wrapping(contentType, as: .fileUnavailable) {
      try await file.hand(overTo: directory)
    }
  }
}
