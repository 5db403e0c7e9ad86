// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The beginning and the end of values, each with a frame of its depth.
extension CBOREncodingSession {
  func makeFrame() -> Frame {
    let frame = Frame.allocate(capacity: 1)
    frame.initialize(to: CBOREncodingFrame())
    frame.pointee.sortsEntries = options.order == .deterministic
    let level = CBOREncodingLevel(self, frame)
    frame.pointee.level = level
    frame.pointee.encoder.initialize(to: level)
    // Only the level above counts; the encoder is never deinitialized.
    Unmanaged.passUnretained(level).release()
    state.pointee.frames.append(frame)
    return frame
  }

  /// Begins a value inside of `parent`'s.
  ///
  /// - Throws: `EncodingError` where it is nested too deeply.
  @inline(__always)
  func frame(in parent: Frame) throws -> Frame {
    let nesting = parent.pointee.nesting &+ (parent.pointee.kind == .value ? 0 : 1)
    if _slowPath(nesting > depthLimit) { throw tooDeep(parent) }
    var frame = parent.pointee.inner ?? makeInner(parent)
    // Taken only where a value writes to a container of a value around it.
    if _slowPath(frame.pointee.isBusy) { frame = makeFrame() }
    begin(frame)
    frame.pointee.parent = parent
    frame.pointee.nesting = nesting
    return frame
  }

  /// Begins a map or array inside of `parent`'s value.
  @inline(__always)
  func containerFrame(in parent: Frame) throws -> Frame {
    let frame = try frame(in: parent)
    if _slowPath(frame.pointee.nesting >= depthLimit) {
      leaveOwn(frame)
      throw tooDeep(parent)
    }
    return frame
  }

  private func makeInner(_ parent: Frame) -> Frame {
    let frame = makeFrame()
    parent.pointee.inner = frame
    return frame
  }

  /// Begins a value where the writer is.
  @inline(__always)
  func begin(_ frame: Frame) {
    frame.pointee.isBusy = true
    frame.pointee.kind = .empty
    frame.pointee.mayRepeatKeys = false
    frame.pointee.start = writer.pointee.count
    frame.pointee.count = 0
    frame.pointee.key.place = -1
    frame.pointee.insertCount = state.pointee.inserts.count
    frame.pointee.containers.beginUse()
  }

  /// Puts in what was written beside, and the header right.
  @inline(__always)
  func complete(_ frame: Frame) throws {
    if _slowPath(state.pointee.inserts.count > frame.pointee.insertCount) {
      try insertAll(frame)
      // The entries are no longer where they started.
      if frame.pointee.sortsEntries { frame.pointee.mayRepeatKeys = true }
    }
    if _slowPath(frame.pointee.misuse != nil) { throw misused(frame) }
    switch frame.pointee.kind {
    case .map:
      if _slowPath(frame.pointee.mayRepeatKeys) {
        arrange(frame)
      } else if _slowPath(frame.pointee.sortsEntries) {
        sortEntries(frame, count: frame.pointee.count)
      }
      finishHeader(.map, frame)
    case .array:
      finishHeader(.array, frame)
    case .empty:
      // A value without fields, as Foundation's coders write it.
      writer.pointee.write(byte: CBORByte.emptyMap)
    case .value, .finished:
      break
    }
  }

  /// Ends a value, complete or not.
  @inline(__always)
  func leave(_ frame: Frame) {
    if _slowPath(state.pointee.inserts.count > frame.pointee.insertCount) { dropInserts(frame) }
    frame.pointee.isBusy = false
    frame.pointee.kind = .finished
    // One that was not told, because something else was wrong, is not the next value's.
    if _slowPath(frame.pointee.misuse != nil) { frame.pointee.misuse = nil }
    if _slowPath(!isUnshared(frame)) { replace(frame) }
  }

  /// Whether the program holds no encoder or container of the frame.
  @inline(__always)
  func isUnshared(_ frame: Frame) -> Bool {
    isKnownUniquelyReferenced(&frame.pointee.level) && frame.pointee.containers.areUnshared()
  }

  /// Ends a value whose frame the program never had to do with.
  @inline(__always)
  func leaveOwn(_ frame: Frame) {
    frame.pointee.isBusy = false
  }

  /// What the program kept is its own from now on, and of no use.
  private func replace(_ frame: Frame) {
    state.pointee.isShared = true
    frame.pointee.keptPath = frame.pointee.codingPath
    frame.pointee.level = nil
    frame.pointee.containers.close()
    let parent = frame.pointee.parent
    frame.pointee.parent = nil
    guard let parent, parent.pointee.inner == frame else { return }
    parent.pointee.inner = nil
  }

  @inline(__always)
  private func finishHeader(_ major: CBORMajorType, _ frame: Frame) {
    let count = frame.pointee.count
    if _fastPath(count < 24) {
      (writer.pointee.base + frame.pointee.start).storeBytes(
        of: major.initialByte | UInt8(truncatingIfNeeded: count), as: UInt8.self)
    } else {
      writer.pointee.lengthenHeader(major, count, at: frame.pointee.start)
    }
  }

  /// Sorts the first `count` entries that have been noted in `frame`.
  @inline(never)
  func sortEntries(_ frame: Frame, count: Int) {
    state.pointee.sorter.sort(&writer.pointee, frame.pointee.entryStarts.base, count: count)
    frame.pointee.entryStarts.rest()
  }

  private func arrange(_ frame: Frame) {
    frame.pointee.count = CBORMapArrangement.arrange(
      &writer.pointee, from: frame.pointee.start + 1, isSorted: options.order == .deterministic)
  }
}
