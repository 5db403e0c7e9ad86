// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import UniformTypes

/// A representation's bytes as they come, chunk by chunk: no more than one is in memory.
///
/// ```swift
/// for try await chunk in try await provider.bytes(for: .mpeg4Movie) { try output.write(chunk) }
/// ```
///
/// It can be gone through once; a second iterator finds nothing. Cancelling the task ends it with the error
/// `cancelled`; a source that has promised an exact size and does not keep it ends it with `wrongSize`.
public struct ItemByteStream: AsyncSequence, Sendable {
  /// A chunk, of one byte or more.
  public typealias Element = Data
  /// Why there is no more.
  public typealias Failure = ItemProviderError

  /// What the bytes are.
  public let contentType: UTType
  private let size: ItemSize
  private let progress: ItemProgress
  /// Whether the work is done with the last chunk.
  private let endsProgress: Bool
  private let source: OneTimeSource

  init(_ content: ItemContent, of representation: ItemRepresentation, progress: ItemProgress, endsProgress: Bool) {
    self.endsProgress = endsProgress
    contentType = representation.contentType
    size = representation.size
    self.progress = progress
    // Nobody waits for a stream that is let go of before its end; of one that has ended, nothing changes.
    source = OneTimeSource(content) { if endsProgress { progress.cancel() } }
    if let expected = size.expected { progress.setTotal(expected) }
    progress.enter(.transferring)
  }

  /// Starts at the first chunk.
  public func makeAsyncIterator() -> Iterator {
    Iterator(stream: self, chunks: source.take().map { $0.chunks.makeAsyncIterator() })
  }

  /// Goes through the chunks.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let stream: ItemByteStream
    fileprivate var chunks: (any AsyncIteratorProtocol<Data, any Error>)?
    private var count: Int64 = 0

    fileprivate init(stream: ItemByteStream, chunks: (any AsyncIteratorProtocol<Data, any Error>)?) {
      self.stream = stream
      self.chunks = chunks
    }

    /// Waits for the next chunk; `nil` at the end.
    ///
    /// - Parameter actor: Where the source runs.
    /// - Returns: A chunk that is not empty.
    /// - Throws: `representationFailed`, `fileUnavailable`, `wrongSize`, `cancelled`.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ItemProviderError) -> Data? {
      guard var chunks else { return nil }
      // Whatever happens, there is nothing behind it.
      self.chunks = nil
      do throws(ItemProviderError) {
        while let chunk = try await stream.next(of: &chunks) {
          if chunk.isEmpty { continue }
          count += Int64(chunk.count)
          try stream.check(count, isLast: false)
          stream.progress.advance(by: Int64(chunk.count))
          self.chunks = chunks
          return chunk
        }
        try stream.check(count, isLast: true)
        if stream.endsProgress { stream.progress.finish() }
        return nil
      } catch {
        if stream.endsProgress { error.code == .cancelled ? stream.progress.cancel() : stream.progress.fail() }
        throw error
      }
    }
  }

  private func next(
    of chunks: inout any AsyncIteratorProtocol<Data, any Error>, isolation: isolated (any Actor)? = #isolation
  ) async throws(ItemProviderError) -> Data? {
    do {
      try Task.checkCancellation()
      if progress.isCancelled { throw CancellationError() }
      let chunk = try await chunks.next(isolation: isolation)
      // A source may end early when it is told to stop: that is no end.
      try Task.checkCancellation()
      return chunk
    } catch {
      throw ItemProviderError(caught: error, contentType: contentType, as: source.failureCode)
    }
  }

  private func check(_ count: Int64, isLast: Bool) throws(ItemProviderError) {
    try ItemProviderError.check(count, against: size, isLast: isLast, contentType: contentType)
  }
}

@available(*, unavailable)
extension ItemByteStream.Iterator: Sendable {}
