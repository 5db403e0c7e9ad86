// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

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
