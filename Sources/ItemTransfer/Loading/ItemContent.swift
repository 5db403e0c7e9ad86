// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import FoundationEssentials
internal import Synchronization
package import UniformTypes

/// The content that a loader returns.
package enum ItemContent: Sendable {
  case data(Data)
  /// A file; for a type that conforms to `directory`, and for `tarArchive`, also a folder.
  case file(SentTransferredFile)
  /// Chunks of any length, produced on demand in a single pass.
  case stream(any AsyncSequence<Data, any Error> & Sendable)
}

/// The next part of a content.
package enum ContentRun: Sendable {
  case bytes(Data)
  /// Zeros that are not in memory, such as a hole of a file; at most `Int64.max`.
  case zeros(UInt64)

  /// The number of bytes.
  package var byteCount: Int64 {
    switch self {
    case .bytes(let data): Int64(data.count)
    case .zeros(let count): Int64(clamping: count)
    }
  }

  /// The bytes of a run that has at most ``ZeroBytes/maximumCount`` zeros.
  package var chunk: Data {
    switch self {
    case .bytes(let data): data
    case .zeros(let count): ZeroBytes.chunk(of: count)
    }
  }
}

/// An iterator over chunks that can also return zeros as runs of any length.
///
/// A peer can announce terabytes of zeros in a few bytes, so a reader must not handle them chunk by chunk.
package protocol ContentRunIterator: AsyncIteratorProtocol<Data, any Error> {
  /// Waits for the next run; returns `nil` at the end.
  mutating func nextRun(isolation: isolated (any Actor)?) async throws -> ContentRun?
}

extension AsyncIteratorProtocol<Data, any Error> {
  /// Waits for the next run, which is a chunk if the iterator does not return runs of zeros.
  package mutating func nextRun(isolation: isolated (any Actor)? = #isolation) async throws -> ContentRun? {
    guard var runs = self as? any ContentRunIterator else {
      return try await next(isolation: isolation).map { .bytes($0) }
    }
    let run = try await runs.nextRun(isolation: isolation)
    if let advanced = runs as? Self { self = advanced }
    return run
  }
}

/// Content that can be read only once.
final class OneTimeSource: Sendable {
  private let content: Lock<ItemContent?>
  /// The error code for a failed read.
  let failureCode: ItemProviderError.Code

  private let abandon: @Sendable () -> Void

  /// Stores the content for the first reader.
  ///
  /// - Parameters:
  ///   - content: The content to read.
  ///   - abandon: Called when the object is released, whether the content was read or not.
  init(_ content: ItemContent, abandon: @escaping @Sendable () -> Void) {
    self.content = Lock(content)
    self.abandon = abandon
    failureCode = if case .file = content { .fileUnavailable } else { .representationFailed }
  }

  deinit {
    abandon()
  }

  func take() -> ItemContent? {
    content.withLock { $0.take() }
  }
}

extension ItemContent {
  /// The content in chunks, whichever form it has.
  package var chunks: any AsyncSequence<Data, any Error> & Sendable {
    switch self {
    case .data(let data): DataChunks(data: data)
    case .file(let sent): FileChunks(file: sent)
    case .stream(let chunks): chunks
    }
  }
}

/// Bytes in memory, split into chunks.
private struct DataChunks: AsyncSequence, Sendable {
  let data: Data

  func makeAsyncIterator() -> Iterator { Iterator(rest: data) }

  struct Iterator: AsyncIteratorProtocol {
    var rest: Data

    mutating func next() async throws -> Data? {
      guard !rest.isEmpty else { return nil }
      let chunk = rest.prefix(LocalFile.chunkLength)
      rest = rest.dropFirst(chunk.count)
      return chunk
    }
  }
}

extension ItemContent {
  /// Returns content that survives when its source removes its file or folder.
  ///
  /// Blocks.
  ///
  /// A file is kept open, so that its content survives unless the source overwrites it. A folder becomes an archive.
  ///
  /// - Parameters:
  ///   - type: The type of the content. A folder of a type that does not conform to `directory`, other than
  ///     `tarArchive`, is returned unchanged.
  ///   - isCancelled: Returns whether to stop; called between the chunks of an archive.
  /// - Returns: The open file or the archive; other content unchanged. A file that cannot be opened is also returned
  ///   unchanged, and reading it fails.
  /// - Throws: `FolderArchiveError`, `FileError`; `CancellationError` if `isCancelled` returned true.
  package func kept(as type: UTType, isCancelled: () -> Bool) throws -> ItemContent {
    guard case .file(let sent) = self, sent.file.isFileURL, let file = try? LocalFile.open(sent.file.path) else {
      return self
    }
    switch try file.kind() {
    case .file:
      return .file(sent.opened(file))
    case .folder where FolderContent.mayHold(type):
      return try FolderContent.archive(of: sent, isCancelled: isCancelled)
    case .folder, .other: return self
    }
  }
}
