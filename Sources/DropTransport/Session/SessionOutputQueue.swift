// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// What is to be written in one direction of a session, and who waits for that.
///
/// It is what ``SessionOutput`` has under its lock, and wakes nobody itself.
struct SessionOutputQueue {
  /// How much may lie here before whoever sends content has to wait.
  private static let roomLength = 512 << 10
  /// How much that is no content may lie here at all: a peer that asks and asks and never reads the answers is none.
  private static let maximumLength = 4 << 20

  private var frames: [OutgoingFrame?] = []
  /// The first of `frames` that has not been taken.
  private var first = 0
  private var length = 0
  /// Of `length`, what is no content: nobody waits before sending it.
  private var controlLength = 0
  /// Why nothing more is taken.
  private var failure: DropStreamError?
  /// Somebody is writing.
  var isWriting = false
  var waitingForRoom = ContinuationQueue()
  var waitingForEnd: [CheckedContinuation<Void, Never>] = []
  /// When what lies here is given up.
  var deadline: ContinuousClock.Instant?

  // MARK: Frames

  /// Puts a frame behind those before, unless nothing more is taken.
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

  /// - Returns: Whether there is something to write that nobody writes; the caller writes it then.
  mutating func beginWriting() -> Bool {
    guard !isWriting, first < frames.count else { return false }
    isWriting = true
    return true
  }

  /// - Returns: The next frame; `nil` where there is none, and nobody writes any more.
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

  // MARK: Room

  var hasRoom: Bool { length <= Self.roomLength || failure != nil }

  var isTooLong: Bool { controlLength > Self.maximumLength && failure == nil }

  /// Keeps room for a frame, if there is some; `false` where nothing more is taken.
  mutating func takeRoom(_ count: Int) -> Bool? {
    if failure != nil { return false }
    guard hasRoom else { return nil }
    length += count
    return true
  }

  /// Bytes lie here no longer.
  ///
  /// - Returns: Who is to be woken.
  mutating func took(_ count: Int, _ isContent: Bool) -> [CheckedContinuation<Bool, Never>] {
    length = max(0, length - count)
    if !isContent { controlLength = max(0, controlLength - count) }
    // Woken when it is worth it: one frame at a time would be two changes of threads a frame.
    return length <= Self.roomLength / 2 ? waitingForRoom.takeAll() : []
  }

  // MARK: The end

  /// Takes no more frames, and lets go of those that lie here.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - lastWords: A frame in their place.
  /// - Returns: Whether frames were taken before.
  mutating func fail(_ error: DropStreamError, _ lastWords: OutgoingFrame?) -> Bool {
    guard failure == nil else { return false }
    failure = error
    frames = lastWords.map { [$0] } ?? []
    first = 0
    length = 0
    controlLength = 0
    return true
  }

  /// Takes no more frames.
  mutating func close(_ error: DropStreamError) {
    failure = failure ?? error
  }

  /// Takes out what will not be written any more.
  mutating func letGoOfFrames() -> [OutgoingFrame?] {
    defer { frames = [] }
    first = 0
    return frames
  }

  mutating func takeThoseWaitingForEnd() -> [CheckedContinuation<Void, Never>] {
    if isWriting || waitingForEnd.isEmpty { return [] }
    defer { waitingForEnd = [] }
    return waitingForEnd
  }
}
