// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DropTransport

/// Every limit: a value at the limit passes, and a value above it is rejected.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct StreamLimitTests {
  /// Checks that a stream is accepted with a limit, and rejected with the next lower one.
  private func expectLimit<Value: FixedWidthInteger & Sendable>(
    _ property: WritableKeyPath<DropStreamLimits, Value>, _ limit: Value, _ reason: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ body: (inout StreamBuilder) -> Void
  ) {
    for value in [limit, limit - 1] {
      expectStream(
        value == limit ? nil : .limitExceeded, reason, limits: .setting { $0[keyPath: property] = value },
        sourceLocation: sourceLocation, body)
    }
  }

  @Test func limitsTheItemsOfAStream() {
    expectLimit(\.items, 5, "the source has more than 4 items") { stream in for _ in 0..<5 { stream.item() } }
    expectLimit(\.items, 1) { $0.item() }
    expectStream(nil, limits: .setting { $0.items = 0 }) { _ in }
  }

  @Test(arguments: [100_000, 100_001]) func acceptsAHundredThousandItemsByDefault(_ count: Int) throws {
    let outcome = outcome(of: StreamBuilder.stream { stream in for _ in 0..<count { stream.item() } })
    if count > 100_000 {
      try requireFailure(.limitExceeded, outcome, reason: "the source has more than 100000 items")
    } else {
      #expect(try outcome.get().count == count)
    }
  }

  @Test func limitsTheRepresentationsOfAnItem() {
    for count in [64, 65] {
      let add: (inout StreamBuilder) -> Void = { stream in
        stream.offer((0..<count).map { "type.\($0)" })
        for _ in 0..<count { stream.whole([]) }
        stream.endOfItem(UInt32(count))
      }
      expectStream(count == 64 ? nil : .limitExceeded) { add(&$0) }
      expectLimit(\.representations, count) { add(&$0) }
    }
  }

  @Test func limitsTheBytesOfAStream() {
    for limit in 0...7 as ClosedRange<UInt64> {
      let reason = "the content has more than \(limit) bytes"
      expectStream(limit == 7 ? nil : .limitExceeded, reason, limits: .setting { $0.bytes = limit }) {
        $0.item([1, 2, 3])
        $0.add(ReceivedItem(nil, ["a": [4, 5, 6, 7], "b": []]), chunkLength: 3)
      }
    }
  }

  @Test func limitsTheBytesOfAnOffer() throws {
    let fields = StreamBuilder.fields(["public.data"]) + StreamBuilder.field(0x80, Array(repeating: 1, count: 100))
    expectLimit(\.metadataBytes, fields.count) {
      $0.offer(fields)
      $0.whole([])
      $0.endOfItem()
    }
    let bytes = StreamBuilder.stream { $0.offer(fields) }
    let outcome = outcome(of: bytes, limits: .setting { $0.metadataBytes = fields.count - 1 })
    #expect(try requireFailure(.limitExceeded, outcome).byteOffset == 16)
  }

  @Test func limitsTheBytesOfANameAndOfATypeIdentifier() {
    for (count, code) in [(1024, nil), (1025, .limitExceeded)] as [(Int, DropStreamError.Code?)] {
      let add: (inout StreamBuilder) -> Void = { $0.item(name: String(repeating: "n", count: count)) }
      expectStream(code) { add(&$0) }
      expectLimit(\.nameBytes, count) { add(&$0) }
    }
    for (count, code) in [(512, nil), (513, .limitExceeded)] as [(Int, DropStreamError.Code?)] {
      let add: (inout StreamBuilder) -> Void = {
        $0.offer([String(repeating: "t", count: count)])
        $0.whole([])
        $0.endOfItem()
      }
      expectStream(code) { add(&$0) }
      expectLimit(\.typeIdentifierBytes, count) { add(&$0) }
    }
  }

  @Test func limitsTheBytesOfSkippedFrames() {
    expectLimit(\.ancillaryBytes, 32 + 28) {
      $0.frame(0x80, payload: [1, 2, 3, 4])
      $0.item()
      $0.frame(0xC0)
    }
  }

  @Test(arguments: [FrameType.indexPage, .indexNames, .indexFooter, .padding])
  func indexAndPaddingFramesCountOnlyBeyondTheAllowance(type: FrameType) {
    func add(_ before: Int, _ behind: Int) -> (inout StreamBuilder) -> Void {
      { stream in
        stream.frame(type.rawValue, payload: Array(repeating: 0, count: before))
        stream.item()
        stream.frame(type.rawValue, payload: Array(repeating: 0, count: behind))
      }
    }
    // The lengths of the article's example, without the 28 bytes of each frame itself.
    let (before, behind) = (88 - 28, 76 + 65_579 - 28)
    let none = DropStreamLimits.setting { $0.ancillaryBytes = 0 }
    expectStream(nil, limits: none, add(before, behind))
    expectStream(.limitExceeded, limits: none, add(before + 1, behind))
    // Padding above this length is treated as an ancillary frame.
    expectStream(.limitExceeded, limits: none, add(before, behind + 1))
    expectLimit(\.ancillaryBytes, UInt64(behind + 29)) { add(before, behind + 1)(&$0) }
  }

  @Test func longDescriptionIsRefusedBeforeItsBytesArrive() {
    for type in [FrameType.offer, .endOfStream, .failure] {
      for length in [65_537, 1 << 31, 1 << 32, .max >> 1] as [UInt64] {
        expectStream(.limitExceeded, ends: false) { $0.frame(type.rawValue, length: length) }
      }
    }
  }

  @Test func lengthBeyondTheLargestFileIsRefused() {
    for length in [1 << 63, (1 << 63) + 1, .max] as [UInt64] {
      for type in [FrameType.data.rawValue, FrameType.offer.rawValue, 0x80] {
        let reason = "payload of \(length) bytes exceeds the limit of \(Int64.max) bytes"
        expectStream(.limitExceeded, reason, ends: false) {
          $0.offer()
          $0.frame(type, length: length)
        }
      }
    }
  }

  @Test(arguments: [1 << 31, 1 << 32, 1 << 40, (1 << 63) - 1] as [UInt64])
  func hugeLengthWithoutItsBytesTakesNoMemoryOrDisk(_ length: UInt64) async throws {
    for flags in [0, 1] as [UInt8] {
      var builder = StreamBuilder()
      builder.offer(name: "a", byteCount: length)
      builder.frame(FrameType.data.rawValue, flags: flags, length: length, payload: Array(repeating: 1, count: 1000))
      let before = try residentBytes()
      try requireFailure(.truncated, outcome(of: builder.bytes))
      try requireFailure(.truncated, try await pipeOutcome(of: builder.bytes))
      // The memory of the process is meaningful only if no other test runs.
      if ProcessInfo.processInfo.environment["DRAGPIPE_MEMORY_TESTS"] != nil {
        #expect(try residentBytes() < before + 256 << 20)
      }
      let fixture = try FolderFixture()
      try await requireDropError(.truncated) { try await fixture.receive(builder.bytes) }
      try requireFailure(.limitExceeded, outcome(of: builder.bytes, limits: .setting { $0.bytes = length - 1 }))
    }
  }

  private func residentBytes() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(pages.dropFirst().first.flatMap { Int($0) }) * 4096
  }
}
