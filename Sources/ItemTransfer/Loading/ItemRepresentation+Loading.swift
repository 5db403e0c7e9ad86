// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import FoundationEssentials
internal import UniformTypes

extension ItemRepresentation {
  /// A function that loads a representation in one form, such as bytes or a file.
  ///
  /// It runs on its caller's executor, which avoids changes of executors.
  package typealias Load<Value> =
    nonisolated(nonsending) @Sendable (ItemRepresentation, ItemProgress) async throws(ItemProviderError) -> Value

  /// Runs a load that the task and a progress can cancel.
  ///
  /// The progress ends with the load.
  package nonisolated(nonsending) func loading<Value: Sendable>(
    _ progress: ItemProgress?, _ load: @escaping Load<Value>
  ) async throws(ItemProviderError) -> Value {
    // Without a progress only the task can cancel the load, so no other task is needed.
    guard let progress else { return try await ending(ItemProgress(), with: load) }
    let task = startLoading(progress, load)
    return try await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }.get()
  }

  /// Starts a load that a progress can cancel.
  func startLoading<Value: Sendable>(
    _ progress: ItemProgress, _ load: @escaping Load<Value>
  ) -> Task<Result<Value, ItemProviderError>, Never> {
    let task = Task { () -> Result<Value, ItemProviderError> in
      do throws(ItemProviderError) { return .success(try await ending(progress, with: load)) } catch {
        return .failure(error)
      }
    }
    // The progress releases the handler when it ends, at the end of the load.
    _ = progress.addCancellationHandler { task.cancel() }
    return task
  }

  /// Runs a load, and ends the progress with the same outcome.
  ///
  /// The loader may use the progress too.
  private nonisolated(nonsending) func ending<Value: Sendable>(
    _ progress: ItemProgress, with load: Load<Value>
  ) async throws(ItemProviderError) -> Value {
    do throws(ItemProviderError) {
      // The task may start before the progress can cancel it.
      if progress.isCancelled { throw ItemProviderError(.cancelled, contentType: contentType) }
      let value = isConditional ? try await present(load, progress) : try await load(self, progress)
      progress.finish()
      return value
    } catch {
      progress.end(with: error)
      throw error
    }
  }

  /// Runs a load of a conditional representation.
  ///
  /// The function is not inlined into its caller, because that would enlarge the memory of every load.
  @inline(never)
  private nonisolated(nonsending) func present<Value: Sendable>(
    _ load: Load<Value>, _ progress: ItemProgress
  ) async throws(ItemProviderError) -> Value {
    try await load(try await present(), progress)
  }

  // MARK: Forms

  /// Loads all bytes, whether the source provides bytes, a file or a stream.
  ///
  /// The progress is not ended.
  package nonisolated(nonsending) func data(progress: ItemProgress) async throws(ItemProviderError) -> Data {
    let content = try await content(progress: progress)
    guard case .data(let data) = content else {
      var data = Data()
      for try await chunk in stream(of: try await packed(content), progress: progress) { data.append(chunk) }
      return data
    }
    try ItemProviderError.check(Int64(data.count), against: size, isLast: true, contentType: contentType)
    return data
  }

  func bytes(progress: ItemProgress) async throws(ItemProviderError) -> ItemByteStream {
    let content = try await portableContent(progress: progress)
    return ItemByteStream(content, of: self, progress: progress, endsProgress: true)
  }

  /// Loads the content as bytes in memory, a file or a stream; a folder becomes an archive.
  ///
  /// With `inPlace`, the content may be the source's own file if the source allows it. The progress is not ended.
  package nonisolated(nonsending) func portableContent(
    inPlace: Bool = false, progress: ItemProgress
  ) async throws(ItemProviderError) -> ItemContent {
    let content = try await content(inPlace: inPlace, progress: progress)
    guard case .file = content else { return content }
    return try await packed(content)
  }

  private func packed(_ content: ItemContent) async throws(ItemProviderError) -> ItemContent {
    try await ItemProviderError.wrapping(contentType, as: .fileUnavailable) {
      try await FolderContent.packed(content, of: contentType)
    }
  }

  /// Returns the content in chunks.
  ///
  /// The last chunk does not end the progress.
  package func stream(of content: ItemContent, progress: ItemProgress) -> ItemByteStream {
    ItemByteStream(content, of: self, progress: progress, endsProgress: false)
  }

  /// Loads the content as a file in a directory of its own, or as a folder if the type conforms to `directory`.
  ///
  /// - Parameters:
  ///   - suggestedName: The suggested name of the file.
  ///   - parent: The parent of that directory; `nil` means the directory for temporary files.
  ///   - progress: Counts the bytes.
  /// - Returns: The file, which the caller removes or moves.
  /// - Throws: The errors of ``data(progress:)``. After an error, no file remains.
  func temporaryFile(
    suggestedName: String?, in parent: URL? = nil, progress: ItemProgress
  ) async throws(ItemProviderError) -> TemporaryFile {
    let content = try await content(progress: progress)
    return try await temporaryFile(of: content, suggestedName: suggestedName, in: parent, progress: progress)
  }

  private func temporaryFile(
    of content: ItemContent, suggestedName: String?, in parent: URL?, progress: ItemProgress
  ) async throws(ItemProviderError) -> TemporaryFile {
    let name = if case .file(let sent) = content { sent.copyName(insteadOf: suggestedName) } else { suggestedName }
    return try await ItemProviderError.wrapping(contentType, as: .fileUnavailable) {
      try await TemporaryFile.make(suggestedName: name, contentType: contentType, in: parent) { url in
        let bytes = stream(of: try await packed(content), progress: progress)
        if contentType.conforms(to: .directory) {
          try await FolderContent.unpack(bytes, to: url, progress: progress)
        } else {
          try await write(bytes, like: content, to: url)
        }
      }
    }
  }

  private func write(_ bytes: ItemByteStream, like content: ItemContent, to url: URL) async throws {
    let file = try await runBlocking { try LocalFile.create(url.path, permissions: content.permissions) }
    for try await chunk in bytes { try await runBlocking { try file.write(chunk) } }
  }

  /// Calls `body` with the source's own file if `inPlace` is set and the source allows it, else with a copy.
  ///
  /// The copy is removed afterwards.
  func withLoadedFile<Value>(
    suggestedName: String?, inPlace: Bool, progress: ItemProgress?, isolation: isolated (any Actor)? = #isolation,
    _ body: (ReceivedTransferredFile) async throws -> Value
  ) async throws -> Value {
    let file: LoadedFile
    do throws(ItemProviderError) {
      file = try await loading(progress) { representation, progress throws(ItemProviderError) in
        try await representation.loadedFile(suggestedName: suggestedName, inPlace: inPlace, progress: progress)
      }
    } catch {
      throw error.atUntypedEdge
    }
    return try await file.use(body)
  }

  /// Loads the source's own file if `inPlace` is set and the source allows it, else a copy.
  ///
  /// The caller must call ``LoadedFile/use(isolation:_:)``.
  func loadedFile(
    suggestedName: String?, inPlace: Bool, progress: ItemProgress
  ) async throws(ItemProviderError) -> LoadedFile {
    let content = try await content(inPlace: inPlace, progress: progress)
    if inPlace, case .file(let sent) = content, opensInPlace || sent.allowAccessingOriginalFile {
      // The file must exist and be readable.
      if !sent.isKnownReadable {
        try await ItemProviderError.wrapping(contentType, as: .fileUnavailable) {
          try await runBlocking { _ = try LocalFile.open(sent.file.path) }
        }
      }
      return .original(sent)
    }
    return .copy(try await temporaryFile(of: content, suggestedName: suggestedName, in: nil, progress: progress))
  }
}

/// A file to use while a closure runs.
enum LoadedFile: Sendable {
  case original(SentTransferredFile)
  case copy(TemporaryFile)

  /// Calls `body` with the file, and removes a copy afterwards.
  func use<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: (ReceivedTransferredFile) async throws -> Value
  ) async throws -> Value {
    switch self {
    case .original(let sent):
      defer { withExtendedLifetime(sent) {} }
      return try await body(ReceivedTransferredFile(file: sent.file, isOriginalFile: true))
    case .copy(let copy):
      return try await copy.use { try await body(ReceivedTransferredFile(file: $0, isOriginalFile: false)) }
    }
  }
}

extension ItemContent {
  /// The permissions of the source's file, which a copy gets too, so that a script stays executable.
  ///
  /// The owner can always read and write the copy. A copy of content that is not a file has only these permissions.
  /// Blocks.
  ///
  /// For a symbolic link, these are the permissions of its target: a link itself has all permissions.
  fileprivate var permissions: UInt32 {
    guard case .file(let sent) = self, let kind = try? LocalFile.open(sent.file.path).kind(),
      case .file(_, let permissions) = kind
    else { return 0o600 }
    return permissions | 0o600
  }
}
