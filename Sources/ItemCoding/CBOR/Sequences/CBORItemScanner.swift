// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A scanner that finds the ends of items in bytes that arrive in pieces, and rejects malformed items.
///
/// The scanner reads each byte once. Between pieces it stores a level for each open array and map, and a truncated
/// header.
struct CBORItemScanner: Sendable {
  /// An array or map that is not complete.
  private struct Level {
    let major: CBORMajorType
    /// The number of items left; `nil` if a break ends them.
    var left: UInt64?
    /// Whether the value of a key is missing, so that a break is not allowed.
    var awaitsValue = false
  }

  /// The maximum depth of nested arrays and maps.
  private let maximumDepth: Int
  /// The maximum length of an item in bytes.
  private let maximumLength: Int

  /// The number of bytes of all items that were scanned.
  private(set) var offset = 0
  /// The offset of the current item, or of the next item if none has begun.
  private(set) var itemStart = 0

  private var open: [Level] = []
  /// The number of bytes left in a string.
  private var stringLeft = 0
  /// The kind of the string whose chunks are being scanned.
  private var chunkMajor: CBORMajorType?
  /// Whether the last header was a tag, after which an item must follow.
  private var isTagged = false
  /// The beginning of a truncated header.
  private var head: [UInt8] = []

  init(maximumDepth: Int, maximumLength: Int) {
    self.maximumDepth = maximumDepth
    self.maximumLength = max(0, maximumLength)
  }

  /// Whether an item has begun and not ended.
  var isInItem: Bool { offset > itemStart }

  /// Scans `bytes` from `position` to the end of the item, or to the end of the bytes.
  ///
  /// - Returns: Whether an item ended at `position`.
  /// - Throws: A fault whose offset is relative to the start of the first item. The scanner cannot be used afterwards.
  mutating func advance(over bytes: UnsafeRawBufferPointer, from position: inout Int) throws(CBORFault) -> Bool {
    guard let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return false }
    let input = CBORInput(base: base, count: bytes.count, acceptsLongArguments: true)
    while position < input.count {
      if stringLeft > 0 {
        let length = min(stringLeft, input.count - position)
        position += length
        offset += length
        stringLeft -= length
        guard stringLeft == 0, chunkMajor == nil else { continue }
        if endItem() { return true }
        continue
      }
      let start = offset - head.count
      guard let header = try header(in: input, &position) else { return false }
      if try take(header, at: start) { return true }
    }
    return false
  }

  // MARK: Headers

  /// Returns the next header; `nil` if more bytes are needed.
  private mutating func header(in input: CBORInput, _ position: inout Int) throws(CBORFault) -> CBORHeader? {
    let start = position
    let left = input.count - position
    if head.isEmpty {
      if left >= CBORHeader.length(input.base[position]) {
        let header = try Self.header(in: input, &position, start: offset)
        offset += position - start
        return header
      }
    }
    let length = CBORHeader.length(head.first ?? input.base[position])
    let taken = min(length - head.count, left)
    head.append(contentsOf: UnsafeBufferPointer(start: input.base + position, count: taken))
    position += taken
    offset += taken
    guard head.count == length else { return nil }
    let headStart = offset - length
    // The closure of `Array` cannot throw a typed error.
    let result = head.withUnsafeBufferPointer { bytes -> Result<CBORHeader?, CBORFault> in
      guard let base = bytes.baseAddress else { return .success(nil) }
      let input = CBORInput(base: base, count: bytes.count, acceptsLongArguments: true)
      var position = 0
      do throws(CBORFault) {
        return .success(try Self.header(in: input, &position, start: headStart))
      } catch {
        return .failure(error)
      }
    }
    head.removeAll(keepingCapacity: true)
    return try result.get()
  }

  /// Returns the header at `position`, which is at offset `start` of the sequence.
  @inline(__always)
  private static func header(
    in input: CBORInput, _ position: inout Int, start: Int
  ) throws(CBORFault) -> CBORHeader {
    let shift = start - position
    do throws(CBORFault) {
      return try input.header(&position)
    } catch {
      throw CBORFault(error.kind, at: error.offset + shift, error.text)
    }
  }

  /// Processes the header that began at `start`, and returns whether the header ends the item.
  private mutating func take(_ header: CBORHeader, at start: Int) throws(CBORFault) -> Bool {
    try expectRoom(0)
    if let chunkMajor { return try takeChunk(header, of: chunkMajor, at: start) }
    if header.isBreak { return try takeBreak(at: start) }
    isTagged = header.major == .tag
    switch header.major {
    case .unsignedInteger, .negativeInteger, .simple:
      return endItem()
    case .tag:
      return false
    case .byteString, .textString:
      if header.isIndefinite {
        chunkMajor = header.major
        return false
      }
      try expectRoom(header.argument)
      stringLeft = Int(header.argument)
      return stringLeft == 0 && endItem()
    case .array, .map:
      return try takeContainer(header, at: start)
    }
  }

  private mutating func takeContainer(_ header: CBORHeader, at start: Int) throws(CBORFault) -> Bool {
    guard open.count < maximumDepth else {
      throw CBORFault(.limit, at: start, "more than \(maximumDepth) nested maps and arrays")
    }
    if header.isIndefinite {
      open.append(Level(major: header.major, left: nil))
      return false
    }
    let (count, overflow) = header.argument.multipliedReportingOverflow(by: header.major == .map ? 2 : 1)
    // Each item takes at least one byte.
    try expectRoom(overflow ? .max : count)
    guard count > 0 else { return endItem() }
    open.append(Level(major: header.major, left: count))
    return false
  }

  private mutating func takeChunk(
    _ header: CBORHeader, of major: CBORMajorType, at start: Int
  ) throws(CBORFault) -> Bool {
    if header.isBreak {
      chunkMajor = nil
      return endItem()
    }
    guard header.major == major, !header.isIndefinite else {
      throw CBORFault(at: start, "\(header.name) as a chunk of a string of another kind")
    }
    try expectRoom(header.argument)
    stringLeft = Int(header.argument)
    return false
  }

  private mutating func takeBreak(at start: Int) throws(CBORFault) -> Bool {
    guard let level = open.last, level.left == nil, !level.awaitsValue, !isTagged else {
      throw CBORInput.misplacedBreak(start)
    }
    open.removeLast()
    return endItem()
  }

  // MARK: Ends

  /// Ends the containers that end with the last item, and returns whether the outermost one has ended.
  private mutating func endItem() -> Bool {
    while let last = open.indices.last {
      guard let left = open[last].left else {
        if open[last].major == .map { open[last].awaitsValue.toggle() }
        return false
      }
      if left > 1 {
        open[last].left = left - 1
        return false
      }
      open.removeLast()
    }
    itemStart = offset
    return true
  }

  /// Throws if the current item exceeds the maximum length with `count` more bytes.
  @inline(__always)
  private func expectRoom(_ count: UInt64) throws(CBORFault) {
    let room = maximumLength - (offset - itemStart)
    guard room < 0 || count > UInt64(room) else { return }
    throw CBORFault(.limit, at: itemStart, "an item longer than \(maximumLength) bytes")
  }
}

extension CBORHeader {
  /// Returns the length of a header whose first byte is `initialByte`.
  fileprivate static func length(_ initialByte: UInt8) -> Int {
    let additional = initialByte & 31
    return (24...27).contains(additional) ? 1 + 1 << Int(additional - 24) : 1
  }
}
