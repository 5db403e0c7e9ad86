// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import ItemCoding
internal import Synchronization

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

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

/// A file as it is read; that there is no more vouches that nobody has written to it since it was opened.
private struct FileChunks: AsyncSequence, Sendable {
  let file: SentTransferredFile

  func makeAsyncIterator() -> Iterator { Iterator(source: .closed(path: file.file.path, owner: file.owner)) }

  struct Iterator: AsyncIteratorProtocol {
    enum Source: Sendable {
      /// What the file is to be had through is there until the file is open.
      case closed(path: String, owner: (any AnyObject & Sendable)?)
      case open(LocalFile, before: FileStatus)

      func opened() throws(FileError) -> (file: LocalFile, before: FileStatus) {
        switch self {
        case .open(let file, let before): return (file, before)
        case .closed(let path, let owner):
          defer { withExtendedLifetime(owner) {} }
          let file = try LocalFile.open(path)
          return (file, try file.status())
        }
      }
    }

    var source: Source

    mutating func next() async throws -> Data? {
      let (file, before, chunk) = try await runBlocking { [source] in
        let (file, before) = try source.opened()
        let chunk = try file.read()
        if chunk.isEmpty, try file.hasChanged(since: before) { throw FileChangedError(path: file.path) }
        return (file, before, chunk)
      }
      source = .open(file, before: before)
      return chunk.isEmpty ? nil : chunk
    }
  }
}
