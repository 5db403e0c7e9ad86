// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization

/// The response to a request of the peer.
///
/// It loads the representation and sends either an open file, or its bytes within the peer's credit.
final class SessionServing: Sendable {
  private struct State {
    var credit: UInt64
    var waiting: CheckedContinuation<Void, Never>?
    var task: Task<Void, Never>?
    var isCancelled = false
    /// Whether the loader still runs.
    var isPreparing = true
    var reported: Int64 = 0
    /// The number of bytes that were compared with the digest of the request.
    var compared: Int64 = 0
  }

  let number: UInt32
  let request: SessionRequest
  let representation: ItemRepresentation
  private let output: SessionOutput
  private let chunkLength: Int
  private let peerTakesZeros: Bool
  private let onFailure: @Sendable (DropStreamError) -> Void
  private let progress = ItemProgress()
  private let end = Latch()
  private let state: Lock<State>

  init(
    number: UInt32, _ request: SessionRequest, _ representation: ItemRepresentation, output: SessionOutput,
    chunkLength: Int, peerTakesZeros: Bool = false, onFailure: @escaping @Sendable (DropStreamError) -> Void = { _ in }
  ) {
    self.number = number
    self.onFailure = onFailure
    self.peerTakesZeros = peerTakesZeros
    self.request = request
    self.representation = representation
    self.output = output
    self.chunkLength = chunkLength
    state = Lock(State(credit: request.credit))
  }

  /// Starts the response, whose loader may block its thread, and removes it from the session's tables when it ends.
  func start(in session: DropSession) {
    let task = Task(executorPreference: BlockingExecutor.shared) {
      await self.answer(in: session)
      session.state.withLock { $0.source.removeRunning(self.number) }
      self.end.open()
    }
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }

  private func answer(in session: DropSession) async {
    var last: OutgoingFrame
    var isComplete: Bool
    do throws(DropStreamError) {
      (last, isComplete) = try await deliver()
      // A source that was cancelled may end early.
      if progress.end(.finished) == .cancelled { throw .cancelled }
    } catch {
      (last, isComplete) = (failure(error), false)
      progress.end(error.code == .cancelled ? .cancelled : .failed)
    }
    let hasRoom = await output.room()
    // When the peer receives this frame, it may send a new request. The current request is removed first, so that the
    // session does not exceed its limit of requests.
    if session.state.withLock({ $0.source.endServing(number, isComplete: isComplete) }) {
      output.send(last, hasRoom: hasRoom)
    } else if hasRoom {
      output.releaseRoom()
    }
  }

  /// Returns the frame that reports a failure to the peer.
  ///
  /// Unless it is a cancellation, the failure is reported to the source first, because the peer may then finish the
  /// offer. If the peer has the start of the content, it repeats the request without it, so nothing is reported.
  private func failure(_ error: DropStreamError) -> OutgoingFrame {
    if error.code != .cancelled, request.startDigest == nil { onFailure(error) }
    return .failure(number: number, SenderFailure(error))
  }

  /// Cancels the response without a wait for the program's cancellation handlers, which run on another thread.
  func cancel() {
    let (task, waiting) = state.withLock { state in
      state.isCancelled = true
      return (state.task, state.waiting.take())
    }
    waiting?.resume()
    if let task { BlockingExecutor.startThread { task.cancel() } }
  }

  func waitForEnd() async {
    await end.wait()
  }

  /// Whether the response waits for credit.
  var awaitsCredit: Bool { state.withLock { $0.waiting != nil } }

  func allow(_ bytes: UInt64) {
    let waiting = state.withLock { state in
      let (sum, overflow) = state.credit.addingReportingOverflow(bytes)
      state.credit = overflow ? .max : sum
      return state.waiting.take()
    }
    waiting?.resume()
  }

  /// Sends the progress of the loader to the peer, if the loader still runs and its progress has changed.
  func reportPreparation() {
    let snapshot = progress.snapshot
    let (completed, isNews) = state.withLock { state in
      // The progress of a loader that has ended shows no further units.
      let (sum, overflows) = snapshot.completed.addingReportingOverflow(state.compared)
      let completed = overflows ? .max : sum
      defer { state.reported = completed }
      return (completed, state.isPreparing && state.reported != completed)
    }
    guard isNews else { return }
    output.send(
      .preparation(
        number: number, completed: UInt64(clamping: completed),
        total: snapshot.total.map { UInt64(clamping: $0) }))
  }

  // MARK: Delivering

  /// Loads the representation and sends all frames except the last.
  ///
  /// - Returns: The last frame, which the caller sends; whether the peer then has all bytes of the representation.
  private func deliver() async throws(DropStreamError) -> (last: OutgoingFrame, isComplete: Bool) {
    let content: ItemContent
    do throws(ItemProviderError) {
      content = try await representation.portableContent(progress: progress)
    } catch {
      throw DropStreamError(error)
    }
    if request.startDigest == nil { state.withLock { $0.isPreparing = false } }
    if let frame = await descriptorFrame(content) { return (frame, true) }
    if case .data(let data) = content {
      try checkSize(of: data)
      var wanted = data
      let isComplete = request.isComplete(at: UInt64(data.count))
      if let range = request.range {
        var skipped = SkippedContent(request)
        wanted = try skipped.drop(from: data).prefix(Int(clamping: range.upperBound - range.lowerBound))
        try skipped.end()
      }
      if wanted.count <= chunkLength, UInt64(wanted.count) <= request.credit {
        return (wanted.withUnsafeBytes { .data(number: number, $0, isWhole: true) }, isComplete)
      }
      try await send(wanted)
      return (.endOfRepresentation(number: number, byteCount: UInt64(wanted.count)), isComplete)
    }
    // A child, because the progress of this response counts the work of its loader only.
    return try await send(representation.stream(of: content, progress: progress.child(units: 0)))
  }

  private func checkSize(of data: Data) throws(DropStreamError) {
    guard let promised = representation.size.promised, promised != Int64(data.count) else { return }
    throw DropStreamError(
      .sourceChanged, "\(representation.contentType) has \(data.count) bytes instead of the promised \(promised)")
  }

  /// Sends content that is not in memory.
  ///
  /// - Returns: The last frame, and whether the peer then has all bytes of the representation.
  /// - Throws: The errors of the content; `cancelled`.
  private func send(
    _ chunks: ItemByteStream
  ) async throws(DropStreamError) -> (last: OutgoingFrame, isComplete: Bool) {
    var skipped = SkippedContent(request)
    var left = request.range.map { $0.upperBound - $0.lowerBound } ?? .max
    var count: UInt64 = 0
    var zeros: UInt64 = 0
    // The peer limits zeros to the size that it knows.
    let hasEnd = request.range != nil && request.startDigest == nil || representation.size.promised != nil
    let sendsZeros = peerTakesZeros && hasEnd
    var chunks = chunks.makeAsyncIterator()
    while left > 0, let chunk = try await chunks.nextOfDrop() {
      let wanted = try skip(&skipped, chunk).prefix(Int(clamping: left))
      left -= UInt64(wanted.count)
      count += UInt64(wanted.count)
      if sendsZeros, wanted.isOfHole {
        zeros += UInt64(wanted.count)
      } else {
        try await send(zeros: &zeros)
        try await send(wanted)
      }
    }
    try skipped.end()
    try await send(zeros: &zeros)
    let isComplete = request.isComplete(at: (request.range?.lowerBound ?? 0) + count)
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    let last: OutgoingFrame =
      count == 0
      ? .data(number: number, none, isWhole: true) : .endOfRepresentation(number: number, byteCount: count)
    return (last, isComplete)
  }

  /// Returns a chunk without the bytes before the requested range.
  ///
  /// The peer waits until these have been compared, so their number is reported with the progress of the loader.
  private func skip(_ skipped: inout SkippedContent, _ chunk: Data) throws(DropStreamError) -> Data {
    guard skipped.remaining > 0 else { return chunk }
    let wanted = try skipped.drop(from: chunk)
    state.withLock { state in
      state.compared += Int64(chunk.count - wanted.count)
      if skipped.remaining == 0 { state.isPreparing = false }
    }
    return wanted
  }

  private func send(zeros count: inout UInt64) async throws(DropStreamError) {
    guard count > 0 else { return }
    let frame = OutgoingFrame.zeros(number: number, count)
    count = 0
    guard await output.room() else { throw .cancelled }
    output.send(frame, hasRoom: true)
  }

  private func send(_ data: Data) async throws(DropStreamError) {
    var rest = data[...]
    while !rest.isEmpty {
      let allowed = try await credit(upTo: min(rest.count, chunkLength))
      guard await output.room() else { throw .cancelled }
      let chunk = rest.prefix(allowed)
      chunk.withUnsafeBytes { output.send(.chunk(number: number, $0), hasRoom: true) }
      rest = rest.dropFirst(allowed)
    }
  }

  /// Waits for credit and takes up to `count` bytes of it.
  ///
  /// - Returns: The number of bytes, at least one.
  /// - Throws: `cancelled`.
  private func credit(upTo count: Int) async throws(DropStreamError) -> Int {
    while true {
      let (taken, isCancelled) = state.withLock { state in
        let taken = Int(min(UInt64(count), state.credit))
        state.credit -= UInt64(taken)
        return (taken, state.isCancelled)
      }
      if isCancelled || Task.isCancelled { throw .cancelled }
      if taken > 0 { return taken }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.credit > 0 || state.isCancelled { return true }
          state.waiting = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }
}

/// The content before a requested range, which the source reads and does not send.
struct SkippedContent {
  private let expected: (value: [UInt8], digest: StartDigest)?
  /// The number of bytes before the range that have not been read.
  private(set) var remaining: UInt64

  init(_ request: SessionRequest) {
    expected = request.startDigest.map { ($0, StartDigest()) }
    remaining = request.range?.lowerBound ?? 0
  }

  /// Returns a chunk without its bytes before the range.
  ///
  /// - Parameter chunk: The next chunk of the content.
  /// - Returns: The rest of the chunk.
  /// - Throws: `sourceChanged` if all bytes before the range have been read, and the request has another digest.
  mutating func drop(from chunk: Data) throws(DropStreamError) -> Data {
    guard remaining > 0 else { return chunk }
    let start = chunk.prefix(Int(clamping: remaining))
    remaining -= UInt64(start.count)
    if let expected {
      if start.isOfHole {
        expected.digest.update(zeros: UInt64(start.count))
      } else {
        start.withUnsafeBytes { expected.digest.update($0) }
      }
      if remaining == 0, expected.digest.value != expected.value { throw changed }
    }
    return chunk.dropFirst(start.count)
  }

  /// Ends the content.
  ///
  /// - Throws: `sourceChanged` if it is shorter than the bytes with the digest.
  func end() throws(DropStreamError) {
    if expected != nil, remaining > 0 { throw changed }
  }

  private var changed: DropStreamError {
    DropStreamError(.sourceChanged, "the content differs from the bytes that were sent before")
  }
}
