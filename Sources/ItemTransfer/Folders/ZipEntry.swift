// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// One file or folder of an archive, as its headers state it.
struct ZipEntry: Sendable, Hashable {
  var path: FolderEntryPath
  var isDirectory: Bool
  /// The permissions; `nil` if the archive has none.
  var permissions: UInt32?
  /// Seconds since 1970-01-01 00:00:00 UTC; `nil` if the archive has no valid time.
  var modified: Int64?
  var size: Int64 = 0
  var crc: UInt32 = 0
  /// The offset of its local header.
  var headerOffset: Int64 = 0

  init(path: FolderEntryPath, isDirectory: Bool, permissions: UInt32? = nil, modified: Int64? = nil) {
    self.path = path
    self.isDirectory = isDirectory
    self.permissions = permissions
    self.modified = modified
  }
}

// MARK: Writing

extension ZipEntry {
  /// Whether a data descriptor with the CRC follows the content.
  ///
  /// An empty file needs none.
  var hasDescriptor: Bool { size > 0 }

  private var nameLength: Int { path.bytes.count + (isDirectory ? 1 : 0) }

  var localHeaderLength: Int64 { Int64(ZipFormat.Length.localHeader + nameLength + localExtra.count) }
  var descriptorLength: Int64 { !hasDescriptor ? 0 : ZipFormat.needsZip64(size) ? 24 : 16 }
  var centralHeaderLength: Int64 { Int64(ZipFormat.Length.centralHeader + nameLength + centralExtra.count) }

  /// The header before the content.
  ///
  /// It repeats the sizes of the data descriptor, so that a streaming reader can skip the content.
  var localHeader: [UInt8] {
    var out = ZipBytes()
    out.append(ZipFormat.Signature.localHeader)
    appendCommon(to: &out, version: ZipFormat.needsZip64(size) ? ZipFormat.zip64Version : ZipFormat.version)
    // The CRC is zero if a data descriptor follows.
    out.append(UInt32(0))
    out.append(ZipFormat.field32(size))
    out.append(ZipFormat.field32(size))
    let extra = localExtra
    out.append(UInt16(nameLength))
    out.append(UInt16(extra.count))
    appendName(to: &out)
    out.append(contentsOf: extra)
    return out.bytes
  }

  var descriptor: [UInt8] {
    guard hasDescriptor else { return [] }
    var out = ZipBytes()
    out.append(ZipFormat.Signature.descriptor)
    out.append(crc)
    for _ in 0..<2 {
      if ZipFormat.needsZip64(size) { out.append(UInt64(size)) } else { out.append(UInt32(size)) }
    }
    return out.bytes
  }

  var centralHeader: [UInt8] {
    let extra = centralExtra
    let needsZip64 = ZipFormat.needsZip64(size) || ZipFormat.needsZip64(headerOffset)
    let version = needsZip64 ? ZipFormat.zip64Version : ZipFormat.version
    var out = ZipBytes()
    out.append(ZipFormat.Signature.centralHeader)
    out.append(ZipFormat.unix << 8 | ZipFormat.zip64Version)
    appendCommon(to: &out, version: version)
    out.append(crc)
    out.append(ZipFormat.field32(size))
    out.append(ZipFormat.field32(size))
    out.append(UInt16(nameLength))
    out.append(UInt16(extra.count))
    // The entry has no comment, the first disk, and no internal attributes.
    for _ in 0..<3 { out.append(UInt16(0)) }
    let kind: UInt32 = isDirectory ? 0o040_000 : 0o100_000
    out.append((kind | (permissions ?? 0)) << 16 | (isDirectory ? ZipFormat.folderAttribute : 0))
    out.append(ZipFormat.field32(headerOffset))
    appendName(to: &out)
    out.append(contentsOf: extra)
    return out.bytes
  }

  private func appendCommon(to out: inout ZipBytes, version: UInt16) {
    let time = ZipTime(secondsSince1970: modified ?? 0)
    out.append(version)
    out.append(ZipFormat.Flag.utf8 | (hasDescriptor ? ZipFormat.Flag.descriptor : 0))
    out.append(ZipFormat.stored)
    out.append(time.time)
    out.append(time.date)
  }

  private func appendName(to out: inout ZipBytes) {
    out.append(contentsOf: path.bytes)
    if isDirectory { out.append(FolderEntryPath.separator) }
  }

  private var localExtra: [UInt8] {
    ZipFormat.needsZip64(size) ? Self.zip64Extra([size, size]) + timestampExtra : timestampExtra
  }

  private var centralExtra: [UInt8] {
    var numbers: [Int64] = ZipFormat.needsZip64(size) ? [size, size] : []
    if ZipFormat.needsZip64(headerOffset) { numbers.append(headerOffset) }
    return Self.zip64Extra(numbers) + timestampExtra
  }

  private static func zip64Extra(_ numbers: [Int64]) -> [UInt8] {
    guard !numbers.isEmpty else { return [] }
    var out = ZipBytes()
    out.append(ZipFormat.Extra.zip64)
    out.append(UInt16(8 * numbers.count))
    for number in numbers { out.append(UInt64(number)) }
    return out.bytes
  }

  /// The exact time, if it is in the range of 32 bits.
  private var timestampExtra: [UInt8] {
    guard let modified, let seconds = Int32(exactly: modified) else { return [] }
    var out = ZipBytes()
    out.append(ZipFormat.Extra.timestamp)
    out.append(UInt16(5))
    out.append(UInt8(1))
    out.append(UInt32(bitPattern: seconds))
    return out.bytes
  }
}
