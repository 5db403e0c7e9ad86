// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import FoundationEssentials
internal import Synchronization
package import UniformTypes

/// What a loader hands over.
package enum ItemContent: Sendable {
  case data(Data)
  /// A file, or a folder for a type that is a directory's.
  case file(SentTransferredFile)
  /// Chunks of any length, made as they are asked for, once.
  case stream(any AsyncSequence<Data, any Error> & Sendable)
}

/// Content that is gone once somebody has begun to read it.
final class OneTimeSource: Sendable {
  private let content: Lock<ItemContent?>
  /// What a failure to read is.
  let failureCode: ItemProviderError.Code

  private let abandon: @Sendable () -> Void

  /// Keeps the content for the first one who asks.
  ///
  /// - Parameters:
  ///   - content: What is to be read.
  ///   - abandon: Called when nobody can read it any more, whether it was read or not.
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

/// Bytes in memory, cut.
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
  /// Content that stays what it is when its source removes its file or folder; blocks.
  ///
  /// A file is kept open, which is as good as a copy unless the source overwrites it; of a folder the archive is made.
  ///
  /// - Parameters:
  ///   - type: What it is; only what conforms to a directory can be a folder.
  ///   - isCancelled: Asked between the steps of an archive.
  /// - Returns: The same content; what cannot be opened is left for the one who reads it to refuse.
  /// - Throws: As `FolderContent.packed`.
  package func kept(as type: UTType, isCancelled: () -> Bool) throws -> ItemContent {
    guard case .file(let sent) = self, sent.file.isFileURL, let file = try? LocalFile.open(sent.file.path) else {
      return self
    }
    switch try file.kind() {
    case .file:
      let path = URL(filePath: file.descriptorPath, directoryHint: .notDirectory)
      return .file(SentTransferredFile(path, allowAccessingOriginalFile: false, keepingAlive: file))
    case .folder where type.conforms(to: .directory):
      return try FolderContent.archive(of: sent.file.path, isCancelled: isCancelled)
    case .folder, .other: return self
    }
  }
}
