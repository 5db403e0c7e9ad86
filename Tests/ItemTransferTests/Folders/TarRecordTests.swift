// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TarRecordTests {
  private typealias Entry = CraftedTar.Entry

  private let sound = CraftedTar.sound

  // MARK: Headers

  @Test func wrongChecksumsAreRejected() throws {
    let first = try refuse(.malformed, sound.with { $0.entries[0].checksum = "000000\u{0} " })
    #expect("\(first)" == "this is not a tar archive at byte 0")
    let second = try refuse(.malformed, sound.with { $0.entries[1].checksum = "00000x\u{0} " })
    #expect("\(second)" == "the checksum of the header is wrong at byte 512")
    try requireFolderError(.malformed) { try extract(Array("PK no archive".utf8)) { _ in } }
    try requireFolderError(.malformed) { try extract([UInt8](repeating: 0x50, count: 4096)) { _ in } }
    // Some programs add bytes as signed numbers.
    let signed = sound.with { $0.entries[1].name = Array("Tales/caf\u{E9}".utf8) }
    let sum = signed.entries[1].header.enumerated().reduce(0) { sum, byte in
      sum + ((148..<156).contains(byte.offset) ? 0x20 : Int(Int8(bitPattern: byte.element)))
    }
    try extract(signed.with { $0.entries[1].checksum = "0" + String(sum, radix: 8) + "\u{0} " }.bytes) { _ in }
  }

  @Test func wrongNumbersAreRejected() throws {
    let sizes: [[UInt8]] = [
      Array("0000000002x\0".utf8), Array("00000000080\0".utf8), Array("-0000000020\0".utf8),
      Array("20 00000000\0".utf8),
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xF0],
      [0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x80, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0], [0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16],
    ]
    for size in sizes { try refuse(.malformed, sound.with { $0.entries[1].size = size }) }
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].mode = "0009644\0" })
    try refuse(.malformed, "Tales/a", sound.with { $0.entries[1].time = "0000000000z\0" })
    let largest: [UInt8] = [0x80, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    try refuse(.limitExceeded, "Tales/a", sound.with { $0.entries[1].size = largest })
    try refuse(
      .malformed,
      CraftedTar(Entry("Tales/"), Entry("Tales/a", "x", kind: "x").with { $0.size = Array("77777777777x".utf8) }))
  }

  // MARK: The end

  @Test func truncatedArchiveIsRejectedAtEveryLength() throws {
    let bytes = sound.bytes
    // Two blocks of zeros are the end.
    for length in 0..<bytes.count {
      try requireFolderError(.malformed) { try extract(bytes.prefix(length)) { _ in } }
    }
  }

  @Test func offsetsOfErrorsDoNotDependOnChunks() throws {
    let wrong = [
      sound.with { $0.entries[1].checksum = "000000\u{0} " }.bytes, sound.bytes + [0, 0, 1],
      sound.with { $0.entries[1].kind = "6" }.bytes, Array(sound.bytes.dropLast(700)),
      CraftedTar(Entry("Tales/"), Entry("x", "9 path=a", kind: "x")).bytes,
    ]
    for bytes in wrong {
      let errors = [1, 3, 511, 513, 100_000].map { chunkSize in
        #expect(throws: FolderArchiveError.self) { try extract(bytes, chunkSize: chunkSize) { _ in } }
      }
      #expect(Set(errors).count == 1 && errors.first??.byteOffset != nil)
    }
  }

  @Test func bytesAfterTheEndAreRejected() throws {
    try refuse(.malformed, sound.with { $0.end += [1] })
    try refuse(.malformed, sound.with { $0.end += Entry("Tales/b", "x").bytes })
    try refuse(.malformed, sound.with { $0.end = [UInt8](repeating: 0, count: 512) + Entry("Tales/b", "x").bytes })
    try refuse(.malformed, sound.with { $0.end = [UInt8](repeating: 0, count: 512) })
  }

  // MARK: Records

  @Test(arguments: [
    "", "x", "9", "99 path=a\n", "5 path=Tales/a\n", "15 path=Tales/a", "16 path=Tales/ax", "0 path=a\n", "-1 path=a\n",
    "10 pathaaa\n", "99999999999999999999999999 path=a\n", " 12 path=aa\n", "9223372036854775807 path=a\n", "3 \n",
    "12 size=16x\n", "11 size=-1\n", "28 size=9999999999999999999\n", "14 mtime=1.2.3\n", "12 mtime=--1\n",
    "10 uid=-1\n",
    "27 GNU.sparse.map=1,2,x,4\n", "23 GNU.sparse.offset=x\n", "25 GNU.sparse.numbytes=1\n",
  ])
  func wrongRecordsAreRejected(text: String) throws {
    let records = Entry("x", text.isEmpty ? "\u{0}" : text, kind: "x")
    let error = try refuse(.malformed, CraftedTar(Entry("Tales/"), records, Entry("Tales/a", "x")))
    #expect((1024...1536).contains(error.byteOffset ?? 0))
  }

  @Test func recordsWithoutAnEntryAreRejected() throws {
    try refuse(.malformed, sound.with { $0.entries.append(CraftedTar.records(["path": "Tales/b"])) })
    try refuse(.malformed, sound.with { $0.entries.append(Entry("x", "Tales/b\u{0}", kind: "L")) })
  }

  @Test func mapsOfSparseFilesThatOverlapAreRejected() throws {
    let maps = [
      "0,4,2,4", "4,4,0,4", "0,8,4,0", "0,9", "0,4", "99,1,100,7", "96,8", "0,-8", "0,8,9223372036854775807,1",
      "9223372036854775807,8", "0,8,9",
    ]
    for map in maps {
      let records = CraftedTar.records([
        "GNU.sparse.name": "Tales/a", "GNU.sparse.size": "100", "GNU.sparse.map": map,
      ])
      try refuse(.malformed, CraftedTar(Entry("Tales/"), records, Entry("x", "12345678")))
    }
    let size = CraftedTar.records(["GNU.sparse.name": "Tales/a", "GNU.sparse.map": "0,8"])
    try refuse(.malformed, CraftedTar(Entry("Tales/"), size, Entry("x", "12345678")))
    let texts = ["x", "1\n0\n", "1\n0\n9\n", "2\n0\n4\n2\n4\n", "-1\n", "\n", "99999999999999999999\n", "1\n4\n-4\n"]
    for text in texts {
      let records = CraftedTar.records([
        "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "Tales/a", "GNU.sparse.realsize": "100",
      ])
      let block = text + String(repeating: "\u{0}", count: 512 - text.utf8.count)
      try refuse(.malformed, CraftedTar(Entry("Tales/"), records, Entry("x", block + "12345678")))
    }
    let newer = CraftedTar.records(["GNU.sparse.major": "2", "GNU.sparse.size": "1"])
    try refuse(.unsupported, CraftedTar(Entry("Tales/"), newer, Entry("Tales/a", "x")))
  }

  @Test func timesAreRoundedDownToNanoseconds() throws {
    for (text, seconds, nanoseconds) in [
      ("0", 0, 0), ("1.5", 1, 500_000_000), ("-0.5", -1, 500_000_000), ("-1.25", -2, 750_000_000), ("7.", 7, 0),
      ("12.1234567899", 12, 123_456_789), ("-3", -3, 0),
    ] as [(String, Int64, UInt32)] {
      let time = try #require(PaxAttributes.time(Array(text.utf8)[...]), "\(text)")
      #expect((time.seconds, time.nanoseconds) == (seconds, nanoseconds), "\(text)")
      #expect(PaxAttributes.time(Array(PaxAttributes.text(time).utf8)[...]) == time)
    }
    for text in ["", "-", "1,5", "1.x", "0x1", "9223372036854775808", ".5"] {
      #expect(PaxAttributes.time(Array(text.utf8)[...]) == nil, "\(text)")
    }
  }

  @Test func recordLengthCountsItsOwnDigits() {
    for count in [1, 2, 90, 91, 92, 93, 94, 980, 990, 991, 992, 993, 9985, 9990] {
      var bytes: [UInt8] = []
      PaxAttributes.append("k", [UInt8](repeating: 0x61, count: count), to: &bytes)
      #expect(bytes.starts(with: "\(bytes.count) k=a".utf8))
    }
  }

  // MARK: Limits

  @Test func limitsApplyFromOneBeyondThem() throws {
    let tar = CraftedTar(
      Entry("Tales/one/two/three", "12345"), CraftedTar.records(["mtime": "1.5"]), Entry("Tales/four", "678"))
    func hold<Number: FixedWidthInteger>(
      _ path: WritableKeyPath<FolderArchive.Limits, Number>, _ bound: Number, _ tar: CraftedTar
    ) throws {
      var limits = FolderArchive.Limits()
      limits[keyPath: path] = bound
      try extract(tar.bytes, limits: limits) { _ in }
      limits[keyPath: path] = bound - 1
      try refuse(.limitExceeded, tar, limits: limits)
    }
    // Folders that only paths imply are entries too.
    try hold(\.entries, 4, tar)
    try hold(\.nameBytes, 5, tar)
    try hold(\.pathBytes, "Tales/one/two/three".utf8.count, tar)
    try hold(\.contentBytes, 8, tar)
    try hold(\.recordBytes, 13, tar)
    let links = CraftedTar(Entry("Tales/"), Entry("Tales/a", kind: "2", target: "b"))
    try hold(\.tableBytes, 41 + 8 + 64, links)
    let sparse = CraftedTar.records(["GNU.sparse.name": "Tales/a", "GNU.sparse.size": "9", "GNU.sparse.map": "0,1,8,1"])
    try hold(\.segments, 2, CraftedTar(sparse, Entry("Tales/a", "12")))
  }

  @Test func noDescriptorStaysOpen() async {
    // This test needs a process of its own, because concurrent tests open descriptors.
    await #expect(processExitsWith: .success) { try TarRecordTests().extractOften() }
  }

  private func extractOften() throws {
    let before = try openDescriptorCount()
    let good = CraftedTar(Entry("Tales/b/c/d", "x")).bytes
    let bad = CraftedTar(Entry("Tales/b/c/d", "x"), Entry("Tales/b/c/d", "x")).bytes
    for _ in 0..<150 {
      try extract(good) { _ in }
      try requireFolderError(.malformed) { try extract(bad) { _ in } }
    }
    try #expect(openDescriptorCount() < before + 20)
  }
}

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FolderMutationTests {
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
    let crafted = CraftedTar(
      CraftedTar.Entry("Tales/"), CraftedTar.Entry("Tales/a", "once"), CraftedTar.Entry("Tales/b/c", "upon"),
      CraftedTar.Entry("Tales/s", kind: "2", target: "b/c"), CraftedTar.Entry("Tales/h", kind: "1", target: "Tales/a"))
    let records = CraftedTar.records(["mtime": "12.5", "path": "Tales/a"])
    let sparse = CraftedTar.records([
      "GNU.sparse.name": "Tales/d", "GNU.sparse.size": "90", "GNU.sparse.map": "0,2,8,2",
    ])
    let archives = try withTemporaryDirectory { directory in
      let folder = directory.appendingPathComponent("Tales")
      try makeTree(["a": "once", "b/c": "upon", "d/": "", "e": ""], at: folder)
      return [
        Array(try archive(of: folder)), crafted.bytes,
        CraftedTar(records, CraftedTar.Entry("x", "once"), sparse, CraftedTar.Entry("x", "upon")).bytes,
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
    #expect(refused > 100)
  }
}
