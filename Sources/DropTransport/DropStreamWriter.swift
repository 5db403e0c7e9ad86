// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
public import ItemTransfer
internal import UniformTypes

/// Writes items to a drop stream, each as a whole: several tasks may write at once and never mix their items.
///
/// ``DropStream/withWriter(to:options:isolation:_:)`` makes one.
public actor DropStreamWriter {
  private enum State {
    case open
    case failed(DropStreamError)
    case finished
  }

  let lane: OutputLane
  let chunkLength: Int
  private let audience: ItemVisibility
  private let turns = AsyncSemaphore()
  private var state = State.open
  var framing: ItemFraming
  private var isEndWritten = false
  /// How often what had gathered was written.
  var flushCount = 0

  init(endpoint: DropEndpoint, options: DropStreamOptions) throws(DropStreamError) {
    lane = try OutputLane(endpoint: endpoint, idleTimeout: options.idleTimeout)
    chunkLength = options.chunkLength
    audience = options.audience
    framing = ItemFraming(limits: options.limits, chunkLength: options.chunkLength, isFile: endpoint.isFile)
  }

  /// Hands an item over in all of its representations that the reader may have, in their order.
  ///
  /// A pipe is one way: nothing can be asked, so every loader runs. Waits its turn while another task is writing an
  /// item. Small items gather in memory until a chunk is full.
  ///
  /// - Parameters:
  ///   - provider: The item.
  ///   - progress: Counts the bytes as they are written.
  /// - Throws: `representationFailed` and the like when the item cannot be made, `peerGone` when the reader has left,
  ///   `cancelled` when the task is. The stream has then failed for good: the reader is told, every later call throws.
  public func write(_ provider: ItemProvider, progress: ItemProgress? = nil) async throws(DropStreamError) {
    _ = try await write(provider, progress, toleratesFailures: false)
  }

  /// Hands an item over in those of its representations that can be made.
  ///
  /// As ``write(_:progress:)``, but a representation that cannot be made does not end the stream: the reader is told of
  /// that one, and has the others.
  ///
  /// - Parameters:
  ///   - provider: The item.
  ///   - progress: Counts the bytes as they are written, and never goes back: those count, too, of a representation
  ///     that fails midway and is cut out of a file again.
  /// - Returns: Why representations could not be made.
  /// - Throws: `peerGone`, `cancelled` and the like, where the stream has failed.
  public func writeAvailable(
    _ provider: ItemProvider, progress: ItemProgress? = nil
  ) async throws(DropStreamError) -> [DropStreamError] {
    try await write(provider, progress, toleratesFailures: true)
  }

  @inline(__always) private func write(
    _ provider: ItemProvider, _ progress: ItemProgress?, toleratesFailures: Bool
  ) async throws(DropStreamError) -> [DropStreamError] {
    do throws(DropStreamError) {
      // Mostly nobody else is at it, and waiting for nobody would be a change of executors.
      if !turns.tryWait() { guard await turns.wait() else { throw DropStreamError.cancelled } }
      defer { turns.signal() }
      try checkOpen()
      if Task.isCancelled { throw .cancelled }
      return try await writeItem(provider, progress, toleratesFailures)
    } catch {
      // One that was cancelled while it waited would be missing: that is a failure of the stream like any other.
      if case .open = state { state = .failed(error) }
      throw error
    }
  }

  @inline(__always) private func writeItem(
    _ provider: ItemProvider, _ progress: ItemProgress?, _ toleratesFailures: Bool
  ) async throws(DropStreamError) -> [DropStreamError] {
    let representations = provider.representations(visibleTo: audience)
    let (name, attributes) = provider.nameAndAttributes
    try framing.beginItem(representations, suggestedName: name, attributes: attributes)
    var failures: [DropStreamError] = []
    for index in representations.indices where !framing.addAlias(at: index) {
      if let failure = try await writeContentOrFailure(of: representations[index], progress, toleratesFailures) {
        failures.append(failure)
      }
      if framing.pending.bytes.count > chunkLength { try await flush() }
    }
    // The stream may have been ended meanwhile, by a scope that did not wait for this task.
    try checkOpen()
    framing.endItem(representationCount: representations.count)
    if framing.pending.bytes.count > chunkLength { try await flush() }
    progress?.finish()
    return failures
  }

  /// Writes what has gathered.
  func flush() async throws(DropStreamError) {
    let full = framing.pending.bytes
    framing.pending.bytes = []
    flushCount += 1
    framing.pending.bytes = try await onLane { lane throws(DropStreamError) in try await lane.write(full) }
  }

  func onLane<Value: Sendable>(
    _ body: (OutputLane) async throws(DropStreamError) -> Value
  ) async throws(DropStreamError) -> Value {
    try await lane.interrupt.raisedOnCancellation { () async throws(DropStreamError) in try await body(lane) }
  }

  private func checkOpen() throws(DropStreamError) {
    switch state {
    case .open: break
    case .failed(let error):
      throw DropStreamError(.closed, "the stream has failed: \(error.reason)", underlyingError: error)
    case .finished: throw DropStreamError(.closed, "the stream has ended")
    }
  }

  /// Writes the end of the stream and closes.
  func finish() async throws(DropStreamError) {
    guard await turns.wait() else { throw .cancelled }
    defer { turns.signal() }
    do throws(DropStreamError) {
      // A failure that the body has swallowed must not end as a whole stream.
      if case .failed(let error) = state { throw error }
      try checkOpen()
      if Task.isCancelled { throw .cancelled }
      framing.endStream()
      isEndWritten = true
      try await flush()
      try await lane.finish()
      state = .finished
    } catch {
      if case .open = state { state = .failed(error) }
      throw error
    }
  }

  /// Tells the reader that this stream will not be whole, and closes.
  func fail(_ error: any Error) async {
    if case .finished = state { return }
    let cause: any Error = if case .failed(let first) = state { first } else { error }
    state = .failed(cause as? DropStreamError ?? DropStreamError(.closed, "\(cause)", underlyingError: cause))
    // A task that nobody waited for may still be at it: it stops, and its half of a frame is where the stream is cut.
    lane.interrupt.raise()
    if turns.tryWait() {
      await writeLastWords(about: cause)
      turns.signal()
    }
    framing.pending.bytes = []
    await lane.abandon()
  }

  private func writeLastWords(about cause: any Error) async {
    let code = (cause as? DropStreamError)?.code
    // Behind half an end there is room for the other half only, and nobody hears a word who has gone.
    guard !isEndWritten, code != .peerGone else { return }
    framing.pending.add { $0.appendFailure(SenderFailure(cause), to: &$1) }
    await lane.writeLastWords(framing.pending.bytes)
  }
}
