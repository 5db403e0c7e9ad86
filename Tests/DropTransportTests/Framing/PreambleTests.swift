// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct PreambleTests {
  /// Returns a preamble in which some of the first twelve bytes are changed, with a matching checksum.
  private func stream(changing changes: [Int: UInt8], check: UInt32? = nil) -> [UInt8] {
    var preamble = Array(Preamble.bytes[..<12])
    for (index, byte) in changes { preamble[index] = byte }
    preamble.append(littleEndian: check ?? preamble.crc32c)
    var builder = StreamBuilder(preamble: preamble)
    builder.item()
    builder.end()
    return builder.bytes
  }

  @Test("a stream starts with the expected bytes")
  func streamStartsWithTheExpectedBytes() {
    #expect(Preamble.bytes.hexText == "d74452500d0a1a0a010001016aaa09ed")
    #expect(Preamble.bytes.count == Preamble.length)
  }

  @Test("another major version is refused by its number", arguments: [0, 2, 255] as [UInt8])
  func anotherMajorVersionIsRefused(_ version: UInt8) throws {
    let error = try requireFailure(.unsupported, outcome(of: stream(changing: [8: version, 9: 7])))
    #expect(error.reason == "the stream has version \(version).7; this reader supports version 1")
  }

  @Test("unknown algorithms are refused by their number", arguments: [10, 11])
  func unknownAlgorithmIsRefused(_ index: Int) throws {
    let error = try requireFailure(.unsupported, outcome(of: stream(changing: [index: 2])))
    #expect(error.reason == "unknown checksum algorithm 2")
    #expect(error.byteOffset == UInt64(index))
  }

  @Test("a wrong checksum of the preamble is corrupt")
  func wrongChecksumOfThePreambleIsCorrupt() throws {
    try requireFailure(.damaged, outcome(of: stream(changing: [:], check: 0)))
  }

  // MARK: Other bytes

  private func textDamage(_ bytes: [UInt8]) async throws -> String {
    let error = try requireFailure(.notADropStream, try await pipeOutcome(of: bytes))
    return error.reason
  }

  private let stream = StreamBuilder.stream { $0.item(Array("a\nb\r\nc".utf8)) }

  @Test("all conversions of line ends are reported")
  func convertedLineEndsAreReported() async throws {
    let named = "not a drop stream: the stream's line ends were converted; a program has treated the stream as text"
    let unix = Array(Data(stream).replacing([0x0D, 0x0A], with: [0x0A]))
    #expect(try await textDamage(unix) == named)
    let noReturns = stream.filter { $0 != 0x0D }
    #expect(try await textDamage(noReturns) == named)
    let everyLineFeed = stream.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    #expect(try await textDamage(everyLineFeed) == named)
    let loneLineFeeds = Array(Data(unix).replacing([0x0A], with: [0x0D, 0x0A]))
    #expect(try await textDamage(loneLineFeeds) == named)
  }

  @Test("a stripped high bit and a byte order mark are reported")
  func strippedHighBitAndByteOrderMarkAreReported() async throws {
    #expect(
      try await textDamage(stream.map { $0 & 0x7F })
        == "not a drop stream: the high bits of the stream are cleared; a program has treated the stream as text")
    #expect(
      try await textDamage([0xEF, 0xBB, 0xBF] + stream)
        == "not a drop stream: a byte order mark precedes the stream; a program has treated the stream as text")
  }

  @Test("bytes of another format are rejected early")
  func bytesOfAnotherFormatAreRejectedEarly() async throws {
    var generator = SeededGenerator.announced("random bytes")
    let random = [0] + (0..<65_535).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + random
    let elf = Array(try Data(contentsOf: URL(fileURLWithPath: "/proc/self/exe"), options: .alwaysMapped).prefix(65_536))
    for bytes in [random, png, elf, Array("Hail\n".utf8), [0], [0xD7, 0x45]] {
      #expect(try await textDamage(bytes) == "not a drop stream: the signature is missing")
      try requireFailure(.notADropStream, outcome(of: bytes))
    }
  }

  @Test("endless zeros and random bytes are refused early", arguments: ["/dev/zero", "/dev/urandom"])
  func endlessZerosAndRandomBytesAreRefusedEarly(_ path: String) async throws {
    try requireFailure(.notADropStream, try await outcome(from: .file(path)))
  }

  @Test("another minor version is read", arguments: [1, 9, 255] as [UInt8])
  func anotherMinorVersionIsRead(_ version: UInt8) async throws {
    let bytes = stream(changing: [9: version])
    #expect(try await pipeOutcome(of: bytes).code == nil)
  }
}
