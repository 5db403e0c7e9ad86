// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The search for fields by name.
extension CBORFieldDecoder {
  /// Returns the offset of the value of a field; `nil` if the map does not have that key.
  @inline(__always)
  func find(_ name: StaticString) throws(CBORFault) -> Int? {
    let length = name.utf8CodeUnitCount
    if _fastPath(!frame.pointee.index.isMade) {
      if frame.pointee.passed == frame.pointee.total {
        if frame.pointee.passedNames & Self.bit(of: name) == 0 { return nil }
      } else if _fastPath(length < 24 && input.pointee.hasText(name.utf8Start, length, at: frame.pointee.cursor)) {
        if _slowPath(frame.pointee.passedNames & Self.bit(of: name) != 0) { try refuseRepetition(of: name) }
        return frame.pointee.cursor &+ length &+ 1
      }
    }
    return try findOutOfOrder(name)
  }

  @inline(never)
  private func findOutOfOrder(_ name: StaticString) throws(CBORFault) -> Int? {
    let text = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    if !frame.pointee.index.isMade { try session.makeIndex(frame) }
    if _slowPath(frame.pointee.index.hasOthers) { return try session.findInIndex(text, nil, frame) }
    return frame.pointee.index.value(of: text, input.pointee)
  }

  /// Throws if `name`, which is the next key, is also the key of a field that was already decoded.
  ///
  /// The search is needed because a field with the same hash was already decoded.
  @inline(never)
  private func refuseRepetition(of name: StaticString) throws(CBORFault) {
    let length = name.utf8CodeUnitCount
    var offset = frame.pointee.content
    while offset < frame.pointee.cursor {
      if input.pointee.hasText(name.utf8Start, length, at: offset) {
        throw CBORMapIndex.repeatedKey(at: frame.pointee.cursor)
      }
      try session.skip(&offset)
      try session.skip(&offset)
    }
  }

  /// Moves past the value of a field that was found, to the offset `end`.
  @inline(__always)
  func pass(field name: StaticString, to end: Int) {
    if _fastPath(!frame.pointee.index.isMade) {
      frame.pointee.cursor = end
      frame.pointee.passed &+= 1
      frame.pointee.passedNames |= Self.bit(of: name)
    }
  }

  /// Returns one of 64 bits for a name, by a hash of its length and its first and last bytes.
  @inline(__always)
  private static func bit(of name: StaticString) -> UInt64 {
    let length = name.utf8CodeUnitCount
    guard length > 0 else { return 1 }
    let (first, last) = (UInt64(name.utf8Start[0]), UInt64(name.utf8Start[length &- 1]))
    return 1 &<< (first &* 5 &+ last &* 11 &+ UInt64(length) &* 23)
  }
}
