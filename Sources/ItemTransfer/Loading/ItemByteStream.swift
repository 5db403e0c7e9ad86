// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import UniformTypes

/// A representation's bytes as an asynchronous sequence of chunks.
///
/// Only one chunk is in memory at a time, unless the source provides all bytes at once.
///
/// ```swift
/// for try await chunk in try await provider.bytes(for: .mpeg4Movie) { try output.write(chunk) }
/// ```
///
/// The sequence is single-pass: a second iterator is empty. Cancelling the task ends it with the error `cancelled`. It
/// ends with `wrongSize` if the source breaks its promise of an exact size.
public struct ItemByteStream: AsyncSequence, Sendable {
  /// A chunk of at least one byte.
  public typealias Element = Data
  /// The error that ends the sequence early.
  public typealias Failure = ItemProviderError

  /// The type of the bytes.
  public let contentType: UTType
  private let size: ItemSize
  private let progress: ItemProgress
  /// Whether the progress ends with the stream.
  private let endsProgress: Bool
  private let source: OneTimeSource

  init(_ content: ItemContent, of representation: ItemRepresentation, progress: ItemProgress, endsProgress: Bool) {
    self.endsProgress = endsProgress
    contentType = representation.contentType
    size = representation.size
    self.progress = progress
    // Releasing the stream early cancels the load. After its end, cancelling has no effect.
    source = OneTimeSource(content) { if endsProgress { progress.cancel() } }
    if let expected = size.expected { progress.setTotal(expected) }
    progress.enter(.transferring)
  }

  /// Returns an iterator over the chunks; after the first call, an empty iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(stream: self, chunks: source.take().map { $0.chunks.makeAsyncIterator() })
  }

  /// An iterator over the chunks.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let stream: ItemByteStream
    fileprivate var chunks: (any AsyncIteratorProtocol<Data, any Error>)?
    private var count: Int64 = 0

    fileprivate init(stream: ItemByteStream, chunks: (any AsyncIteratorProtocol<Data, any Error>)?) {
      self.stream = stream
      self.chunks = chunks
    }

    /// Waits for the next chunk.
    ///
    /// - Parameter actor: The caller's isolation. Omit this argument.
    /// - Returns: A chunk that is not empty; `nil` at the end.
    /// - Throws: `representationFailed`, `fileUnavailable`, `wrongSize`, `cancelled`.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ItemProviderError) -> Data? {
      try await nextRun(joinsZeros: false)?.chunk
    }

    /// Waits for the next chunk, or for a run of zeros of any length, which takes constant time and memory.
    ///
    /// - Parameters:
    ///   - joinsZeros: Whether zeros may be returned as a run.
    ///   - actor: The caller's isolation. Omit this argument.
    /// - Returns: A run that is not empty; `nil` at the end.
    /// - Throws: The errors of ``next(isolation:)``.
    package mutating func nextRun(
      joinsZeros: Bool = true, isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ItemProviderError) -> ContentRun? {
      guard var chunks else { return nil }
      // An error ends the sequence, so the iterator is stored again only after a chunk.
      self.chunks = nil
      do throws(ItemProviderError) {
        while let run = try await stream.next(of: &chunks, joinsZeros) {
          let length = run.byteCount
          if length == 0 { continue }
          let (sum, overflows) = count.addingReportingOverflow(length)
          count = overflows ? .max : sum
          try stream.check(count, isLast: false)
          stream.progress.advance(by: length)
          self.chunks = chunks
          return run
        }
        try stream.check(count, isLast: true)
        if stream.endsProgress, stream.progress.end(.finished) == .cancelled {
          throw ItemProviderError(.cancelled, contentType: stream.contentType)
        }
        return nil
      } catch {
        throw stream.endsProgress ? stream.progress.end(with: error) : error
      }
    }
  }

  private func next(
    of chunks: inout any AsyncIteratorProtocol<Data, any Error>, _ joinsZeros: Bool,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(ItemProviderError) -> ContentRun? {
    do {
      try checkCancellation()
      let run = joinsZeros ? try await chunks.nextRun() : try await chunks.next(isolation: isolation).map { .bytes($0) }
      // A cancelled source may end early, which is not a regular end.
      try checkCancellation()
      return run
    } catch {
      throw ItemProviderError(
        caught: error, contentType: contentType, as: source.failureCode,
        isCancelled: progress.isCancelledWithTask)
    }
  }

  private func checkCancellation() throws {
    if progress.isCancelledWithTask { throw CancellationError() }
  }

  private func check(_ count: Int64, isLast: Bool) throws(ItemProviderError) {
    try ItemProviderError.check(count, against: size, isLast: isLast, contentType: contentType)
  }
}

@available(*, unavailable)
extension ItemByteStream.Iterator: Sendable {}
