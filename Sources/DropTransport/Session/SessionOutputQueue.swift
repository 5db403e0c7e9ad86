// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The outgoing frames of one direction of a session, and the tasks that wait for them.
///
/// ``SessionOutput`` protects the queue with its lock. The queue itself resumes no task.
struct SessionOutputQueue {
  /// The number of queued bytes above which senders of content must wait.
  private static let roomLength = 512 << 10
  /// The maximum number of queued control bytes.
  ///
  /// A peer that never reads its responses is disconnected.
  private static let maximumLength = 4 << 20

  private var frames: [OutgoingFrame?] = []
  /// The index of the first frame that was not taken.
  private var first = 0
  /// The number of queued and reserved bytes.
  private var length = 0
  /// The number of these bytes in control frames, whose senders never wait.
  private var controlLength = 0
  /// The reason why the queue accepts no more frames.
  private var failure: DropStreamError?
  /// Whether a thread is writing.
  var isWriting = false
  var waitingForRoom = ContinuationQueue()
  var waitingForEnd: [CheckedContinuation<Void, Never>] = []
  /// The time when queued frames are discarded.
  var deadline: ContinuousClock.Instant?

  // MARK: Frames

  /// Appends a frame, unless the queue is closed.
  mutating func append(_ frame: OutgoingFrame, hasRoom: Bool) {
    guard failure == nil else { return }
    var frame = frame
    frame.isContent = hasRoom
    frames.append(frame)
    if !hasRoom {
      length += frame.length
      controlLength += frame.length
    }
  }

  /// Makes the caller the writer if frames are queued and no thread is writing.
  ///
  /// - Returns: Whether the caller must write.
  mutating func beginWriting() -> Bool {
    guard !isWriting, first < frames.count else { return false }
    isWriting = true
    return true
  }

  /// Takes the next frame.
  ///
  /// - Returns: The frame; `nil` if the queue is empty. The caller is then no longer the writer.
  mutating func takeNext() -> OutgoingFrame? {
    guard first < frames.count else {
      frames.removeAll(keepingCapacity: frames.capacity < 1024)
      first = 0
      isWriting = false
      return nil
    }
    defer { first += 1 }
    if first >= 256 {
      frames.removeFirst(first)
      first = 0
    }
    return frames[first].take()
  }

  // MARK: Space

  var hasRoom: Bool { length <= Self.roomLength || failure != nil }

  var isTooLong: Bool { controlLength > Self.maximumLength && failure == nil }

  /// Reserves space for a frame.
  ///
  /// - Returns: `true` if space is reserved; `nil` if no space is free now; `false` if the queue is closed.
  mutating func takeRoom(_ count: Int) -> Bool? {
    if failure != nil { return false }
    guard hasRoom else { return nil }
    length += count
    return true
  }

  /// Releases the space of a frame.
  ///
  /// - Returns: The tasks to resume.
  mutating func took(_ count: Int, _ isContent: Bool) -> [CheckedContinuation<Bool, Never>] {
    length = max(0, length - count)
    if !isContent { controlLength = max(0, controlLength - count) }
    // Senders are resumed in batches. Resuming for each frame would cost two thread switches per frame.
    return length <= Self.roomLength / 2 ? waitingForRoom.takeAll() : []
  }

  // MARK: The end

  /// Closes the queue and discards its frames.
  ///
  /// - Parameters:
  ///   - error: The reason.
  ///   - finalFailure: The final frame, which replaces the discarded frames.
  /// - Returns: Whether the queue was open before.
  mutating func fail(_ error: DropStreamError, _ finalFailure: OutgoingFrame?) -> Bool {
    guard failure == nil else { return false }
    failure = error
    frames = finalFailure.map { [$0] } ?? []
    first = 0
    length = 0
    controlLength = 0
    return true
  }

  /// Closes the queue to new frames.
  mutating func close(_ error: DropStreamError) {
    failure = failure ?? error
  }

  /// Removes and returns the frames that will not be written.
  mutating func letGoOfFrames() -> [OutgoingFrame?] {
    defer { frames = [] }
    first = 0
    return frames
  }

  mutating func takeWaitersForEnd() -> [CheckedContinuation<Void, Never>] {
    if isWriting || waitingForEnd.isEmpty { return [] }
    defer { waitingForEnd = [] }
    return waitingForEnd
  }
}
