// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The records at the end of an archive: the number of entries, and the location of the central directory.
struct ZipEnd: Sendable, Hashable {
  var entryCount: Int
  var directoryOffset: Int64
  var directoryLength: Int64

  /// Whether a number exceeds the range of the plain record.
  var needsZip64: Bool {
    entryCount >= Int(ZipFormat.elsewhere16) || ZipFormat.needsZip64(directoryOffset)
      || ZipFormat.needsZip64(directoryLength)
  }

  var length: Int64 {
    Int64(needsZip64 ? ZipFormat.Length.zip64End + ZipFormat.Length.zip64Locator : 0) + Int64(ZipFormat.Length.end)
  }

  var bytes: [UInt8] {
    var out = ZipBytes()
    if needsZip64 {
      out.append(ZipFormat.Signature.zip64End)
      // The length of the rest of the record, then the versions of the writer and the reader.
      out.append(UInt64(ZipFormat.Length.zip64End - 12))
      out.append(ZipFormat.unix << 8 | ZipFormat.zip64Version)
      out.append(ZipFormat.zip64Version)
      for _ in 0..<2 { out.append(UInt32(0)) }
      for _ in 0..<2 { out.append(UInt64(entryCount)) }
      out.append(UInt64(directoryLength))
      out.append(UInt64(directoryOffset))

      out.append(ZipFormat.Signature.zip64Locator)
      out.append(UInt32(0))
      out.append(UInt64(directoryOffset + directoryLength))
      out.append(UInt32(1))
    }
    out.append(ZipFormat.Signature.end)
    for _ in 0..<2 { out.append(UInt16(0)) }
    for _ in 0..<2 { out.append(ZipFormat.field16(entryCount)) }
    out.append(ZipFormat.field32(directoryLength))
    out.append(ZipFormat.field32(directoryOffset))
    out.append(UInt16(0))
    return out.bytes
  }
}

// MARK: Reading

extension ZipEnd {
  /// Finds the records, which must end with the archive's last byte, and the directory immediately before them.
  init(_ input: ZipWindow) throws(FolderArchiveError) {
    let tailLength = min(input.size, Int64(ZipFormat.Length.end + Int(UInt16.max)))
    let tailOffset = input.size - tailLength
    let tail = try input.bytes(at: tailOffset, count: Int(tailLength))
    guard let start = Self.lastRecord(in: tail) else {
      throw FolderArchiveError(.malformed, "there is no end record: not a zip archive, or a truncated one")
    }
    let endOffset = tailOffset + Int64(start)
    var cursor = ZipCursor(tail[start...], at: endOffset)
    _ = try cursor.next(UInt32.self)
    let disks = [try cursor.next(UInt16.self), try cursor.next(UInt16.self)]
    let counts = [try cursor.next(UInt16.self), try cursor.next(UInt16.self)]
    let length = try cursor.next(UInt32.self)
    let offset = try cursor.next(UInt32.self)

    if let wide = try Self.zip64(input, before: endOffset) {
      let agrees =
        counts.allSatisfy { $0 == ZipFormat.elsewhere16 || Int($0) == wide.end.entryCount }
        && disks.allSatisfy { $0 == ZipFormat.elsewhere16 || $0 == 0 }
        && (length == ZipFormat.elsewhere32 || Int64(length) == wide.end.directoryLength)
        && (offset == ZipFormat.elsewhere32 || Int64(offset) == wide.end.directoryOffset)
      guard agrees else { throw FolderArchiveError(.malformed, "the end records disagree", at: endOffset) }
      self = wide.end
      try checkPosition(directoryEnd: wide.offset)
    } else {
      guard disks == [0, 0], counts[0] == counts[1] else {
        throw FolderArchiveError(.unsupported, "the archive has several parts", at: endOffset)
      }
      self.init(entryCount: Int(counts[0]), directoryOffset: Int64(offset), directoryLength: Int64(length))
      try checkPosition(directoryEnd: endOffset)
    }
  }

  private func checkPosition(directoryEnd: Int64) throws(FolderArchiveError) {
    let (end, overflow) = directoryOffset.addingReportingOverflow(directoryLength)
    guard !overflow, end == directoryEnd else {
      throw FolderArchiveError(.malformed, "the central directory is not where it should be", at: directoryEnd)
    }
  }

  /// Returns the offset of the last signature whose comment reaches exactly to the end.
  private static func lastRecord(in tail: [UInt8]) -> Int? {
    guard tail.count >= ZipFormat.Length.end else { return nil }
    for start in stride(from: tail.count - ZipFormat.Length.end, through: 0, by: -1) where tail[start] == 0x50 {
      let comment = Int(tail[start + 20]) | Int(tail[start + 21]) << 8
      let isRecord = tail[start...].starts(with: [0x50, 0x4B, 0x05, 0x06])
      if isRecord, start + ZipFormat.Length.end + comment == tail.count { return start }
    }
    return nil
  }

  private static func zip64(
    _ input: ZipWindow, before endOffset: Int64
  ) throws(FolderArchiveError) -> (end: ZipEnd, offset: Int64)? {
    let locatorOffset = endOffset - Int64(ZipFormat.Length.zip64Locator)
    guard locatorOffset >= 0 else { return nil }
    var locator = ZipCursor(
      try input.bytes(at: locatorOffset, count: ZipFormat.Length.zip64Locator), at: locatorOffset)
    guard try locator.next() == ZipFormat.Signature.zip64Locator else { return nil }
    let disk = try locator.next(UInt32.self)
    let offset = try locator.nextCount()
    guard disk == 0, try locator.next(UInt32.self) <= 1 else {
      throw FolderArchiveError(.unsupported, "the archive has several parts", at: locatorOffset)
    }

    var record = ZipCursor(try input.bytes(at: offset, count: ZipFormat.Length.zip64End), at: offset)
    guard try record.next() == ZipFormat.Signature.zip64End else {
      throw FolderArchiveError(.malformed, "the zip64 end record is not where it should be", at: offset)
    }
    let (end, overflow) = try record.nextCount().addingReportingOverflow(offset + 12)
    guard !overflow, end == locatorOffset, end - offset >= Int64(ZipFormat.Length.zip64End) else {
      throw FolderArchiveError(.malformed, "the length of the zip64 end record is wrong", at: offset)
    }
    _ = try record.next(UInt32.self)
    let disks = [try record.next(UInt32.self), try record.next(UInt32.self)]
    let counts = [try record.nextCount(), try record.nextCount()]
    guard disks == [0, 0], counts[0] == counts[1] else {
      throw FolderArchiveError(.unsupported, "the archive has several parts", at: offset)
    }
    let length = try record.nextCount()
    let found = ZipEnd(
      entryCount: Int(counts[0]), directoryOffset: try record.nextCount(), directoryLength: length)
    return (found, offset)
  }
}
