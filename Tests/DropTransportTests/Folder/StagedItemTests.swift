// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// The records of staged items in a file, and the hash table of their names.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct RecordFileTests {
  private static func records() -> [[UInt8]] {
    var generator = SeededGenerator(seed: 7)
    return (0..<2000).map { index in
      let length = index == 1000 ? 300_000 : Int.random(in: 0..<200, using: &generator)
      return [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: length)
    }
  }

  private func check(_ file: RecordFile) throws {
    let records = Self.records()
    let offsets = records.map { file.append($0) }
    var offset: UInt64 = 0
    for (index, record) in records.enumerated() {
      let read = try file.record(at: offset)
      if offset != offsets[index] || read.bytes != record { Issue.record("record \(index)") }
      offset = read.next
    }
    #expect(offset == file.end)
    for (index, offset) in offsets.enumerated().shuffled() {
      if try file.record(at: offset).bytes != records[index] { Issue.record("record \(index) at random") }
    }
  }

  @Test func recordsAreReadInOrderAndAtRandom() async throws {
    try withTemporaryDirectory { directory in
      let opened = try OwnedDescriptor.open(directory.path, O_RDONLY | O_DIRECTORY)
      try check(RecordFile(in: opened.raw))
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
    }
  }

  @Test func recordsThatCannotBeWrittenStayInMemory() throws {
    try check(RecordFile(in: -1))
    try withTemporaryDirectory { directory in
      let opened = try OwnedDescriptor.open(directory.path, O_RDONLY | O_DIRECTORY)
      let file = RecordFile(in: opened.raw)
      file.append([UInt8](repeating: 1, count: 70_000))
      let second = file.append([2, 3])
      #expect(try file.record(at: second).bytes == [2, 3] && file.record(at: 0).bytes.count == 70_000)
    }
  }

  @Test func itemSurvivesARoundTripThroughARecord() throws {
    var attributes = ItemFileAttributes(permissions: 0o640, modificationTime: FileTime(seconds: -3, nanoseconds: 7))
    attributes.folder = nil
    let parts = [
      StagedItem.Part(wish: WishedName(folder: "a/b/", text: "é\u{301}", ordinal: 2), isFolder: true, byteCount: .max),
      nil, StagedItem.Part(wish: WishedName(text: "", ordinal: 0), isFolder: false),
    ]
    let item = StagedItem(
      index: 5, firstFile: 9, attributes: attributes, note: [1, 2, 0], number: 3, parts: parts)
    let read = StagedItem(record: item.record)
    #expect(read.record == item.record && (read.index, read.firstFile, read.number, read.note) == (5, 9, 3, [1, 2, 0]))
    #expect(read.attributes == attributes && read.parts.map { $0?.wish } == parts.map { $0?.wish })
    #expect(read.parts.map { $0?.byteCount } == [.max, nil, 0])
    let plain = StagedItem(
      index: 0, firstFile: 0, attributes: ItemFileAttributes(), note: [], number: 1, parts: [])
    #expect(StagedItem(record: plain.record).attributes.isEmpty)
  }

  @Test func tableFindsEveryRecordOfAHash() throws {
    var table = NameTable()
    let hashes = (0..<5000).map { NameTable.hash("name \($0 % 4000)") }
    for (offset, hash) in hashes.enumerated() { table.insert(hash, offset: UInt64(offset)) }
    for (offset, hash) in hashes.enumerated() {
      let found = try table.first(hash) { $0 == offset ? $0 : nil }
      if try found != UInt64(offset) || table.first(hash, where: { $0 == 5000 ? $0 : nil }) != nil {
        Issue.record("offset \(offset)")
      }
    }
    // All these entries have the same hash.
    for offset in 0..<100 { table.insert(42, offset: UInt64(offset)) }
    var asked: Set<UInt64> = []
    #expect(
      try table.first(42) { offset -> UInt64? in
        asked.insert(offset)
        return nil
      } == nil)
    #expect(try asked.isSuperset(of: 0..<100) && NameTable().first(42) { $0 } == nil)
  }

  @Test func publishedFilesAreReturnedInReverseOrder() throws {
    let files = PublishedFiles(in: -1)
    for number in 0..<3 {
      let inode: UInt64? = number == 2 ? nil : 7
      files.append(
        .init(
          staged: "\(number)", name: "name \(number)", isFolder: number == 1, inode: inode, hasReplaced: number == 0))
    }
    for number in [2, 1, 0] {
      let file = try #require(try files.popLast())
      #expect(file.staged == "\(number)" && file.name == "name \(number)" && file.isFolder == (number == 1))
      #expect(file.inode == (number == 2 ? nil : 7) && file.hasReplaced == (number == 0) && files.count == number)
    }
    #expect(try files.popLast() == nil)
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct StagedFileTests {
  /// Writes the pieces with one call each, and returns the content of the file and its number of blocks.
  private func content(of pieces: [[UInt8]]) throws -> (bytes: [UInt8], blocks: Int) {
    let directory = try TemporaryDirectory()
    let path = directory.file("staged").path
    let file = StagedFile(try .open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600), name: "staged")
    for piece in pieces { try piece.withUnsafeBytes { bytes in try file.append(bytes) } }
    try file.close()
    var status = stat()
    #expect(stat(path, &status) == 0)
    return (Array(try Data(contentsOf: directory.file("staged"))), Int(status.st_blocks))
  }

  private func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

  @Test func preservesRunsOfZerosAtEveryPosition() throws {
    for count in [0, 1, 4095, 4096, 4097, 8192, 100_000] {
      let zeros = zeros(count)
      for pieces in [
        [zeros], [zeros, [1]], [[1], zeros], [[1], zeros, [2]], [zeros, zeros], [[1], zeros, zeros],
        [zeros, [1], zeros], [[1] + zeros], [zeros + [1]], [zeros + [1] + zeros], [[1], zeros + [2] + zeros],
        [zeros, []],
      ] {
        #expect(try content(of: pieces).bytes == pieces.flatMap { $0 }, "\(pieces.map(\.count))")
      }
    }
  }

  @Test func longRunsOfZerosTakeNoSpaceOnTheDisk() throws {
    let (bytes, blocks) = try content(of: Array(repeating: zeros(1 << 20), count: 16))
    #expect(bytes.count == 16 << 20 && blocks * 512 < 1 << 20)
  }

  @Test func fullDiskIsAnErrorWithTheFileName() async throws {
    let file = StagedFile(try .open("/dev/full", O_WRONLY), name: "a\u{1B}b")
    let error = try await requireDropError(
      .systemCall, reason: "cannot write a\\u{1b}b: No space left on device"
    ) { try [1, 2, 3].withUnsafeBytes { bytes in try file.append(bytes) } }
    #expect(error.errorNumber == ENOSPC)
  }
}
