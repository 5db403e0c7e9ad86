// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// An entry that was read from an archive, with the offsets of its parts.
struct ZipMember: Sendable {
  private(set) var entry: ZipEntry
  /// The offset of its content, set by ``locate(_:)``.
  private(set) var contentOffset: Int64 = 0
  /// The minimum offset of the next entry.
  private(set) var endOffset: Int64 = 0
  private let flags: UInt16

  /// Creates a folder that only the paths of other entries imply.
  init(implied path: FolderEntryPath) {
    entry = ZipEntry(path: path, isDirectory: true)
    flags = 0
  }

  /// Reads the header at `offset` of the central directory, where `input` ends, and advances the offset.
  init(
    _ input: ZipWindow, at offset: inout Int64, limits: FolderArchive.Limits
  ) throws(FolderArchiveError) {
    let start = offset
    var header = ZipCursor(try input.bytes(at: start, count: ZipFormat.Length.centralHeader), at: start)
    guard try header.next() == ZipFormat.Signature.centralHeader else {
      throw FolderArchiveError(.malformed, "there is no header in the central directory", at: start)
    }
    _ = try header.next(UInt16.self)
    let version = try header.next(UInt16.self)
    flags = try header.next()
    let method = try header.next(UInt16.self)
    let time = ZipTime(time: try header.next(), date: try header.next())
    let crc = try header.next(UInt32.self)
    let sizes = [try header.next(UInt32.self), try header.next(UInt32.self)]
    let lengths = [try header.next(UInt16.self), try header.next(UInt16.self), try header.next(UInt16.self)]
    let disk = try header.next(UInt16.self)
    _ = try header.next(UInt16.self)
    let mode = try header.next(UInt32.self) >> 16
    let headerOffset = try header.next(UInt32.self)

    let variable = try input.bytes(at: header.offset, count: lengths.reduce(0) { $0 + Int($1) })
    let nameLength = Int(lengths[0])
    // An error message must not contain a path far beyond the limit.
    guard nameLength <= limits.pathBytes + 1 else {
      throw FolderArchiveError(.limitExceeded, "a path is longer than \(limits.pathBytes) bytes", at: start)
    }
    var name = variable[..<nameLength]
    let isDirectory = name.last == FolderEntryPath.separator
    if isDirectory { name.removeLast() }
    entry = ZipEntry(path: FolderEntryPath(name), isDirectory: isDirectory)
    try entry.path.validate(limits)
    offset = header.offset + Int64(variable.count)

    var extra = try ZipExtraFields(
      variable[nameLength..<nameLength + Int(lengths[1])], at: header.offset + Int64(nameLength))
    entry.size = try extra.number(sizes[1])
    let storedSize = try extra.number(sizes[0])
    entry.headerOffset = try extra.number(headerOffset)
    entry.crc = crc
    entry.modified = extra.modified ?? time.secondsSince1970
    if mode != 0 { entry.permissions = mode & 0o1777 }

    guard disk == 0 || disk == ZipFormat.elsewhere16 else {
      throw unsupported("it is in another part of the archive", start)
    }
    guard version & 0xFF <= ZipFormat.latestVersion else {
      throw unsupported("it needs a later version of the format", start)
    }
    let encryption = ZipFormat.Flag.encrypted | ZipFormat.Flag.stronglyEncrypted | ZipFormat.Flag.maskedHeaders
    guard flags & encryption == 0 else { throw unsupported("it is encrypted", start) }
    guard flags & ZipFormat.Flag.patch == 0 else { throw unsupported("it is a patch", start) }
    guard method == ZipFormat.stored else { throw unsupported("it is compressed", start) }
    guard storedSize == entry.size else { throw malformed("its compressed and uncompressed sizes differ", start) }
    guard !isDirectory || (entry.size == 0 && crc == 0) else { throw malformed("a folder has content", start) }
    switch mode & 0o170_000 {
    case 0: break
    case 0o040_000 where isDirectory, 0o100_000 where !isDirectory: break
    case 0o040_000, 0o100_000: throw malformed("name and attributes disagree on whether it is a folder", start)
    default:
      throw FolderArchiveError(.specialFile, "it is neither a file nor a folder", path: entry.path, at: start)
    }
  }

  /// Reads the local header and the data descriptor; both must agree with the central directory.
  mutating func locate(_ input: ZipWindow) throws(FolderArchiveError) {
    let start = entry.headerOffset
    var header = ZipCursor(try input.bytes(at: start, count: ZipFormat.Length.localHeader), at: start)
    guard try header.next() == ZipFormat.Signature.localHeader else { throw malformed("it has no local header", start) }
    _ = try header.next(UInt16.self)
    let localFlags = try header.next(UInt16.self)
    let method = try header.next(UInt16.self)
    _ = try header.next(UInt32.self)
    let crc = try header.next(UInt32.self)
    let sizes = [try header.next(UInt32.self), try header.next(UInt32.self)]
    let lengths = [Int(try header.next(UInt16.self)), Int(try header.next(UInt16.self))]
    let variable = try input.bytes(at: header.offset, count: lengths[0] + lengths[1])
    let name = entry.path.bytes + (entry.isDirectory ? [FolderEntryPath.separator] : [])
    guard localFlags == flags, method == ZipFormat.stored, variable[..<lengths[0]].elementsEqual(name) else {
      throw malformed("local header and central directory disagree", start)
    }
    var extra = try ZipExtraFields(variable[lengths[0]...], at: header.offset + Int64(lengths[0]))
    let isWide = extra.zip64 != nil
    let size = try extra.number(sizes[1])
    let storedSize = try extra.number(sizes[0])
    let hasDescriptor = flags & ZipFormat.Flag.descriptor != 0
    let isUnstated = hasDescriptor && size == 0 && storedSize == 0
    let sizesAgree = size == entry.size && storedSize == entry.size
    guard sizesAgree || isUnstated, crc == entry.crc || hasDescriptor && crc == 0 else {
      throw malformed("local header and central directory disagree", start)
    }

    contentOffset = header.offset + Int64(variable.count)
    guard entry.size <= input.size - contentOffset else {
      throw malformed("its content reaches beyond the archive's end", start)
    }
    endOffset = contentOffset + entry.size
    if hasDescriptor { endOffset += try descriptorLength(input, isWide: isWide) }
  }

  /// The format does not state the descriptor's form: the signature is optional, and sizes have 4 or 8 bytes.
  private func descriptorLength(_ input: ZipWindow, isWide: Bool) throws(FolderArchiveError) -> Int64 {
    let found = try input.bytes(at: endOffset, count: Int(min(24, input.size - endOffset)))
    for wide in [isWide, !isWide] where wide || !ZipFormat.needsZip64(entry.size) {
      for signature in [true, false] {
        var form = ZipBytes()
        if signature { form.append(ZipFormat.Signature.descriptor) }
        form.append(entry.crc)
        for _ in 0..<2 { if wide { form.append(UInt64(entry.size)) } else { form.append(UInt32(entry.size)) } }
        if found.starts(with: form.bytes) { return Int64(form.bytes.count) }
      }
    }
    throw malformed("data descriptor and central directory disagree", endOffset)
  }

  private func malformed(_ reason: String, _ offset: Int64) -> FolderArchiveError {
    FolderArchiveError(.malformed, reason, path: entry.path, at: offset)
  }

  private func unsupported(_ reason: String, _ offset: Int64) -> FolderArchiveError {
    FolderArchiveError(.unsupported, reason, path: entry.path, at: offset)
  }
}
