// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A check that items are in deterministic encoding (RFC 8949, section 4.2).
struct CBORDeterminismCheck {
  private var input: CBORInput
  private let order: CBOREncoder.KeyOrder

  init(_ input: CBORInput, _ order: CBOREncoder.KeyOrder) {
    self.input = input
    self.input.acceptsLongArguments = false
    self.order = order
  }

  /// Moves the offset past an item, inside which `depth` levels of arrays and maps are allowed.
  ///
  /// - Throws: A fault if the item is malformed, nested too deeply or not deterministic.
  func pass(_ offset: inout Int, depth: Int) throws(CBORFault) {
    let start = offset
    let (header, tag) = try input.taggedHeader(&offset)
    if header.isBreak { throw CBORInput.misplacedBreak(start) }
    if header.isIndefinite { throw CBORFault(at: start, "an indefinite length in input that must be deterministic") }
    switch header.major {
    case .unsignedInteger, .negativeInteger, .tag: break
    case .byteString, .textString:
      let length = try input.length(header, start, offset)
      let isBignum = tag == CBORTag.positiveBignum || tag == CBORTag.negativeBignum
      if isBignum, header.major == .byteString, length <= 8 || input.base[offset] == 0 {
        throw CBORFault(at: start, "a bignum in more bytes than it needs")
      }
      offset += length
    case .array, .map:
      guard depth > 0 else { throw CBORFault(.limit, at: start, "more nested maps and arrays than the limit") }
      let count = try input.elementCount(header, start, offset)
      if header.major == .map { return try passEntries(count, &offset, depth: depth - 1) }
      for _ in 0..<count { try pass(&offset, depth: depth - 1) }
    case .simple:
      let isSingle = header.initialByte == CBORByte.singleFloat
      guard isSingle || header.initialByte == CBORByte.doubleFloat else { return }
      var shortest = CBORWriter(capacity: CBORWriter.headerCapacity)
      defer { shortest.deallocate() }
      if isSingle {
        shortest.put(Float(bitPattern: UInt32(truncatingIfNeeded: header.argument)))
      } else {
        shortest.put(Double(bitPattern: header.argument))
      }
      if shortest.bytes[0] != header.initialByte {
        throw CBORFault(at: start, "a floating-point number in more bytes than it needs")
      }
    }
  }

  private func passEntries(_ count: Int, _ offset: inout Int, depth: Int) throws(CBORFault) {
    var previous: Range<Int>?
    for _ in 0..<count {
      let start = offset
      try pass(&offset, depth: depth)
      if let previous {
        let comparison = order.compare(input.base, previous, start..<offset)
        if comparison == 0 { throw CBORMapIndex.repeatedKey(at: start) }
        if comparison > 0 { throw CBORFault(at: start, "a key that must precede the key before it") }
      }
      previous = start..<offset
      try pass(&offset, depth: depth)
    }
  }
}
