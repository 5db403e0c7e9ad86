// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Content whose length differs from the declared length, and frames above their limits.
@Suite(.serialized, .limited, .timeLimit(.minutes(30))) struct WrongLengthTests {
  /// A response to a request for content of 300 bytes.
  struct Answer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var isWhole = false
    let chunks: [Int]
    var range: Range<UInt64>?
    let message: String?

    func frames(_ number: UInt32) -> [OutgoingFrame] {
      let bytes = pattern(chunks.reduce(0, +))
      if isWhole { return [bytes.withUnsafeBytes { .data(number: number, $0, isWhole: true) }] }
      return chunks.map { count in
        bytes.prefix(count).withUnsafeBytes { .data(number: number, $0, isWhole: false) }
      } + [.endOfRepresentation(number: number, byteCount: UInt64(bytes.count))]
    }
  }

  private static let longer = "corrupt: a representation is longer than the promised 300 bytes"

  private static let answers = [
    Answer(testDescription: "all", isWhole: true, chunks: [300], message: nil),
    Answer(testDescription: "chunks", chunks: [100, 200], message: nil),
    Answer(
      testDescription: "one byte less", isWhole: true, chunks: [299],
      message: "corrupt: a representation has 299 bytes instead of the promised 300"),
    Answer(
      testDescription: "one byte more", isWhole: true, chunks: [301],
      message: "corrupt: a representation has 301 bytes instead of the promised 300"),
    Answer(
      testDescription: "nothing", isWhole: true, chunks: [],
      message: "corrupt: a representation has 0 bytes instead of the promised 300"),
    Answer(
      testDescription: "one byte less in chunks", chunks: [100, 199],
      message: "corrupt: a representation has 299 bytes instead of the promised 300"),
    Answer(testDescription: "one byte more in chunks", chunks: [100, 201], message: longer),
    Answer(testDescription: "one chunk too many", chunks: [300, 1], message: longer),
    Answer(testDescription: "a part", isWhole: true, chunks: [10], range: 0..<10, message: nil),
    Answer(testDescription: "a part beyond the end", isWhole: true, chunks: [20], range: 280..<400, message: nil),
    Answer(
      testDescription: "a part that is too short", isWhole: true, chunks: [19], range: 280..<400,
      message: "corrupt: a representation has 19 bytes instead of the promised 20"),
  ]

  @Test(arguments: answers) func contentOfAnotherLengthThanOfferedIsRejected(_ answer: Answer) async throws {
    let pair = try DescriptorPair.socketPair()
    let peer = RawPeer(pair.write)
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        var errors: [DropStreamError?] = []
        for try await drop in session.drops {
          for range in [answer.range, 0..<300] {
            do {
              if let range {
                _ = try await drop.bytes(range, of: .plainText, ofItem: 0)
              } else {
                _ = try await drop.items[0].data(for: .plainText)
              }
              errors.append(nil)
            } catch {
              errors.append(
                error as? DropStreamError ?? (error as? ItemProviderError)?.underlyingError as? DropStreamError)
            }
          }
          return errors
        }
        return errors
      }
    }
    try await peer.say(
      RawPeer.hello, .offer(SessionScript.offer, generation: 1),
      .endOfOffers(generation: 1, itemCount: 1, actions: .copy))
    try await peer.waitForBytes(120)
    try await peer.say(answer.frames(1))
    // The session continues with the next request. A cancellation may precede that request.
    try await peer.waitForBytes(73 + 52 + (answer.range == nil ? 0 : 21) + 73)
    try await peer.say(pattern(300).withUnsafeBytes { .data(number: 2, $0, isWhole: true) })
    #expect(await ends { _ = await session.result }, "the session does not end")
    let errors = try await session.value
    #expect(errors.map { $0?.reason } == [answer.message, nil])
    #expect(errors.allSatisfy { $0 == nil || $0?.code == .damaged })
    close(pair.write)
  }

  @Test func messagesNameTheLimitOfTheFrame() {
    for (type, limit) in [(FrameType.finish, 4 << 20), (.request, 65_536)] {
      for excess in [0, 1] {
        let frame = OutgoingFrame(type, number: 1) { $0 += [UInt8](repeating: 0, count: limit + excess) }
        let error = SessionScript.error(in: SessionScript([RawPeer.hello, frame]).bytes)
        // A payload at the limit is read, but is malformed.
        #expect(error != nil && (error?.code == .limitExceeded) == (excess == 1), "\(limit) + \(excess)")
        guard excess == 1 else { continue }
        #expect(error?.reason == "description of \(limit + 1) bytes exceeds the limit of \(limit)")
      }
    }
  }
}
