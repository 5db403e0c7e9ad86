// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A validator that visits the objects of a binary property list as a decoder does.
///
/// It rejects every offset, count and reference that is out of range.
///
/// The format is `bplist00`, the objects, a table of their offsets, and a trailer of 32 bytes. An object starts with a
/// marker byte, whose high half is the kind. For strings, data and containers, the low half is the length. If the low
/// half is 15, an integer object with the length follows.
struct BinaryPropertyListWalker {
  private static let trailerLength = 32

  private let bytes: UnsafeRawBufferPointer
  private let offsetWidth: Int
  private let referenceWidth: Int
  private let objectCount: Int
  private let topObject: Int
  private let tableOffset: Int
  /// The number of further objects that a decoder may visit.
  ///
  /// Without this limit, shared containers could multiply the visits exponentially.
  private var visitsLeft: Int
  /// The number of further bytes that a decoder may copy from strings and data, which can also be shared.
  private var contentLeft: Int

  init(_ bytes: UnsafeRawBufferPointer) throws {
    let trailer = bytes.count - Self.trailerLength
    guard trailer >= 8 else { throw corruptPropertyList("truncated in the trailer", at: bytes.count) }
    self.bytes = bytes
    offsetWidth = Int(bytes[trailer + 6])
    referenceWidth = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth) else {
      throw corruptPropertyList("invalid integer widths", at: trailer + 6)
    }
    objectCount = try Self.integer(in: bytes, at: trailer + 8, width: 8)
    topObject = try Self.integer(in: bytes, at: trailer + 16, width: 8)
    tableOffset = try Self.integer(in: bytes, at: trailer + 24, width: 8)
    guard tableOffset >= 8, tableOffset <= trailer, objectCount <= (trailer - tableOffset) / offsetWidth,
      topObject < objectCount
    else { throw corruptPropertyList("an offset table outside the file", at: trailer + 8) }
    visitsLeft = 4 * bytes.count
    contentLeft = bytes.count + PropertyListValidator.maximumSharing
  }

  mutating func walk() throws {
    try visit(topObject, depth: 0)
  }

  /// The depth limit bounds the recursion, even for a list that contains itself.
  private mutating func visit(_ object: Int, depth: Int) throws {
    guard object < objectCount else {
      throw corruptPropertyList("a reference to an object that does not exist", at: tableOffset)
    }
    let offset = try Self.integer(in: bytes, at: tableOffset + object * offsetWidth, width: offsetWidth)
    guard offset >= 8, offset < tableOffset else {
      throw corruptPropertyList("an object outside the file", at: tableOffset + object * offsetWidth)
    }
    visitsLeft -= 1
    guard visitsLeft >= 0 else { throw corruptPropertyList("too many visits of shared containers", at: offset) }

    let marker = bytes[offset]
    switch marker >> 4 {
    case 0x0 where marker == 0x00 || marker == 0x08 || marker == 0x09: return
    case 0x1 where marker <= 0x14, 0x2 where marker == 0x22 || marker == 0x23:
      try require(1 << Int(marker & 0x0F), at: offset + 1)
    case 0x3 where marker == 0x33: try require(8, at: offset + 1)
    case 0x8: try require(Int(marker & 0x0F) + 1, at: offset + 1)
    case 0x4, 0x5: try visitContent(of: offset, width: 1)
    case 0x6: try visitContent(of: offset, width: 2)
    case 0xA, 0xC:
      let (count, start) = try count(of: offset)
      try visitReferences(count, from: start, depth: depth)
    case 0xD:
      let (count, start) = try count(of: offset)
      guard count <= bytes.count else { throw corruptPropertyList("a count that exceeds the file", at: offset) }
      try visitReferences(2 * count, from: start, depth: depth)
    default: throw corruptPropertyList("an unknown kind of object", at: offset)
    }
  }

  private mutating func visitContent(of offset: Int, width: Int) throws {
    let (count, start) = try count(of: offset)
    try require(count, times: width, at: start)
    contentLeft -= count * width
    guard contentLeft >= 0 else { throw corruptPropertyList("too many bytes in shared strings and data", at: offset) }
  }

  private mutating func visitReferences(_ count: Int, from start: Int, depth: Int) throws {
    guard depth < PropertyListValidator.maximumDepth else {
      throw corruptPropertyList(
        "nested deeper than the limit of \(PropertyListValidator.maximumDepth) levels", at: start)
    }
    try require(count, times: referenceWidth, at: start)
    for index in 0..<count {
      let reference = try Self.integer(in: bytes, at: start + index * referenceWidth, width: referenceWidth)
      try visit(reference, depth: depth + 1)
    }
  }

  /// Returns the length of the object at `offset`, and the offset of its contents.
  ///
  /// The marker of the object contains the length, or an integer after the marker does.
  private func count(of offset: Int) throws -> (count: Int, start: Int) {
    let short = Int(bytes[offset] & 0x0F)
    guard short == 0x0F else { return (short, offset + 1) }
    guard offset + 1 < tableOffset, bytes[offset + 1] >> 4 == 0x1, bytes[offset + 1] & 0x0F <= 3 else {
      throw corruptPropertyList("a count that is not an integer", at: offset + 1)
    }
    let width = 1 << Int(bytes[offset + 1] & 0x0F)
    return (try Self.integer(in: bytes, at: offset + 2, width: width), offset + 2 + width)
  }

  private func require(_ count: Int, times width: Int = 1, at offset: Int) throws {
    guard offset <= tableOffset, count <= (tableOffset - offset) / width else {
      throw corruptPropertyList("contents outside the file", at: offset)
    }
  }

  private static func integer(in bytes: UnsafeRawBufferPointer, at offset: Int, width: Int) throws -> Int {
    guard offset + width <= bytes.count else { throw corruptPropertyList("truncated in an integer", at: offset) }
    let value = bytes[offset..<offset + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let integer = Int(exactly: value), integer <= bytes.count else {
      throw corruptPropertyList("an integer that exceeds the file", at: offset)
    }
    return integer
  }
}
