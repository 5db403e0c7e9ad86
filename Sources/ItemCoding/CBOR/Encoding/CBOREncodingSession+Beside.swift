// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Bytes to come at a place that the writer has passed.
struct CBORInsert {
  let offset: Int
  let session: CBOREncodingSession
}

/// Values that the program may write at any time until the value around them is complete.
extension CBOREncodingSession {
  /// An encoder that the program may use at any time until `parent`'s value is complete, for bytes that go where the
  /// writer is now.
  func levelBeside(_ parent: Frame, key: any CodingKey) -> CBOREncodingLevel {
    let session = CBOREncodingSessionPool.take()
    session.begin(options, in: parent, key: key)
    if !userInfo.isEmpty { session.userInfo = userInfo }
    let frame = session.outermost
    session.begin(frame)
    frame.pointee.nesting = parent.pointee.nesting + 1
    state.pointee.inserts.append(CBORInsert(offset: writer.pointee.count, session: session))
    return frame.pointee.level.unsafelyUnwrapped
  }

  /// An encoder that says that it is of no use.
  static func finishedLevel() -> CBOREncodingLevel {
    let session = CBOREncodingSession()
    let level = session.outermost.pointee.level.unsafelyUnwrapped
    session.dissolve()
    return level
  }

  /// Puts in what was last written beside `frame`'s value, if the program has let go of it and nothing was written
  /// behind: who writes a million nested containers one after another needs one session for them.
  func settleLast(_ frame: Frame) {
    guard state.pointee.inserts.count > frame.pointee.insertCount, let last = state.pointee.inserts.last,
      last.offset == writer.pointee.count, last.session.isSettled()
    else { return }
    do {
      try last.session.complete(last.session.outermost)
    } catch {
      // Nothing is wrong with what is settled; if it were, the value around would say so at its end.
      return
    }
    writer.pointee.insert(last.session.writtenBytes, at: last.offset)
    state.pointee.inserts.removeLast()
    last.session.leave(last.session.outermost)
    CBOREncodingSessionPool.give(last.session)
  }

  /// Whether the program holds nothing any more that writes to this session, and it can be completed without an error.
  private func isSettled() -> Bool {
    settleLast(outermost)
    return state.pointee.inserts.isEmpty && outermost.pointee.misuse == nil && isUnshared(outermost)
  }

  private var writtenBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: writer.pointee.base, count: writer.pointee.count)
  }

  func insertAll(_ frame: Frame) throws {
    let inserts = state.pointee.inserts[frame.pointee.insertCount...]
    var count = 0
    for insert in inserts {
      try insert.session.complete(insert.session.outermost)
      count += insert.session.writer.pointee.count
    }
    writer.pointee.insert(inserts.map { ($0.offset, $0.session.writtenBytes) }, byteCount: count)
    dropInserts(frame)
  }

  func dropInserts(_ frame: Frame) {
    while state.pointee.inserts.count > frame.pointee.insertCount {
      let session = state.pointee.inserts.removeLast().session
      session.leave(session.outermost)
      CBOREncodingSessionPool.give(session)
    }
  }
}
