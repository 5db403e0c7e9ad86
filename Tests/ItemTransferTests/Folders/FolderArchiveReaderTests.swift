// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited) struct FolderArchiveReaderTests {
  private typealias Entry = CraftedZip.Entry

  private let sound = CraftedZip.sound

  private func expectSound(_ zip: CraftedZip, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try extract(zip.bytes, sourceLocation: sourceLocation) { destination in
      let text = try String(contentsOf: destination.appendingPathComponent("Tales/a"), encoding: .utf8)
      #expect(text == "once upon a time", sourceLocation: sourceLocation)
    }
  }

  // MARK: Accepted archives

  @Test func variationsOfOtherWritersAreAccepted() throws {
    try expectSound(sound)
    try expectSound(sound.with { $0.comment = Array("a comment".utf8) })
    try expectSound(sound.with { $0.afterEntries = Array("gap".utf8) })
    try expectSound(sound.with { $0.entries.reverse() })
    try expectSound(sound.with { $0.isZip64 = true })
    try expectSound(CraftedZip(Entry("Tales/a", "once upon a time")))
    try expectSound(CraftedZip(Entry("Tales/b/c/d"), Entry("Tales/a", "once upon a time", mode: 0)))
    try expectSound(sound.with { $0.entries[1].extra = [0xFE, 0xCA, 2, 0, 1, 2, 0, 0] })
  }

  @Test func everyFormOfDataDescriptorIsVerified() throws {
    let entry = sound.entries[1]
    for wide in [false, true] {
      for signature in [false, true] {
        var form = ZipBytes()
        if signature { form.append(ZipFormat.Signature.descriptor) }
        form.append(entry.rightCRC)
        for _ in 0..<2 { if wide { form.append(UInt64(16)) } else { form.append(UInt32(16)) } }
        let zip = sound.with {
          $0.entries[1].flags |= ZipFormat.Flag.descriptor
          $0.entries[1].localCRC = 0
          $0.entries[1].localSize = 0
          $0.entries[1].descriptor = form.bytes
        }
        try expectSound(zip)
        try expectSound(zip.with { $0.entries[1].localSize = 16 })
        try refuse(.malformed, "Tales/a", zip.with { $0.entries[1].descriptor[signature ? 4 : 0] ^= 1 })
        try refuse(.malformed, "Tales/a", zip.with { $0.entries[1].descriptor.removeLast() })
        try refuse(.malformed, "Tales/a", zip.with { $0.entries[1].localSize = 15 })
      }
    }
  }

  @Test func zip64FieldsAreReadAndRequired() throws {
    func field(_ numbers: UInt64...) -> [UInt8] {
      var out = ZipBytes()
      out.append(ZipFormat.Extra.zip64)
      out.append(UInt16(8 * numbers.count))
      for number in numbers { out.append(number) }
      return out.bytes
    }
    let wide = sound.with {
      $0.entries[1].storedSize = .max
      $0.entries[1].size = .max
      $0.entries[1].offset = .max
      $0.entries[1].extra = field(16, 16, 36)
      $0.entries[1].localExtra = field(16, 16)
    }
    try expectSound(wide)
    try refuse(.malformed, wide.with { $0.entries[1].extra = field(16, 16) })
    try refuse(.malformed, wide.with { $0.entries[1].extra = [] })
    try refuse(.malformed, wide.with { $0.entries[1].extra = field(16, 16, 36) + field(16, 16, 36) })
    try refuse(.malformed, wide.with { $0.entries[1].extra = field(17, 17, 36) })
    try refuse(.malformed, wide.with { $0.entries[1].extra = field(16, 16, .max) })
    try refuse(.malformed, wide.with { $0.entries[1].localExtra = field(16) })
    try refuse(.malformed, wide.with { $0.entries[1].localExtra = field(16, 17) })
    try refuse(.limitExceeded, wide.with { $0.entries[1].extra = field(1 << 50, 1 << 50, 36) })
  }

  // MARK: Names

  @Test(arguments: [
    "Tales/../a", "../a", "Tales/..", "Tales/.", "./Tales/a", "/Tales/a", "/etc/passwd", "Tales//a", "Tales/a//", "/",
    "", "..", ".", "../", "Tales/a\u{0}", "Tales/a\n", "Tales/\u{1B}[2J", "Tales/\u{7F}", "Tales/\u{9B}",
    "Tales/\u{202E}gpj.exe", "Tales/\u{2066}", "Tales/\u{2028}", "\u{0}",
  ])
  func unsafeNamesAreRejected(name: String) throws {
    try refuse(.unsafeName, CraftedZip(Entry("Tales/"), Entry(name, "x", mode: 0)))
  }

  @Test func nameThatIsNotUTF8IsRejected() throws {
    for bytes: [UInt8] in [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x80]] {
      try refuse(.unsafeName, sound.with { $0.entries[1].name += bytes })
    }
  }

  @Test func backslashIsAnOrdinaryCharacter() throws {
    try extract(CraftedZip(Entry("Tales/..\\..\\a", "x")).bytes) { destination in
      try #expect(FileManager.default.contentsOfDirectory(atPath: destination.path + "/Tales") == ["..\\..\\a"])
    }
  }

  @Test func repeatedPathsAreRejected() throws {
    try refuse(.malformed, "Tales/a", sound.with { $0.entries.append(Entry("Tales/a", "x")) })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries.append(Entry("Tales/a/")) })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries.append(Entry("Tales/a/b", "x")) })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries.insert(Entry("Tales/a/b/c", "x"), at: 0) })
    try refuse(.malformed, "Tales", sound.with { $0.entries.append(Entry("Tales/")) })
    let spellings = CraftedZip(Entry("Tales/caf\u{E9}", "1"), Entry("Tales/cafe\u{301}", "2"), Entry("Tales/caf", ""))
    try extract(spellings.bytes) { try #expect(tree(at: $0.appendingPathComponent("Tales")).count == 4) }
  }

  @Test func archiveMustHaveExactlyOneTopFolder() throws {
    try refuse(.malformed, CraftedZip())
    try refuse(.malformed, CraftedZip(Entry("a", "x")))
    try refuse(.malformed, "Zoo", sound.with { $0.entries.append(Entry("Zoo/")) })
    try refuse(.malformed, "U", sound.with { $0.entries.append(Entry("U/a", "x")) })
    try refuse(
      .malformed, "A",
      sound.with {
        $0.entries.append(Entry("A", "x"))
        $0.entries.removeFirst()
      })
  }

  // MARK: Kinds and methods

  @Test(arguments: [0o120_777, 0o060_644, 0o020_644, 0o010_644, 0o140_755, 0o170_000])
  func linksAndDevicesAreRejected(mode: UInt32) throws {
    try refuse(.specialFile, "Tales/a", sound.with { $0.entries[1].mode = mode })
    try refuse(.specialFile, "Tales", sound.with { $0.entries[0].mode = mode })
  }

  @Test func folderEntryMustMatchItsAttributesAndBeEmpty() throws {
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].mode = 0o040_755 })
    try refuse(.malformed, "Tales", sound.with { $0.entries[0].mode = 0o100_644 })
    try refuse(.malformed, "Tales", sound.with { $0.entries[0].content = [1] })
  }

  @Test func compressionEncryptionPartsAndLaterVersionsAreUnsupported() throws {
    try refuse(.unsupported, "Tales/a", sound.with { $0.entries[1].method = 8 })
    for bit in [0, 5, 6, 13] { try refuse(.unsupported, "Tales/a", sound.with { $0.entries[1].flags |= 1 << bit }) }
    try refuse(.unsupported, "Tales/a", sound.with { $0.entries[1].disk = 1 })
    try refuse(.unsupported, "Tales/a", sound.with { $0.entries[1].version = 64 })
    try refuse(.unsupported, sound.with { $0.disk = 1 })
  }

  @Test func setUserIDBitsAreDroppedAndMissingPermissionsGetDefaults() throws {
    let zip = CraftedZip(
      Entry("Tales/a", mode: 0o106_755), Entry("Tales/b", mode: 0), Entry("Tales/c", mode: 0o100_000))
    try extract(zip.bytes) { destination in
      let found = try tree(at: destination.appendingPathComponent("Tales"))
      #expect(found[Array("a".utf8)].map { $0.permissions & 0o7700 } == 0o700)
      #expect(found[Array("b".utf8)].map { $0.permissions & 0o7700 } == 0o600)
      #expect(found[Array("c".utf8)].map { $0.permissions } == 0)
    }
  }
}
