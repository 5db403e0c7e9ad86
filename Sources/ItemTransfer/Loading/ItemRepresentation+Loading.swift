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

  /// A function that removes the files of a load whose progress was cancelled at its end.
  package typealias Discard<Value> = @Sendable (Value) async -> Void

  /// Runs a load that the task, a progress and a timeout can cancel.
  ///
  /// The progress ends with the load.
  ///
  /// - Parameters:
  ///   - progress: The progress, if the caller has one.
  ///   - timeout: The longest time of the load; `nil` means no limit.
  ///   - discard: Removes a value that is not returned.
  ///   - load: Loads the value.
  /// - Returns: The value.
  /// - Throws: The error of the load; `timedOut`, `progressEnded`, `cancelled`.
  package nonisolated(nonsending) func loading<Value: Sendable>(
    _ progress: ItemProgress?, timeout: Duration? = nil, discard: Discard<Value>? = nil, _ load: @escaping Load<Value>
  ) async throws(ItemProviderError) -> Value {
    // Without these, only the task can cancel the load, so no other task is needed.
    if progress == nil, timeout == nil { return try await ending(ItemProgress(), discard, with: load) }
    return try await cancellable(progress ?? ItemProgress(), timeout, discard, load)
  }

  /// Runs a load that a progress and a timeout can cancel.
  ///
  /// The function is not inlined into its caller, because that would enlarge the memory of every load.
  @inline(never)
  private nonisolated(nonsending) func cancellable<Value: Sendable>(
    _ progress: ItemProgress, _ timeout: Duration?, _ discard: Discard<Value>?, _ load: @escaping Load<Value>
  ) async throws(ItemProviderError) -> Value {
    let (outcome, hasExpired) = await progress.cancelling(after: timeout) { await attempt(load, progress, discard) }
    if case .failure(let error) = outcome, error.code == .cancelled, hasExpired {
      throw ItemProviderError(.timedOut, contentType: error.contentType)
    }
    return try outcome.get()
  }

  /// Starts a load that a progress can cancel.
  func startLoading<Value: Sendable>(
    _ progress: ItemProgress, _ discard: Discard<Value>? = nil, _ load: @escaping Load<Value>
  ) -> Task<Result<Value, ItemProviderError>, Never> {
    let task = Task { await attempt(load, progress, discard) }
    // The progress releases the handler when it ends, at the end of the load.
    progress.addCancellationHandler { task.cancel() }
    return task
  }

  private nonisolated(nonsending) func attempt<Value: Sendable>(
    _ load: Load<Value>, _ progress: ItemProgress, _ discard: Discard<Value>?
  ) async -> Result<Value, ItemProviderError> {
    do throws(ItemProviderError) { return .success(try await ending(progress, discard, with: load)) } catch {
      return .failure(error)
    }
  }

  /// Runs a load, and ends the progress with the same outcome in one step: a cancellation before this step is an error,
  /// and a later one has no effect.
  ///
  /// The loader may use the progress too.
  private nonisolated(nonsending) func ending<Value: Sendable>(
    _ progress: ItemProgress, _ discard: Discard<Value>?, with load: Load<Value>
  ) async throws(ItemProviderError) -> Value {
    // The task may start before the progress can cancel it.
    let endsProgress = try progress.begin(contentType)
    let value: Value
    do throws(ItemProviderError) {
      value = laterValue == nil ? try await load(self, progress) : try await present(load, progress)
    } catch {
      throw endsProgress ? progress.end(with: error) : error
    }
    let wasCancelled = Task.isCancelled || !endsProgress && progress.isCancelled
    let ending = wasCancelled ? ItemProgress.Ending.cancelled : .finished
    let outcome = endsProgress ? progress.end(ending) : ending
    guard outcome == .cancelled else { return value }
    await discard?(value)
    throw ItemProviderError(.cancelled, contentType: contentType)
  }

  /// Runs a load of a value that does not exist yet.
  ///
  /// The function is not inlined into its caller, because that would enlarge the memory of every load.
  @inline(never)
  private nonisolated(nonsending) func present<Value: Sendable>(
    _ load: Load<Value>, _ progress: ItemProgress
  ) async throws(ItemProviderError) -> Value {
    try await load(try await present(progress: progress), progress)
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

  func bytes(progress: ItemProgress, endsProgress: Bool) async throws(ItemProviderError) -> ItemByteStream {
    let content = try await portableContent(progress: progress)
    return ItemByteStream(content, of: self, progress: progress, endsProgress: endsProgress)
  }

  /// Loads the content as bytes in memory, a file or a stream; a folder becomes an archive.
  ///
  /// The progress is not ended.
  package nonisolated(nonsending) func portableContent(
    progress: ItemProgress
  ) async throws(ItemProviderError) -> ItemContent {
    let content = try await content(inPlace: false, progress: progress)
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

  /// Stores the content as a file in a directory of its own, or as a folder if the type conforms to `directory`.
  ///
  /// - Parameters:
  ///   - content: The content of this representation.
  ///   - suggestedName: The suggested name of the file.
  ///   - parent: The parent of that directory; `nil` means the directory for temporary files.
  ///   - progress: Counts the bytes.
  /// - Returns: The file, which the caller removes or moves.
  /// - Throws: `fileUnavailable`, and the errors of the source. After an error, no file remains.
  func temporaryFile(
    of content: ItemContent, suggestedName: String?, in parent: URL?, progress: ItemProgress
  ) async throws(ItemProviderError) -> TemporaryFile {
    let name = if case .file(let sent) = content { sent.copyName(insteadOf: suggestedName) } else { suggestedName }
    let isOfProgram = if case .stream = content { true } else { false }
    return try await ItemProviderError.wrapping(contentType, as: .fileUnavailable) {
      try await TemporaryFile.make(
        suggestedName: name, contentType: contentType, in: parent, isBounded: !isOfProgram
      ) { url in
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
    suggestedName: @escaping NameOfFile, inPlace: Bool, progress: ItemProgress?, timeout: Duration? = nil,
    isolation: isolated (any Actor)? = #isolation, _ body: (ReceivedTransferredFile) async throws -> Value
  ) async throws -> Value {
    let file = try await loading(progress, timeout: timeout) { (file: LoadedFile) in
      await file.discard()
    } _: { representation, progress throws(ItemProviderError) in
      let name = await suggestedName(representation, progress)
      return try await representation.loadedFile(suggestedName: name, inPlace: inPlace, progress: progress)
    }
    return try await file.use(body)
  }

  /// A function that returns the suggested name for the file of a representation during its load.
  typealias NameOfFile = nonisolated(nonsending) @Sendable (ItemRepresentation, ItemProgress) async -> String?

  /// Loads the source's own file if `inPlace` is set and the source allows it, else a copy.
  ///
  /// The caller must call ``LoadedFile/use(isolation:_:)``.
  func loadedFile(
    suggestedName: String?, inPlace: Bool, progress: ItemProgress
  ) async throws(ItemProviderError) -> LoadedFile {
    let content = try await content(inPlace: inPlace, progress: progress)
    if inPlace, case .file(let sent) = content, opensInPlace || sent.allowAccessingOriginalFile {
      // The file must exist and be readable.
      try await ItemProviderError.wrapping(contentType, as: .fileUnavailable) {
        try await runBlocking { _ = try LocalFile.open(sent.file.path) }
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

  /// Removes a copy.
  func discard() async {
    if case .copy(let copy) = self { await copy.remove() }
  }

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
