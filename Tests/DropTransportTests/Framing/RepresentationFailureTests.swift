// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import DropTransport

/// The frame that reports the failure of one representation.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct RepresentationFailureTests {
  private func failure(_ body: (inout StreamBuilder) -> Void) throws -> DropStreamError {
    guard case .failure(let error) = outcome(of: StreamBuilder.stream(body)) else { throw TestFailure("accepted") }
    return error
  }

  @Test("the reason arrives unchanged, before or after bytes")
  func reasonArrivesUnchanged() throws {
    for hasChunk in [false, true] {
      let error = try failure { stream in
        stream.offer()
        if hasChunk { stream.chunk([1]) }
        stream.failureOfRepresentation(kind: 2, reason: Array("enough\u{1B}".utf8))
        stream.endOfItem()
      }
      #expect(error.code == .senderCancelled)
      #expect(error.senderFailure == SenderFailure(kind: .cancelled, reason: "enough\u{1B}"))
      #expect(!error.description.contains("\u{1B}"))
    }
  }

  @Test("a failure outside of an item, or after the last representation, is refused")
  func misplacedFailureIsRefused() throws {
    #expect(try failure { $0.failureOfRepresentation() }.code == .damaged)
    #expect(
      try failure { stream in
        stream.offer()
        stream.whole([1])
        stream.failureOfRepresentation()
        stream.endOfItem(2)
      }.code == .damaged)
  }

  @Test("an item is complete only with a frame for each representation")
  func everyRepresentationOfAnItemNeedsAFrame() throws {
    #expect(
      try failure { stream in
        stream.offer(["public.png", "public.jpeg"])
        stream.whole([1])
        stream.endOfItem(2)
      }.code == .damaged)
  }

  @Test("rejects a failure without a kind, or with too long a reason")
  func malformedFailureIsRefused() throws {
    let type = FrameType.failureOfRepresentation.rawValue
    for (payload, code) in [
      ([], DropStreamError.Code.damaged), (StreamBuilder.field(1, []), .damaged),
      (StreamBuilder.field(1, [1]) + StreamBuilder.field(2, [UInt8](repeating: 65, count: 1025)), .limitExceeded),
      (StreamBuilder.field(1, [1]) + StreamBuilder.field(2, [0xFF]), .damaged),
      (StreamBuilder.field(1, [1]) + StreamBuilder.field(9, [1]), .unsupported),
    ] {
      let error = try failure { stream in
        stream.offer()
        stream.frame(type, payload: payload)
        stream.endOfItem()
      }
      #expect(error.code == code)
    }
  }
}
