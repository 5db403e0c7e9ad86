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

    /// The number of content bytes; `nil` for a descriptor.
    var byteCount: UInt64? {
      switch self {
      case .bytes(let data, _): UInt64(data.count)
      case .zeros(let count): count
      case .descriptor: nil
      }
    }
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

  /// Appends a chunk, or the complete content.
  ///
  /// - Parameters:
  ///   - data: The bytes.
  ///   - isWhole: Whether the bytes are the complete content.
  /// - Returns: Whether this side still wants the content; `false` if its length contradicts the offer.
  /// - Throws: `damaged` for more bytes than the credit allows, or for complete content after other bytes.
  @discardableResult
  func append(_ data: Data, isWhole: Bool) throws(DropStreamError) -> Bool {
    let (waiting, isAllowed, isWanted) = state.withLock { state in
      guard UInt64(data.count) <= state.credit, !isWhole || state.byteCount == 0 else {
        return (CheckedContinuation<Void, Never>?.none, false, false)
      }
      state.credit -= UInt64(data.count)
      state.byteCount += UInt64(data.count)
      let error = wrongLength(state.byteCount, isWhole: isWhole)
      if error == nil { state.pieces.append(.bytes(data, isWhole: isWhole)) }
      if isWhole || error != nil { state.ending = state.ending ?? error.map { .failure($0) } ?? .success(()) }
      return (state.touch(), true, error == nil)
    }
    guard isAllowed else {
      throw DropStreamError(.damaged, "corrupt: more bytes arrived for request \(number) than its credit allows")
    }
    waiting?.resume()
    return isWanted
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
    let (waiting, isAllowed) = state.withLock { state in
      guard state.byteCount <= zerosEnd, count <= zerosEnd - state.byteCount else {
        return (CheckedContinuation<Void, Never>?.none, false)
      }
      state.byteCount += count
      // Adjacent runs become one piece. Zeros use no credit, so any number of runs must take constant memory.
      if case .zeros(let before) = state.pieces.last {
        state.pieces[state.pieces.count - 1] = .zeros(before + count)
      } else {
        state.pieces.append(.zeros(count))
      }
      return (state.touch(), true)
    }
    guard isAllowed else {
      throw DropStreamError(
        .damaged, "corrupt: \(count) zeros arrived for request \(number), whose content has \(zerosEnd) bytes")
    }
    waiting?.resume()
  }

  /// Appends a descriptor in place of bytes.
  ///
  /// - Throws: `damaged` after bytes.
  func append(_ description: SessionDescriptor, _ descriptor: SharedDescriptor) throws(DropStreamError) {
    let (waiting, isFirst) = state.withLock { state in
      guard state.byteCount == 0, state.isEmpty else { return (CheckedContinuation<Void, Never>?.none, false) }
      state.pieces.append(.descriptor(description, descriptor))
      state.ending = .success(())
      return (state.touch(), true)
    }
    guard isFirst else { throw DropStreamError(.damaged, "corrupt: a descriptor arrived after bytes") }
    waiting?.resume()
  }

  /// Ends the content and verifies its length.
  ///
  /// - Throws: `damaged` if the number of received bytes differs from the number that was sent.
  func end(byteCount: UInt64) throws(DropStreamError) {
    let count = state.withLock { $0.byteCount }
    guard count == byteCount else {
      throw DropStreamError(.damaged, "corrupt: request \(number) received \(count) bytes, not the stated \(byteCount)")
    }
    end(wrongLength(byteCount, isWhole: true).map { .failure($0) } ?? .success(()))
  }

  /// Ends the content with an outcome.
  ///
  /// If the content has ended before, the first outcome remains.
  func end(_ ending: Result<Void, DropStreamError>) {
    let waiting = state.withLock { state in
      state.ending = state.ending ?? ending
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

  /// Returns what ``next()`` returns without waiting; `nil` if it would wait.
  func nextWithoutWaiting() -> Result<(piece: Piece, credit: UInt64)?, DropStreamError>? {
    state.withLock { $0.take(window: window) }
  }

  /// Waits for the next piece.
  ///
  /// Returns `nil` at the end.
  ///
  /// - Returns: The piece, and the number of bytes to grant to the peer.
  /// - Throws: The failure of the content; `cancelled` when the task is cancelled.
  func next() async throws(DropStreamError) -> (piece: Piece, credit: UInt64)? {
    while true {
      if let found = nextWithoutWaiting() { return try found.get() }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isReady = state.withLock { state in
            if state.isReady { return true }
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
}

extension SessionContent.State {
  var isEmpty: Bool { first == pieces.count }
  var isReady: Bool { !isEmpty || ending != nil || isCancelled }

  /// Records activity and returns the waiting task, which the caller resumes outside the lock.
  mutating func touch() -> CheckedContinuation<Void, Never>? {
    lastActivity = .now
    return waiting.take()
  }

  mutating func take(window: UInt64) -> Result<(piece: SessionContent.Piece, credit: UInt64)?, DropStreamError>? {
    if isCancelled { return .failure(.cancelled) }
    guard !isEmpty, let piece = pieces[first].take() else { return ending.map { $0.map { nil } } }
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
