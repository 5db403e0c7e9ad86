// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import FoundationEssentials
internal import UniformTypes

extension ItemRepresentation {
  /// What loads: runs where it is called from, which spares changes of executors.
  typealias Load<Value> =
    nonisolated(nonsending) @Sendable (ItemRepresentation, ItemProgress) async throws(ItemProviderError) -> Value

  /// Runs a load that both the task and a progress can stop, and ends the progress with it.
  nonisolated(nonsending) func loading<Value: Sendable>(
    _ progress: ItemProgress?, _ load: @escaping Load<Value>
  ) async throws(ItemProviderError) -> Value {
    // Nobody can stop what nobody else knows of: no task of its own is needed.
    guard let progress else { return try await ending(ItemProgress(), with: load) }
    let task = startLoading(progress, load)
    return try await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }.get()
  }

  /// Starts a load that a progress can stop.
  func startLoading<Value: Sendable>(
    _ progress: ItemProgress, _ load: @escaping Load<Value>
  ) -> Task<Result<Value, ItemProviderError>, Never> {
    let task = Task { () -> Result<Value, ItemProviderError> in
      do throws(ItemProviderError) { return .success(try await ending(progress, with: load)) } catch {
        return .failure(error)
      }
    }
    // Kept no longer than until the progress ends, which it does with the load.
    _ = progress.addCancellationHandler { task.cancel() }
    return task
  }

  /// Runs a load, and ends the progress as the load has ended; the loader, too, may look at it.
  private nonisolated(nonsending) func ending<Value: Sendable>(
    _ progress: ItemProgress, with load: Load<Value>
  ) async throws(ItemProviderError) -> Value {
    do throws(ItemProviderError) {
      // The task may run before the progress can cancel it.
      if progress.isCancelled { throw ItemProviderError(.cancelled, contentType: contentType) }
      let value = try await load(self, progress)
      progress.finish()
      return value
    } catch {
      progress.end(with: error)
      throw error
    }
  }

  // MARK: Forms

  /// All bytes, whichever form the source has them in; the progress goes on, for whatever becomes of them.
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

  /// The content in a form that is bytes: of a folder, the archive.
  ///
  /// With `inPlace`, the content may be the source's own file, if the source lets it be used. The progress goes on, for
  /// whatever becomes of the content.
  package nonisolated(nonsending) func portableContent(
    inPlace: Bool = false, progress: ItemProgress
  ) async throws(ItemProviderError) -> ItemContent {
    let content =
      inPlace ? try await content(inPlace: true, progress: progress) : try await content(progress: progress)
    guard case .file = content else { return content }
    return try await packed(content)
  }

  private func packed(_ content: ItemContent) async throws(ItemProviderError) -> ItemContent {
    try await ItemProviderError.wrapping(contentType, as: .fileUnavailable) {
      try await FolderContent.packed(content, of: contentType)
    }
  }

  /// The content in chunks, with more to be done when they have come.
  package func stream(of content: ItemContent, progress: ItemProgress) -> ItemByteStream {
    ItemByteStream(content, of: self, progress: progress, endsProgress: false)
  }

  /// The content as a file in a directory of its own, or as a folder where the type is a directory's.
  ///
  /// - Parameters:
  ///   - suggestedName: What the file should be called.
  ///   - parent: Where the directory is made; `nil` stands for the one for temporary files.
  ///   - progress: Counts the bytes.
  /// - Returns: The file, which its owner must remove or hand over.
  /// - Throws: As ``data(progress:)``; whatever goes wrong, nothing is left.
  func temporaryFile(
    suggestedName: String?, in parent: URL? = nil, progress: ItemProgress
  ) async throws(ItemProviderError) -> TemporaryFile {
    let content = try await content(progress: progress)
    return try await temporaryFile(of: content, suggestedName: suggestedName, in: parent, progress: progress)
  }

  private func temporaryFile(
    of content: ItemContent, suggestedName: String?, in parent: URL?, progress: ItemProgress
  ) async throws(ItemProviderError) -> TemporaryFile {
    try await ItemProviderError.wrapping(contentType, as: .fileUnavailable) {
      try await TemporaryFile.make(suggestedName: suggestedName, contentType: contentType, in: parent) { url in
        if contentType.conforms(to: .directory) {
          let archive = stream(of: try await packed(content), progress: progress)
          try await FolderContent.unpack(archive, to: url, progress: progress)
        } else {
          try await write(stream(of: content, progress: progress), like: content, to: url)
        }
      }
    }
  }

  private func write(_ bytes: ItemByteStream, like content: ItemContent, to url: URL) async throws {
    let file = try await runBlocking { try LocalFile.create(url.path, permissions: content.permissions) }
    for try await chunk in bytes { try await runBlocking { try file.write(chunk) } }
  }

  /// The source's own file where it may be had, else a copy that is removed when `body` returns.
  func lendFile<Value>(
    suggestedName: String?, inPlace: Bool, progress: ItemProgress?, isolation: isolated (any Actor)? = #isolation,
    to body: (ReceivedTransferredFile) async throws -> Value
  ) async throws -> Value {
    let file: LentFile
    do throws(ItemProviderError) {
      file = try await loading(progress) { representation, progress throws(ItemProviderError) in
        try await representation.lentFile(suggestedName: suggestedName, inPlace: inPlace, progress: progress)
      }
    } catch {
      throw error.atUntypedEdge
    }
    return try await file.lend(to: body)
  }

  /// The source's own file where it may be had, else a copy; whoever asks for it must lend it out.
  func lentFile(
    suggestedName: String?, inPlace: Bool, progress: ItemProgress
  ) async throws(ItemProviderError) -> LentFile {
    let content = try await content(inPlace: inPlace, progress: progress)
    if inPlace, case .file(let sent) = content, opensInPlace || sent.allowAccessingOriginalFile {
      // One that is not there, is no file, or cannot be read, is no better in place.
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

/// A file to be used for as long as a closure runs.
enum LentFile: Sendable {
  case original(SentTransferredFile)
  case copy(TemporaryFile)

  /// Runs `body`; a copy is removed then.
  func lend<Value>(
    isolation: isolated (any Actor)? = #isolation, to body: (ReceivedTransferredFile) async throws -> Value
  ) async throws -> Value {
    switch self {
    case .original(let sent):
      defer { withExtendedLifetime(sent) {} }
      return try await body(ReceivedTransferredFile(file: sent.file, isOriginalFile: true))
    case .copy(let copy):
      return try await copy.lend { try await body(ReceivedTransferredFile(file: $0, isOriginalFile: false)) }
    }
  }
}

extension ItemContent {
  /// What a copy may be used for: a script stays one that can be run.
  ///
  /// Those of the file, not of a symbolic link to it, which has all of them. Blocks.
  fileprivate var permissions: UInt32 {
    guard case .file(let sent) = self, let kind = try? LocalFile.open(sent.file.path).kind(),
      case .file(_, let permissions) = kind
    else { return 0o600 }
    return permissions | 0o600
  }
}
