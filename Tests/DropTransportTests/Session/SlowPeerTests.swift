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

/// Peers that read late, slowly or never.
///
/// Peers that follow the protocol are served, and no peer can prevent the end of a session.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SlowPeerTests {
  /// Offers an item to a raw peer.
  private static func offering(
    _ count: Int, options: DropStreamOptions = DropStreamOptions(),
    _ body: @escaping @Sendable (RawPeer, CInt) async throws -> Void
  ) async throws -> Result<DropReceipt, any Error> {
    let pair = try DescriptorPair.socketPair()
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read), options: options) { session in
        try await session.offer([ItemProvider(pattern(count))])
      }
    }
    let peer = RawPeer(pair.write)
    try await peer.say(RawPeer.hello)
    try await peer.waitForBytes(140)
    try await body(peer, pair.write)
    #expect(await ends { _ = await session.result }, "the session does not end")
    close(pair.write)
    return await session.result
  }

  @Test("responses wait for a peer that reads late", arguments: [200_000, 4 << 20])
  func responsesWaitForAPeerThatReadsLate(_ count: Int) async throws {
    let result = try await Self.offering(count) { peer, socket in
      // The requests grant the same credit as loads of this package.
      try await peer.say((1...32).map { RawPeer.request($0, credit: 512 << 10) })
      try await Task.sleep(for: .milliseconds(300))
      let reading = Task { try await readAll(dup(socket)) }
      // Both frames are in one write: after the finish the session may close the socket, and a second write would fail.
      try await peer.say(RawPeer.finish, .bye)
      try await Task.sleep(for: .milliseconds(100))
      _ = shutdown(socket, CInt(SHUT_WR))
      _ = await reading.result
    }
    #expect(try result.get().keptItems == [0])
  }

  @Test("a session ends although its peer does not read the responses")
  func sessionEndsAlthoughItsPeerDoesNotRead() async throws {
    let result = try await Self.offering(8 << 20) { peer, _ in
      try await peer.say(RawPeer.request(1, credit: 1 << 30))
      try await Task.sleep(for: .milliseconds(200))
      try await peer.say(RawPeer.finish)
    }
    #expect(try result.get().action == .copy)
  }

  @Test("an offer can be cancelled while its peer does not read")
  func offerCanBeCancelledWhileItsPeerDoesNotRead() async throws {
    let pair = try DescriptorPair.socketPair()
    let peer = RawPeer(pair.write)
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        try await session.offer((0..<20_000).map { ItemProvider([1], name: "item \($0)") })
      }
    }
    try await peer.say(RawPeer.hello)
    try await Task.sleep(for: .milliseconds(500))
    session.cancel()
    #expect(await ends { _ = await session.result })
    close(pair.write)
  }

  @Test("a request is cancelled although its loader never suspends")
  func requestIsCancelledAlthoughItsLoaderNeverSuspends() async throws {
    let pair = try DescriptorPair.socketPair()
    let peer = RawPeer(pair.write)
    let started = Gate()
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        let item = ItemProvider(suggestedName: "item")
        item.register(.data) { _ in
          started.open()
          usleep(200_000)
          return Data(count: 1000)
        }
        _ = try await session.offer([item])
      }
    }
    try await peer.say(RawPeer.hello)
    try await peer.waitForBytes(140)
    try await peer.say(RawPeer.request(1, credit: 0))
    await started.wait()
    try await peer.say(.cancellation(number: 1, SenderFailure(kind: .cancelled, reason: "")))
    try await peer.say(RawPeer.finish)
    #expect(await ends { _ = await session.result })
    close(pair.write)
  }

  @Test(
    "a slow peer does not count as a stalled peer",
    .enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_SOAK"] != nil, "needs a machine that is not busy"))
  func slowPeerDoesNotCountAsAStalledPeer() async throws {
    var options = DropStreamOptions()
    options.idleTimeout = .seconds(5)
    let result = try await Self.offering(1 << 20, options: options) { peer, socket in
      try await peer.say(RawPeer.request(1, credit: 1 << 30))
      try await onThread {
        var buffer = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<140 {
          _ = recv(socket, &buffer, 4096, 0)
          usleep(50_000)
        }
      }
      try await peer.say(RawPeer.finish)
    }
    #expect(try result.get().keptItems == [0])
  }

  @Test(
    "a chunk that arrives in small pieces does not time out",
    .enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_SOAK"] != nil, "needs a machine that is not busy"))
  func chunkThatArrivesInSmallPiecesDoesNotTimeOut() async throws {
    let pair = try DescriptorPair.socketPair()
    let peer = RawPeer(pair.write)
    var options = DropStreamOptions()
    options.idleTimeout = .seconds(5)
    let session = Task { [options] in
      try await DropStream.withSession(over: .descriptor(pair.read), options: options) { session in
        for try await drop in session.drops { return try await drop.items[0].data(for: .plainText).count }
        return 0
      }
    }
    let offer = DropOffer(
      suggestedName: nil, representations: [DropOffer.Representation(typeIdentifier: "public.plain-text")])
    try await peer.say(
      RawPeer.hello, .offer(offer, generation: 1), .endOfOffers(generation: 1, itemCount: 1, actions: .copy))
    try await Task.sleep(for: .milliseconds(200))
    let bytes = peer.bytes([pattern(40_000).withUnsafeBytes { .data(number: 1, $0, isWhole: true) }])
    for start in stride(from: 0, to: bytes.count, by: 1000) {
      try Array(bytes[start..<min(bytes.count, start + 1000)]).withUnsafeBytes {
        try SystemCalls.writeAll(pair.write, $0)
      }
      try await Task.sleep(for: .milliseconds(150))
    }
    #expect(try await session.value == 40_000)
    close(pair.write)
  }
}
