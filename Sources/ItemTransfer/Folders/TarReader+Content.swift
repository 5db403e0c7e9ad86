// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Content, and the maps of sparse files.
extension TarReader {
  /// Reads entries of a map in the form of GNU tar: an offset and a count of 12 bytes each.
  mutating func readMap(
    _ block: UnsafeRawBufferPointer, at start: Int, count: Int, continuation: Int
  ) throws(FolderArchiveError) {
    for index in 0..<count {
      let entry = start + 24 * index
      guard block[entry] != 0 else { break }
      guard let offset = TarFormat.number(block[entry..<entry + 12]),
        let count = TarFormat.number(block[entry + 12..<entry + 24])
      else { throw malformed("the map of the sparse file has an invalid number") }
      guard map.count < limits.segments else { throw FolderArchive.tooManySegments(limits) }
      map.append(TarSegment(offset: offset, count: count))
    }
    if block[continuation] != 0 { state = .mapBlock } else { try beginContent() }
  }

  mutating func beginContent() throws(FolderArchiveError) {
    guard let member else { return }
    var (end, stored): (Int64, Int64) = (0, 0)
    for segment in map {
      let (next, overflows) = segment.offset.addingReportingOverflow(segment.count)
      guard segment.offset >= end, segment.count >= 0, !overflows, next <= member.size else {
        throw malformed("the parts of the sparse file overlap or exceed its size")
      }
      end = next
      stored += segment.count
    }
    guard stored == rest else { throw malformed("the map of the sparse file differs from its content") }
    try limits.add(member.size, to: &contentBytes, for: nil)
    padding = TarFormat.padding(rest)
    (segment, segmentDone) = (0, 0)
    try sink.begin(member)
    if rest == 0 { try endMember() } else { state = .content }
  }

  mutating func takeContent(_ bytes: UnsafeRawBufferPointer) throws(FolderArchiveError) -> Int {
    while segmentDone == map[segment].count {
      segment += 1
      segmentDone = 0
    }
    let count = Int(min(map[segment].count - segmentDone, Int64(bytes.count)))
    try sink.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: map[segment].offset + segmentDone)
    segmentDone += Int64(count)
    rest -= Int64(count)
    if rest == 0 { try endMember() }
    return count
  }

  /// Skips content that is a hole of the file.
  ///
  /// - Returns: The number of skipped bytes.
  mutating func skipContent(atMost count: Int64) throws(FolderArchiveError) -> Int64 {
    let (skipped, whole) = (min(count, rest), rest)
    while rest > whole - skipped {
      if segmentDone == map[segment].count { (segment, segmentDone) = (segment + 1, 0) }
      let part = min(map[segment].count - segmentDone, skipped - (whole - rest))
      segmentDone += part
      rest -= part
    }
    if rest == 0 { try endMember() }
    return skipped
  }

  private mutating func endMember() throws(FolderArchiveError) {
    try sink.end()
    state = padding > 0 ? .padding : .header
  }
}

/// The map in front of the content of a sparse file (GNU.sparse 1.0): decimal numbers, each with a line feed.
struct TarMapText {
  /// The number of entries; `nil` before it is read.
  private var entries: Int64?
  private var offset: Int64?
  private var digits: [UInt8] = []

  /// Reads a block.
  ///
  /// - Returns: Whether the map ends in it; the rest of the block is padding.
  mutating func read(
    _ block: UnsafeRawBufferPointer, into map: inout [TarSegment], _ limits: FolderArchive.Limits
  ) throws(FolderArchiveError) -> Bool {
    for byte in block {
      guard byte == 0x0A else {
        digits.append(byte)
        guard digits.count <= 19 else { throw Self.wrong }
        continue
      }
      guard let number = PaxAttributes.integer(digits[...]) else { throw Self.wrong }
      digits.removeAll(keepingCapacity: true)
      if entries == nil {
        guard number <= limits.segments else { throw FolderArchive.tooManySegments(limits) }
        entries = number
      } else if let start = offset.take() {
        map.append(TarSegment(offset: start, count: number))
      } else {
        offset = number
      }
      if let entries, entries == map.count { return true }
    }
    return false
  }

  private static let wrong = FolderArchiveError(.malformed, "the map of the sparse file has an invalid number")
}
