// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropTransport

/// The content before a requested range.
@Suite(.serialized, .limited, .timeLimit(.minutes(1))) struct SkippedContentTests {
  private static func skipped(_ count: UInt64, check: UInt32?) -> SkippedContent {
    SkippedContent(
      SessionRequest(
        generation: 1, item: 0, representation: 0, credit: 0, range: count..<UInt64(Int64.max), startCheck: check))
  }

  @Test(arguments: [1, 7, 100, 999, 1000]) func equalPrefixIsSkippedInChunksOfAnyLength(_ chunkLength: Int) throws {
    let content = Data(pattern(1000))
    for count in [1, 6, 7, 8, 999, 1000] {
      let check = content.prefix(count).withUnsafeBytes { CRC32C.check($0) }
      var skipped = Self.skipped(UInt64(count), check: check)
      var rest = Data()
      for start in stride(from: 0, to: content.count, by: chunkLength) {
        rest += try skipped.drop(from: content[start..<min(start + chunkLength, content.count)])
      }
      try skipped.end()
      #expect(rest == content.dropFirst(count))
    }
  }

  @Test func differentPrefixAndShorterContentAreRefused() throws {
    let content = Data(pattern(1000))
    let check = content.prefix(500).withUnsafeBytes { CRC32C.check($0) }
    for bit in [0, 8 * 250, 8 * 500 - 1] {
      var other = content
      other[bit / 8] ^= 1 << (bit % 8)
      var skipped = Self.skipped(500, check: check)
      #expect(throws: DropStreamError.self) { try skipped.drop(from: other) }
    }
    var skipped = Self.skipped(500, check: check)
    #expect(try skipped.drop(from: content.prefix(499)).isEmpty)
    #expect(throws: DropStreamError.self) { try skipped.end() }
    #expect(try skipped.drop(from: content[499..<500]).isEmpty)
    #expect(throws: Never.self) { try skipped.end() }
  }

  @Test func withoutAChecksumAnyContentIsSkipped() throws {
    var skipped = Self.skipped(500, check: nil)
    #expect(try skipped.drop(from: Data(pattern(499))).isEmpty)
    #expect(throws: Never.self) { try skipped.end() }
  }

  @Test func checksumsOfTwoPartsAreCombined() {
    var generator = SeededGenerator.announced("joined checksums")
    for _ in 0..<200 {
      let bytes = pattern(Int.random(in: 0..<5000, using: &generator))
      let cut = Int.random(in: 0...bytes.count, using: &generator)
      var (first, second) = (CRC32C(), CRC32C())
      bytes[..<cut].withUnsafeBytes { first.update($0) }
      bytes[cut...].withUnsafeBytes { second.update($0) }
      first.update(second, byteCount: UInt64(bytes.count - cut))
      #expect(first.value == bytes.withUnsafeBytes { CRC32C.check($0) })
    }
  }
}
