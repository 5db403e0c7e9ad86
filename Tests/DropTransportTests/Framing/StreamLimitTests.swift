// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropTransport

/// Every limit: a value at the limit passes, and a value above it is rejected.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct StreamLimitTests {
  private func outcome(_ bytes: [UInt8], _ set: (inout DropStreamLimits) -> Void) -> Outcome {
    var limits = DropStreamLimits()
    set(&limits)
    return DropTransportTests.outcome(of: bytes, limits: limits)
  }

  @Test("items of a stream")
  func limitsTheItemsOfAStream() throws {
    let bytes = StreamBuilder.stream { stream in for _ in 0..<5 { stream.item() } }
    #expect(outcome(bytes) { $0.items = 5 }.code == nil)
    let error = try requireFailure(.limitExceeded, outcome(bytes) { $0.items = 4 })
    #expect(error.reason == "more than 4 items")
    #expect(outcome(StreamBuilder.stream { _ in }) { $0.items = 0 } == [])
    try requireFailure(.limitExceeded, outcome(bytes) { $0.items = 0 })
  }

  @Test("representations of an item")
  func limitsTheRepresentationsOfAnItem() throws {
    for count in [64, 65] {
      let bytes = StreamBuilder.stream { stream in
        stream.offer((0..<count).map { "type.\($0)" })
        for _ in 0..<count { stream.whole([]) }
        stream.endOfItem(UInt32(count))
      }
      #expect(outcome(bytes) { _ in }.code == (count == 64 ? nil : .limitExceeded))
      #expect(outcome(bytes) { $0.representations = count }.code == nil)
      try requireFailure(.limitExceeded, outcome(bytes) { $0.representations = count - 1 })
    }
  }

  @Test("bytes of a stream, over all items, chunks and representations")
  func limitsTheBytesOfAStream() throws {
    let bytes = StreamBuilder.stream {
      $0.item([1, 2, 3])
      $0.add(ReceivedItem(nil, ["a": [4, 5, 6, 7], "b": []]), chunkLength: 3)
    }
    #expect(outcome(bytes) { $0.bytes = 7 }.code == nil)
    for limit in 0..<7 as Range<UInt64> {
      let error = try requireFailure(.limitExceeded, outcome(bytes) { $0.bytes = limit })
      #expect(error.reason == "more than \(limit) bytes")
    }
  }

  @Test("bytes of an offer")
  func limitsTheBytesOfAnOffer() throws {
    let fields = StreamBuilder.fields(["public.data"]) + StreamBuilder.field(0x80, Array(repeating: 1, count: 100))
    let bytes = StreamBuilder.stream {
      $0.offer(fields)
      $0.whole([])
      $0.endOfItem()
    }
    #expect(outcome(bytes) { $0.metadataBytes = fields.count }.code == nil)
    let error = try requireFailure(.limitExceeded, outcome(bytes) { $0.metadataBytes = fields.count - 1 })
    #expect(error.byteOffset == 16)
  }

  @Test(
    "index and padding frames count as skipped only beyond the allowance",
    arguments: [FrameType.indexPage, .indexFooter, .padding])
  func indexAndPaddingFramesCountOnlyBeyondTheAllowance(type: FrameType) throws {
    func stream(_ before: Int, _ behind: Int) -> [UInt8] {
      StreamBuilder.stream { stream in
        stream.frame(type.rawValue, payload: Array(repeating: 0, count: before))
        stream.item()
        stream.frame(type.rawValue, payload: Array(repeating: 0, count: behind))
      }
    }
    // The lengths of the article's example, without the 28 bytes of each frame itself.
    let (before, behind) = (52 - 28, 68 + 4139 - 28)
    #expect(outcome(stream(before, behind)) { $0.ancillaryBytes = 0 }.code == nil)
    try requireFailure(.limitExceeded, outcome(stream(before + 1, behind)) { $0.ancillaryBytes = 0 })
    try requireFailure(.limitExceeded, outcome(stream(before, behind + 1)) { $0.ancillaryBytes = 0 })
    // Padding above this length is treated as an ancillary frame.
    #expect(outcome(stream(before, behind + 1)) { $0.ancillaryBytes = UInt64(behind + 29) }.code == nil)
    try requireFailure(
      .limitExceeded, outcome(stream(before, behind + 1)) { $0.ancillaryBytes = UInt64(behind + 28) })
  }

  @Test("a long description is refused by its header before its bytes arrive")
  func longDescriptionIsRefusedBeforeItsBytesArrive() throws {
    for type in [FrameType.offer, .endOfStream, .failure] {
      for length in [65_537, 1 << 31, 1 << 32, .max >> 1] as [UInt64] {
        var builder = StreamBuilder()
        builder.frame(type.rawValue, length: length)
        try requireFailure(.limitExceeded, outcome(builder.bytes) { _ in })
      }
    }
  }

  @Test("bytes of a name")
  func limitsTheBytesOfAName() throws {
    for (count, isAllowed) in [(1024, true), (1025, false)] {
      let bytes = StreamBuilder.stream { $0.item(name: String(repeating: "n", count: count)) }
      #expect(outcome(bytes) { _ in }.code == (isAllowed ? nil : .limitExceeded))
      #expect(outcome(bytes) { $0.nameBytes = count }.code == nil)
      try requireFailure(.limitExceeded, outcome(bytes) { $0.nameBytes = count - 1 })
    }
  }

  @Test("bytes of a type identifier")
  func limitsTheBytesOfATypeIdentifier() throws {
    for (count, isAllowed) in [(512, true), (513, false)] {
      let bytes = StreamBuilder.stream {
        $0.offer([String(repeating: "t", count: count)])
        $0.whole([])
        $0.endOfItem()
      }
      #expect(outcome(bytes) { _ in }.code == (isAllowed ? nil : .limitExceeded))
      #expect(outcome(bytes) { $0.typeIdentifierBytes = count }.code == nil)
      try requireFailure(.limitExceeded, outcome(bytes) { $0.typeIdentifierBytes = count - 1 })
    }
  }

  @Test("a length beyond all files is refused", arguments: [1 << 63, (1 << 63) + 1, .max] as [UInt64])
  func lengthBeyondTheLargestFileIsRefused(_ length: UInt64) throws {
    for type in [FrameType.data.rawValue, FrameType.offer.rawValue, 0x80] {
      var builder = StreamBuilder()
      builder.offer()
      builder.frame(type, length: length)
      let error = try requireFailure(.limitExceeded, outcome(builder.bytes) { _ in })
      #expect(error.reason == "payload of \(length) bytes exceeds the limit of \(Int64.max) bytes")
    }
  }

  @Test(
    "a huge length without its bytes is a truncated stream, and takes no memory or disk",
    arguments: [1 << 31, 1 << 32, 1 << 40, (1 << 63) - 1] as [UInt64])
  func hugeLengthWithoutItsBytesTakesNoMemoryOrDisk(_ length: UInt64) async throws {
    for (type, flags) in [(FrameType.data.rawValue, 0), (FrameType.data.rawValue, 1)] as [(UInt8, UInt8)] {
      var builder = StreamBuilder()
      builder.offer(name: "a", byteCount: length)
      builder.frame(type, flags: flags, length: length, payload: Array(repeating: 1, count: 1000))
      let before = try residentBytes()
      try requireFailure(.truncated, outcome(builder.bytes) { _ in })
      try requireFailure(.truncated, try await pipeOutcome(of: builder.bytes))
      // The memory of the process is meaningful only if no other test runs.
      if ProcessInfo.processInfo.environment["DRAGPIPE_MEMORY_TESTS"] != nil {
        #expect(try residentBytes() < before + 256 << 20)
      }
      let fixture = try FolderFixture()
      try await requireDropError(.truncated) { try await fixture.receive(builder.bytes) }
      #expect(outcome(builder.bytes) { $0.bytes = length - 1 }.code == (type == 0x80 ? .truncated : .limitExceeded))
    }
  }

  /// Returns the resident memory of this process, in bytes.
  private func residentBytes() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(pages.dropFirst().first.flatMap { Int($0) }) * 4096
  }

  @Test("limits hold for a stream through a pipe")
  func limitsHoldForAStreamThroughAPipe() async throws {
    var options = DropStreamOptions()
    options.limits.items = 1
    let bytes = StreamBuilder.stream { stream in for _ in 0..<2 { stream.item() } }
    try requireFailure(.limitExceeded, try await pipeOutcome(of: bytes, options: options))
    options.limits.items = 2
    #expect(try await pipeOutcome(of: bytes, options: options).code == nil)
  }
}
