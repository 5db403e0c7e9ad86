// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// Writes the frames of one direction of a session, whoever sends them, in the order they were given.
///
/// Whoever sends first writes at once, on its own thread, as long as nothing has to wait: that is what makes an answer
/// quick. Where the descriptor takes no more, a thread of its own waits for it and goes on.
final class SessionOutput: Sendable {
  /// How long a socket is believed that it takes nothing.
  private static let patience = Duration.milliseconds(100)
  /// A shorter chunk has its place between header and check.
  private static let leastPart = 16 << 10

  /// What only whoever is writing touches.
  private final class Writer: @unchecked Sendable {
    var descriptor: StreamDescriptor?
    var sequence: UInt32 = 0
    var digest = StreamDigest(preambleCheck: Preamble.check)
    /// What is being written, and how much of it has been.
    var current: OutgoingFrame?
    var isPreambleWritten = false
    var written = 0
    var lastProgress = ContinuousClock.now

    init(_ descriptor: consuming StreamDescriptor) {
      self.descriptor = consume descriptor
    }

    func endReading() {
      descriptor?.endReading()
    }
  }

  private let state = Lock(SessionOutputQueue())
  private let writer: Writer
  private let idleTimeout: Duration?
  /// Told once when nothing can be written any more.
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

  /// A frame with a copy of a chunk: what a loader gives may change, and must not between its check and its sending.
  func frame(number: UInt32, chunk: UnsafeRawBufferPointer) -> OutgoingFrame {
    takesParts && chunk.count >= Self.leastPart
      ? .chunk(number: number, chunk) : .data(number: number, chunk, isWhole: false)
  }

  /// Sends a frame; does nothing once the session has failed.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - hasRoom: Whether ``room(for:)`` was found for it.
  func send(_ frame: OutgoingFrame, hasRoom: Bool = false) {
    enqueue(frame, hasRoom: hasRoom)
    writeEnqueued()
  }

  /// Sends a frame unless others are being written, which the peer notices as well.
  func sendWhereQuiet(_ frame: OutgoingFrame) {
    state.withLock { if !$0.isWriting { $0.append(frame, hasRoom: false) } }
    writeEnqueued()
  }

  /// Gives a frame its place behind those before; ``writeEnqueued()`` must follow.
  func enqueue(_ frame: OutgoingFrame, hasRoom: Bool = false) {
    state.withLock { $0.append(frame, hasRoom: hasRoom) }
  }

  /// Writes what has its place, unless somebody is at it.
  func writeEnqueued() {
    let (mustWrite, isTooLong) = state.withLock { ($0.beginWriting(), $0.isTooLong) }
    if isTooLong { fail(DropStreamError(.limitExceeded, "the other side does not read what it asks for")) }
    if mustWrite { write(mayWait: false) }
  }

  /// Waits until there is room for a frame with so much content, and keeps it.
  ///
  /// - Returns: Whether there is; not when the task is cancelled or the session has failed.
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

  /// Gives room back that was kept for a frame which is not sent.
  func giveBackRoom(for count: Int) {
    let length = FrameHeader.length + count + FrameHeader.checkLength
    for continuation in state.withLock({ $0.took(length, true) }) { continuation.resume(returning: true) }
  }

  // MARK: Writing

  /// Writes until there is nothing more, or the descriptor takes no more and a thread that may wait goes on.
  private func write(mayWait: Bool) {
    do throws(DropStreamError) {
      while try takeNext() {
        while try !writeCurrent() {
          guard mayWait else { return DetachedThread.start { self.write(mayWait: true) } }
          try waitForRoom()
        }
      }
    } catch {
      fail(error)
      state.withLock { $0.isWriting = false }
    }
    for continuation in state.withLock({ $0.takeThoseWaitingForEnd() }) { continuation.resume() }
  }

  /// - Returns: Whether there is something to write; else nobody writes any more.
  private func takeNext() throws(DropStreamError) -> Bool {
    if writer.current != nil || !writer.isPreambleWritten { return true }
    guard var frame = state.withLock({ $0.takeNext() }) else { return false }
    frame.seal(sequence: writer.sequence, digest: &writer.digest)
    writer.sequence &+= 1
    writer.current = frame
    return true
  }

  /// - Returns: Whether it was written to its end.
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

  /// - Returns: How many bytes of what is being written were taken; 0 where none is yet.
  private func writeRest() throws(DropStreamError) -> Int {
    let start = writer.written
    let frame = writer.isPreambleWritten ? writer.current : nil
    // The standard functions would erase the type of the error.
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

  /// Waits until the descriptor takes something, for no longer than the idle timeout or the end allows.
  ///
  /// Now and then it returns before: a socket says only late that it takes more.
  private func waitForRoom() throws(DropStreamError) {
    let end = state.withLock { $0.deadline }
    let idleEnd = idleTimeout.map { writer.lastProgress + $0 }
    let limit = [idleEnd, end].compactMap { $0 }.min().map { $0 - .now }
    if let limit, limit <= .zero {
      throw DropStreamError(.timedOut, "the other side has not read for \(idleTimeout ?? .zero)")
    }
    do throws(DropStreamError) {
      // An interrupt says that the end has come, and so a deadline.
      _ = try writer.descriptor?.waits(
        for: POLLOUT, atMost: limit.map { min($0, Self.patience) }, heedsInterrupt: end == nil)
    } catch {
      if error.code != .cancelled || state.withLock({ $0.deadline }) == nil { throw error }
    }
  }

  // MARK: The end

  /// Takes no more frames; whoever waits goes on.
  private func fail(_ error: DropStreamError) {
    endFailing(beginFailing(error))
  }

  /// What is left to do of a failure.
  struct Failing: Sendable {
    fileprivate let error: DropStreamError
    fileprivate let waiting: [CheckedContinuation<Bool, Never>]
    fileprivate let isFirst: Bool
    fileprivate let mustWrite: Bool
  }

  /// Takes no more frames; wakes nobody and writes nothing, so that it may be called with a lock held.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - lastWords: A frame in the place of all those that have not been begun.
  /// - Returns: What is to be given to ``endFailing(_:)``.
  func beginFailing(_ error: DropStreamError, lastWords: OutgoingFrame? = nil) -> Failing {
    state.withLock { state in
      let isFirst = state.fail(error, lastWords)
      let mustWrite = isFirst && lastWords != nil && !state.isWriting
      if mustWrite { state.isWriting = true }
      return Failing(
        error: error, waiting: state.waitingForRoom.takeAll(), isFirst: isFirst, mustWrite: mustWrite)
    }
  }

  /// Lets whoever waits go on, and writes the last words.
  func endFailing(_ failing: Failing) {
    for continuation in failing.waiting { continuation.resume(returning: false) }
    if failing.mustWrite { write(mayWait: false) }
    if failing.isFirst { onFailure(failing.error) }
  }

  /// Writes what lies here, and closes.
  ///
  /// - Parameter grace: The longest time this may take.
  func close(within grace: Duration) async {
    state.withLock { state in
      state.deadline = .now + grace
      state.close(DropStreamError(.closed, "the session has ended"))
    }
    interrupt.raise()
    // Whatever has not been heard by now is not waited for.
    writer.endReading()
    // Somebody may have given a frame its place and not come to writing it.
    writeEnqueued()
    while true {
      await withCheckedContinuation { continuation in
        let isIdle = state.withLock { state in
          if state.isWriting { state.waitingForEnd.append(continuation) }
          return !state.isWriting
        }
        if isIdle { continuation.resume() }
      }
      // From here on nobody writes: the descriptor's number may soon be another's.
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
