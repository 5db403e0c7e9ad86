// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The destination of the members of an archive, in the order of the archive.
protocol TarSink: AnyObject {
  /// Begins a member. Its path is valid, and starts with the name of the one top folder.
  func begin(_ member: TarMember) throws(FolderArchiveError)
  /// Writes bytes of the current member, which is a file, at an offset that never decreases.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FolderArchiveError)
  /// Ends the current member.
  func end() throws(FolderArchiveError)
}

/// A strict parser of tar archives that are pushed in chunks of any size.
///
/// It reads the formats of v7, ustar, pax and GNU tar, and their sparse files. An archive has one top folder. Memory is
/// limited by the records and the map of a single member.
///
/// ```
/// (records · padding) · header · (map) · content · padding   for each member
/// zeros                                                      two blocks or more
/// ```
struct TarReader<Sink: TarSink> {
  enum State {
    /// The next block is a header.
    case header
    /// Bytes of the records of a header of this kind.
    case records(UInt8)
    /// The next block continues the map of GNU tar.
    case mapBlock
    /// The next block is text of a map, in front of the content.
    case mapText
    case content
    case padding
    case end
  }

  let sink: Sink
  let limits: FolderArchive.Limits
  var state = State.header
  /// The number of bytes read.
  var offset: Int64 = 0
  /// The offset of the current header.
  var headerOffset: Int64 = 0
  /// The offset of the current block.
  var blockOffset: Int64 = 0
  /// The start of a block that the next chunk continues.
  var block: [UInt8] = []
  var records: [UInt8] = []
  var defaults = PaxAttributes()
  /// The records for the next header; `nil` if there are none.
  var pending: PaxAttributes?
  /// The number of bytes of these records, and of their headers after the first.
  var recordBytes: Int64 = 0
  var member: TarMember?
  /// The first name of every path.
  var top: [UInt8]?
  var map: [TarSegment] = []
  var segment = 0
  var segmentDone: Int64 = 0
  var mapText = TarMapText()
  /// The number of bytes left of the content or the records, and of the padding after it.
  var rest: Int64 = 0
  var padding = 0
  var zeroBlocks = 0
  var contentBytes: Int64 = 0

  init(_ sink: Sink, limits: FolderArchive.Limits = .init()) {
    self.sink = sink
    self.limits = limits
  }

  /// Reads the next bytes.
  ///
  /// - Throws: `malformed`, `unsupported`, `limitExceeded`, `unsafeName`, `specialFile`, and the errors of the sink,
  ///   with the member and its offset. The reader must not be used after an error.
  mutating func append(_ bytes: UnsafeRawBufferPointer) throws(FolderArchiveError) {
    var bytes = bytes
    do throws(FolderArchiveError) {
      while !bytes.isEmpty {
        let count: Int
        switch state {
        case .header, .mapBlock, .mapText: count = try takeBlock(bytes)
        case .records(let kind):
          count = Int(min(rest, Int64(bytes.count)))
          records += bytes[..<count]
          rest -= Int64(count)
          if rest == 0 { try endRecords(kind) }
        case .content: count = try takeContent(bytes)
        case .padding:
          count = min(padding, bytes.count)
          padding -= count
          if padding == 0 { state = .header }
        case .end:
          if let index = bytes.firstIndex(where: { $0 != 0 }) {
            throw FolderArchiveError(
              .malformed, "bytes follow the end of the archive", at: offset + Int64(index))
          }
          count = bytes.count
        }
        offset += Int64(count)
        bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
      }
    } catch {
      throw error.located(member?.path, at: headerOffset)
    }
  }

  /// Skips zeros that need no work, which takes constant time: content that becomes a hole, and the end of the archive.
  ///
  /// - Parameter count: The number of zeros that follow.
  /// - Returns: The number of skipped zeros; 0 if the next zeros must be read.
  /// - Throws: `malformed`, and the errors of the sink.
  mutating func skip(zeros count: UInt64) throws(FolderArchiveError) -> UInt64 {
    switch state {
    case .content:
      let skipped = try skipContent(atMost: Int64(clamping: count))
      offset += skipped
      return UInt64(skipped)
    // The offset of the end is not needed any more.
    case .end: return count
    default: return 0
    }
  }

  /// Ends the archive.
  ///
  /// - Throws: `malformed` if its end is missing.
  func finish() throws(FolderArchiveError) {
    guard case .end = state else {
      throw FolderArchiveError(.malformed, "the archive is truncated", path: member?.path, at: offset)
    }
  }

  // MARK: Blocks

  private mutating func takeBlock(_ bytes: UnsafeRawBufferPointer) throws(FolderArchiveError) -> Int {
    if block.isEmpty { blockOffset = offset }
    if block.isEmpty, bytes.count >= TarFormat.blockSize {
      try read(UnsafeRawBufferPointer(rebasing: bytes[..<TarFormat.blockSize]))
      return TarFormat.blockSize
    }
    let count = min(TarFormat.blockSize - block.count, bytes.count)
    block += bytes[..<count]
    guard block.count == TarFormat.blockSize else { return count }
    let complete = block
    block.removeAll(keepingCapacity: true)
    let result = complete.withUnsafeBytes { bytes in
      Result { () throws(FolderArchiveError) in try read(bytes) }
    }
    try result.get()
    return count
  }

  private mutating func read(_ block: UnsafeRawBufferPointer) throws(FolderArchiveError) {
    switch state {
    case .mapBlock: try readMap(block, at: 0, count: 21, continuation: 504)
    case .mapText:
      rest -= Int64(block.count)
      guard rest >= 0 else { throw malformed("the map of the sparse file exceeds its content") }
      if try mapText.read(block, into: &map, limits) { try beginContent() }
    default: try readHeader(block)
    }
  }

  func malformed(_ reason: String) -> FolderArchiveError { FolderArchiveError(.malformed, reason) }
}
