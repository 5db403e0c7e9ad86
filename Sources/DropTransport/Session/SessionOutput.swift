// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// A writer for the frames of one direction of a session.
///
/// Any thread may send a frame. The frames are written in the order of the calls.
///
/// If no thread is writing, the sender writes at once on its own thread, which keeps the latency of responses low. When
/// the descriptor accepts no more data, a separate thread waits for the descriptor and continues to write.
final class SessionOutput: Sendable {
  /// The longest wait for a socket to become writable before the next attempt to write.
  private static let writeWait = Duration.milliseconds(100)
  /// The minimum length of a chunk in bytes that is written directly from its buffer.
  ///
  /// A shorter chunk is copied into the frame.
  private static let leastPart = 16 << 10

  /// State that only the current writer accesses.
  private final class Writer: @unchecked Sendable {
    var descriptor: StreamDescriptor?
    var sequence: UInt32 = 0
    var digest = StreamDigest(preambleCheck: Preamble.check)
    /// The frame that is being written.
    var current: OutgoingFrame?
    var isPreambleWritten = false
    /// The number of bytes written so far of the preamble, and after it of the current frame.
    var written = 0
    var lastProgress = ContinuousClock.now

    init(_ descriptor: consuming StreamDescriptor) {
      self.descriptor = consume descriptor
    }
  }

  private let state = Lock(SessionOutputQueue())
  private let writer: Writer
  private let idleTimeout: Duration?
  /// Called once, with the first failure of writing or of the session.
  private let onFailure: @Sendable (DropStreamError) -> Void
  private let interrupt: Interrupt
  private let takesParts: Bool

  init(
    _ descriptor: consuming StreamDescriptor, idleTimeout: Duration?,
    onFailure: @escaping @Sendable (DropStreamError) -> Void
  ) {
    interrupt = descriptor.interrupt
    takesParts = descriptor.takesParts
    writer = Writer(descriptor)
    self.idleTimeout = idleTimeout
    self.onFailure = onFailure
  }

  /// Returns a frame with a copy of a chunk.
  ///
  /// Without the copy, the loader could change its memory between the checksum and the write.
  func frame(number: UInt32, chunk: UnsafeRawBufferPointer) -> OutgoingFrame {
    takesParts && chunk.count >= Self.leastPart
      ? .chunk(number: number, chunk) : .data(number: number, chunk, isWhole: false)
  }

  /// Sends a frame.
  ///
  /// Does nothing after the session has failed or closed.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - hasRoom: Whether ``room(for:)`` reserved space for the frame.
  func send(_ frame: OutgoingFrame, hasRoom: Bool = false) {
    enqueue(frame, hasRoom: hasRoom)
    writeEnqueued()
  }

  /// Sends a frame unless other frames are being written, since these also show that this side is alive.
  func sendIfIdle(_ frame: OutgoingFrame) {
    state.withLock { if !$0.isWriting { $0.append(frame, hasRoom: false) } }
    writeEnqueued()
  }

  /// Queues a frame after all earlier frames.
  ///
  /// The caller must call ``writeEnqueued()`` afterwards.
  func enqueue(_ frame: OutgoingFrame, hasRoom: Bool = false) {
    state.withLock { $0.append(frame, hasRoom: hasRoom) }
  }

  /// Writes the queued frames, unless another thread is writing.
  func writeEnqueued() {
    let (mustWrite, isTooLong) = state.withLock { ($0.beginWriting(), $0.isTooLong) }
    if isTooLong {
      fail(DropStreamError(.limitExceeded, "the peer requests content but does not read the responses"))
    }
    if mustWrite { write(mayWait: false) }
  }

  /// Waits for space for a frame with `count` bytes of content, and reserves the space.
  ///
  /// - Returns: Whether space is reserved; `false` if the task is cancelled or the session has failed.
  func room(for count: Int) async -> Bool {
    let length = FrameHeader.length + count + FrameHeader.checkLength
    while true {
      if Task.isCancelled { return false }
      let found: Bool? = state.withLock { $0.takeRoom(length) }
      if let found { return found }
      let ticket = state.withLock { $0.waitingForRoom.takeTicket() }
      _ = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let mustWait = state.withLock { state in
            guard !state.hasRoom, !Task.isCancelled else { return false }
            state.waitingForRoom.join(ticket, continuation)
            return true
          }
          if !mustWait { continuation.resume(returning: true) }
        }
      } onCancel: {
        state.withLock { $0.waitingForRoom.leave(ticket) }?.resume(returning: false)
      }
    }
  }

  /// Releases the space that was reserved for a frame that is not sent.
  func releaseRoom(for count: Int) {
    let length = FrameHeader.length + count + FrameHeader.checkLength
    for continuation in state.withLock({ $0.took(length, true) }) { continuation.resume(returning: true) }
  }

  // MARK: Writing

  /// Writes until the queue is empty.
  ///
  /// If the descriptor accepts no more, a thread that may wait continues.
  private func write(mayWait: Bool) {
    do throws(DropStreamError) {
      while try takeNext() {
        while try !writeCurrent() {
          guard mayWait else { return BlockingExecutor.startThread { self.write(mayWait: true) } }
          try waitForRoom()
        }
      }
    } catch {
      fail(error)
      state.withLock { $0.isWriting = false }
    }
    for continuation in state.withLock({ $0.takeWaitersForEnd() }) { continuation.resume() }
  }

  /// Takes and seals the next frame.
  ///
  /// - Returns: Whether there is something to write; if not, this thread is no longer the writer.
  private func takeNext() throws(DropStreamError) -> Bool {
    if writer.current != nil || !writer.isPreambleWritten { return true }
    guard var frame = state.withLock({ $0.takeNext() }) else { return false }
    frame.seal(sequence: writer.sequence, digest: &writer.digest)
    writer.sequence &+= 1
    writer.current = frame
    return true
  }

  /// Writes the rest of the preamble or of the current frame.
  ///
  /// - Returns: Whether it is written completely.
  private func writeCurrent() throws(DropStreamError) -> Bool {
    let length = writer.isPreambleWritten ? writer.current?.length ?? 0 : Preamble.length
    while writer.written < length {
      let written = try writeRest()
      if written == 0 { return false }
      writer.written += written
      writer.lastProgress = .now
    }
    writer.written = 0
    guard writer.isPreambleWritten else {
      writer.isPreambleWritten = true
      return true
    }
    let isContent = writer.current?.isContent == true
    writer.current = nil
    for continuation in state.withLock({ $0.took(length, isContent) }) { continuation.resume(returning: true) }
    return true
  }

  /// Writes without waiting.
  ///
  /// - Returns: The number of bytes written; 0 if the descriptor accepts none now.
  private func writeRest() throws(DropStreamError) -> Int {
    let start = writer.written
    let frame = writer.isPreambleWritten ? writer.current : nil
    // `withUnsafeBytes` would erase the type of the error, so the closures return a `Result`.
    let ofParts = frame?.withParts(from: start) { head, content, tail in
      Result { () throws(DropStreamError) in
        try writer.descriptor?.writeWithoutWaiting(head, content, tail) ?? head.count + content.count + tail.count
      }
    }
    if let ofParts { return try ofParts.get() }
    let handed = start == 0 ? frame?.descriptor?.raw : nil
    return try (frame?.bytes ?? Preamble.bytes).withUnsafeBytes { bytes in
      Result { () throws(DropStreamError) in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        return try writer.descriptor?.writeWithoutWaiting(rest, with: handed) ?? rest.count
      }
    }.get()
  }

  /// Waits until the descriptor is writable, up to the idle timeout or the deadline.
  ///
  /// The wait also ends after ``writeWait``, because a socket reports late that it is writable.
  ///
  /// - Throws: `timedOut`; `cancelled` when interrupted before the session closes.
  private func waitForRoom() throws(DropStreamError) {
    let end = state.withLock { $0.deadline }
    let idleEnd = idleTimeout.map { writer.lastProgress + $0 }
    let limit = [idleEnd, end].compactMap { $0 }.min().map { $0 - .now }
    if let limit, limit <= .zero {
      throw DropStreamError(.timedOut, "the peer has not read for \(idleTimeout ?? .zero)")
    }
    do throws(DropStreamError) {
      // An interrupt means that the session is closing, which sets a deadline.
      _ = try writer.descriptor?.waits(
        for: POLLOUT, atMost: limit.map { min($0, Self.writeWait) }, heedsInterrupt: end == nil)
    } catch {
      if error.code != .cancelled || state.withLock({ $0.deadline }) == nil { throw error }
    }
  }

  // MARK: The end

  /// Stops accepting frames, resumes waiting senders and reports the failure.
  private func fail(_ error: DropStreamError) {
    endFailing(beginFailing(error))
  }

  /// The remaining steps of a failure, which ``endFailing(_:)`` performs.
  struct Failing: Sendable {
    fileprivate let error: DropStreamError
    fileprivate let waiting: [CheckedContinuation<Bool, Never>]
    fileprivate let isFirst: Bool
    fileprivate let mustWrite: Bool
  }

  /// Stops accepting frames.
  ///
  /// Resumes no task and writes nothing, so the caller may hold a lock.
  ///
  /// - Parameters:
  ///   - error: The reason.
  ///   - finalFailure: The final frame, which replaces all frames that have not been started.
  /// - Returns: The argument for ``endFailing(_:)``.
  func beginFailing(_ error: DropStreamError, finalFailure: OutgoingFrame? = nil) -> Failing {
    state.withLock { state in
      let isFirst = state.fail(error, finalFailure)
      let mustWrite = isFirst && finalFailure != nil && !state.isWriting
      if mustWrite { state.isWriting = true }
      return Failing(
        error: error, waiting: state.waitingForRoom.takeAll(), isFirst: isFirst, mustWrite: mustWrite)
    }
  }

  /// Resumes waiting senders, writes the final frame, and reports the failure.
  func endFailing(_ failing: Failing) {
    for continuation in failing.waiting { continuation.resume(returning: false) }
    if failing.mustWrite { write(mayWait: false) }
    if failing.isFirst { onFailure(failing.error) }
  }

  /// Writes the queued frames and closes the descriptor.
  ///
  /// - Parameter grace: The longest time for writing.
  func close(within grace: Duration) async {
    state.withLock { state in
      state.deadline = .now + grace
      state.close(DropStreamError(.closed, "the session has ended"))
    }
    interrupt.raise()
    // A sender may have queued a frame without writing it yet.
    writeEnqueued()
    while true {
      await withCheckedContinuation { continuation in
        let isIdle = state.withLock { state in
          if state.isWriting { state.waitingForEnd.append(continuation) }
          return !state.isWriting
        }
        if isIdle { continuation.resume() }
      }
      // `isWriting` stays set, so that no thread writes any more: the descriptor's number may soon be reused.
      let isOurs = state.withLock { state in
        defer { state.isWriting = true }
        return !state.isWriting
      }
      if isOurs { break }
    }
    writer.descriptor = nil
    writer.current = nil
    let rest = state.withLock { $0.letGoOfFrames() }
    withExtendedLifetime(rest) {}
  }
}
