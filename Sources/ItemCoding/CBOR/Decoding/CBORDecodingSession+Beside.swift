// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Values that the program may read at any time while the value around them is in progress, and later if it keeps them.
extension CBORDecodingSession {
  /// The decoder of a value inside of `parent`'s, of use until that is complete, and longer where the program keeps it.
  ///
  /// The value is at `offset`, which is negative where there is none.
  func levelBeside(_ parent: Frame, at offset: Int, key: any CodingKey) throws -> CBORDecodingLevel {
    let nesting = parent.pointee.nesting + 1
    if nesting > depthLimit {
      throw error(tooDeep(offset), Never.self, in: parent)
    }
    try settleLast(beside: parent)
    let frame = takeSpareFrame()
    begin(frame, at: offset)
    frame.pointee.parent = parent
    frame.pointee.ownKey = key
    frame.pointee.nesting = nesting
    let level = frame.pointee.level ?? CBORDecodingLevel(self, frame)
    if state.pointee.isEnded {
      // The level is all there is of it: the way to it is written down, and with the level the frame is free again.
      frame.pointee.keptPath = frame.pointee.codingPath
      frame.pointee.parent = nil
      frame.pointee.isLent = true
      frame.pointee.level = nil
      frame.pointee.containers.close()
    } else {
      frame.pointee.level = level
      state.pointee.beside.append(frame)
    }
    return level
  }

  /// Takes back the last frames that were given to the program within `parent`'s value, as far as it has let go of
  /// them: who goes through an array of a million values needs one.
  private func settleLast(beside parent: Frame) throws {
    while state.pointee.beside.count > parent.pointee.besideCount, let last = state.pointee.beside.last,
      isUnshared(last)
    {
      try refuseRepeatedKeys(in: last)
      state.pointee.beside.removeLast()
      leave(last)
    }
  }

  /// The value of `frame` has been read, and those that the program read within it by name.
  ///
  /// - Throws: `DecodingError` where a map of those has a key twice.
  func endBeside(_ frame: Frame) throws {
    for inner in state.pointee.beside[frame.pointee.besideCount...] { try refuseRepeatedKeys(in: inner) }
  }

  private func refuseRepeatedKeys(in frame: Frame) throws {
    guard frame.pointee.kind == .map else { return }
    do {
      _ = try end(of: frame)
    } catch {
      throw self.error(error, [String: Any].self, path: frame.pointee.codingPath)
    }
  }

  func leaveBeside(_ frame: Frame) {
    while state.pointee.beside.count > frame.pointee.besideCount {
      leave(state.pointee.beside.removeLast())
    }
  }

  /// The program has let go of the level of `frame`.
  func levelEnded(_ frame: Frame) {
    guard frame.pointee.isLent else { return }
    frame.pointee.isLent = false
    frame.pointee.keptPath = nil
    frame.pointee.isBusy = false
    rest(frame)
  }

  /// A frame that belongs to no depth.
  func takeSpareFrame() -> Frame {
    let frame = state.pointee.spare.popLast() ?? makeFrame()
    frame.pointee.isSpare = true
    return frame
  }

  /// Keeps a frame that belongs to no depth for the next value that needs one.
  func rest(_ frame: Frame) {
    frame.pointee.isSpare = false
    frame.pointee.ownKey = nil
    state.pointee.spare.append(frame)
  }
}
