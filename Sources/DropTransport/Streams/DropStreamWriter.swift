// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
internal import FoundationEssentials
public import ItemTransfer
internal import Synchronization

/// A writer of items to a drop stream.
///
/// Several tasks may write at once. Their items do not interleave.
///
/// ``DropStream/withWriter(to:options:isolation:_:)`` creates a writer.
///
/// ```
/// write(_:) -- short content: appended to the output buffer by the calling task --+
///           \- long content, files, a full buffer: by a blocking thread ----------+-> StreamOutput -> descriptor
/// ```
///
/// Only a thread of `BlockingExecutor` waits for the descriptor, so the cooperative pool never blocks. Short items cost no
/// change of threads until the buffer holds 64 KiB; with a progress, each item costs a task.
public final class DropStreamWriter: Sendable {
  private enum State {
    case open
    case failed(DropStreamError)
    case finished
  }

  private let shortLength: Int
  private let audience: ItemVisibility
  private let interrupt: Interrupt
  /// Held while an item is written.
  private let permit = AsyncSemaphore()
  private let state = Lock(State.open)
  /// Locked by the task that holds the permit, or by a blocking thread on its behalf.
  private let output: Lock<StreamOutput>
  /// The file that the stream is written to, which may have another name until it is complete; `nil` for other outputs.
  package let file: FileStatus?

  init(endpoint: DropEndpoint, options: DropStreamOptions) throws(DropStreamError) {
    let output = try StreamOutput(endpoint, options)
    interrupt = output.interrupt
    shortLength = output.shortLength
    file = output.file
    self.output = Lock(output)
    audience = options.audience
  }

  /// Writes all representations of an item that the reader may see, in order.
  ///
  /// A stream is one way, so every loader runs. Waits while another task writes an item. Short items are collected to
  /// writes of about 64 KiB, or of a chunk if that is shorter.
  ///
  /// - Parameters:
  ///   - provider: The item.
  ///   - progress: Counts the bytes as they are encoded, and ends with the write. Cancelling it cancels the write.
  /// - Throws: `representationFailed`, `sourceUnavailable` or `sourceChanged` if a representation cannot be loaded;
  ///   `representationFailed` also for a progress that has ended; `peerGone` if the reader has closed the stream;
  ///   `timedOut`, `systemCall`; `cancelled` if the task or the progress is cancelled. Any error ends the stream: the
  ///   writer reports the failure to the reader if it can, and every later call throws `closed`.
  public func write(_ provider: ItemProvider, progress: ItemProgress? = nil) async throws(DropStreamError) {
    _ = try await write(provider, progress, isTolerant: false)
  }

  /// Writes the representations of an item that can be loaded.
  ///
  /// Unlike with ``write(_:progress:)``, a representation that cannot be loaded does not end the stream: the reader
  /// receives its failure and the other representations.
  ///
  /// - Parameters:
  ///   - provider: The item.
  ///   - progress: Counts the bytes as they are encoded, including the bytes of a representation that fails later. It
  ///     ends with the write, and cancelling it cancels the write.
  /// - Returns: The errors of the representations that could not be loaded.
  /// - Throws: `peerGone`, `cancelled` and other errors of the stream itself.
  public func writeAvailable(
    _ provider: ItemProvider, progress: ItemProgress? = nil
  ) async throws(DropStreamError) -> [DropStreamError] {
    try await write(provider, progress, isTolerant: true)
  }

  private func write(
    _ provider: ItemProvider, _ progress: ItemProgress?, isTolerant: Bool
  ) async throws(DropStreamError) -> [DropStreamError] {
    guard let progress else { return try await write(provider, counting: nil, isTolerant: isTolerant) }
    let outcome = await progress.cancelling { () -> Result<[DropStreamError], DropStreamError> in
      do throws(DropStreamError) {
        return .success(try await self.write(provider, counting: progress, isTolerant: isTolerant))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.value.get()
  }

  /// Writes an item with a progress that only counts: cancelling it does not cancel the write, which saves a child task.
  package func write(
    _ provider: ItemProvider, counting progress: ItemProgress?, isTolerant: Bool
  ) async throws(DropStreamError) -> [DropStreamError] {
    var hasPermit = permit.tryWait()
    if !hasPermit { hasPermit = await permit.wait() }
    // The permit is returned after a failure is recorded, so that the next task in the queue does not write its item.
    defer { if hasPermit { permit.signal() } }
    var endsProgress = false
    do throws(DropStreamError) {
      endsProgress = try begin(progress)
      guard hasPermit else { throw .cancelled }
      try checkOpen()
      if Task.isCancelled { throw .cancelled }
      let failures = try await writeItem(provider, progress, isTolerant)
      let isCancelled = endsProgress ? progress?.end(.finished) == .cancelled : progress?.isCancelled == true
      if isCancelled { throw .cancelled }
      return failures
    } catch {
      let error = endsProgress && progress?.end(error.ending) == .cancelled ? DropStreamError.cancelled : error
      // An item whose task was cancelled in the queue is also missing, so the stream has failed.
      state.withLock { if case .open = $0 { $0 = .failed(error) } }
      throw error
    }
  }

  @inline(__always) private func writeItem(
    _ provider: ItemProvider, _ progress: ItemProgress?, _ isTolerant: Bool
  ) async throws(DropStreamError) -> [DropStreamError] {
    var (offered, isComplete) = provider.offeredAtOnce(to: audience, loadsContent: true)
    if !isComplete {
      let creating = progress?.child(units: 0) ?? ItemProgress()
      offered = await provider.offered(to: audience, loadsContent: true, progress: creating)
    }
    let representations = offered.representations
    try output.withLock { output throws(DropStreamError) in
      try output.beginItem(
        representations, suggestedName: offered.suggestedName, attributes: offered.fileAttributes)
    }
    var failures: [DropStreamError] = []
    for (index, representation) in representations.enumerated() where !output.withLock({ $0.addAlias(at: index) }) {
      do throws(DropStreamError) {
        try await writeContent(of: representation, progress)
      } catch {
        guard isTolerant, error.isOfSource, !Task.isCancelled, !interrupt.hasBeenRaised else { throw error }
        let failure = SenderFailure(error)
        try await onThread { output throws(DropStreamError) in try output.failContent(failure) }
        failures.append(error)
      }
    }
    // `withWriter` may have ended the stream without waiting for this task.
    try checkOpen()
    let isFull = output.withLock { output in
      output.endItem(representationCount: representations.count)
      return output.isFull
    }
    if isFull { try await flush() }
    return failures
  }

  /// Begins to use a progress, if there is one.
  ///
  /// - Returns: Whether the write ends it.
  private func begin(_ progress: ItemProgress?) throws(DropStreamError) -> Bool {
    guard let progress else { return false }
    return try mapError(progress.begin(nil)) { DropStreamError($0) }
  }

  // MARK: Content

  @inline(__always) private func writeContent(
    of representation: ItemRepresentation, _ progress: ItemProgress?
  ) async throws(DropStreamError) {
    let content: ItemContent
    var loading: ItemProgress?
    do throws(ItemProviderError) {
      if let data = try representation.dataAtOnce() {
        content = .data(data)
      } else {
        let progress = progress?.child(units: 0) ?? ItemProgress()
        loading = progress
        content = try await representation.portableContent(progress: progress)
      }
    } catch {
      throw DropStreamError(error)
    }
    guard case .data(let data) = content, data.count <= shortLength else {
      return try await writeLong(content, of: representation, progress, loading: loading)
    }
    try check(data.count, against: representation)
    let isFull = output.withLock { output in
      output.append(complete: data)
      return output.isFull
    }
    progress?.advance(by: Int64(data.count))
    if isFull { try await flush() }
  }

  /// Writes content that is not short, or is not in memory.
  ///
  /// - Parameters:
  ///   - content: The content.
  ///   - representation: Its representation.
  ///   - progress: Counts the bytes.
  ///   - loading: The progress of the loader: a loader whose progress is cancelled may end its content early.
  /// - Throws: The errors of ``write(_:progress:)``.
  private func writeLong(
    _ content: ItemContent, of representation: ItemRepresentation, _ progress: ItemProgress?, loading: ItemProgress?
  ) async throws(DropStreamError) {
    let promised = representation.size.promised.flatMap(UInt64.init(exactly:))
    switch content {
    case .data(let data):
      try check(data.count, against: representation)
      try await onThread { output throws(DropStreamError) in
        output.beginContent(byteCount: UInt64(data.count))
        try output.send(data, progress)
        output.endContent()
      }
    case .file(let sent):
      defer { withExtendedLifetime(sent) {} }
      let path = sent.file.path
      try await onThread { output throws(DropStreamError) in
        try output.send(fileAt: path, promised: promised, progress)
      }
    case .stream:
      // The byte stream throws an error if its length differs from the promised size.
      let chunks = representation.stream(of: content, progress: loading ?? ItemProgress())
      try await write(chunks, byteCount: promised, progress)
    }
  }

  private func write(
    _ chunks: ItemByteStream, byteCount: UInt64?, _ progress: ItemProgress?
  ) async throws(DropStreamError) {
    output.withLock { $0.beginContent(byteCount: byteCount) }
    var chunks = chunks.makeAsyncIterator()
    var zeros: UInt64 = 0
    while let chunk = try await chunks.nextOfDrop() {
      if chunk.isOfHole {
        zeros += UInt64(chunk.count)
        continue
      }
      try await write(zeros: &zeros, progress)
      if chunk.count <= shortLength {
        let isFull = output.withLock { output in
          output.append(chunk)
          return output.isFull
        }
        if isFull { try await flush() }
        progress?.advance(by: Int64(chunk.count))
      } else {
        try await onThread { output throws(DropStreamError) in try output.send(chunk, progress) }
      }
    }
    try await write(zeros: &zeros, progress)
    output.withLock { $0.endContent() }
  }

  /// Writes the zeros of a hole as one run.
  private func write(zeros: inout UInt64, _ progress: ItemProgress?) async throws(DropStreamError) {
    guard zeros > 0 else { return }
    let count = zeros
    zeros = 0
    try await onThread { output throws(DropStreamError) in try output.send(zeros: count) }
    progress?.advance(by: Int64(count))
  }

  private func check(_ byteCount: Int, against representation: ItemRepresentation) throws(DropStreamError) {
    guard let promised = representation.size.promised, promised != Int64(byteCount) else { return }
    throw DropStreamError(
      .sourceChanged, "\(representation.contentType) has \(byteCount) bytes instead of the promised \(promised)")
  }

  // MARK: The thread

  /// Writes the buffered bytes.
  package func flush() async throws(DropStreamError) {
    try await onThread { output throws(DropStreamError) in try output.flush() }
  }

  /// Runs work that may wait for a descriptor.
  ///
  /// Cancelling the task interrupts the wait.
  private func onThread(
    _ work: @Sendable (inout StreamOutput) throws(DropStreamError) -> Void
  ) async throws(DropStreamError) {
    try await interrupt.raisedOnCancellation { () async throws(DropStreamError) in
      try await runBlocking { () throws(DropStreamError) in
        try output.withLock { output throws(DropStreamError) in try work(&output) }
      }
    }
  }

  // MARK: The end

  private func checkOpen() throws(DropStreamError) {
    if state.withLock({ if case .open = $0 { true } else { false } }) { return }
    switch state.withLock({ $0 }) {
    case .open: break
    case .failed(let error):
      throw DropStreamError(.closed, "the stream has failed: \(error.reason)", underlyingError: error)
    case .finished: throw DropStreamError(.closed, "the stream has ended")
    }
  }

  /// Writes the end of the stream and closes the descriptor.
  func finish() async throws(DropStreamError) {
    guard await permit.wait() else { throw .cancelled }
    defer { permit.signal() }
    do throws(DropStreamError) {
      // The body may have ignored the error of a write.
      if case .failed(let error) = state.withLock({ $0 }) { throw error }
      try checkOpen()
      if Task.isCancelled { throw .cancelled }
      try await onThread { output throws(DropStreamError) in try output.finish() }
      state.withLock { $0 = .finished }
    } catch {
      state.withLock { if case .open = $0 { $0 = .failed(error) } }
      throw error
    }
  }

  /// Reports a failure to the reader, if possible, and closes the descriptor.
  func fail(_ error: any Error) async {
    let cause: (any Error)? = state.withLock { state in
      switch state {
      case .finished: return nil
      case .failed(let first): return first
      case .open:
        state = .failed(error as? DropStreamError ?? DropStreamError(.closed, "\(error)", underlyingError: error))
        return error
      }
    }
    guard let cause else { return }
    // A task that `withWriter` did not wait for may hold the permit. The task stops, possibly within a frame.
    interrupt.raise()
    let isIdle = permit.tryWait()
    let reachesReader = isIdle && (cause as? DropStreamError)?.code != .peerGone
    let failure = reachesReader ? SenderFailure(cause) : nil
    await runBlocking { output.withLock { $0.abandon(failure) } }
    if isIdle { permit.signal() }
  }
}

extension DropStreamError {
  /// The outcome of a progress of work that has failed with this error.
  fileprivate var ending: ItemProgress.Ending { code == .cancelled ? .cancelled : .failed }
}

extension ItemByteStream.Iterator {
  /// Returns the next chunk, and converts errors to `DropStreamError`.
  mutating func nextOfDrop() async throws(DropStreamError) -> Data? {
    do throws(ItemProviderError) {
      return try await next()
    } catch {
      throw DropStreamError(error)
    }
  }
}
