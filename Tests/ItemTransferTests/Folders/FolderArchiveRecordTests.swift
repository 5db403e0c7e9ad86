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

  @Test func localHeadersMustAgreeWithTheCentralDirectory() throws {
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

  @Test func wrongCRCFailsAndLeavesNothing() throws {
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].crc = 1 })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].crc = $0.entries[1].rightCRC ^ 0x8000_0000 })
  }

  @Test func overlappingEntriesAndEntriesBeyondTheFileAreRejected() throws {
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
    // The second entry lies completely inside the content of the first entry.
    let inner = Array(CraftedZip(Entry("Tales/b", "x")).bytes.prefix(38))
    let nested = CraftedZip(
      Entry("Tales/a").with { $0.content = inner }, Entry("Tales/b", "x").with { $0.offset = 37 })
    try refuse(.malformed, "Tales/b", nested)
  }

  @Test func wrongOffsetsInEndRecordsAreRejected() throws {
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

  @Test func truncatedArchiveIsRejectedAtEveryLength() throws {
    for zip in [sound, sound.with { $0.isZip64 = true }] {
      let bytes = zip.bytes
      for length in 0..<bytes.count {
        try requireFolderError(.malformed) { try extract(bytes.prefix(length)) { _ in } }
      }
    }
  }

  @Test(arguments: ["/dev/null", "/tmp"])
  func archiveMustBeAFile(path: String) throws {
    try requireFolderError(.unsupported) { _ = try FolderArchiveReader(path: path) }
  }

  // MARK: Limits

  @Test func limitsApplyFromOneBeyondThem() throws {
    let zip = CraftedZip(Entry("Tales/one/two/three", "12345"), Entry("Tales/four", "678"))
    func hold(_ path: WritableKeyPath<FolderArchive.Limits, Int>, _ bound: Int) throws {
      var limits = FolderArchive.Limits()
      limits[keyPath: path] = bound
      try extract(zip.bytes, limits: limits) { _ in }
      limits[keyPath: path] = bound - 1
      try requireFolderError(.limitExceeded) { try extract(zip.bytes, limits: limits) { _ in } }
    }
    // Folders that occur only in paths are counted too.
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

  @Test func cancellationAtEveryCheckLeavesNothing() throws {
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

  @Test func noDescriptorStaysOpen() async {
    // This test needs a process of its own, because concurrent tests open descriptors.
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

@Suite(.serialized, .limited) struct FolderMutationTests {
  private enum Mutation: CaseIterable {
    case flip, set, word, cut, insert, swap
  }

  private func mutate(_ bytes: inout [UInt8], with generator: inout SeededGenerator) {
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    switch Mutation.allCases.randomElement(using: &generator) ?? .flip {
    case .flip: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case .set: bytes[place] = [0, 1, 0x2F, 0x2E, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
    case .word: for index in place..<min(place + 4, bytes.count) { bytes[index] = 0xFF }
    case .cut: bytes.removeSubrange(place..<min(place + Int.random(in: 1..<9, using: &generator), bytes.count))
    case .insert: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
    case .swap: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &generator))
    }
    if bytes.isEmpty { bytes = [0] }
  }

  @Test func mutatedArchiveExtractsCompletelyOrLeavesNothing() throws {
    var generator = SeededGenerator.announced("folder archive mutations")
    let crafted = CraftedZip(
      CraftedZip.Entry("Tales/"), CraftedZip.Entry("Tales/a", "once"), CraftedZip.Entry("Tales/b/c", "upon"))
    let archives = try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a": "once", "b/c": "upon", "d/": "", "e": ""], at: folder)
      return [
        Array(try FolderArchiveWriter(folder: folder.path).archive()), crafted.bytes,
        crafted.with { $0.isZip64 = true }.bytes,
      ]
    }
    var refused = 0
    for round in 0..<450 {
      var bytes = archives[round % archives.count]
      for _ in 0...Int.random(in: 0..<3, using: &generator) { mutate(&bytes, with: &generator) }
      do {
        try extract(bytes) { destination in
          let names = try FileManager.default.contentsOfDirectory(atPath: destination.path)
          #expect(names.count == 1)
          for name in names { _ = try tree(at: destination.appendingPathComponent(name)) }
        }
      } catch is FolderArchiveError {
        refused += 1
      }
    }
    #expect(refused > 150)
  }
}
