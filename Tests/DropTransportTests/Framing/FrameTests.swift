// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ChecksumTests {
  private func software(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32C()
    crc.updateInSoftware(bytes)
    return crc.value
  }

  /// The vectors of RFC 3720, appendix B.4, and the standard check value of CRC32C.
  @Test func hardwareAndSoftwareMatchTheVectorsOfRFC3720() {
    for (bytes, check) in [
      (Array("123456789".utf8), 0xE306_9283), (Array(repeating: 0, count: 32), 0x8A91_36AA),
      (Array(repeating: 0xFF, count: 32), 0x62A8_AB43), (Array(0..<32), 0x46DD_794E),
      (Array((0..<32).reversed()), 0x113F_DB5C), ([], 0),
    ] as [([UInt8], UInt32)] {
      #expect([bytes.crc32c, bytes.withUnsafeBytes { software($0) }] == [check, check])
    }
  }

  @Test func hardwareAndSoftwareAgreeOnEveryLengthAndStart() {
    var generator = SeededGenerator.announced("CRC32C paths")
    let bytes = (0..<20_016).map { _ in UInt8.random(in: 0...255, using: &generator) }
    bytes.withUnsafeBytes { all in
      // Lengths near the word and block sizes of the hardware path, and odd lengths between them.
      let special = (0..<70).map { $0 } + [4096, 8192, 12_288, 16_384].flatMap { ($0 - 9)...($0 + 9) }
      for length in special + Array(stride(from: 71, through: 20_000, by: 151)) {
        let start = length % 16
        let window = UnsafeRawBufferPointer(rebasing: all[start..<start + length])
        if CRC32C.check(window) != software(window) { Issue.record("length \(length), start \(start)") }
      }
    }
  }

  @Test func piecesHaveTheChecksumOfTheConcatenatedBytes() {
    var generator = SeededGenerator.announced("CRC32C pieces")
    let bytes = (0..<40_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let whole = bytes.crc32c
    for _ in 0..<100 {
      let count = Int.random(in: 0...6, using: &generator)
      let cuts = (0..<count).map { _ in Int.random(in: 0...40_000, using: &generator) }.sorted()
      var (hardware, software) = (CRC32C(), CRC32C())
      bytes.withUnsafeBytes { all in
        for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
          hardware.update(UnsafeRawBufferPointer(rebasing: all[start..<end]))
          software.updateInSoftware(UnsafeRawBufferPointer(rebasing: all[start..<end]))
        }
      }
      if hardware.value != whole || software.value != whole { Issue.record("cut at \(cuts)") }
    }
  }

  @Test(arguments: [0, 1, 2, 3, 4095, 4096, 65_537, 1 << 20] as [UInt64])
  func checksumOfARunOfZerosEqualsTheChecksumOfItsBytes(_ count: UInt64) {
    let text = Array("Hail".utf8)
    var zeros = CRC32C()
    text.withUnsafeBytes { zeros.update($0) }
    zeros.update(zeros: count)
    #expect(zeros.value == (text + [UInt8](repeating: 0, count: Int(count))).crc32c)
  }

  @Test func checksumOfTwoRunsOfZerosEqualsTheChecksumOfOneLongRun() {
    var (one, two) = (CRC32C(), CRC32C())
    one.update(zeros: UInt64(Int64.max))
    two.update(zeros: 123_456_789_012_345)
    two.update(zeros: UInt64(Int64.max) - 123_456_789_012_345)
    #expect(one == two)
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct PreambleTests {
  private let stream = StreamBuilder.stream { $0.item(Array("a\nb\r\nc".utf8)) }

  /// Returns the error of a stream in which some of the first twelve bytes are changed, with a matching checksum.
  private func error(changing changes: [Int: UInt8], check: UInt32? = nil) async throws -> DropStreamError? {
    var preamble = Array(Preamble.bytes[..<12])
    for (index, byte) in changes { preamble[index] = byte }
    preamble.append(littleEndian: check ?? preamble.crc32c)
    var builder = StreamBuilder(preamble: preamble)
    builder.item()
    builder.end()
    if case .failure(let error) = try await pipeOutcome(of: builder.bytes) { return error }
    return nil
  }

  @Test func streamStartsWithTheExpectedBytes() {
    #expect(Preamble.bytes.hexText == "d74452500d0a1a0a010001016aaa09ed" && Preamble.bytes.count == Preamble.length)
  }

  @Test func everyMinorVersionAndNoOtherMajorVersionIsRead() async throws {
    for version in [1, 9, 255] as [UInt8] { #expect(try await error(changing: [9: version]) == nil) }
    for version in [0, 2, 255] as [UInt8] {
      let error = try #require(try await error(changing: [8: version, 9: 7]))
      #expect(error.code == .unsupported)
      #expect(error.reason == "the stream has version \(version).7; this reader supports version 1")
    }
  }

  @Test func unknownAlgorithmAndWrongChecksumAreRefused() async throws {
    for index in [10, 11] {
      let error = try #require(try await error(changing: [index: 2]))
      #expect(error.code == .unsupported && error.reason == "unknown checksum algorithm 2")
      #expect(error.byteOffset == UInt64(index))
    }
    #expect(try await error(changing: [:], check: 0)?.code == .damaged)
  }

  @Test func changesOfTextAreReported() async throws {
    let unix = Array(Data(stream).replacing([0x0D, 0x0A], with: [0x0A]))
    let lineEnds = "the stream's line ends were converted"
    for (bytes, change) in [
      (unix, lineEnds), (stream.filter { $0 != 0x0D }, lineEnds),
      (stream.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }, lineEnds),
      (Array(Data(unix).replacing([0x0A], with: [0x0D, 0x0A])), lineEnds),
      (stream.map { $0 & 0x7F }, "the high bits of the stream are cleared"),
      ([0xEF, 0xBB, 0xBF] + stream, "a byte order mark precedes the stream"),
    ] as [([UInt8], String)] {
      try requireFailure(
        .notADropStream, try await pipeOutcome(of: bytes),
        reason: "not a drop stream: \(change); a program has treated the stream as text")
    }
  }

  @Test func bytesOfAnotherFormatAreRejectedEarly() async throws {
    var generator = SeededGenerator.announced("random bytes")
    let random = [0] + (0..<65_535).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + random
    let elf = Array(try Data(contentsOf: URL(fileURLWithPath: "/proc/self/exe"), options: .alwaysMapped).prefix(65_536))
    for bytes in [random, png, elf, Array("Hail\n".utf8), [0], [0xD7, 0x45]] {
      try requireFailure(
        .notADropStream, try await pipeOutcome(of: bytes),
        reason: "not a drop stream: the signature is missing")
      try requireFailure(.notADropStream, outcome(of: bytes))
    }
    // These files never end.
    for path in ["/dev/zero", "/dev/urandom"] {
      try requireFailure(.notADropStream, try await outcome(from: .file(path)))
    }
  }

  @Test(
    arguments: [
      ([0x1F, 0x8B, 8, 0], ", but data of gzip; restore the stream first, with: gzip -d"),
      ([0x28, 0xB5, 0x2F, 0xFD, 0], ", but data of zstd; restore the stream first, with: zstd -d"),
      (Array("age-encryption.org/v1\n".utf8), ", but data of age; restore the stream first, with: age -d"),
      (Array("Hail, Odysseus\r\nand all".utf8), #": it starts with the text "Hail, Odysseus""#),
      (Array("Καλημέρα\n".utf8), #": it starts with the text "Καλημέρα""#),
      (Array("Hail".utf8), ": the signature is missing"),
      (Array("Hail \u{1B}[1m host\n".utf8), ": the signature is missing"),
      (Array("Hail, ".utf8) + [0xFF, 0xFE, 0xFD], ": the signature is missing"),
    ] as [([UInt8], String)])
  func startOfAnotherFormatIsNamed(bytes: [UInt8], reason: String) throws {
    try requireFailure(.notADropStream, outcome(of: bytes), reason: "not a drop stream" + reason)
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FrameDecoderTests {
  private struct Frame: Hashable {
    var header: FrameHeader
    var payload: [UInt8] = []
    var offset: UInt64
    var check: UInt32?
  }

  /// Returns every frame in the bytes, which arrive in pieces that end at the offsets `cuts`.
  private func frames(in bytes: [UInt8], cuts: [Int] = []) throws -> [Frame] {
    var decoder = FrameDecoder()
    var frames: [Frame] = []
    var preambles = 0
    var start = 0
    try bytes.withUnsafeBytes { all in
      for end in cuts + [bytes.count] {
        while let (event, used) = try decoder.next(in: UnsafeRawBufferPointer(rebasing: all[start..<end])) {
          start += used
          if decoder.offset != UInt64(start) { Issue.record("offset \(decoder.offset) instead of \(start)") }
          switch event {
          case .preamble: preambles += 1
          case .header(let header): frames.append(Frame(header: header, offset: decoder.frameOffset))
          case .payload(let piece):
            if piece.isEmpty { Issue.record("an empty piece") }
            frames[frames.count - 1].payload += piece
          case .endOfFrame(let check): frames[frames.count - 1].check = check
          }
        }
      }
    }
    #expect(preambles == 1 && start == bytes.count && decoder.isBetweenFrames)
    return frames
  }

  @Test func decoderReadsTheFramesOfTheEncoder() throws {
    let frames = try frames(in: SmallStream.bytes)
    #expect(frames.map(\.header.type.rawValue) == [1, 2, 2, 3, 2, 4, 1, 2, 4, 5])
    #expect(frames.map(\.header.flags.rawValue) == [0, 0, 0, 0, 1, 0, 0, 1, 0, 0])
    #expect(frames.map(\.header.sequence) == Array(0..<10))
    #expect(frames.map { Int($0.offset) } == SmallStream.frames.map(\.lowerBound))
    #expect(frames[1].payload + frames[2].payload == Array("Hail, Odysseus".utf8))
    #expect(frames[3].payload == [14, 0, 0, 0, 0, 0, 0, 0] && frames[5].payload == [2, 0, 0, 0])
    #expect(frames.allSatisfy { $0.check != nil && $0.header.request == 0 })
  }

  @Test func framesDoNotDependOnThePiecesOfTheInput() throws {
    let bytes = SmallStream.bytes
    let whole = try frames(in: bytes)
    var generator = SeededGenerator.announced("random pieces")
    let random = (0..<300).map { _ in
      (0..<Int.random(in: 1...12, using: &generator)).map { _ in Int.random(in: 0...bytes.count, using: &generator) }
        .sorted()
    }
    for cuts in [[], Array(1..<bytes.count)] + random {
      #expect(try frames(in: bytes, cuts: cuts) == whole, "cut at \(cuts)")
      expectItems(SmallStream.items, outcome(of: bytes, cuts: cuts), "cut at \(cuts)")
    }
  }

  @Test func chunkEncodedInPlaceEqualsAppendedChunk() {
    var (appending, sealing) = (FrameEncoder(), FrameEncoder())
    let content = Array("a chunk".utf8)
    var appended: [UInt8] = [1, 2, 3]
    content.withUnsafeBytes { appending.appendData($0, whole: false, to: &appended) }
    var sealed: [UInt8] = [1, 2, 3]
    sealing.beginChunk(in: &sealed)
    sealed += content
    sealing.endChunk(from: 3, whole: false, in: &sealed)
    #expect(sealing.counts == appending.counts)
    appending.appendEndOfStream(to: &appended)
    sealing.appendEndOfStream(to: &sealed)
    #expect(sealed == appended)
  }
}

extension StreamBuilder {
  mutating func add(_ item: ReceivedItem, chunkLength: Int?) {
    offer(item.representations.map(\.type), name: item.name)
    for representation in item.representations {
      // Empty content has no chunks.
      guard let chunkLength, !representation.content.isEmpty else {
        whole(representation.content)
        continue
      }
      var rest = representation.content[...]
      while !rest.isEmpty {
        chunk(Array(rest.prefix(chunkLength)))
        rest = rest.dropFirst(chunkLength)
      }
      endOfRepresentation(UInt64(representation.content.count))
    }
    endOfItem(UInt32(item.representations.count))
  }
}

func == (outcome: Outcome, items: [ReceivedItem]) -> Bool {
  if case .success(let received) = outcome { received == items } else { false }
}

/// Checks that a reader accepts a stream, or rejects it with a code and a reason.
///
/// The end frame is added to the frames of `body`, unless `ends` is false.
func expectStream(
  _ code: DropStreamError.Code?, _ reason: String? = nil, limits: DropStreamLimits = DropStreamLimits(),
  ends: Bool = true, sourceLocation: SourceLocation = #_sourceLocation, _ body: (inout StreamBuilder) -> Void
) {
  var builder = StreamBuilder()
  body(&builder)
  if ends { builder.end() }
  let outcome = outcome(of: builder.bytes, limits: limits)
  #expect(outcome.code == code, "\(outcome)", sourceLocation: sourceLocation)
  if let reason, case .failure(let error) = outcome { #expect(error.reason == reason, sourceLocation: sourceLocation) }
}

extension DropStreamOptions {
  /// Returns the default options with a change.
  static func setting(_ change: (inout DropStreamOptions) -> Void) -> DropStreamOptions {
    var options = DropStreamOptions()
    change(&options)
    return options
  }
}

extension DropStreamLimits {
  /// Returns the default limits with a change.
  static func setting(_ change: (inout DropStreamLimits) -> Void) -> DropStreamLimits {
    var limits = DropStreamLimits()
    change(&limits)
    return limits
  }
}

@Suite(.timeLimit(minutes: 1)) struct StartDigestTests {
  @Test func zerosEqualTheirBytesAtEveryBoundaryOfAPart() {
    let part = 1 << 20
    for (before, count) in [
      (0, 0), (0, 1), (0, part), (0, part + 1), (1, part - 1), (1, part), (part - 1, 1), (part + 5, 2 * part - 5),
    ] {
      let (runs, bytes) = (StartDigest(), StartDigest())
      let start = pattern(before)
      start.withUnsafeBytes { runs.update($0) }
      runs.update(zeros: UInt64(count))
      (start + [UInt8](repeating: 0, count: count)).withUnsafeBytes { bytes.update($0) }
      #expect(runs.value == bytes.value, "\(before) bytes and \(count) zeros")
    }
  }

  /// A hole of terabytes is compared without its bytes.
  @Test func digestOfALongHoleIsThatOfItsParts() {
    let digest = StartDigest()
    digest.update(zeros: 1 << 30)
    let part = SHA256.hash([UInt8](repeating: 0, count: 1 << 20))
    #expect(digest.value == SHA256.hash(Array(repeatElement(part, count: 1 << 10).joined())))
  }
}
