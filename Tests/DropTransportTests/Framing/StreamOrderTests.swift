// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// Frames that are valid, but are in an order that is not a stream, and the end of a stream.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct StreamOrderTests {
  private static let frames: [(what: String, add: @Sendable (inout StreamBuilder) -> Void)] = [
    ("offer", { $0.offer() }), ("whole", { $0.whole([1]) }), ("chunk", { $0.chunk([1]) }),
    ("end of representation", { $0.endOfRepresentation(1) }), ("end of item", { $0.endOfItem() }),
    ("end of stream", { $0.end() }),
  ]

  /// Returns whether a stream may have frames in this order.
  private func isAllowed(_ order: [String]) -> Bool {
    // In this test, an item has one representation with at most one chunk.
    let items = [
      ["offer", "whole", "end of item"], ["offer", "chunk", "end of representation", "end of item"],
    ]
    var rest = order[...]
    while let item = items.first(where: { rest.starts(with: $0) }) { rest = rest.dropFirst(item.count) }
    return rest == ["end of stream"]
  }

  @Test func refusesEveryInvalidOrderOfUpToFiveFrames() {
    var orders: [[Int]] = [[]]
    var accepted = 0
    for _ in 0..<5 {
      orders = orders.flatMap { order in Self.frames.indices.map { order + [$0] } }
      for order in orders {
        var builder = StreamBuilder()
        for index in order { Self.frames[index].add(&builder) }
        // Skips streams that would have a wrong number of bytes.
        let names = order.map { Self.frames[$0].what }
        guard names.count(where: { $0 == "chunk" }) < 2 else { continue }
        let isWhole = outcome(of: builder.bytes).code == nil
        if isWhole != isAllowed(names) { Issue.record("\(isWhole ? "accepted" : "refused"): \(names)") }
        accepted += isWhole ? 1 : 0
      }
    }
    #expect(accepted == 3)
  }

  @Test func representationOfAnotherLengthThanStatedOrPromisedIsRefused() {
    let lengths = [0, 1, 2, 3, 4, 5, .max] as [UInt64]
    for (promised, stated) in lengths.map({ ($0, 3) }) + lengths.map({ (nil, $0) }) as [(UInt64?, UInt64)] {
      expectStream(promised ?? 3 == 3 && stated == 3 ? nil : .damaged) {
        $0.offer(byteCount: promised)
        $0.chunk([1])
        $0.chunk([2, 3])
        $0.endOfRepresentation(stated)
        $0.endOfItem()
      }
    }
    for promised in lengths {
      expectStream(promised == 3 ? nil : .damaged) {
        $0.offer(byteCount: promised)
        $0.whole([1, 2, 3])
        $0.endOfItem()
      }
    }
    // An empty chunk is corrupt, and an empty representation is not.
    expectStream(nil) { $0.item([]) }
    expectStream(.damaged, ends: false) {
      $0.offer()
      $0.chunk([])
    }
  }

  @Test func itemWithAnotherNumberOfRepresentationsIsRefused() {
    for count in 0...4 {
      for stated in 0...4 {
        expectStream(count == 2 && stated == 2 ? nil : .damaged) {
          $0.offer(["a", "b"])
          for _ in 0..<count { $0.whole([1]) }
          $0.endOfItem(UInt32(stated))
        }
      }
    }
  }

  @Test func tooLongRepresentationIsRefusedBeforeItsBytes() throws {
    var builder = StreamBuilder()
    builder.offer(byteCount: 10)
    builder.chunk([1, 2, 3])
    builder.frame(FrameType.data.rawValue, length: 8)
    let error = try requireFailure(.damaged, outcome(of: builder.bytes))
    #expect(error.reason == "corrupt: a representation is longer than the promised 10 bytes")
    #expect(error.byteOffset == UInt64(builder.frames[2].lowerBound))
  }

  @Test func endWithWrongCountsOrDigestIsRefused() {
    for (change, message) in [
      ({ $0.items += 1 }, "2 items, the receiver 1"), ({ $0.items = 0 }, "0 items, the receiver 1"),
      ({ $0.representations += 1 }, "2 representations, the receiver 1"),
      ({ $0.frames -= 1 }, "2 frames, the receiver 3"),
      ({ $0.frames += 1 << 32 }, "4294967299 frames, the receiver 3"),
      ({ $0.bytes += 1 }, "4 bytes of content, the receiver 3"),
      ({ $0.bytes = .max }, "18446744073709551615 bytes of content, the receiver 3"),
    ] as [((inout StreamCounts) -> Void, String)] {
      expectStream(.damaged, "corrupt: the sender counts \(message)", ends: false) {
        $0.item()
        var stated = $0.counts
        change(&stated)
        $0.end(stated)
      }
    }
    expectStream(.damaged, ends: false) {
      $0.item()
      $0.end(digest: 0)
    }
  }

  @Test func tooShortFrameIsRefused() {
    for length in [0, 1, 3, 4, 7, 10, 35, 37] {
      let payload = [UInt8](repeating: 0xFF, count: length)
      expectStream(.damaged, ends: false) { $0.frame(FrameType.endOfStream.rawValue, payload: payload) }
      expectStream(.damaged, ends: false) {
        $0.offer()
        $0.chunk([0])
        $0.frame(FrameType.endOfRepresentation.rawValue, payload: payload)
      }
      guard length != 4 else { continue }
      expectStream(.damaged, ends: false) {
        $0.offer()
        $0.whole([0])
        // One representation is followed by bytes that are not a field.
        $0.frame(FrameType.endOfItem.rawValue, payload: Array(([1, 0, 0, 0] + payload).prefix(length)))
      }
    }
  }

  @Test func wrongSequenceNumberIsRefused() {
    for number in [0, 2, 3, .max] as [UInt32] {
      expectStream(.damaged, "corrupt: frame \(number) instead of frame 1", ends: false) {
        $0.offer()
        $0.frame(FrameType.data.rawValue, flags: 1, sequence: number, payload: [1])
      }
    }
  }

  // MARK: The end of a stream

  @Test func streamWithoutItemsIsCompleteAndInputWithoutBytesIsEmpty() async throws {
    try await expectItems([], pipeOutcome(of: StreamBuilder.stream { _ in }))
    let error = try requireFailure(.empty, try await pipeOutcome(of: []))
    #expect(error.description == "the input is empty at byte 0")
    try requireFailure(.empty, try await outcome(from: .file("/dev/null")))
  }

  @Test func bytesAfterTheEndAreRefused() async throws {
    let stream = StreamBuilder.stream { $0.item() }
    for rest in [[0], [0x0A], stream, Array(repeating: 0, count: 300_000)] {
      try requireFailure(.trailingBytes, outcome(of: stream + rest))
      let error = try requireFailure(.trailingBytes, try await pipeOutcome(of: stream + rest))
      #expect(error.byteOffset == UInt64(stream.count))
    }
  }

  @Test func lateBytesAfterTheEndAreRefused() async throws {
    let stream = StreamBuilder.stream { $0.item() }
    let pair = try DescriptorPair.pipe()
    try stream.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    let seen = Collector<String?>()
    let error = try await requireDropError(.trailingBytes) {
      try await DropStream.withReader(from: pair.reader) { reader in
        for try await item in reader {
          seen.add(item.suggestedName)
          try [1].withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
          try SystemCalls.close(pair.write)
        }
      }
    }
    #expect(error.byteOffset == UInt64(stream.count))
    #expect(seen.values.count == 1)
  }

  @Test func itemsBeforeAFaultAreReadAndThenTheFaultIsThrown() async throws {
    var builder = StreamBuilder()
    for number in 0..<3 { builder.item([UInt8(number)], name: "\(number)") }
    let whole = builder.bytes
    builder.failure(kind: 1)
    for (bytes, code) in [
      (whole, .truncated), (whole + [1, 2, 3], .truncated), (whole + Array(repeating: 7, count: 40), .damaged),
      (whole + Array(repeating: 0, count: 24), .damaged), (builder.bytes, .senderFailed),
    ] as [([UInt8], DropStreamError.Code)] {
      let (read, inspected) = (Collector<String?>(), Collector<String?>())
      try await requireDropError(code) {
        try await DropStream.withReader(from: .descriptor(try pipe(holding: bytes))) { reader in
          for try await item in reader { read.add(item.suggestedName) }
        }
      }
      try await requireDropError(code) {
        try await DropStream.withInspector(from: .descriptor(try pipe(holding: bytes))) { inspector in
          for try await item in inspector { inspected.add(item.suggestedName) }
        }
      }
      #expect([read.values, inspected.values] == [["0", "1", "2"], ["0", "1", "2"]])
    }
  }

  @Test func readerRepeatsItsErrorOrItsEnd() async throws {
    try await DropStream.withReader(from: .descriptor(try pipe(holding: [1, 2, 3]))) { reader in
      for _ in 0..<3 {
        try await requireDropError(.notADropStream) { for try await _ in reader {} }
      }
    }
    let stream = StreamBuilder.stream { $0.item() }
    try await DropStream.withReader(from: .descriptor(try pipe(holding: stream))) { reader in
      var iterator = reader.makeAsyncIterator()
      #expect(try await iterator.next() != nil)
      for _ in 0..<3 { #expect(try await iterator.next() == nil) }
      for try await _ in reader { Issue.record("a second pass") }
    }
  }
}
