// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
package import FoundationEssentials
internal import Synchronization

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
