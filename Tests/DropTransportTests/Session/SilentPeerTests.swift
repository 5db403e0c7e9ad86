// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Peers that stop sending in each state of a session, with the system's clock.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SilentPeerTests {
  /// The state in which the peer stops sending.
  private struct State: Sendable {
    let name: String
    /// The frames that the peer sends at once.
    ///
    /// It sends ``second`` after the session has sent a request, or an offer.
    var first: [OutgoingFrame] = []
    var isSource = true
    var second: [OutgoingFrame] = []
    /// The number of bytes of the last frame that the peer does not send.
    var heldBack = 0

    func play(_ peer: RawPeer) async throws {
      let start = peer.bytes(first)
      // If this task was slow, the session has already timed out and does not read these bytes.
      do {
        try send(second.isEmpty ? start.dropLast(heldBack) : start[...], to: peer.descriptor)
      } catch let error as SystemError where error.errorNumber == EPIPE {}
      guard !second.isEmpty else { return }
      if isSource { try await peer.waitForRequest() } else { try await peer.waitForOffer() }
      try? send(peer.bytes(second).dropLast(heldBack), to: peer.descriptor)
    }
  }

  private static let chunk = RawPeer.data(1, pattern(100), isWhole: false)

  private static let sources = [
    State(name: "before the handshake"),
    State(name: "in the middle of the handshake", first: [RawPeer.hello], heldBack: 20),
    State(name: "after one offer of several", first: Array(RawPeer.offer().prefix(2))),
    State(name: "in the middle of an offer", first: Array(RawPeer.offer().prefix(2)), heldBack: 30),
    State(name: "after the offer", first: RawPeer.offer()),
    State(name: "between chunks", first: RawPeer.offer(), second: [chunk]),
    State(name: "in the middle of a chunk", first: RawPeer.offer(), second: [chunk], heldBack: 50),
    State(
      name: "before the acknowledgement", first: RawPeer.offer(),
      second: [RawPeer.data(1, SessionScript.content)]),
  ]

  private static let destinations =
    [
      State(name: "before the handshake"),
      State(name: "after the handshake", first: [RawPeer.hello]),
    ]
    + [
      ("in the middle of a request", RawPeer.request(1, credit: 1000), 10),
      ("after a request", RawPeer.request(1, credit: 1 << 20), 0),
      ("in the middle of the content", RawPeer.request(1, credit: 10), 0),
      ("without reading the content", RawPeer.request(1, credit: .max), 0),
      ("in the middle of the finish", RawPeer.finish, 3),
    ].map { State(name: $0, first: [RawPeer.hello], isSource: false, second: [$1], heldBack: $2) }

  private static let options = DropStreamOptions.setting { $0.idleTimeout = .milliseconds(500) }

  /// Holds all sessions at once, since each takes the time of a timeout.
  private static func expectTimeouts(
    _ states: [State], _ body: @escaping @Sendable (DropSession) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for state in states {
        group.addTask {
          let result = try await RawPeer.play(options: options, session: body) { try await state.play($0) }
          #expect(result.streamError?.code == .timedOut, "\(state.name): \(result)")
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func silentSourceTimesOutInEveryState() async throws {
    try await Self.expectTimeouts(Self.sources) { session in
      for try await drop in session.drops {
        _ = try await drop.items[0].data(for: .plainText)
        try await drop.finish(.copy)
      }
    }
  }

  @Test func silentDestinationTimesOutInEveryState() async throws {
    // The content is longer than the socket's buffer.
    let content = pattern(4 << 20)
    try await Self.expectTimeouts(Self.destinations) { _ = try await $0.offer([ItemProvider(content)]) }
  }

  @Test func silentPeersOfAListenerTimeOut() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("socket").path
    let codes = Collector<DropStreamError.Code?>()
    try await DropStream.withListener(at: .unixSocket(path), options: Self.options) { listener in
      let serving = Task {
        try await listener.serve(maximumSessionCount: 2) {
          _ = try await $0.offer([ItemProvider([1])])
        } onFailure: { error in
          codes.add((error as? DropStreamError)?.code)
        }
      }
      // The number of connections exceeds the number of sessions that are served at the same time.
      for _ in 0..<3 {
        let socket = try SystemCalls.socket()
        try SystemCalls.connect(socket, path)
        try await RawPeer(socket).say(RawPeer.hello)
      }
      try await wait(for: "three timeouts") { codes.values.count == 3 }
      serving.cancel()
      _ = await serving.result
    }
    #expect(codes.values == [DropStreamError.Code?](repeating: .timedOut, count: 3))
  }
}

/// Peers that read late, slowly or never.
///
/// Peers that follow the protocol are served, and no peer can prevent the end of a session.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SlowPeerTests {
  /// Offers an item to a raw peer, which has received the offer.
  private static func offering(
    _ count: Int, options: DropStreamOptions = DropStreamOptions(), _ play: (RawPeer) async throws -> Void
  ) async throws -> DropReceipt {
    try await RawPeer.play(options: options) {
      try await $0.offer([ItemProvider(pattern(count))])
    } peer: { peer in
      try await peer.say(RawPeer.hello)
      try await peer.waitForOffer()
      try await play(peer)
    }.get()
  }

  @Test(arguments: [200_000, 4 << 20]) func responsesWaitForAPeerThatReadsLate(_ count: Int) async throws {
    let receipt = try await Self.offering(count) { peer in
      // The requests grant the same credit as loads of this package.
      try await peer.say((1...32).map { RawPeer.request($0, credit: 512 << 10) })
      // The responses fill the socket's buffer, and the rest waits.
      try await peer.waitForBytes(100_000)
      let reading = Task { try await readAll(SystemCalls.duplicate(peer.descriptor)) }
      // Both frames are in one write: after the finish the session may close the socket, and a second write would fail.
      try await peer.say(RawPeer.finish, .bye)
      _ = try await reading.value
    }
    #expect(receipt.keptItems == [0])
  }

  @Test func sessionEndsAlthoughItsPeerDoesNotRead() async throws {
    let receipt = try await Self.offering(8 << 20) { peer in
      try await peer.say(RawPeer.request(1, credit: 1 << 30))
      try await peer.waitForBytes(100_000)
      try await peer.say(RawPeer.finish)
    }
    #expect(receipt.action == .copy)
  }

  @Test func offerCanBeCancelledWhileItsPeerDoesNotRead() async throws {
    let pair = try DescriptorPair.socketPair()
    let session = Task {
      try await DropStream.withSession(over: pair.reader) { session in
        try await session.offer((0..<20_000).map { ItemProvider([1], name: "item \($0)") })
      }
    }
    let peer = RawPeer(pair.write)
    try await peer.say(RawPeer.hello)
    // Only a small part of the offer fits into the socket's buffer.
    try await peer.waitForBytes(10_000)
    session.cancel()
    let code = try await finishing("the end of the session") { await failureCode { try await session.value } }
    #expect(code == .cancelled)
    close(pair.write)
  }

  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_SOAK"] != nil, "needs a machine that is not busy"))
  func slowPeerDoesNotCountAsAStalledPeer() async throws {
    let options = DropStreamOptions.setting { $0.idleTimeout = .seconds(5) }
    let receipt = try await Self.offering(1 << 20, options: options) { peer in
      try await peer.say(RawPeer.request(1, credit: 1 << 30))
      try await onThread {
        for _ in 0..<140 {
          _ = try readSome(peer.descriptor, 4096)
          usleep(50_000)
        }
      }
      try await peer.say(RawPeer.finish)
    }
    #expect(receipt.keptItems == [0])
  }
}
