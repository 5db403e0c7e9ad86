// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Peers that stop sending in each state of a session, with the system's clock.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SilentPeerTests {
  /// The state in which the peer stops sending.
  struct State: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The frames that the peer sends at once.
    ///
    /// It sends ``second`` after the session has sent `awaited` bytes.
    var first: [OutgoingFrame] = []
    var awaited = 0
    var second: [OutgoingFrame] = []
    /// The number of bytes of the last frame that the peer does not send.
    var heldBack = 0

    func play(_ peer: RawPeer, _ socket: CInt) async throws {
      let start = peer.bytes(first)
      var all = second.isEmpty ? start.dropLast(heldBack) : start[...]
      try Array(all).withUnsafeBytes { try SystemCalls.writeAll(socket, $0) }
      guard !second.isEmpty else { return }
      try await peer.waitForBytes(awaited)
      all = peer.bytes(second).dropLast(heldBack)
      // If the session was slow, it has already timed out and does not read these bytes.
      try? Array(all).withUnsafeBytes { try SystemCalls.writeAll(socket, $0) }
    }
  }

  private static let offer = [
    RawPeer.hello, .offer(SessionScript.offer, generation: 1),
    .endOfOffers(generation: 1, itemCount: 1, actions: .copy),
  ]

  private static func chunk(isWhole: Bool) -> OutgoingFrame {
    SessionScript.content.prefix(isWhole ? 300 : 100).withUnsafeBytes { .data(number: 1, $0, isWhole: isWhole) }
  }

  /// The numbers of awaited bytes: 73 for a preamble and a handshake, 52 for a request, more than 67 for an offer.
  private static let sources = [
    State(testDescription: "before the handshake"),
    State(testDescription: "in the middle of the handshake", first: [RawPeer.hello], heldBack: 20),
    State(testDescription: "after the handshake", first: [RawPeer.hello]),
    State(testDescription: "after one offer of several", first: Array(offer.prefix(2))),
    State(testDescription: "in the middle of an offer", first: Array(offer.prefix(2)), heldBack: 30),
    State(testDescription: "after the offer", first: offer),
    State(
      testDescription: "between chunks", first: offer, awaited: 120, second: [chunk(isWhole: false)]),
    State(
      testDescription: "in the middle of a chunk", first: offer, awaited: 120, second: [chunk(isWhole: false)],
      heldBack: 50),
    State(
      testDescription: "before the acknowledgement", first: offer, awaited: 120, second: [chunk(isWhole: true)]),
  ]

  private static let destinations = [
    State(testDescription: "before the handshake"),
    State(testDescription: "after the handshake", first: [RawPeer.hello]),
    State(
      testDescription: "in the middle of a request", first: [RawPeer.hello], awaited: 140,
      second: [RawPeer.request(1, credit: 1000)], heldBack: 10),
    State(
      testDescription: "after a request", first: [RawPeer.hello], awaited: 140,
      second: [RawPeer.request(1, credit: 1 << 20)]),
    State(
      testDescription: "in the middle of the content", first: [RawPeer.hello], awaited: 140,
      second: [RawPeer.request(1, credit: 10)]),
    State(
      testDescription: "without reading the content", first: [RawPeer.hello], awaited: 140,
      second: [RawPeer.request(1, credit: .max)]),
    State(
      testDescription: "in the middle of the finish", first: [RawPeer.hello], awaited: 140, second: [RawPeer.finish],
      heldBack: 3),
  ]

  private static var options: DropStreamOptions {
    var options = DropStreamOptions()
    options.idleTimeout = .milliseconds(500)
    return options
  }

  /// Holds a session whose peer becomes silent.
  private static func hold(
    _ state: State, _ body: @escaping @Sendable (DropSession) async throws -> Void
  ) async throws -> Result<Void, any Error> {
    let pair = try DescriptorPair.socketPair()
    defer { close(pair.write) }
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read), options: options) { try await body($0) }
    }
    try await state.play(RawPeer(pair.write), pair.write)
    #expect(await ends { _ = await session.result }, "the session does not end")
    return await session.result
  }

  @Test(arguments: sources) func silentSourceTimesOut(_ state: State) async throws {
    let result = try await Self.hold(state) { session in
      for try await drop in session.drops {
        _ = try await drop.items[0].data(for: .plainText)
        try await drop.finish(.copy)
      }
    }
    #expect(result.streamError?.code == .timedOut, "\(result)")
  }

  @Test(arguments: destinations) func silentDestinationTimesOut(_ state: State) async throws {
    // The content is longer than the socket's buffer.
    let content = pattern(4 << 20)
    let result = try await Self.hold(state) { session in
      _ = try await session.offer([ItemProvider(content)])
    }
    #expect(result.streamError?.code == .timedOut, "\(result)")
  }

  @Test func silentPeersOfAListenerTimeOut() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    let codes = Collector<DropStreamError.Code?>()
    try await DropStream.withListener(at: .unixSocket(path), options: Self.options) { listener in
      let serving = Task {
        try await listener.serve(atOnce: 2) {
          _ = try await $0.offer([ItemProvider([1])])
        } onFailure: { error in
          codes.add((error as? DropStreamError)?.code)
        }
      }
      // The number of connections exceeds the number of requests that a source serves at the same time.
      for _ in 0..<5 {
        let socket = try SystemCalls.socket()
        try SystemCalls.connect(socket, path)
        try await RawPeer(socket).say(RawPeer.hello)
      }
      #expect(try await eventually { codes.values.count == 5 })
      serving.cancel()
      _ = await serving.result
    }
    #expect(codes.values == [DropStreamError.Code?](repeating: .timedOut, count: 5))
  }

  @Test func silenceAfterTheFinishIsNotAFailure() async throws {
    let state = State(
      testDescription: "", first: [RawPeer.hello], awaited: 140, second: [RawPeer.finish])
    // The session has no timeout, so only the finish can end it.
    let pair = try DescriptorPair.socketPair()
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { try await $0.offer([ItemProvider([1])]) }
    }
    try await state.play(RawPeer(pair.write), pair.write)
    #expect(await ends { _ = await session.result }, "the session does not end")
    #expect(try await session.value.keptItems == [0])
    close(pair.write)
  }
}
