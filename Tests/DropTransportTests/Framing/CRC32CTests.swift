// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CRC32CTests {
  /// The vectors of RFC 3720, appendix B.4, and the standard check value of CRC32C.
  private static let vectors: [(bytes: [UInt8], check: UInt32)] = [
    (Array("123456789".utf8), 0xE306_9283),
    (Array(repeating: 0, count: 32), 0x8A91_36AA),
    (Array(repeating: 0xFF, count: 32), 0x62A8_AB43),
    (Array(0..<32), 0x46DD_794E),
    (Array((0..<32).reversed()), 0x113F_DB5C),
    ([], 0),
  ]

  private func software(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32C()
    crc.updateInSoftware(bytes)
    return crc.value
  }

  @Test("hardware and software match the vectors of RFC 3720")
  func hardwareAndSoftwareMatchTheVectorsOfRFC3720() {
    for (bytes, check) in Self.vectors {
      #expect(bytes.crc32c == check)
      #expect(bytes.withUnsafeBytes { software($0) } == check)
    }
  }

  @Test("hardware and software agree on every kind of length and on unaligned starts")
  func hardwareAndSoftwareAgreeOnEveryLength() {
    var generator = SeededGenerator.announced("CRC32C paths")
    let bytes = (0..<20_016).map { _ in UInt8.random(in: 0...255, using: &generator) }
    bytes.withUnsafeBytes { all in
      // Lengths near the word and block sizes of the hardware path, and odd lengths between them.
      let special = (0..<70).map { $0 } + [4096, 8192, 12_288, 16_384].flatMap { ($0 - 9)...($0 + 9) }
      for length in special + Array(stride(from: 71, through: 20_000, by: 151)) {
        let start = length % 16
        let window = UnsafeRawBufferPointer(rebasing: all[start..<start + length])
        #expect(CRC32C.check(window) == software(window), "length \(length), start \(start)")
      }
    }
  }

  @Test("pieces have the checksum of the concatenated bytes")
  func piecesHaveTheChecksumOfTheConcatenatedBytes() {
    var generator = SeededGenerator.announced("CRC32C pieces")
    let bytes = (0..<40_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let whole = bytes.crc32c
    for _ in 0..<100 {
      let count = Int.random(in: 0...6, using: &generator)
      let cuts = (0..<count).map { _ in Int.random(in: 0...40_000, using: &generator) }
      var hardware = CRC32C()
      var software = CRC32C()
      bytes.withUnsafeBytes { all in
        var start = 0
        for end in cuts.sorted() + [bytes.count] {
          hardware.update(UnsafeRawBufferPointer(rebasing: all[start..<end]))
          software.updateInSoftware(UnsafeRawBufferPointer(rebasing: all[start..<end]))
          start = end
        }
      }
      #expect(hardware.value == whole)
      #expect(software.value == whole)
    }
  }
}
