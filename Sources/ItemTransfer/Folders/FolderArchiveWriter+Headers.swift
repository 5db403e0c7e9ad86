// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// Headers, and the values that they cannot hold.
extension FolderArchiveWriter {
  /// Appends the header of an entry, after pax records for everything that it cannot hold.
  ///
  /// The map of a sparse file follows the header.
  func writeHead(
    _ path: FolderEntryPath, _ kind: UInt8, _ status: FileStatus, target: [UInt8] = [],
    attributes: [PaxAttributes.Extended] = [], size: Int64 = 0, parts: [TarSegment]? = nil
  ) throws(FolderArchiveError) {
    entries += 1
    guard entries <= limits.entries else { throw FolderArchive.tooManyEntries(path) }
    var records: [UInt8] = []
    var map: [UInt8] = []
    var header = TarHeader(kind: kind, permissions: status.permissions & 0o1777, size: size)
    var name = path.bytes[...]
    if kind == TarFormat.Kind.folder { name.append(FolderEntryPath.separator) }
    if let parts {
      map = Self.text(of: parts, size)
      header.size = parts.reduce(Int64(map.count)) { $0 + $1.count }
      PaxAttributes.append("GNU.sparse.major", "1".utf8, to: &records)
      PaxAttributes.append("GNU.sparse.minor", "0".utf8, to: &records)
      PaxAttributes.append("GNU.sparse.name", name, to: &records)
      PaxAttributes.append("GNU.sparse.realsize", "\(size)".utf8, to: &records)
      header.name = Array("GNUSparseFile.0/\(path.name)".utf8)[...]
    } else if let split = TarHeader.split(name) {
      (header.name, header.prefix) = split
    } else {
      PaxAttributes.append("path", name, to: &records)
      header.name = name
    }
    if let time = status.modificationTime {
      header.modified = (0...TarFormat.largestOctal).contains(time.seconds) ? time.seconds : 0
      if time.nanoseconds > 0 || header.modified != time.seconds {
        PaxAttributes.append("mtime", PaxAttributes.text(time).utf8, to: &records)
      }
    }
    if header.size > TarFormat.largestOctal { PaxAttributes.append("size", "\(header.size)".utf8, to: &records) }
    if options.hasOwners {
      (header.owner, header.group) = (status.owner, status.group)
      for (key, number) in [("uid", status.owner), ("gid", status.group)] where number > TarFormat.largestShortOctal {
        PaxAttributes.append(key, "\(number)".utf8, to: &records)
      }
    }
    header.target = target[...]
    if target.count > TarFormat.target.count || !target.allSatisfy({ $0 < 0x80 }) {
      PaxAttributes.append("linkpath", target, to: &records)
    }
    for attribute in attributes {
      PaxAttributes.append(PaxAttributes.extendedPrefix + attribute.name, attribute.value, to: &records)
    }
    if !records.isEmpty {
      guard records.count <= limits.recordBytes else {
        throw FolderArchiveError(.limitExceeded, "its attributes exceed \(limits.recordBytes) bytes", path: path)
      }
      TarHeader(
        name: Array("PaxHeaders/\(path.name)".utf8)[...], kind: TarFormat.Kind.pax, permissions: 0o644,
        size: Int64(records.count), modified: header.modified
      ).append(to: &head)
      head += records
      head += TarFormat.zeroBlock.prefix(TarFormat.padding(Int64(records.count)))
    }
    header.append(to: &head)
    head += map
  }

  /// Returns the map of a sparse file, padded to a block.
  ///
  /// A last part without bytes marks the end of a last hole.
  private static func text(of parts: [TarSegment], _ size: Int64) -> [UInt8] {
    var parts = parts
    if parts.last.map({ $0.offset + $0.count < size }) ?? true { parts.append(TarSegment(offset: size, count: 0)) }
    var text = Array("\(parts.count)\n".utf8)
    for part in parts { text += "\(part.offset)\n\(part.count)\n".utf8 }
    return text + TarFormat.zeroBlock.prefix(TarFormat.padding(Int64(text.count)))
  }

  /// Returns the extended attributes of an open file that the archive carries.
  func attributes(
    _ descriptor: CInt, _ path: FolderEntryPath
  ) throws(FolderArchiveError) -> [PaxAttributes.Extended] {
    guard options.hasAttributes else { return [] }
    var attributes: [PaxAttributes.Extended] = []
    do throws(SystemError) {
      for name in try SystemCalls.attributeNames(descriptor).sorted()
      where name.hasPrefix(FolderArchive.attributePrefix) {
        attributes.append(.init(name: name, value: try SystemCalls.attribute(descriptor, name)))
      }
    } catch {
      // The file system has no attributes.
      guard error.errorNumber == EOPNOTSUPP else { throw FolderArchiveError(error, for: path) }
    }
    return attributes
  }
}
