// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ItemTransfer

/// A zip archive whose entries may be invalid.
struct CraftedZip {
  struct Entry {
    var name: [UInt8]
    var content: [UInt8]
    var mode: UInt32
    var flags = ZipFormat.Flag.utf8
    var method: UInt16 = 0
    var crc: UInt32?
    var storedSize: UInt32?
    var size: UInt32?
    var offset: UInt32?
    var disk: UInt16 = 0
    var version: UInt16 = 20
    var extra: [UInt8] = []
    var localName: [UInt8]?
    var localFlags: UInt16?
    var localMethod: UInt16?
    var localCRC: UInt32?
    var localSize: UInt32?
    var localExtra: [UInt8] = []
    var descriptor: [UInt8] = []

    init(_ name: String, _ content: String = "", mode: UInt32? = nil) {
      self.name = Array(name.utf8)
      self.content = Array(content.utf8)
      self.mode = mode ?? (name.hasSuffix("/") ? 0o040_755 : 0o100_644)
    }

    func with(_ change: (inout Entry) -> Void) -> Entry {
      var entry = self
      change(&entry)
      return entry
    }

    var rightCRC: UInt32 { content.withUnsafeBytes { CRC32.check($0) } }
  }

  var entries: [Entry]
  var count: UInt16?
  var directoryOffset: UInt32?
  var directoryLength: UInt32?
  /// Whether the sizes and offsets are only in zip64 records.
  var isZip64 = false
  var disk: UInt16 = 0
  var afterEntries: [UInt8] = []
  var afterDirectory: [UInt8] = []
  var comment: [UInt8] = []

  /// A valid archive of a folder with one file.
  static let sound = CraftedZip(Entry("Tales/"), Entry("Tales/a", "once upon a time"))

  init(_ entries: Entry...) {
    self.entries = entries
  }

  func with(_ change: (inout CraftedZip) -> Void) -> CraftedZip {
    var zip = self
    change(&zip)
    return zip
  }

  var bytes: [UInt8] {
    var out = ZipBytes()
    var directory = ZipBytes()
    for entry in entries {
      let offset = UInt32(out.bytes.count)
      out.append(ZipFormat.Signature.localHeader)
      out.append(entry.version)
      out.append(entry.localFlags ?? entry.flags)
      out.append(entry.localMethod ?? entry.method)
      out.append(UInt32(0x5C6B_9000))
      out.append(entry.localCRC ?? entry.crc ?? entry.rightCRC)
      out.append(entry.localSize ?? entry.storedSize ?? UInt32(entry.content.count))
      out.append(entry.localSize ?? entry.size ?? UInt32(entry.content.count))
      out.append(UInt16((entry.localName ?? entry.name).count))
      out.append(UInt16(entry.localExtra.count))
      out.append(contentsOf: entry.localName ?? entry.name)
      out.append(contentsOf: entry.localExtra)
      out.append(contentsOf: entry.content)
      out.append(contentsOf: entry.descriptor)

      directory.append(ZipFormat.Signature.centralHeader)
      directory.append(ZipFormat.unix << 8 | 20)
      directory.append(entry.version)
      directory.append(entry.flags)
      directory.append(entry.method)
      directory.append(UInt32(0x5C6B_9000))
      directory.append(entry.crc ?? entry.rightCRC)
      directory.append(entry.storedSize ?? UInt32(entry.content.count))
      directory.append(entry.size ?? UInt32(entry.content.count))
      directory.append(UInt16(entry.name.count))
      directory.append(UInt16(entry.extra.count))
      directory.append(UInt16(0))
      directory.append(entry.disk)
      directory.append(UInt16(0))
      directory.append(entry.mode << 16)
      directory.append(entry.offset ?? offset)
      directory.append(contentsOf: entry.name)
      directory.append(contentsOf: entry.extra)
    }
    out.append(contentsOf: afterEntries)
    let offset = directoryOffset ?? UInt32(out.bytes.count)
    let length = directoryLength ?? UInt32(directory.bytes.count)
    let count = count ?? UInt16(entries.count)
    out.append(contentsOf: directory.bytes)
    out.append(contentsOf: afterDirectory)
    if isZip64 { appendZip64(to: &out, count: count, length: length, offset: offset) }
    out.append(ZipFormat.Signature.end)
    for _ in 0..<2 { out.append(disk) }
    for _ in 0..<2 { out.append(isZip64 ? .max : count) }
    out.append(isZip64 ? .max : length)
    out.append(isZip64 ? .max : offset)
    out.append(UInt16(comment.count))
    out.append(contentsOf: comment)
    return out.bytes
  }

  private func appendZip64(to out: inout ZipBytes, count: UInt16, length: UInt32, offset: UInt32) {
    let start = out.bytes.count
    out.append(ZipFormat.Signature.zip64End)
    out.append(UInt64(44))
    for _ in 0..<2 { out.append(UInt16(45)) }
    for _ in 0..<2 { out.append(UInt32(0)) }
    for _ in 0..<2 { out.append(UInt64(count)) }
    out.append(UInt64(length))
    out.append(UInt64(offset))
    out.append(ZipFormat.Signature.zip64Locator)
    out.append(UInt32(0))
    out.append(UInt64(start))
    out.append(UInt32(1))
  }
}

/// Extracts the archive.
///
/// The extraction must fail with `code` and leave no file behind.
func refuse(
  _ code: FolderArchiveError.Code, _ zip: CraftedZip, path: String? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  try requireFolderError(code, path, sourceLocation: sourceLocation) {
    try extract(zip.bytes, sourceLocation: sourceLocation) { _ in }
  }
}

/// Extracts the archive.
///
/// The extraction must fail with `code` and a path, and leave no file behind.
func refuse(
  _ code: FolderArchiveError.Code, _ path: String, _ zip: CraftedZip,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  try refuse(code, zip, path: path, sourceLocation: sourceLocation)
}
