// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited) struct ZipFormatTests {
  private func entry(size: Int64, offset: Int64 = 0) -> ZipEntry {
    var entry = ZipEntry(
      path: FolderEntryPath("T/a".utf8), isDirectory: false, permissions: 0o640, modified: 1_234_567_890)
    entry.size = size
    entry.headerOffset = offset
    entry.crc = 0x1234_5678
    return entry
  }

  @Test func crcMatchesTheCatalogueHoweverTheBytesAreSplit() {
    func check(_ text: String) -> UInt32 { Array(text.utf8).withUnsafeBytes { CRC32.check($0) } }
    #expect(check("123456789") == 0xCBF4_3926)
    #expect(check("") == 0)
    #expect(check("The quick brown fox jumps over the lazy dog") == 0x414F_A339)
    let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 * 37) }
    let whole = bytes.withUnsafeBytes { CRC32.check($0) }
    for cut in 0...bytes.count {
      var crc = CRC32()
      bytes[..<cut].withUnsafeBytes { crc.update($0) }
      bytes[cut...].withUnsafeBytes { crc.update($0) }
      #expect(crc.value == whole)
    }
  }

  @Test func headersMatchByteForByte() {
    let file = entry(size: 5)
    #expect(
      Data(file.localHeader)
        == Data(
          hex: """
            504b0304 1400 0808 0000 efbb 4d3a 00000000 05000000 05000000 0300 0900 542f61 5554 0500 01 d2029649
            """))
    #expect(Data(file.descriptor) == Data(hex: "504b0708 78563412 05000000 05000000"))
    #expect(
      Data(file.centralHeader)
        == Data(
          hex: """
            504b0102 2d03 1400 0808 0000 efbb 4d3a 78563412 05000000 05000000 0300 0900 0000 0000 0000
            0000a081 00000000 542f61 5554 0500 01 d2029649
            """))
    #expect(entry(size: 0).descriptor.isEmpty)
    #expect(entry(size: 0).localHeader[6...7].elementsEqual([0, 8]))
  }

  @Test func zip64StartsWithTheFirstNumberOutOfRange() {
    let bound = Int64(UInt32.max)
    for (size, offset) in [(0, 0), (bound - 1, bound - 1), (bound, 0), (0, bound), (1 << 40, 1 << 41)] {
      let entry = entry(size: size, offset: offset)
      #expect(Int64(entry.localHeader.count) == entry.localHeaderLength)
      #expect(Int64(entry.centralHeader.count) == entry.centralHeaderLength)
      #expect(Int64(entry.descriptor.count) == entry.descriptorLength)
      #expect(entry.localHeader.count == 42 + (size >= bound ? 20 : 0))
      let numbers = (size >= bound ? 2 : 0) + (offset >= bound ? 1 : 0)
      #expect(entry.centralHeader.count == 58 + (numbers > 0 ? 4 + 8 * numbers : 0))
      #expect(entry.descriptor.count == (size == 0 ? 0 : size >= bound ? 24 : 16))
    }
    let header = Data(entry(size: 1 << 40, offset: 1 << 41).centralHeader)
    #expect(
      header[49...].hex.hasPrefix("01001800" + "0000000000010000" + "0000000000010000" + "0000000000020000" + "5554"))
  }

  @Test func endRecordsMatchByteForByte() {
    let plain = ZipEnd(entryCount: 65_534, directoryOffset: 0x10, directoryLength: 0x20)
    #expect(Data(plain.bytes) == Data(hex: "504b0506 0000 0000 feff feff 20000000 10000000 0000"))
    var wide = plain
    wide.entryCount = 65_535
    #expect(
      Data(wide.bytes)
        == Data(
          hex: """
            504b0606 2c00000000000000 2d03 2d00 00000000 00000000 ffff000000000000 ffff000000000000
            2000000000000000 1000000000000000 504b0607 00000000 3000000000000000 01000000
            504b0506 0000 0000 ffff ffff 20000000 10000000 0000
            """))
    for (count, offset, length) in [(1, Int64(UInt32.max), Int64(0)), (1, 0, 1 << 32), (70_000, 1, 1)] {
      let end = ZipEnd(entryCount: count, directoryOffset: offset, directoryLength: length)
      #expect(end.needsZip64)
      #expect(Int64(end.bytes.count) == end.length)
    }
  }

  @Test func timesRoundTripInTwoSecondStepsAndAreClamped() {
    for seconds: Int64 in [315_532_800, 951_782_400, 951_868_798, 1_234_567_890, 4_107_542_398, 4_354_819_198] {
      #expect(ZipTime(secondsSince1970: seconds).secondsSince1970 == seconds)
    }
    #expect(ZipTime(secondsSince1970: 1_234_567_891).secondsSince1970 == 1_234_567_890)
    #expect(ZipTime(secondsSince1970: .min).secondsSince1970 == 315_532_800)
    #expect(ZipTime(secondsSince1970: .max).secondsSince1970 == 4_354_819_198)
    #expect(ZipTime(time: 0, date: 0).secondsSince1970 == nil)
    #expect(ZipTime(time: .max, date: .max).secondsSince1970 == nil)
  }

  @Test func pathsSortInWalkOrder() {
    let walk = ["T", "T/a", "T/a/b", "T/a/b/c", "T/a/c", "T/a ", "T/a!", "T/a.txt", "T/b", "U"]
    let paths = walk.map { FolderEntryPath($0.utf8) }
    #expect(paths.reversed().sorted() == paths)
    #expect(paths[1].isAncestor(of: paths[3]))
    #expect(!paths[1].isAncestor(of: paths[1]))
    #expect(!paths[1].isAncestor(of: paths[5]))
    #expect(paths[3].prefix(depth: 2) == paths[1])
  }
}

@Suite(.serialized, .limited) struct SlicedCRCTests {
  @Test(arguments: [0xEDB8_8320, 0x82F6_3B78])
  func slicedRegisterEqualsTheBitwiseOne(_ polynomial: UInt32) {
    var generator = SeededGenerator.announced("sliced CRC")
    let bytes = (0..<400).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let crc = SlicedCRC(polynomial: polynomial)
    let start = UInt32.random(in: 0...(.max), using: &generator)
    var expected = start
    for length in 0...bytes.count {
      let found = bytes[..<length].withUnsafeBytes { crc.register(start, after: $0) }
      #expect(found == expected, "length \(length)")
      guard length < bytes.count else { break }
      expected = SlicedCRC.register(expected ^ UInt32(bytes[length]), afterZeroByteBy: polynomial)
    }
  }
}
