// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// The order of messages that the protocol requires.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SessionOrderTests {
  @Test("a destination receives the acknowledgement before the end of the session")
  func acknowledgementPrecedesTheEndOfTheSession() async throws {
    let pair = try DescriptorPair.socketPair()
    let peer = RawPeer(pair.write)
    try await peer.say(RawPeer.hello)
    let hasBegun = Gate()
    let item = ItemProvider()
    item.register(.data) { _ in
      hasBegun.open()
      try await withTaskCancellationHandler {
        try await Task.sleep(for: .seconds(600))
      } onCancel: {
        // The loader takes some time to cancel.
        usleep(100_000)
      }
      return Data()
    }
    try await DropStream.withSession(over: .descriptor(pair.read)) { session in
      // The offering task does not wait for the response yet.
      #expect(try Self.begin(item, in: session) == 1)
      try await peer.say(RawPeer.request(1, credit: 1000))
      await hasBegun.wait()
      async let ended: Void = onThread {
        while session.state.withLock({ $0.source.awaitedAction != nil }) {}
        session.output.send(.bye)
      }
      try await onThread {
        for serving in try session.take(.finish(generation: 1, SessionFinish(action: .copy)), { nil }) {
          serving.cancel()
        }
      }
      try await ended
    }
    let types = Self.types(of: try await readAll(pair.write))
    let acknowledgement = try #require(types.firstIndex(of: .acknowledgement))
    #expect(acknowledgement < types.firstIndex(of: .bye) ?? 0, "\(types)")
  }

  @Test func finishedOfferServesNoRequestBeforeItsTaskIsNotified() async throws {
    let pair = try DescriptorPair.socketPair()
    try await RawPeer(pair.write).say(RawPeer.hello)
    try await DropStream.withSession(over: .descriptor(pair.read)) { session in
      #expect(try Self.begin(ItemProvider([1]), in: session) == 1)
      _ = session.state.withLock { $0.source.finish(1, SessionFinish()) }
      let request = SessionRequest(generation: 1, item: 0, representation: 0, credit: 1000)
      let serving = try session.serving(of: 1, request)
      #expect(serving == nil)
    }
    let types = Self.types(of: try await readAll(pair.write))
    #expect(types.contains(.failureOfRepresentation), "\(types)")
  }

  /// Opens an offer without sending a frame to the peer.
  private static func begin(_ item: ItemProvider, in session: DropSession) throws -> UInt32 {
    let offer = SessionSourceState.Offer(items: [item.representations], size: OfferSize(), actions: .copy)
    return try session.state.withLock { try $0.source.begin(offer, limits: DropStreamLimits()) }
  }

  /// Returns the types of all frames of one direction.
  private static func types(of bytes: [UInt8]) -> [FrameType] {
    var types: [FrameType] = []
    var rest = bytes.dropFirst(Preamble.length)
    while rest.count >= FrameHeader.length {
      let length: UInt64 = rest.withUnsafeBytes { $0.littleEndian(at: 8) }
      types.append(FrameType(rawValue: rest[rest.startIndex]))
      rest = rest.dropFirst(FrameHeader.length + Int(length) + FrameHeader.checkLength)
    }
    return types
  }
}
