// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

/// A tar archive whose fields may be wrong.
struct CraftedTar {
  struct Entry {
    var name: [UInt8]
    var kind: Character
    var content: [UInt8]
    var target: [UInt8]
    var mode = "0000644\0"
    var time = "00000000000\0"
    /// `nil` stands for the size of the content.
    var size: [UInt8]?
    var magic = "ustar\u{0}00"
    var prefix = ""
    /// Bytes at offsets of the header, set before the checksum.
    var patches: [Int: [UInt8]] = [:]
    /// `nil` stands for the right one.
    var checksum: String?

    init(_ name: String, _ text: String = "", kind: Character? = nil, target: String = "") {
      self.name = Array(name.utf8)
      content = Array(text.utf8)
      self.kind = kind ?? (name.hasSuffix("/") ? "5" : "0")
      self.target = Array(target.utf8)
      if self.kind == "5" { mode = "0000755\0" }
    }

    func with(_ change: (inout Entry) -> Void) -> Entry {
      var copy = self
      change(&copy)
      return copy
    }

    var header: [UInt8] {
      var block = [UInt8](repeating: 0, count: 512)
      func put(_ bytes: some Sequence<UInt8>, _ offset: Int) {
        for (index, byte) in bytes.enumerated() { block[offset + index] = byte }
      }
      put(name.prefix(100), 0)
      put(mode.utf8, 100)
      put("0000000\u{0}0000000\u{0}".utf8, 108)
      let octal = String(content.count, radix: 8)
      put(size ?? Array((String(repeating: "0", count: 11 - octal.count) + octal).utf8), 124)
      put(time.utf8, 136)
      put(String(kind).utf8, 156)
      put(target.prefix(100), 157)
      put(magic.utf8, 257)
      put(prefix.utf8, 345)
      for (offset, bytes) in patches { put(bytes, offset) }
      put("        ".utf8, 148)
      let sum = String(block.reduce(0) { $0 + Int($1) }, radix: 8)
      put((checksum ?? String(repeating: "0", count: 6 - sum.count) + sum + "\u{0} ").utf8, 148)
      return block
    }

    var bytes: [UInt8] { header + content + [UInt8](repeating: 0, count: -content.count & 511) }
  }

  var entries: [Entry]
  /// The bytes after the entries.
  var end = [UInt8](repeating: 0, count: 1024)

  init(_ entries: Entry...) {
    self.entries = entries
  }

  var bytes: [UInt8] { entries.flatMap(\.bytes) + end }

  func with(_ change: (inout CraftedTar) -> Void) -> CraftedTar {
    var copy = self
    change(&copy)
    return copy
  }

  /// Returns pax records.
  static func records(_ pairs: KeyValuePairs<String, String>, kind: Character = "x") -> Entry {
    var bytes: [UInt8] = []
    for (key, value) in pairs { PaxAttributes.append(key, value.utf8, to: &bytes) }
    return Entry("PaxHeaders/x", kind: kind).with { $0.content = bytes }
  }

  /// A folder with a file.
  static let sound = CraftedTar(Entry("Tales/"), Entry("Tales/a", "once upon a time"))
}

/// Requires that the extraction fails with `code` at the member `path`, and leaves no files behind.
@discardableResult
func refuse(
  _ code: FolderArchiveError.Code, _ path: String?, _ tar: CraftedTar, limits: FolderArchive.Limits = .init(),
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> FolderArchiveError {
  try requireFolderError(code, path, sourceLocation: sourceLocation) {
    try extract(tar.bytes, limits: limits, sourceLocation: sourceLocation) { _ in }
  }
}

/// Requires that the extraction fails with `code`, and leaves no files behind.
@discardableResult
func refuse(
  _ code: FolderArchiveError.Code, _ tar: CraftedTar, limits: FolderArchive.Limits = .init(),
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> FolderArchiveError {
  try refuse(code, nil, tar, limits: limits, sourceLocation: sourceLocation)
}
