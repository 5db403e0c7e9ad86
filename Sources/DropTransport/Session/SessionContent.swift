// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization

/// The content of a response.
///
/// The reading thread fills it, and the requesting task empties it.
final class SessionContent: Sendable {
  enum Piece: Sendable {
    /// A chunk; with `isWhole`, the complete content.
    case bytes(Data, isWhole: Bool)
    case zeros(UInt64)
    case descriptor(SessionDescriptor, SharedDescriptor)
  }

  fileprivate struct State {
    var pieces: [Piece?] = []
    /// The index of the first piece that was not taken.
    var first = 0
    var waiting: CheckedContinuation<Void, Never>?
    /// The outcome, which is set when no more pieces follow.
    var ending: Result<Void, DropStreamError>?
    var byteCount: UInt64 = 0
    /// The number of bytes that the peer may still send.
    var credit: UInt64
    /// The number of taken bytes for which the peer has not received new credit.
    var owed: UInt64 = 0
    var lastActivity = ContinuousClock.now
    var isCancelled = false
  }

  let number: UInt32
  /// The generation of the offer.
  let generation: UInt32
  /// The kinds of descriptors that may replace the bytes.
  let accepts: SessionRequest.Acceptance
  /// The expected number of bytes, if the offer declares it.
  private let promised: UInt64?
  /// The initial credit of the request in bytes.
  let window: UInt64
  /// The maximum offset of the end of a run of zeros.
  ///
  /// Zeros use no credit. The size that the offer or the request states limits them instead.
  private let zerosEnd: UInt64
  private let state: Lock<State>
  /// Shows the progress of the source's loader.
  private let progress: ItemProgress

  init(
    number: UInt32, generation: UInt32 = 1, window: UInt64, accepts: SessionRequest.Acceptance = [],
    promised: UInt64? = nil, zerosEnd: UInt64 = 0, progress: ItemProgress
  ) {
    self.number = number
    self.generation = generation
    self.accepts = accepts
    self.promised = promised
    self.window = window
    self.zerosEnd = zerosEnd
    self.progress = progress
    state = Lock(State(credit: window))
  }

  // MARK: The reading thread

  /// Changes the state, and resumes the waiting task.
  private func change<Value>(
    _ body: (inout State) throws(DropStreamError) -> Value
  ) throws(DropStreamError) -> Value {
    let (value, waiting) = try state.withLock { state throws(DropStreamError) in (try body(&state), state.touch()) }
    waiting?.resume()
    return value
  }

  /// Appends a chunk, or the complete content.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - isWhole: Whether the bytes are the complete content.
  /// - Returns: Whether this side still wants the content; `false` if its length contradicts the offer.
  /// - Throws: `damaged` for more bytes than the credit allows, or for complete content after other bytes.
  func append(_ data: Data, isWhole: Bool) throws(DropStreamError) -> Bool {
    try change { state throws(DropStreamError) in
      guard UInt64(data.count) <= state.credit, !isWhole || state.byteCount == 0 else {
        throw DropStreamError(.damaged, "corrupt: more bytes arrived for request \(number) than its credit allows")
      }
      state.credit -= UInt64(data.count)
      state.byteCount += UInt64(data.count)
      let error = wrongLength(state.byteCount, isWhole: isWhole)
      if error == nil { state.pieces.append(.bytes(data, isWhole: isWhole)) }
      if isWhole || error != nil { state.ending = state.ending ?? error.map { .failure($0) } ?? .success(()) }
      return error == nil
    }
  }

  /// Returns the error for a length that contradicts the offer; `nil` if the length is possible.
  ///
  /// The error ends only this content, not the session.
  private func wrongLength(_ byteCount: UInt64, isWhole: Bool) -> DropStreamError? {
    guard let promised, byteCount > promised || isWhole && byteCount < promised else { return nil }
    return .wrongLength(byteCount, isWhole: isWhole, promised: promised)
  }

  /// Appends a run of zeros.
  ///
  /// - Throws: `damaged` for zeros beyond the stated size.
  func append(zeros count: UInt64) throws(DropStreamError) {
    try change { state throws(DropStreamError) in
      guard state.byteCount <= zerosEnd, count <= zerosEnd - state.byteCount else {
        throw DropStreamError(
          .damaged, "corrupt: \(count) zeros arrived for request \(number), whose content has \(zerosEnd) bytes")
      }
      state.byteCount += count
      // Adjacent runs become one piece. Zeros use no credit, so any number of runs must take constant memory.
      if case .zeros(let before) = state.pieces.last {
        state.pieces[state.pieces.count - 1] = .zeros(before + count)
      } else {
        state.pieces.append(.zeros(count))
      }
    }
  }

  /// Appends a descriptor in place of bytes.
  ///
  /// - Throws: `damaged` after bytes.
  func append(_ description: SessionDescriptor, _ descriptor: SharedDescriptor) throws(DropStreamError) {
    try change { state throws(DropStreamError) in
      guard state.byteCount == 0, state.isEmpty else {
        throw DropStreamError(.damaged, "corrupt: a descriptor arrived after bytes")
      }
      state.pieces.append(.descriptor(description, descriptor))
      state.ending = .success(())
    }
  }

  /// Ends the content and verifies its length.
  ///
  /// - Throws: `damaged` if the number of received bytes differs from the number that was sent.
  func end(byteCount: UInt64) throws(DropStreamError) {
    try change { state throws(DropStreamError) in
      guard state.byteCount == byteCount else {
        throw DropStreamError(
          .damaged, "corrupt: request \(number) received \(state.byteCount) bytes, not the stated \(byteCount)")
      }
      state.ending = state.ending ?? wrongLength(byteCount, isWhole: true).map { .failure($0) } ?? .success(())
    }
  }

  /// Ends the content with a failure, unless it has ended before.
  func end(_ failure: DropStreamError) {
    let waiting = state.withLock { state in
      state.ending = state.ending ?? .failure(failure)
      return state.touch()
    }
    waiting?.resume()
  }

  func showPreparation(completed: UInt64, total: UInt64?) {
    state.withLock { $0.lastActivity = .now }
    progress.setTotal(total.map { Int64(clamping: $0) })
    progress.advance(by: max(0, Int64(clamping: completed) - progress.snapshot.completed))
  }

  /// Returns whether a task has waited without progress for longer than `limit`.
  func isIdle(for limit: Duration, at now: ContinuousClock.Instant) -> Bool {
    state.withLock { $0.waiting != nil && now - $0.lastActivity > limit }
  }

  // MARK: The requesting task

  /// Returns what ``next(zerosAtMost:)`` returns without waiting; `nil` if it would wait.
  func nextWithoutWaiting(
    zerosAtMost limit: UInt64 = .max
  ) -> Result<(piece: Piece, credit: UInt64)?, DropStreamError>? {
    state.withLock { $0.take(window: window, zerosAtMost: limit) }
  }

  /// Waits for the next piece.
  ///
  /// Returns `nil` at the end.
  ///
  /// - Parameter limit: The maximum number of zeros in a piece.
  /// - Returns: The piece, and the number of bytes to grant to the peer.
  /// - Throws: The failure of the content; `cancelled` when the task is cancelled.
  func next(zerosAtMost limit: UInt64) async throws(DropStreamError) -> (piece: Piece, credit: UInt64)? {
    while true {
      if let found = nextWithoutWaiting(zerosAtMost: limit) { return try found.get() }
      await wait()
    }
  }

  /// Waits for the next piece, and returns it without taking it.
  ///
  /// Returns `nil` at the end.
  ///
  /// - Throws: The errors of ``next(zerosAtMost:)``.
  func peek() async throws(DropStreamError) -> Piece? {
    while true {
      if let found = state.withLock({ $0.look() }) { return try found.get() }
      await wait()
    }
  }

  /// Waits until there is a piece or an end.
  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if state.look() != nil { return true }
          state.waiting = continuation
          state.lastActivity = .now
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.isCancelled = true
        return state.touch()
      }
      waiting?.resume()
    }
  }
}

extension SessionContent.State {
  var isEmpty: Bool { first == pieces.count }

  /// Records activity and returns the waiting task, which the caller resumes outside the lock.
  mutating func touch() -> CheckedContinuation<Void, Never>? {
    lastActivity = .now
    return waiting.take()
  }

  /// Returns the next piece, the end as `.success(nil)`, or the failure; `nil` if none has arrived.
  func look() -> Result<SessionContent.Piece?, DropStreamError>? {
    if isCancelled { return .failure(.cancelled) }
    return isEmpty ? ending.map { $0.map { nil } } : .success(pieces[first])
  }

  mutating func take(
    window: UInt64, zerosAtMost limit: UInt64
  ) -> Result<(piece: SessionContent.Piece, credit: UInt64)?, DropStreamError>? {
    guard case .success(let piece?) = look() else { return look()?.map { _ in nil } }
    if case .zeros(let count) = piece, count > limit {
      pieces[first] = .zeros(count - limit)
      return .success((.zeros(limit), 0))
    }
    pieces[first] = nil
    first += 1
    if first == pieces.count {
      pieces.removeAll(keepingCapacity: true)
      first = 0
    }
    guard case .bytes(let data, isWhole: false) = piece, ending == nil else { return .success((piece, 0)) }
    owed += UInt64(data.count)
    guard owed >= window / 2 else { return .success((piece, 0)) }
    defer { owed = 0 }
    credit += owed
    return .success((piece, owed))
  }
}

/// A sequence of the chunks of a response.
///
/// When the sequence is released, it cancels the request if the request is still in progress.
final class SessionChunks: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  private let content: SessionContent
  private let session: DropSession
  /// Called when all chunks have been delivered.
  private let onEnd: @Sendable () -> Void
  init(_ content: SessionContent, session: DropSession, onEnd: @escaping @Sendable () -> Void = {}) {
    self.content = content
    self.session = session
    self.onEnd = onEnd
  }

  deinit {
    session.cancel(content.number)
  }

  /// Waits for the next piece, and returns it without taking it.
  ///
  /// Returns `nil` at the end.
  func peek() async throws(DropStreamError) -> SessionContent.Piece? {
    let piece = try await content.peek()
    if piece == nil { onEnd() }
    return piece
  }

  /// Waits for the next run and grants credit to the peer.
  ///
  /// - Parameter limit: The maximum number of zeros in a run.
  /// - Returns: The run; `nil` at the end.
  /// - Throws: The failure of the content; `cancelled` when the task is cancelled.
  func nextRun(zerosAtMost limit: UInt64) async throws(DropStreamError) -> ContentRun? {
    do throws(DropStreamError) {
      guard let (piece, credit) = try await content.next(zerosAtMost: limit) else {
        onEnd()
        return nil
      }
      if credit > 0 { session.output.send(.credit(number: content.number, credit)) }
      switch piece {
      case .bytes(let data, _): return .bytes(data)
      case .zeros(let count): return .zeros(count)
      case .descriptor: throw DropStreamError(.damaged, "corrupt: a descriptor follows a chunk")
      }
    } catch {
      // The caller reads no more after an error.
      session.cancel(content.number)
      throw error
    }
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(chunks: self)
  }

  struct Iterator: ContentRunIterator {
    let chunks: SessionChunks

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
      try await chunks.nextRun(zerosAtMost: UInt64(ZeroBytes.maximumCount))?.chunk
    }

    mutating func nextRun(isolation: isolated (any Actor)?) async throws -> ContentRun? {
      try await chunks.nextRun(zerosAtMost: UInt64(Int64.max))
    }
  }
}
