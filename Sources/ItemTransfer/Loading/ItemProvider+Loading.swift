// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import UniformTypes

extension ItemProvider {
  /// Loads the first representation, in the source's order, that conforms to `type`.
  ///
  /// A folder loads as a tar archive of its tree (POSIX pax).
  ///
  /// Cancelling the task or the progress cancels the load, and so does the timeout: the load ends as soon as its loader
  /// responds. The progress of a load ends as the load ends:
  ///
  /// | The load | throws | its progress |
  /// |---|---|---|
  /// | returns | | finished |
  /// | fails | the error | failed |
  /// | was cancelled by its task or its progress before it had ended | `cancelled` | cancelled |
  /// | was cancelled by its timeout | `timedOut` | cancelled |
  /// | gets a progress that has ended | `progressEnded`; `cancelled` if it was cancelled | unchanged |
  ///
  /// This holds for every form of a load. Releasing an ``ItemLoad`` does not cancel it; releasing the stream of
  /// ``bytes(for:progress:)`` before its end does.
  ///
  /// - Parameters:
  ///   - type: The requested type. The representation may have a more specific type.
  ///   - progress: Counts the bytes, and ends with the load.
  ///   - timeout: The longest time of the load; `nil` means no limit.
  /// - Returns: All bytes; may be empty.
  /// - Throws: `noRepresentation` if none conforms; `representationFailed` with the source's error; `wrongSize`;
  ///   `fileUnavailable` if the source's file cannot be read; `cancelled`, `timedOut`, `progressEnded`.
  public func data(
    for type: UTType, progress: ItemProgress? = nil, timeout: Duration? = nil
  ) async throws(ItemProviderError) -> Data {
    let representation = try representation(conformingTo: type, for: progress)
    if progress == nil, let data = try representation.checkedDataAtOnce() { return data }
    return try await representation.loading(progress, timeout: timeout) {
      (representation, progress) throws(ItemProviderError) in try await representation.data(progress: progress)
    }
  }

  /// Loads the bytes of the representation of exactly `type`; `nil` if there is none or its condition excludes it.
  ///
  /// The progress does not end if the result is `nil` or the condition cannot be evaluated.
  package func presentData(
    of type: UTType, progress: ItemProgress
  ) async throws(ItemProviderError) -> Data? {
    guard let found = representations.first(where: { $0.contentType == type }) else { return nil }
    let present: ItemRepresentation
    do throws(ItemProviderError) {
      present = try await found.present(progress: progress.child(units: 0))
    } catch {
      if error.code == .noRepresentation { return nil }
      throw error
    }
    return try await present.loading(progress) { (representation, progress) throws(ItemProviderError) in
      try await representation.data(progress: progress)
    }
  }

  /// Loads the first representation that conforms to `type` chunk by chunk, regardless of its size.
  ///
  /// The loader runs now. Its chunks are read during iteration.
  ///
  /// - Parameters:
  ///   - type: The requested type. The representation may have a more specific type.
  ///   - progress: Counts the bytes, and ends with the stream. Cancelling it ends the stream before the next chunk.
  ///     Releasing the stream early cancels the progress.
  /// - Returns: The chunks, in a single pass.
  /// - Throws: `noRepresentation`, `representationFailed`, `fileUnavailable`, `cancelled`, `progressEnded`.
  public func bytes(
    for type: UTType, progress: ItemProgress? = nil
  ) async throws(ItemProviderError) -> ItemByteStream {
    let representation = try representation(conformingTo: type, for: progress)
    guard let progress else {
      let progress = ItemProgress()
      return try await representation.present(progress: progress).bytes(progress: progress, endsProgress: true)
    }
    let endsProgress = try progress.begin(type)
    // The end of this load must not end the caller's progress, which ends with the stream.
    let preparing = progress.child(units: 0)
    do throws(ItemProviderError) {
      return try await representation.loading(preparing) { representation, _ throws(ItemProviderError) in
        try await representation.bytes(progress: progress, endsProgress: endsProgress)
      }
    } catch {
      throw endsProgress ? progress.end(with: error) : error
    }
  }

  /// Loads a value from the first representation, in the source's order, that its type can import.
  ///
  /// ```swift
  /// let hero = try await provider.value(as: Hero.self)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the value; may be inferred.
  ///   - progress: Counts the bytes, and ends with the load.
  ///   - timeout: The longest time of the load; `nil` means no limit.
  /// - Returns: The value.
  /// - Throws: The errors of ``data(for:progress:timeout:)``, and `undecodable` if the bytes are not such a value.
  public func value<Item: Transferable>(
    as type: Item.Type = Item.self, progress: ItemProgress? = nil, timeout: Duration? = nil
  ) async throws(ItemProviderError) -> Item {
    let (representation, importer) = try choosing(for: progress) { () throws(ItemProviderError) in
      try choice(for: Item.self)
    }
    if progress == nil, importer.isDecoder, let data = try representation.checkedDataAtOnce() {
      return try importer.value(decoding: data, of: representation.contentType)
    }
    // A capture list would move the closure off its caller's executor.
    let (suggestedName, isConditional) = (suggestedName, representation.isConditional)
    return try await representation.loading(progress, timeout: timeout) { present, progress throws(ItemProviderError) in
      // A representation that replaces an excluded representation may need another importer.
      let importer = isConditional ? Item.importer(of: present) ?? importer : importer
      return try await importer.value(from: present, suggestedName: suggestedName, progress: progress)
    }
  }

  /// Returns whether `type` can import at least one representation, regardless of the conditions of the
  /// representations.
  public func canLoadValue<Item: Transferable>(as type: Item.Type) -> Bool {
    (try? choice(for: Item.self)) != nil
  }

  /// Calls `body` with the first representation that conforms to `type` as a file.
  ///
  /// The file is a copy in a directory of its own, with the suggested name or else the name of the source's file. Both
  /// are removed when `body` returns or throws; move the file to keep it. A type that conforms to
  /// ``/UniformTypes/UTType/directory`` gives a folder.
  ///
  /// Cancelling the task or the progress cancels the load. The progress ends before `body` runs; after that, only
  /// cancelling the task reaches `body`.
  ///
  /// - Parameters:
  ///   - type: The requested type. The representation may have a more specific type.
  ///   - progress: Counts the bytes, and ends with the load.
  ///   - timeout: The longest time of the load; `nil` means no limit.
  ///   - isolation: The actor that `body` runs on: the caller's.
  ///   - body: Uses the file.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of ``data(for:progress:timeout:)``; the errors of `body`.
  public func withFile<Result>(
    for type: UTType, progress: ItemProgress? = nil, timeout: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation, _ body: (URL) async throws -> Result
  ) async throws -> Result {
    try await representation(conformingTo: type, for: progress).withLoadedFile(
      suggestedName: nameOfFile, inPlace: false, progress: progress, timeout: timeout
    ) {
      try await body($0.file)
    }
  }

  /// Calls `body` with the source's own file if the source allows it, else with a copy as
  /// ``withFile(for:progress:timeout:isolation:_:)`` does.
  ///
  /// - Parameters:
  ///   - type: The requested type. The representation may have a more specific type.
  ///   - progress: Counts the bytes, and ends with the load.
  ///   - timeout: The longest time of the load; `nil` means no limit.
  ///   - isolation: The actor that `body` runs on: the caller's.
  ///   - body: Uses the file, which reports whether it is the original. An original is not removed.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of ``withFile(for:progress:timeout:isolation:_:)``.
  public func withInPlaceFile<Result>(
    for type: UTType, progress: ItemProgress? = nil, timeout: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation, _ body: (ReceivedTransferredFile) async throws -> Result
  ) async throws -> Result {
    try await representation(conformingTo: type, for: progress).withLoadedFile(
      suggestedName: nameOfFile, inPlace: true, progress: progress, timeout: timeout, body)
  }

  private var nameOfFile: ItemRepresentation.NameOfFile { { await self.currentName(knowing: $0, progress: $1) } }

  /// Saves the first representation that conforms to `type` in a directory, as a file or folder of the receiver.
  ///
  /// The file appears under the suggested name, or else the name of the source's file, once it is complete. An existing
  /// file is not replaced.
  ///
  /// - Parameters:
  ///   - type: The requested type. The representation may have a more specific type.
  ///   - directory: An existing directory for the file.
  ///   - progress: Counts the bytes, and ends with the load.
  ///   - timeout: The longest time of the load; `nil` means no limit.
  /// - Returns: The URL of the file.
  /// - Throws: The errors of ``data(for:progress:timeout:)``; `fileUnavailable` also if the name exists.
  public func saveFile(
    for type: UTType, in directory: URL, progress: ItemProgress? = nil, timeout: Duration? = nil
  ) async throws(ItemProviderError) -> URL {
    try await representation(conformingTo: type, for: progress).loading(progress, timeout: timeout) {
      await TemporaryFile.discardSaved($0)
    } _: {
      [self] (representation, progress) throws(ItemProviderError) in
      try await savedFile(of: representation, in: directory, progress: progress)
    }
  }

  /// Saves a file under the suggested name; a value that was created for the load also gives the name.
  func savedFile(
    of representation: ItemRepresentation, in directory: URL, progress: ItemProgress
  ) async throws(ItemProviderError) -> URL {
    let name = await currentName(knowing: representation, progress: progress)
    let content = try await representation.content(progress: progress)
    return try await representation.savedFile(of: content, suggestedName: name, in: directory, progress: progress)
  }

  // MARK: Choosing

  /// Chooses a representation; fails the progress if there is none.
  func choosing<Choice>(
    for progress: ItemProgress?, _ choose: () throws(ItemProviderError) -> Choice
  ) throws(ItemProviderError) -> Choice {
    do throws(ItemProviderError) {
      return try choose()
    } catch {
      guard let progress else { throw error }
      throw try progress.begin(error.contentType) ? progress.end(with: error) : error
    }
  }

  private func representation(
    conformingTo type: UTType, for progress: ItemProgress?
  ) throws(ItemProviderError) -> ItemRepresentation {
    try choosing(for: progress) { () throws(ItemProviderError) in try representation(conformingTo: type) }
  }

  func representation(conformingTo type: UTType) throws(ItemProviderError) -> ItemRepresentation {
    let all = representations
    guard let index = all.firstIndex(where: { $0.conforms(to: type) }) else {
      throw ItemProviderError(.noRepresentation, contentType: type)
    }
    return all[index].isConditional ? withAlternatives(all[index]) { $0.conforms(to: type) } : all[index]
  }

  /// Returns a conditional representation with the later representations that can replace it.
  private func withAlternatives(
    _ found: ItemRepresentation, where isFitting: (ItemRepresentation) -> Bool
  ) -> ItemRepresentation {
    found.or(representations.drop { $0.contentType != found.contentType }.dropFirst().filter(isFitting))
  }

  func choice<Item: Transferable>(
    for type: Item.Type
  ) throws(ItemProviderError) -> (representation: ItemRepresentation, importer: ItemImporter<Item>) {
    let (all, list) = (representations, Item.representationsOfType)
    guard let (index, importerIndex) = list.importer(among: all) else {
      throw ItemProviderError(.noRepresentation, contentType: list.importedTypes.first)
    }
    let importer = list.list.importers[importerIndex]
    guard all[index].isConditional else { return (all[index], importer) }
    return (withAlternatives(all[index]) { list.importer(among: [$0]) != nil }, importer)
  }
}

extension Transferable {
  /// Returns the importer of a representation; `nil` if a value cannot be imported from it.
  static func importer(of representation: ItemRepresentation) -> ItemImporter<Self>? {
    let list = representationsOfType
    return list.importer(among: [representation]).map { list.list.importers[$0.importer] }
  }
}

extension ItemRepresentation {
  /// Loads bytes as ``dataAtOnce()`` does, and rejects a wrong number of them.
  fileprivate func checkedDataAtOnce() throws(ItemProviderError) -> Data? {
    guard let data = try dataAtOnce() else { return nil }
    try ItemProviderError.check(Int64(data.count), against: size, isLast: true, contentType: contentType)
    return data
  }

  /// Saves the content of this representation as a file in a directory.
  func savedFile(
    of content: ItemContent, suggestedName: String?, in directory: URL, progress: ItemProgress
  ) async throws(ItemProviderError) -> URL {
    let file = try await temporaryFile(of: content, suggestedName: suggestedName, in: directory, progress: progress)
    return try await ItemProviderError.wrapping(contentType, as: .fileUnavailable) {
      try await file.move(to: directory)
    }
  }
}
