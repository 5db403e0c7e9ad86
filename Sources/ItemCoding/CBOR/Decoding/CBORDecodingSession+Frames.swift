// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The beginning and the end of values, each with a frame of its depth.
extension CBORDecodingSession {
  func makeFrame() -> Frame {
    let frame = Frame.allocate(capacity: 1)
    frame.initialize(to: CBORDecodingFrame())
    if state.pointee.isEnded { frame.pointee.containers.close() }
    state.pointee.frames.append(frame)
    return frame
  }

  /// Begins the value at `offset` inside of `parent`'s.
  ///
  /// - Throws: `DecodingError` where it is nested too deeply.
  @inline(__always)
  func frame(in parent: Frame, at offset: Int) throws -> Frame {
    let nesting = parent.pointee.nesting &+ (parent.pointee.kind == .value ? 0 : 1)
    if _slowPath(nesting > depthLimit) {
      throw error(tooDeep(offset), Never.self, in: parent)
    }
    do {
      try pay(Self.visit, at: offset)
    } catch {
      throw self.error(error, Never.self, in: parent)
    }
    var frame = parent.pointee.inner ?? makeInner(parent)
    // Taken where the program reads from a container it kept of a value that is complete.
    if _slowPath(frame.pointee.isBusy) { frame = takeSpareFrame() }
    begin(frame, at: offset)
    frame.pointee.parent = parent
    frame.pointee.nesting = nesting
    return frame
  }

  private func makeInner(_ parent: Frame) -> Frame {
    let frame = makeFrame()
    parent.pointee.inner = frame
    return frame
  }

  @inline(__always)
  func begin(_ frame: Frame, at offset: Int) {
    state.pointee.begunCount &+= 1
    frame.pointee.number = state.pointee.begunCount
    frame.pointee.isBusy = true
    frame.pointee.kind = .unread
    frame.pointee.start = offset
    frame.pointee.end = -1
    frame.pointee.besideCount = state.pointee.beside.count
    frame.pointee.containers.beginUse()
  }

  /// Ends a value, complete or not.
  @inline(__always)
  func leave(_ frame: Frame) {
    if _slowPath(state.pointee.beside.count > frame.pointee.besideCount) { leaveBeside(frame) }
    if _slowPath(!isUnshared(frame)) {
      replace(frame)
    } else {
      frame.pointee.isBusy = false
      if _slowPath(state.pointee.isEnded) { frame.pointee.level = nil }
      if _slowPath(frame.pointee.isSpare) { rest(frame) }
    }
  }

  @inline(__always)
  func isUnshared(_ frame: Frame) -> Bool {
    (isKnownUniquelyReferenced(&frame.pointee.level) || frame.pointee.level == nil)
      && frame.pointee.containers.areUnshared()
  }

  /// Ends a value whose frame the program never had to do with.
  @inline(__always)
  func leaveOwn(_ frame: Frame) {
    frame.pointee.isBusy = false
    if _slowPath(frame.pointee.isSpare) { rest(frame) }
  }

  /// What the program kept reads on from where it is: the frame stays as it is, and its path is what it is now.
  private func replace(_ frame: Frame) {
    state.pointee.isShared = true
    let parent = frame.pointee.parent
    frame.pointee.keptPath = frame.path()
    frame.pointee.parent = nil
    frame.pointee.inner = nil
    frame.pointee.level = nil
    frame.pointee.containers.close()
    guard let parent, parent.pointee.inner == frame else { return }
    parent.pointee.inner = nil
  }
}
