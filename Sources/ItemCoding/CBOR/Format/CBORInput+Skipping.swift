// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Going over items without reading them.
extension CBORInput {
  /// The most levels of indefinite lengths that are gone through, each of which takes some of the stack.
  static let mostIndefiniteDepth = 4096

  /// Goes over the item at `offset`, whatever it is, and returns how many headers it has.
  ///
  /// Only what an indefinite length leaves open takes memory, `depth` levels of it at most; the depth of anything else
  /// does not matter here.
  ///
  /// - Throws: a fault where the item is not well-formed, or nested more than `depth` deep in indefinite lengths.
  func skip(_ offset: inout Int, depth: Int) throws(CBORFault) -> Int {
    // Items left in the definite containers that are open, all together.
    var left = 1
    var headers = 0
    while left > 0 {
      left &-= 1
      headers &+= 1
      let start = offset
      let header = try header(&offset)
      switch header.major {
      case .unsignedInteger, .negativeInteger:
        break
      case .simple:
        if header.isBreak { throw Self.misplacedBreak(start) }
      case .tag:
        left &+= 1
      case .byteString, .textString:
        if _slowPath(header.isIndefinite) {
          try skipChunks(header.major, &offset)
        } else {
          offset &+= try length(header, start, offset)
        }
      case .array:
        if _slowPath(header.isIndefinite) {
          headers &+= try skipIndefinite(.array, &offset, depth: depth, start)
        } else {
          left = try adding(try elementCount(header, start, offset), to: left, start, offset)
        }
      case .map:
        if _slowPath(header.isIndefinite) {
          headers &+= try skipIndefinite(.map, &offset, depth: depth, start)
        } else {
          left = try adding(2 &* (try elementCount(header, start, offset)), to: left, start, offset)
        }
      }
    }
    return headers
  }

  /// Items take a byte each at least, so all that are left cannot be more than the bytes that are.
  @inline(__always)
  private func adding(_ items: Int, to left: Int, _ start: Int, _ offset: Int) throws(CBORFault) -> Int {
    let sum = left &+ items
    if _slowPath(sum > count &- offset) {
      throw CBORFault(.truncated, at: start, "\(sum) items to come, for which \(count - offset) bytes are too few")
    }
    return sum
  }

  private func skipChunks(_ major: CBORMajorType, _ offset: inout Int) throws(CBORFault) {
    try forEachChunk(of: major, &offset) { _, _ throws(CBORFault) in }
  }

  /// The elements or entries of a container without a definite length, and its break.
  private func skipIndefinite(
    _ major: CBORMajorType, _ offset: inout Int, depth: Int, _ start: Int
  ) throws(CBORFault) -> Int {
    guard depth > 0 else { throw CBORFault(.limit, at: start, "nested too deeply") }
    var headers = 0
    while try !isBreak(at: offset) {
      headers += try skip(&offset, depth: depth - 1)
      if major == .map { headers += try skip(&offset, depth: depth - 1) }
    }
    offset += 1
    return headers
  }

  static func misplacedBreak(_ offset: Int) -> CBORFault {
    CBORFault(at: offset, "a break where an item was to come")
  }
}
