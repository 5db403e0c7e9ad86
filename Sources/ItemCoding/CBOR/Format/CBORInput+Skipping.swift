// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Methods that skip items.
extension CBORInput {
  /// The maximum depth of nested containers of indefinite length, each of which takes stack.
  static let mostIndefiniteDepth = 4096

  /// Moves the offset past any item, and returns the number of its headers.
  ///
  /// Only containers of indefinite length take stack, for `depth` levels at most. Other containers may have any depth.
  ///
  /// - Throws: A fault if the item is malformed, or if indefinite lengths are nested deeper than `depth`.
  func skip(_ offset: inout Int, depth: Int) throws(CBORFault) -> Int {
    // The number of remaining items in all open containers of definite length.
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

  /// Returns the number of items left to skip after `items` were added, and throws if the input is too short for them.
  ///
  /// Each item takes at least one byte.
  @inline(__always)
  private func adding(_ items: Int, to left: Int, _ start: Int, _ offset: Int) throws(CBORFault) -> Int {
    let sum = left &+ items
    if _slowPath(sum > count &- offset) {
      throw CBORFault(.truncated, at: start, "\(sum) more items do not fit into the remaining \(count - offset) bytes")
    }
    return sum
  }

  private func skipChunks(_ major: CBORMajorType, _ offset: inout Int) throws(CBORFault) {
    try forEachChunk(of: major, &offset) { _, _ throws(CBORFault) in }
  }

  /// Skips the elements or entries of a container of indefinite length, and its break.
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
    CBORFault(at: offset, "a break in place of an item")
  }
}
