// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited) struct FolderArchiveRecordTests {
  private typealias Entry = CraftedZip.Entry

  private let sound = CraftedZip.sound

  // MARK: Records

  @Test("what local headers and central directory say is the same")
  func localHeaders() throws {
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].localName = Array("Tales/b".utf8) })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].localFlags = 0 })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].localMethod = 8 })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].localCRC = 1 })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].localSize = 15 })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].size = 15 })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].offset = 1 })
    try refuse(.malformed, sound.with { $0.entries[1].offset = 0xFFFF_FFF0 })
    try refuse(.malformed, sound.with { $0.entries[1].localExtra = [1, 0, 9, 0] })
    try refuse(.malformed, sound.with { $0.entries[1].extra = [1, 0, 9, 0] })
  }

  @Test("a wrong CRC is found, and nothing stays")
  func crc() throws {
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].crc = 1 })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].crc = $0.entries[1].rightCRC ^ 0x8000_0000 })
  }

  @Test("entries that share bytes, or reach beyond the file, are refused")
  func bombs() throws {
    try refuse(.malformed, sound.with { $0.entries[1].offset = 0 })
    let twice = sound.with { $0.entries.append(Entry("Tales/b", "once upon a time").with { $0.offset = 36 }) }
    try refuse(.malformed, twice)
    for size: UInt32 in [17, 200, 0x7FFF_FFFF] {
      try refuse(
        .malformed, "Tales/a",
        sound.with {
          $0.entries[1].size = size
          $0.entries[1].storedSize = size
        })
    }
    // The second entry, whole, in the first one's content.
    let inner = Array(CraftedZip(Entry("Tales/b", "x")).bytes.prefix(38))
    let nested = CraftedZip(
      Entry("Tales/a").with { $0.content = inner }, Entry("Tales/b", "x").with { $0.offset = 37 })
    try refuse(.malformed, "Tales/b", nested)
  }

  @Test("end records that point elsewhere are refused")
  func endRecords() throws {
    for isZip64 in [false, true] {
      let zip = sound.with { $0.isZip64 = isZip64 }
      for count: UInt16 in [0, 1, 3, 65_000] { try refuse(.malformed, zip.with { $0.count = count }) }
      for offset: UInt32 in [0, 1, 1000, .max - 1] { try refuse(.malformed, zip.with { $0.directoryOffset = offset }) }
      for length: UInt32 in [0, 1, 1000, .max - 1] { try refuse(.malformed, zip.with { $0.directoryLength = length }) }
      try refuse(.malformed, zip.with { $0.afterDirectory = [0] })
    }
    try requireFolderError(.malformed) { try extract(sound.bytes + [0]) { _ in } }
    try requireFolderError(.malformed) { try extract([0] + sound.bytes) { _ in } }
  }

  @Test("an archive that is cut anywhere is refused")
  func truncated() throws {
    for zip in [sound, sound.with { $0.isZip64 = true }] {
      let bytes = zip.bytes
      for length in 0..<bytes.count {
        try requireFolderError(.malformed) { try extract(bytes.prefix(length)) { _ in } }
      }
    }
  }

  @Test("only files are read", arguments: ["/dev/null", "/tmp"])
  func noFile(path: String) throws {
    try requireFolderError(.unsupported) { _ = try FolderArchiveReader(path: path) }
  }

  // MARK: Limits

  @Test("limits hold from one past them on")
  func limits() throws {
    let zip = CraftedZip(Entry("Tales/one/two/three", "12345"), Entry("Tales/four", "678"))
    func hold(_ path: WritableKeyPath<FolderArchive.Limits, Int>, _ bound: Int) throws {
      var limits = FolderArchive.Limits()
      limits[keyPath: path] = bound
      try extract(zip.bytes, limits: limits) { _ in }
      limits[keyPath: path] = bound - 1
      try requireFolderError(.limitExceeded) { try extract(zip.bytes, limits: limits) { _ in } }
    }
    // Folders that only paths name count.
    try hold(\.entries, 5)
    try hold(\.depth, 4)
    try hold(\.nameBytes, 5)
    try hold(\.pathBytes, "Tales/one/two/three".utf8.count)
    var limits = FolderArchive.Limits()
    limits.contentBytes = 8
    limits.directoryBytes = Int64(2 * 46 + "Tales/one/two/three".utf8.count + "Tales/four".utf8.count)
    try extract(zip.bytes, limits: limits) { _ in }
    limits.contentBytes = 7
    try requireFolderError(.limitExceeded) { try extract(zip.bytes, limits: limits) { _ in } }
    limits.contentBytes = 8
    limits.directoryBytes -= 1
    try requireFolderError(.limitExceeded) { try extract(zip.bytes, limits: limits) { _ in } }
  }

  // MARK: Cancellation

  @Test("cancellation at every question leaves nothing")
  func cancellation() throws {
    var zip = sound
    zip.entries.append(Entry("Tales/big").with { $0.content = [UInt8](repeating: 7, count: 600_000) })
    zip.entries.append(Entry("Tales/z/y/x", "1"))
    let bytes = zip.bytes
    var finished = 0
    for questions in 0..<40 {
      do {
        try extract(bytes, isCancelled: CancellationCountdown(after: questions).isCancelled) { _ in finished += 1 }
      } catch let error as FolderArchiveError {
        #expect(error == .cancelled)
      }
    }
    #expect((5..<30).contains(finished))
  }

  @Test("no descriptor stays open, whatever happens")
  func leaks() async {
    // Alone: tests beside this one have some open, too.
    await #expect(processExitsWith: .success) { try FolderArchiveRecordTests().extractOften() }
  }

  private func extractOften() throws {
    let before = try openDescriptorCount()
    let good = CraftedZip(Entry("Tales/b/c/d", "x")).bytes
    let bad = CraftedZip(Entry("Tales/b/c/d", "x").with { $0.crc = 1 }).bytes
    for _ in 0..<150 {
      try extract(good) { _ in }
      try requireFolderError(.malformed) { try extract(bad) { _ in } }
    }
    try #expect(openDescriptorCount() < before + 20)
  }
}
