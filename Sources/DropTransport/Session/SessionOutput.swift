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
  /// The maximum number of queued frames of content, whose senders wait for space.
  private static let maximumContentFrames = 4
  /// The maximum number of queued bytes of other frames, whose senders never wait.
  ///
  /// A peer that never reads its responses is disconnected.
  private static let maximumControlLength = 4 << 20

  private struct State {
    /// Not a `FIFOQueue`, whose code is not specialized in this module: a request would take a fifth more instructions.
    private var frames: [OutgoingFrame?] = []
    /// The index of the first frame that was not taken.
    private var first = 0
    private var controlLength = 0
    /// Whether no more frames are accepted.
    var isClosed = false
    /// Whether a thread is writing.
    private(set) var isWriting = false
    /// Whether no thread will write any more.
    private(set) var isEnded = false
    /// The time when the descriptor last accepted bytes of content.
    var lastContentProgress: ContinuousClock.Instant?
    /// The time when queued frames are discarded; `nil` until the session closes.
    var deadline: ContinuousClock.Instant?

    var isTooLong: Bool { controlLength > maximumControlLength && !isClosed }

    mutating func append(_ frame: OutgoingFrame, hasRoom: Bool) {
      guard !isClosed else { return }
      var frame = frame
      frame.isContent = hasRoom
      frames.append(frame)
      if !hasRoom { controlLength += frame.length }
    }

    /// Makes the caller the writer if frames are queued and no thread is writing.
    ///
    /// - Returns: Whether the caller must write.
    mutating func beginWriting() -> Bool {
      guard !isWriting, first < frames.count || deadline != nil else { return false }
      isWriting = true
      return true
    }

    /// Takes the next frame.
    ///
    /// - Returns: The frame; `nil` if the queue is empty. The caller is then no longer the writer.
    mutating func takeNext() -> OutgoingFrame? {
      guard first < frames.count else {
        endWriting()
        return nil
      }
      defer { first += 1 }
      if first >= 256 {
        frames.removeFirst(first)
        first = 0
      }
      guard let frame = frames[first].take() else { return nil }
      if !frame.isContent { controlLength -= frame.length }
      return frame
    }

    /// Discards the queue; the caller is no longer the writer.
    mutating func endWriting() {
      discardFrames()
      // After the close, no thread may write any more: the descriptor's number may soon be reused.
      isEnded = deadline != nil
      isWriting = isEnded
    }

    /// Closes the queue and discards its frames.
    ///
    /// - Returns: Whether the queue was open before.
    mutating func fail(finalFailure: OutgoingFrame?) -> Bool {
      guard !isClosed else { return false }
      discardFrames()
      if let finalFailure { frames.append(finalFailure) }
      isClosed = true
      return true
    }

    private mutating func discardFrames() {
      frames.removeAll(keepingCapacity: frames.capacity < 1024)
      (first, controlLength) = (0, 0)
    }
  }

  /// State that only the current writer accesses.
  private final class Writer: @unchecked Sendable {
    var descriptor: StreamDescriptor?
    var sequence: UInt32 = 0
    var digest = StreamDigest(preambleCheck: Preamble.check)
    /// The frame that is being written.
    var current: OutgoingFrame? = .preamble
    /// The number of bytes written so far of the current frame.
    var written = 0
    var lastProgress = ContinuousClock.now

    init(_ descriptor: consuming StreamDescriptor) {
      self.descriptor = consume descriptor
    }
  }

  private let state = Lock(State())
  /// One permit for each frame of content that may be queued.
  private let space = AsyncSemaphore(permits: maximumContentFrames)
  private let end = Latch()
  private let writer: Writer
  private let idleTimeout: Duration?
  /// Called once, with the first failure of writing.
  private let onFailure: @Sendable (DropStreamError) -> Void
  private let interrupt: Interrupt

  init(
    _ descriptor: consuming StreamDescriptor, idleTimeout: Duration?,
    onFailure: @escaping @Sendable (DropStreamError) -> Void
  ) {
    interrupt = descriptor.interrupt
    writer = Writer(descriptor)
    self.idleTimeout = idleTimeout
    self.onFailure = onFailure
  }

  /// Sends a frame.
  ///
  /// Does nothing after the session has failed or closed.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - hasRoom: Whether ``room()`` reserved space for the frame.
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

  /// Waits for space for a frame of content, and reserves the space.
  ///
  /// - Returns: Whether space is reserved; `false` if the task is cancelled or the session has failed.
  func room() async -> Bool {
    guard !Task.isCancelled, await space.wait() else { return false }
    if state.withLock({ !$0.isClosed }) { return true }
    // The next waiting sender learns of the end, too.
    space.signal()
    return false
  }

  /// The time when the peer last took content, as far as this side sees it.
  var lastContentProgress: ContinuousClock.Instant? { state.withLock(\.lastContentProgress) }

  /// Releases the space that was reserved for a frame that is not sent.
  func releaseRoom() { space.signal() }

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
      writer.current = nil
      state.withLock { $0.endWriting() }
    }
    if state.withLock({ $0.isEnded }) { end.open() }
  }

  /// Takes and seals the next frame.
  ///
  /// - Returns: Whether there is something to write; if not, this thread is no longer the writer.
  private func takeNext() throws(DropStreamError) -> Bool {
    if writer.current != nil { return true }
    guard var frame = state.withLock({ $0.takeNext() }) else { return false }
    frame.seal(sequence: writer.sequence, digest: &writer.digest)
    writer.sequence &+= 1
    writer.current = frame
    return true
  }

  /// Writes the rest of the current frame.
  ///
  /// - Returns: Whether it is written completely.
  private func writeCurrent() throws(DropStreamError) -> Bool {
    guard let frame = writer.current else { return true }
    while writer.written < frame.length {
      let written = try writeRest(of: frame)
      if written == 0 { return false }
      writer.written += written
      writer.lastProgress = .now
      if frame.isContent { state.withLock { $0.lastContentProgress = writer.lastProgress } }
    }
    writer.written = 0
    writer.current = nil
    if frame.isContent { space.signal() }
    return true
  }

  /// Writes without waiting.
  ///
  /// - Returns: The number of bytes written; 0 if the descriptor accepts none now.
  private func writeRest(of frame: OutgoingFrame) throws(DropStreamError) -> Int {
    let start = writer.written
    let descriptor = start == 0 ? frame.descriptor?.raw : nil
    // `withUnsafeBytes` would erase the type of the error, so the closure returns a `Result`.
    return try frame.withBytes { bytes in
      Result { () throws(DropStreamError) in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
        return try writer.descriptor?.writeWithoutWaiting(rest, with: descriptor) ?? rest.count
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
    guard state.withLock({ $0.fail(finalFailure: nil) }) else { return }
    space.signal()
    onFailure(error)
  }

  /// Stops accepting frames.
  ///
  /// Resumes no task and writes nothing, so the caller may hold a lock. The caller calls ``endFailing()`` afterwards.
  ///
  /// - Parameter finalFailure: The final frame, which replaces all frames that have not been started.
  func beginFailing(finalFailure: OutgoingFrame?) {
    state.withLock { _ = $0.fail(finalFailure: finalFailure) }
  }

  /// Resumes waiting senders, and writes the final frame.
  func endFailing() {
    space.signal()
    writeEnqueued()
  }

  /// Writes the queued frames and closes the descriptor.
  ///
  /// - Parameter grace: The longest time for writing.
  func close(within grace: Duration) async {
    state.withLock { state in
      state.deadline = .now + grace
      state.isClosed = true
    }
    interrupt.raise()
    // A sender may have queued a frame without writing it yet.
    writeEnqueued()
    await end.wait()
    writer.descriptor = nil
  }
}
