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

/// Messages of a malicious peer, and the errors that reject them.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SessionLimitTests {
  /// Returns the error of a session that offers an item of ten bytes to a peer that sends these frames.
  private static func verdict(
    _ frames: [OutgoingFrame], limits: DropStreamLimits = DropStreamLimits(), loader: Duration? = nil
  ) async throws -> DropStreamError.Code? {
    let pair = try DescriptorPair.socketPair()
    var options = DropStreamOptions()
    options.limits = limits
    let session = Task { [options] in
      try await DropStream.withSession(over: .descriptor(pair.read), options: options) { session in
        let item = ItemProvider(suggestedName: "item")
        item.register(.data) { _ in
          if let loader { try await Task.sleep(for: loader) }
          return Data(count: 10)
        }
        let offer = Task { try await session.offer([item], allowing: [.copy, .move]) }
        do {
          for try await _ in session.drops {}
        } catch {
          offer.cancel()
          _ = await offer.result
          throw error
        }
        _ = try await offer.value
      }
    }
    let script = SessionScript(frames)
    // The session may reject the script before it has read all its bytes.
    let greeting = script.bytes.prefix(script.starts.count > 1 ? script.starts[1] : script.bytes.count)
    try await onThread { try? greeting.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) } }
    // Sends the responses to an offer only after the offer has arrived.
    _ = try await eventually { hasCome(160, to: pair.write) }
    try await onThread {
      try? script.bytes.dropFirst(greeting.count).withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    }
    let reading = Task { try await readAll(pair.write) }
    let code = await failureCode { try await session.value }
    _ = await reading.result
    return code
  }

  private static let hello = OutgoingFrame.hello(SessionHello())

  private static func request(_ number: UInt32, item: UInt32 = 0, generation: UInt32 = 1) -> OutgoingFrame {
    .request(
      number: number, SessionRequest(generation: generation, item: item, representation: 0, credit: 1000))
  }

  private static let finish = OutgoingFrame.finish(generation: 1, SessionFinish(action: .copy, kept: [0]))

  @Test("a peer that obeys the limits is served")
  func peerThatObeysTheLimitsIsServed() async throws {
    #expect(try await Self.verdict([Self.hello, Self.request(1), Self.request(2), Self.finish, .bye]) == nil)
  }

  @Test(
    "a load that exceeds the limit of received bytes fails alone",
    arguments: [1000, 3 << 20])
  func loadBeyondTheLimitOfReceivedBytesFailsAlone(count: Int) async throws {
    var options = DropStreamOptions()
    options.limits.bytes = UInt64(3 * count)
    let outcome = try await holdSession(destinationOptions: options) { session in
      let items = [count, 2 * count, 1, 0].map { count in
        let item = ItemProvider()
        item.register(.data) { _ in Data(count: count) }
        return item
      }
      return try await session.offer(items)
    } destination: { session in
      for try await drop in session.drops {
        #expect(try await drop.items[0].data(for: .data).count == count)
        #expect(try await drop.items[1].data(for: .data).count == 2 * count)
        #expect(await failureCode { _ = try await drop.items[2].data(for: .data) } == .limitExceeded)
        #expect(try await drop.items[3].data(for: .data).isEmpty)
        try await drop.finish(.copy)
      }
    }
    _ = try outcome.destination.get()
    _ = try outcome.source.get()
  }

  @Test("the first frame is a handshake, and a second handshake is rejected")
  func firstFrameMustBeAHandshakeAndASecondIsRejected() async throws {
    #expect(try await Self.verdict([Self.request(1)]) == .damaged)
    #expect(try await Self.verdict([Self.hello, Self.hello]) == .damaged)
    #expect(try await Self.verdict([.offer(SessionScript.offer, generation: 1)]) == .unsupported, "a one-way stream")
    #expect(try await Self.verdict([.hello(SessionHello(versions: 2...9))]) == .unsupported)
    #expect(try await Self.verdict([.hello(SessionHello(versions: 1...9)), Self.finish, .bye]) == nil)
    #expect(try await Self.verdict([.hello(SessionHello(features: .init(rawValue: .max))), Self.finish, .bye]) == nil)
  }

  @Test func requestsForDescriptorsNeedTheFeatureInBothHandshakes() async throws {
    for (bits, isAllowed) in [(1, false), (2, false), (4, false), (7, false), (8, true), (1 << 31, true)]
      as [(UInt32, Bool)]
    {
      let request = OutgoingFrame.request(
        number: 1,
        SessionRequest(
          generation: 1, item: 0, representation: 0, accepts: SessionRequest.Acceptance(rawValue: bits), credit: 1000))
      let frames = [request, Self.finish, .bye]
      #expect(try await Self.verdict([Self.hello] + frames) == (isAllowed ? nil : .damaged), "\(bits)")
      #expect(try await Self.verdict([.hello(SessionHello(features: .descriptors))] + frames) == nil, "\(bits)")
    }
  }

  @Test func aFinishThatKeepsNothingEndsTheOffer() async throws {
    let refusal = SenderFailure(kind: .failed, reason: "no room")
    for finish in [SessionFinish(), SessionFinish(refusal: refusal), SessionFinish(action: .move)] {
      let pair = try DescriptorPair.socketPair()
      let peer = RawPeer(pair.write)
      let session = Task {
        try await DropStream.withSession(over: .descriptor(pair.read)) { session in
          let offer = Task { try await session.offer([ItemProvider([1])], allowing: [.copy, .move]) }
          let result = await offer.result
          // As long as it is open, the session responds to later requests.
          for try await _ in session.drops {}
          return try result.get().keptItems
        }
      }
      try await peer.say(Self.hello)
      try await peer.waitForBytes(140)
      try await peer.say(.finish(generation: 1, finish), Self.request(1), .finish(generation: 1, finish), .bye)
      _ = await session.result
      if finish.action == nil {
        #expect(await failureCode { try await session.value } == .refused)
      } else {
        #expect(try await session.value == [])
      }
      let messages = SessionScript.messages(in: try await readAll(pair.write)).messages.map { "\($0)" }
      let expected: [SessionMessage] = [
        .acknowledgement(generation: 1, isKnown: true),
        .failure(number: 1, SenderFailure(kind: .withdrawn, reason: "")),
        .acknowledgement(generation: 1, isKnown: false),
      ]
      #expect(messages.drop { $0 != "\(expected[0])" }.prefix(3) == ArraySlice(expected.map { "\($0)" }))
    }
  }

  @Test("requests, finishes and credit for items that were not offered are rejected")
  func messagesForItemsThatWereNotOfferedAreRejected() async throws {
    #expect(try await Self.verdict([Self.hello, Self.request(1, item: 1)]) == .damaged)
    #expect(try await Self.verdict([Self.hello, Self.request(1, generation: 2)]) == .damaged)
    #expect(try await Self.verdict([Self.hello, Self.request(2), Self.request(2)]) == .damaged)
    #expect(try await Self.verdict([Self.hello, Self.request(0)]) == .damaged)
    #expect(try await Self.verdict([Self.hello, Self.request(1, generation: 0)]) == .damaged)
    #expect(try await Self.verdict([Self.hello, .finish(generation: 2, SessionFinish(action: .copy))]) == .damaged)
    #expect(try await Self.verdict([Self.hello, .finish(generation: 1, SessionFinish(action: .link))]) == .damaged)
    let tooMany = SessionFinish(action: .copy, kept: [0, 1])
    #expect(try await Self.verdict([Self.hello, .finish(generation: 1, tooMany)]) == .damaged)
    let twice = SessionFinish(action: .copy, kept: [0, 0])
    #expect(try await Self.verdict([Self.hello, .finish(generation: 1, twice)]) == .damaged)
    #expect(try await Self.verdict([Self.hello, .credit(number: 7, 1), Self.finish, .bye]) == nil, "of no meaning")
  }

  @Test("unrequested responses are refused")
  func unrequestedResponsesAreRefused() async throws {
    let bytes: [UInt8] = [1, 2, 3]
    let data = bytes.withUnsafeBytes { OutgoingFrame.data(number: 1, $0, isWhole: true) }
    #expect(try await Self.verdict([Self.hello, data]) == .damaged)
    #expect(try await Self.verdict([Self.hello, .endOfRepresentation(number: 1, byteCount: 0)]) == .damaged)
    let failure = SenderFailure(kind: .failed, reason: "")
    #expect(try await Self.verdict([Self.hello, .failure(number: 1, failure)]) == .damaged)
    #expect(try await Self.verdict([Self.hello, .lastWords(failure)]) == .senderFailed)
  }

  @Test("requests are accepted up to the limit")
  func requestsAreAcceptedUpToTheLimit() async throws {
    let count = SessionHello().requests
    let frames = (1...count).map { Self.request($0) }
    let fair = [Self.hello] + frames + [Self.finish, .bye]
    #expect(try await Self.verdict(fair, loader: .seconds(60)) == nil)
    #expect(
      try await Self.verdict([Self.hello] + frames + [Self.request(count + 1)], loader: .seconds(60)) == .limitExceeded)
  }

  @Test("open offers are accepted up to the limit", arguments: [64, 65])
  func openOffersAreAcceptedUpToTheLimit(_ count: UInt32) async throws {
    let offers = (1...count).map { OutgoingFrame.endOfOffers(generation: $0, itemCount: 0, actions: .copy) }
    let pair = try DescriptorPair.socketPair()
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        var drops: [IncomingDrop] = []
        for try await drop in session.drops { drops.append(drop) }
        return drops.count
      }
    }
    let script = SessionScript([Self.hello] + offers + [.bye])
    try script.bytes.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    let result = await session.result
    #expect((try? result.get()) == (count == 64 ? 64 : nil))
    #expect(result.streamError?.code == (count == 64 ? nil : .limitExceeded))
    try SystemCalls.close(pair.write)
  }

  @Test("items, chunks and descriptions are accepted up to their limits", arguments: [0, 1])
  func itemsChunksAndDescriptionsAreAcceptedUpToTheirLimits(_ excess: Int) async throws {
    let refused: DropStreamError.Code? = excess == 0 ? nil : .limitExceeded
    var limits = DropStreamLimits()
    limits.items = 3
    let offers = (0..<(3 + excess)).map { _ in OutgoingFrame.offer(SessionScript.offer, generation: 1) }
    let end = OutgoingFrame.endOfOffers(generation: 1, itemCount: UInt32(3 + excess), actions: .copy)
    #expect(try await Self.verdict([Self.hello] + offers + [end, Self.finish, .bye], limits: limits) == refused)

    limits = DropStreamLimits()
    let long = SenderFailure(kind: .failed, reason: String(repeating: "r", count: 1024))
    // The kind takes a tag, a length and one byte. The reason takes a tag, a length and its text.
    limits.metadataBytes = 6 + 5 + 1024 - excess
    #expect(
      try await Self.verdict([Self.hello, .cancellation(number: 1, long), Self.finish, .bye], limits: limits) == refused
    )

    // The session checks the header of a chunk before it looks up the chunk's request.
    let chunk = [UInt8](repeating: 0, count: SessionRequest.maximumChunkLength + excess)
    let frame = chunk.withUnsafeBytes { OutgoingFrame.data(number: 1, $0, isWhole: false) }
    #expect(
      SessionScript.meaning(of: SessionScript([Self.hello, frame]).bytes).last
        == (excess == 0 ? "cut" : "limitExceeded"))
  }

  @Test("a source that exceeds the credit is refused")
  func sourceThatExceedsTheCreditIsRefused() throws {
    let content = SessionContent(number: 1, window: 10, progress: ItemProgress())
    try content.append(Data(count: 10), isWhole: false)
    #expect(throws: DropStreamError.self) { try content.append(Data(count: 1), isWhole: false) }
  }

  @Test("complete content, or a descriptor, is a single frame")
  func completeContentOrADescriptorIsASingleFrame() throws {
    let content = SessionContent(number: 1, window: 10, progress: ItemProgress())
    try content.append(Data(count: 1), isWhole: false)
    #expect(throws: DropStreamError.self) { try content.append(Data(count: 1), isWhole: true) }
    #expect(throws: DropStreamError.self) { try content.end(byteCount: 2) }
    let memory = SharedDescriptor(OwnedDescriptor(try SystemCalls.memoryFile("test")))
    let description = SessionDescriptor(kind: .fileToCopy, byteCount: 0, check: nil)
    #expect(throws: DropStreamError.self) { try content.append(description, memory) }
  }

  @Test("a peer that requests and never reads cannot fill this side's memory")
  func peerThatNeverReadsCannotFillTheMemory() async throws {
    let pair = try DescriptorPair.socketPair()
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        for try await _ in session.drops {}
      }
    }
    // The session sends a response to each of these frames.
    var script = SessionScript([Self.hello])
    for generation in 1...UInt32(20_000) {
      script.append(.endOfOffers(generation: generation, itemCount: 0, actions: .copy))
    }
    let bytes = script.bytes
    let writing = Task { try await onThread { try bytes.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) } } }
    _ = await writing.result
    try SystemCalls.close(pair.write)
    _ = await session.result
  }
}
