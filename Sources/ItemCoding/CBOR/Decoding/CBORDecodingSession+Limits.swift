// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What bounds the time and the memory that a value takes.
extension CBORDecodingSession {
  /// Counts items that are visited.
  @inline(__always)
  func visit(_ count: Int, at offset: Int) throws(CBORFault) {
    state.pointee.visits &-= count
    if _slowPath(state.pointee.visits < 0) { throw tooManyVisits(offset) }
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
    try visit(try input.pointee.skip(&offset, depth: depth), at: start)
  }

  func tooManyVisits(_ offset: Int) -> CBORFault {
    CBORFault(.limit, at: offset, "reading takes too many visits of the same bytes")
  }
}
