// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

/// Frames that are valid, but are in an order that is not a stream.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct StreamOrderTests {
  private func stream(_ body: (inout StreamBuilder) -> Void) -> Outcome {
    outcome(of: StreamBuilder.stream(body))
  }

  private static let frames: [(what: String, add: @Sendable (inout StreamBuilder) -> Void)] = [
    ("offer", { $0.offer() }),
    ("whole", { $0.whole([1]) }),
    ("chunk", { $0.chunk([1]) }),
    ("end of representation", { $0.endOfRepresentation(1) }),
    ("end of item", { $0.endOfItem() }),
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

  @Test("all invalid orders of up to five frames are refused")
  func refusesEveryInvalidOrderOfUpToFiveFrames() {
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
        #expect(isWhole == isAllowed(names), "\(names)")
        accepted += isWhole ? 1 : 0
      }
    }
    #expect(accepted == 3)
  }

  @Test("several chunks form one representation")
  func severalChunksFormOneRepresentation() {
    let outcome = stream {
      $0.offer()
      for chunk in [[1], [2, 3]] as [[UInt8]] { $0.chunk(chunk) }
      $0.endOfRepresentation(3)
      $0.endOfItem()
    }
    #expect(outcome == [ReceivedItem(nil, ["public.data": [1, 2, 3]])])
  }

  @Test("a representation that states another length than it has is refused", arguments: [0, 1, 3, .max] as [UInt64])
  func representationWithAnotherLengthThanStatedIsRefused(_ length: UInt64) throws {
    try requireFailure(
      .damaged,
      stream {
        $0.offer()
        $0.chunk([1, 2])
        $0.endOfRepresentation(length)
        $0.endOfItem()
      })
  }

  @Test("an item with fewer or more representations than it offers is refused", arguments: 0...4)
  func itemWithAnotherNumberOfRepresentationsIsRefused(_ count: Int) throws {
    for stated in 0...4 where count != 2 || stated != 2 {
      try requireFailure(
        .damaged,
        stream {
          $0.offer(["a", "b"])
          for _ in 0..<count { $0.whole([1]) }
          $0.endOfItem(UInt32(stated))
        })
    }
  }

  @Test("content of another size than promised is refused", arguments: [false, true])
  func contentOfAnotherSizeThanPromisedIsRefused(inChunks: Bool) throws {
    for promised in [0, 1, 2, 3, 4, 5, .max] as [UInt64] {
      let outcome = stream {
        $0.offer(byteCount: promised)
        if inChunks {
          $0.chunk([1])
          $0.chunk([2, 3])
          $0.endOfRepresentation(3)
        } else {
          $0.whole([1, 2, 3])
        }
        $0.endOfItem()
      }
      #expect(outcome.code == (promised == 3 ? nil : .damaged), "\(promised)")
    }
  }

  @Test("a representation longer than promised is refused before its bytes are taken")
  func tooLongRepresentationIsRefusedBeforeItsBytes() throws {
    var builder = StreamBuilder()
    builder.offer(byteCount: 10)
    builder.chunk([1, 2, 3])
    builder.frame(FrameType.data.rawValue, length: 8)
    let error = try requireFailure(.damaged, outcome(of: builder.bytes))
    #expect(error.reason == "corrupt: a representation is longer than the promised 10 bytes")
    #expect(error.byteOffset == UInt64(builder.frames[2].lowerBound))
  }

  @Test("an end with wrong counts is refused")
  func endWithWrongCountsIsRefused() throws {
    let changes: [(change: @Sendable (inout StreamCounts) -> Void, message: String)] = [
      ({ $0.items += 1 }, "2 items, the receiver 1"), ({ $0.items = 0 }, "0 items, the receiver 1"),
      ({ $0.representations += 1 }, "2 representations, the receiver 1"),
      ({ $0.frames -= 1 }, "2 frames, the receiver 3"),
      ({ $0.frames += 1 << 32 }, "4294967299 frames, the receiver 3"),
      ({ $0.bytes += 1 }, "4 bytes of content, the receiver 3"),
      ({ $0.bytes = .max }, "18446744073709551615 bytes of content, the receiver 3"),
    ]
    for (change, message) in changes {
      var builder = StreamBuilder()
      builder.item()
      var stated = builder.counts
      change(&stated)
      builder.end(stated)
      let error = try requireFailure(.damaged, outcome(of: builder.bytes))
      #expect(error.reason == "corrupt: the sender counts \(message)")
    }
    var builder = StreamBuilder()
    builder.item()
    builder.end(digest: 0)
    try requireFailure(.damaged, outcome(of: builder.bytes))
  }

  @Test("frames that are too short or end within a field are refused")
  func tooShortFrameIsRefused() throws {
    for length in [0, 1, 3, 4, 7, 10, 35, 37] {
      let payload = [UInt8](repeating: 0xFF, count: length)
      var end = StreamBuilder()
      end.frame(FrameType.endOfStream.rawValue, payload: payload)
      try requireFailure(.damaged, outcome(of: end.bytes))

      var representation = StreamBuilder()
      representation.offer()
      representation.chunk([0])
      representation.frame(FrameType.endOfRepresentation.rawValue, payload: payload)
      try requireFailure(.damaged, outcome(of: representation.bytes))

      guard length != 4 else { continue }
      var item = StreamBuilder()
      item.offer()
      item.whole([0])
      // One representation is followed by bytes that are not a field.
      item.frame(FrameType.endOfItem.rawValue, payload: Array(([1, 0, 0, 0] + payload).prefix(length)))
      try requireFailure(.damaged, outcome(of: item.bytes))
    }
  }

  @Test("sequence numbers that jump, stay or start elsewhere are refused", arguments: [0, 2, 3, .max] as [UInt32])
  func wrongSequenceNumberIsRefused(_ number: UInt32) throws {
    var builder = StreamBuilder()
    builder.offer()
    builder.frame(FrameType.data.rawValue, flags: 1, sequence: number, payload: [1])
    let error = try requireFailure(.damaged, outcome(of: builder.bytes))
    #expect(error.reason == "corrupt: frame \(number) instead of frame 1")
  }
}
