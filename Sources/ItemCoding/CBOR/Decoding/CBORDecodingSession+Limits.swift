// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What bounds the time and the memory that a value takes.
extension CBORDecodingSession {
  // What reading costs is counted in sixteenths of a visit. A value is a visit, an error is four; an item that is gone
  // over, an element of an array, a step of a path, and 32 bytes of a value are a sixteenth each.

  static let visit = 16

  /// Counts what has been read.
  @inline(__always)
  func charge(_ cost: Int) {
    state.pointee.credit &-= cost
  }

  /// Counts the bytes of a value.
  @inline(__always)
  func charge(bytes: Int) {
    charge(bytes &>> 5)
  }

  /// Counts what is read at `offset`.
  ///
  /// - Throws: a fault where that is more than the limit.
  @inline(__always)
  func pay(_ cost: Int, at offset: Int) throws(CBORFault) {
    charge(cost)
    if _slowPath(state.pointee.credit < 0) { throw tooManyVisits(offset) }
  }

  /// An element takes a byte at least: of values of this size there can be as many as are claimed.
  static let reservableBytesPerByte = 16

  /// How many of `count` values of `stride` bytes, which are claimed to come, room may be made for.
  ///
  /// What all arrays and dictionaries of a run are given in advance is bounded by its bytes, however they are nested:
  /// who claims more than that gets room as the values come.
  @inline(__always)
  func reserve(_ count: Int, stride: Int) -> Int {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: stride)
    if _fastPath(!overflow && bytes <= state.pointee.reservable) {
      state.pointee.reservable &-= bytes
      return count
    }
    let room = state.pointee.reservable / max(1, stride)
    state.pointee.reservable = 0
    return min(count, room)
  }

  /// Goes over the item at `offset`.
  @inline(__always)
  func skip(_ offset: inout Int) throws(CBORFault) {
    let start = offset
    let depth = min(depthLimit, CBORInput.mostIndefiniteDepth)
    try pay(try input.pointee.skip(&offset, depth: depth), at: start)
  }

  func tooManyVisits(_ offset: Int) -> CBORFault {
    CBORFault(.limit, at: offset, "reading takes too many visits of the same bytes")
  }
}
