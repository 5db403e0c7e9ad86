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

  /// Reads the next bytes, which are `count` zeros.
  ///
  /// - Throws: The errors of ``append(_:)``.
  mutating func append(zeros count: UInt64) throws(FolderArchiveError) {
    var rest = count
    while rest > 0 {
      let skipped = try skip(zeros: rest)
      rest -= skipped
      if skipped > 0 { continue }
      // A header, or the rest of a block, which the next turn may follow with content.
      let blockRest = min(rest, UInt64(TarFormat.blockSize))
      rest -= blockRest
      let bytes = TarFormat.zeroBlock.prefix(Int(blockRest))
      let result = bytes.withUnsafeBytes { bytes in
        Result { () throws(FolderArchiveError) in try append(bytes) }
      }
      try result.get()
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

/// Headers and their records.
extension TarReader {
  mutating func readHeader(_ block: UnsafeRawBufferPointer) throws(FolderArchiveError) {
    if block[0] == 0, block.allSatisfy({ $0 == 0 }) {
      guard pending == nil else { throw malformed("records have no entry") }
      zeroBlocks += 1
      if zeroBlocks == 2 { state = .end }
      return
    }
    headerOffset = blockOffset
    member = nil
    guard zeroBlocks == 0 else { throw malformed("there is only one zero block at the end of the archive") }
    func field(_ field: TarFormat.Field) -> Slice<UnsafeRawBufferPointer> {
      block[field.offset..<field.offset + field.count]
    }
    func number(_ location: TarFormat.Field, _ name: String) throws(FolderArchiveError) -> Int64 {
      guard let number = TarFormat.number(field(location)) else { throw malformed("the header has a wrong \(name)") }
      return number
    }
    guard let checksum = TarFormat.number(field(TarFormat.checksum)),
      checksum == TarFormat.checksum(of: block) || checksum == TarFormat.checksum(of: block, isSigned: true)
    else { throw malformed(top == nil ? "this is not a tar archive" : "the checksum of the header is wrong") }
    let isPOSIX = field(TarFormat.magic).starts(with: "ustar\0".utf8)
    let kind = block[TarFormat.target.offset - 1]
    rest = try number(TarFormat.size, "size")
    guard rest >= 0 else { throw malformed("the size is negative") }
    switch kind {
    case TarFormat.Kind.pax, UInt8(ascii: "X"), UInt8(ascii: "g"), UInt8(ascii: "L"), UInt8(ascii: "K"):
      // Each further header of an entry counts too, because their number has no other limit.
      let earlier = pending == nil ? 0 : recordBytes + Int64(TarFormat.blockSize)
      guard rest <= limits.recordBytes - earlier else {
        throw FolderArchiveError(.limitExceeded, "the records exceed \(limits.recordBytes) bytes")
      }
      recordBytes = earlier + rest
      records.removeAll(keepingCapacity: true)
      padding = TarFormat.padding(rest)
      state = .records(kind)
      if rest == 0 { try endRecords(kind) }
      return
    case UInt8(ascii: "V") where rest == 0: return
    default: break
    }

    let records = pending ?? defaults
    pending = nil
    var name = TarFormat.text(field(TarFormat.name)).map(\.self)
    let prefix = TarFormat.text(field(TarFormat.prefix))
    if isPOSIX, !prefix.isEmpty { name = prefix + [FolderEntryPath.separator] + name }
    name = records.sparse?.name ?? records.path ?? name
    var member = TarMember(path: try path(name))
    self.member = member
    member.kind =
      switch kind {
      case 0, TarFormat.Kind.file, UInt8(ascii: "7"): name.last == FolderEntryPath.separator ? .folder : .file
      case UInt8(ascii: "S"): .file
      case TarFormat.Kind.folder: .folder
      case TarFormat.Kind.symbolicLink: .symbolicLink
      case TarFormat.Kind.hardLink: .hardLink
      case UInt8(ascii: "3"), UInt8(ascii: "4"), UInt8(ascii: "6"):
        throw FolderArchiveError(.specialFile, "it is a device or a pipe")
      default:
        throw FolderArchiveError(
          .unsupported, "members of the kind \"\(String(decoding: [kind], as: UTF8.self).escapedForDisplay())\"")
      }
    rest = records.size ?? rest
    member.permissions = UInt32(truncatingIfNeeded: try number(TarFormat.mode, "mode")) & 0o1777
    let seconds = try number(TarFormat.modified, "time")
    member.modified = records.modified ?? FileTime(seconds: seconds, nanoseconds: 0)
    let owners = (try number(TarFormat.owner, "owner"), try number(TarFormat.group, "group"))
    member.owner = records.owner ?? UInt32(truncatingIfNeeded: owners.0)
    member.group = records.group ?? UInt32(truncatingIfNeeded: owners.1)
    member.attributes = records.lastExtended
    if member.kind == .file { member.size = records.sparse?.size ?? rest }
    if member.kind == .hardLink || member.kind == .symbolicLink {
      let target = records.target ?? TarFormat.text(field(TarFormat.target)).map(\.self)
      member.target = member.kind == .hardLink ? try path(target).bytes : target
    }
    guard member.kind == .file || rest == 0 else { throw malformed("only a file can have content") }
    map.removeAll(keepingCapacity: true)
    self.member = member
    switch records.sparse {
    case _ where kind == UInt8(ascii: "S"):
      guard let size = TarFormat.number(block[483..<495]), size >= 0 else { throw malformed("the size is wrong") }
      self.member?.size = size
      try readMap(block, at: 386, count: 4, continuation: 482)
    case let sparse? where member.kind == .file:
      guard sparse.size != nil else { throw malformed("the size of the sparse file is missing") }
      if sparse.hasMapInContent {
        mapText = TarMapText()
        state = .mapText
      } else if sparse.major == 0 {
        guard sparse.numbers.count % 2 == 0 else { throw malformed("the map of the sparse file is incomplete") }
        for index in stride(from: 0, to: sparse.numbers.count, by: 2) {
          map.append(TarSegment(offset: sparse.numbers[index], count: sparse.numbers[index + 1]))
        }
        try beginContent()
      } else {
        throw FolderArchiveError(.unsupported, "version \(sparse.major).\(sparse.minor) of sparse files")
      }
    default:
      if rest > 0 { map.append(TarSegment(offset: 0, count: rest)) }
      try beginContent()
    }
  }

  mutating func endRecords(_ kind: UInt8) throws(FolderArchiveError) {
    state = padding > 0 ? .padding : .header
    let start = headerOffset + Int64(TarFormat.blockSize)
    let name = Array(records.prefix { $0 != 0 })
    var attributes = pending ?? defaults
    // A second reference would copy the attributes on every record.
    let hadRecords = pending != nil
    pending = nil
    switch kind {
    case UInt8(ascii: "L"): attributes.path = name
    case UInt8(ascii: "K"): attributes.target = name
    case UInt8(ascii: "g"):
      guard !hadRecords else { throw malformed("records have no entry") }
      // Extended attributes belong to one entry.
      try defaults.read(records, at: start, limits)
      defaults.extended = []
      return
    default: try attributes.read(records, at: start, limits)
    }
    pending = attributes
  }

  /// Returns the path of a member in its one form: without `./` in front and slashes at the end.
  private mutating func path(_ name: [UInt8]) throws(FolderArchiveError) -> FolderEntryPath {
    var bytes = name[...]
    guard bytes.count <= limits.pathBytes + 2 else {
      throw FolderArchiveError(.limitExceeded, "a path is longer than \(limits.pathBytes) bytes")
    }
    let separator = FolderEntryPath.separator
    guard let first = bytes.first else { throw malformed("a path is empty") }
    guard first != separator else {
      throw FolderArchiveError(.unsafeName, "the path is absolute", path: FolderEntryPath(bytes))
    }
    while bytes.last == separator { bytes.removeLast() }
    while bytes.starts(with: "./".utf8) { bytes = bytes.dropFirst(2).drop { $0 == separator } }
    let dot = UInt8(ascii: ".")
    let isRoot = bytes.isEmpty || bytes.elementsEqual(CollectionOfOne(dot))
    let top = self.top ?? (isRoot ? [dot] : Array(bytes.prefix { $0 != separator }))
    self.top = top
    if isRoot, top == [dot] { return FolderEntryPath(top) }
    let path = FolderEntryPath(bytes)
    try path.validate(limits)
    if top == [dot] { return FolderEntryPath([dot]).appending(bytes) }
    guard bytes.prefix(while: { $0 != separator }).elementsEqual(top) else {
      throw FolderArchiveError(.malformed, "there is more than one folder at the top of the archive", path: path)
    }
    return path
  }
}

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
