// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

private let hello = RawPeer.hello
private let finish = RawPeer.finish

/// Messages of a malicious peer, and the errors that reject them.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SessionLimitTests {
  /// Expects the error of a session that offers an item of ten bytes to a peer that sends these frames.
  private static func expect(
    _ code: DropStreamError.Code?, _ frames: [OutgoingFrame], limits: DropStreamLimits = DropStreamLimits(),
    loader: Duration? = nil, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let options = DropStreamOptions.setting { $0.limits = limits }
    let result = try await RawPeer.play(options: options) { session in
      let item = ItemProvider(named: "item", loading: .data) { _ in
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
    } peer: { peer in
      // The session may reject the frames before it has read all their bytes.
      try? await peer.say(Array(frames.prefix(1)))
      // Sends the responses to an offer only after the offer has arrived.
      try await peer.waitForOffer()
      try? await peer.say(Array(frames.dropFirst()))
    }
    #expect(result.streamError?.code == code, comment, sourceLocation: sourceLocation)
  }

  private static func request(_ number: UInt32, item: UInt32 = 0, generation: UInt32 = 1) -> OutgoingFrame {
    .request(
      number: number, SessionRequest(generation: generation, item: item, representation: 0, credit: 1000))
  }

  @Test func firstFrameMustBeAHandshakeAndASecondIsRejected() async throws {
    try await Self.expect(nil, [hello, Self.request(1), Self.request(2), finish, .bye])
    try await Self.expect(.damaged, [Self.request(1)])
    try await Self.expect(.damaged, [hello, hello])
    try await Self.expect(.unsupported, [.offer(SessionScript.offer, generation: 1)], "a one-way stream")
    try await Self.expect(.unsupported, [.hello(SessionHello(versions: 2...9))])
    try await Self.expect(nil, [.hello(SessionHello(versions: 1...9)), finish, .bye])
    try await Self.expect(nil, [.hello(SessionHello(features: .init(rawValue: .max))), finish, .bye])
  }

  @Test func requestsForDescriptorsNeedTheFeatureInBothHandshakes() async throws {
    for (bits, isAllowed) in [(1, false), (2, false), (4, false), (7, false), (8, true), (1 << 31, true)]
      as [(UInt32, Bool)]
    {
      let accepts = SessionRequest.Acceptance(rawValue: bits)
      let request = SessionRequest(generation: 1, item: 0, representation: 0, accepts: accepts, credit: 1000)
      let frames = [OutgoingFrame.request(number: 1, request), finish, .bye]
      try await Self.expect(isAllowed ? nil : .damaged, [hello] + frames, "\(bits)")
      try await Self.expect(nil, [.hello(SessionHello(features: .descriptors))] + frames, "\(bits)")
    }
  }

  @Test func messagesForItemsThatWereNotOfferedAreRejected() async throws {
    let finishes = [
      (2, SessionFinish(action: .copy)), (1, SessionFinish(action: .link)),
      (1, SessionFinish(action: .copy, kept: [0, 1])), (1, SessionFinish(action: .copy, kept: [0, 0])),
    ].map { OutgoingFrame.finish(generation: $0, $1) }
    let requests = [
      Self.request(1, item: 1), Self.request(1, generation: 2), Self.request(0), Self.request(1, generation: 0),
    ]
    for frame in requests + finishes { try await Self.expect(.damaged, [hello, frame], "\(frame)") }
    try await Self.expect(.damaged, [hello, Self.request(2), Self.request(2)])
    try await Self.expect(nil, [hello, .credit(number: 7, 1), finish, .bye], "of no meaning")
  }

  @Test func unrequestedResponsesAreRefused() async throws {
    let failure = SenderFailure(kind: .failed, reason: "")
    try await Self.expect(.damaged, [hello, RawPeer.data(1, [1, 2, 3])])
    try await Self.expect(.damaged, [hello, .endOfRepresentation(number: 1, byteCount: 0)])
    try await Self.expect(.damaged, [hello, .failure(number: 1, failure)])
    try await Self.expect(.senderFailed, [hello, .finalFailure(failure)])
  }

  @Test func requestsAreAcceptedUpToTheLimit() async throws {
    let count = SessionHello().requests
    let frames = [hello] + (1...count).map { Self.request($0) }
    try await Self.expect(nil, frames + [finish, .bye], loader: .seconds(60))
    try await Self.expect(.limitExceeded, frames + [Self.request(count + 1)], loader: .seconds(60))
  }

  @Test(arguments: [0, 1]) func itemsChunksAndDescriptionsAreAcceptedUpToTheirLimits(_ excess: Int) async throws {
    let refused: DropStreamError.Code? = excess == 0 ? nil : .limitExceeded
    var limits = DropStreamLimits()
    limits.items = 3
    let offers = (0..<(3 + excess)).map { _ in OutgoingFrame.offer(SessionScript.offer, generation: 1) }
    let end = OutgoingFrame.endOfOffers(generation: 1, itemCount: UInt32(3 + excess), actions: .copy)
    try await Self.expect(refused, [hello] + offers + [end, finish, .bye], limits: limits)

    limits = DropStreamLimits()
    let long = SenderFailure(kind: .failed, reason: String(repeating: "r", count: 1024))
    // The kind takes a tag, a length and one byte. The reason takes a tag, a length and its text.
    limits.metadataBytes = 6 + 5 + 1024 - excess
    try await Self.expect(refused, [hello, .cancellation(number: 1, long), finish, .bye], limits: limits)

    // The session checks the header of a chunk before it looks up the chunk's request.
    let chunk = [UInt8](repeating: 0, count: SessionRequest.maximumChunkLength + excess)
    let script = SessionScript([hello, RawPeer.data(1, chunk, isWhole: false)])
    SessionScript.expect(excess == 0 ? "cut" : "limitExceeded", of: script.bytes)
  }

  @Test func messagesNameTheLimitOfTheFrame() {
    for (type, limit) in [(FrameType.finish, 4 << 20), (.request, 65_536)] {
      for excess in [0, 1] {
        let frame = OutgoingFrame(type, number: 1) { $0 += [UInt8](repeating: 0, count: limit + excess) }
        let error = SessionScript.error(in: SessionScript([hello, frame]).bytes)
        // A payload at the limit is read, but is malformed.
        #expect(error != nil && (error?.code == .limitExceeded) == (excess == 1), "\(limit) + \(excess)")
        guard excess == 1 else { continue }
        #expect(error?.reason == "description of \(limit + 1) bytes exceeds the limit of \(limit)")
      }
    }
  }

  @Test func aFinishThatKeepsNothingEndsTheOffer() async throws {
    let refusal = SenderFailure(kind: .failed, reason: "no room")
    for finish in [SessionFinish(), SessionFinish(refusal: refusal), SessionFinish(action: .move)] {
      let received = Collector<[UInt8]>()
      let result = try await RawPeer.play { session in
        let offer = Task { try await session.offer([ItemProvider([1])], allowing: [.copy, .move]) }
        let result = await offer.result
        // As long as it is open, the session responds to later requests.
        for try await _ in session.drops {}
        return try result.get().keptItems
      } peer: { peer in
        try await peer.say(hello)
        try await peer.waitForOffer()
        try await peer.say(.finish(generation: 1, finish), Self.request(1), .finish(generation: 1, finish), .bye)
        received.add(try await readAll(SystemCalls.duplicate(peer.descriptor)))
      }
      #expect(result.streamError?.code == (finish.action == nil ? .refused : nil))
      if finish.action != nil { #expect(try result.get() == []) }
      let messages = SessionScript.messages(in: received.values[0]).messages.map { "\($0)" }
      let expected: [SessionMessage] = [
        .acknowledgement(generation: 1, isKnown: true),
        .failure(number: 1, SenderFailure(kind: .withdrawn, reason: "")),
        .acknowledgement(generation: 1, isKnown: false),
      ]
      #expect(messages.drop { $0 != "\(expected[0])" }.prefix(3) == ArraySlice(expected.map { "\($0)" }))
    }
  }

  @Test(arguments: [1000, 3 << 20]) func loadBeyondTheLimitOfReceivedBytesFailsAlone(count: Int) async throws {
    let options = DropStreamOptions.setting { $0.limits.bytes = UInt64(3 * count) }
    let items = [count, 2 * count, 1, 0].map { count in
      let item = ItemProvider(loading: .data) { _ in Data(count: count) }
      return item
    }
    try await exchange(items, destinationOptions: options) { drop async throws in
      #expect(try await drop.items[0].data(for: .data).count == count)
      #expect(try await drop.items[1].data(for: .data).count == 2 * count)
      await expectFailure(.limitExceeded) { _ = try await drop.items[2].data(for: .data) }
      #expect(try await drop.items[3].data(for: .data).isEmpty)
    }
  }

  @Test func contentBeyondTheCreditOrInAnotherFormIsRefused() throws {
    let content = SessionContent(number: 1, window: 10, progress: ItemProgress())
    #expect(try content.append(Data(count: 10), isWhole: false))
    expectDropError { try content.append(Data(count: 1), isWhole: false) }

    // Complete content, or a descriptor, is a single frame.
    let begun = SessionContent(number: 1, window: 10, progress: ItemProgress())
    #expect(try begun.append(Data(count: 1), isWhole: false))
    expectDropError { try begun.append(Data(count: 1), isWhole: true) }
    expectDropError { try begun.end(byteCount: 2) }
    let memory = SharedDescriptor(OwnedDescriptor(try SystemCalls.memoryFile("test")))
    let description = SessionDescriptor(kind: .fileToCopy, byteCount: 0, check: nil)
    expectDropError { try begun.append(description, memory) }
  }

  @Test func peerThatNeverReadsCannotFillTheMemory() async throws {
    let pair = try DescriptorPair.socketPair()
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        for try await _ in session.drops {}
      }
    }
    // The session sends a response to each of these frames.
    let script = SessionScript(
      [hello] + (1...20_000).map { .endOfOffers(generation: $0, itemCount: 0, actions: .copy) })
    _ = await Task { try await onThread { try pair.send(script.bytes) } }.result
    try SystemCalls.close(pair.write)
    _ = try await finishing("the end of the session") { await session.result }
  }
}

/// The limits on stored offers, which a conforming peer never exceeds.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct OfferLimitTests {
  /// An offer with two types and a description of ``length`` bytes.
  private static let offer = DropOffer(
    suggestedName: nil,
    representations: [DropOffer.Representation(typeIdentifier: "org.example.a", supertypes: ["public.data"])])
  private static let length = OutgoingFrame.offer(offer, generation: 1).payloadLength

  private static func limits(bytes: Int = .max, types: Int = .max) -> DropStreamLimits {
    var limits = DropStreamLimits()
    (limits.openOfferBytes, limits.openOfferTypes) = (bytes, types)
    return limits
  }

  private static func generation(_ number: UInt32, itemCount: Int = 1) -> [OutgoingFrame] {
    (0..<itemCount).map { _ in .offer(offer, generation: number) }
      + [.endOfOffers(generation: number, itemCount: UInt32(itemCount), actions: .copy)]
  }

  /// Expects that a destination keeps `count` drops open, or fails for `nil`.
  private static func expect(
    _ count: Int?, _ frames: [OutgoingFrame], _ limits: DropStreamLimits = DropStreamLimits(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let options = DropStreamOptions.setting { $0.limits = limits }
    let result = try await RawPeer.play(options: options) { session in
      var drops: [IncomingDrop] = []
      for try await drop in session.drops { drops.append(drop) }
      return drops.count
    } peer: {
      // The session may end before it has read all bytes.
      try? await $0.say([hello] + frames + [.bye])
    }
    #expect((try? result.get()) == count, sourceLocation: sourceLocation)
    #expect(result.streamError?.code == (count == nil ? .limitExceeded : nil), sourceLocation: sourceLocation)
  }

  @Test(arguments: [0, 1]) func openOffersStayWithinTheirLimits(_ excess: Int) async throws {
    let offers = (1...UInt32(64 + excess)).map {
      OutgoingFrame.endOfOffers(generation: $0, itemCount: 0, actions: .copy)
    }
    try await Self.expect(excess == 0 ? 64 : nil, offers)
    let frames = (1...3).flatMap { Self.generation($0) }
    // A single offer has the same limits, and is refused before its end.
    let script = SessionScript([hello] + Self.generation(1, itemCount: 3).dropLast())
    for limits in [Self.limits(bytes: 3 * Self.length - excess), Self.limits(types: 6 - excess)] {
      try await Self.expect(excess == 0 ? 3 : nil, frames, limits)
      SessionScript.expect(excess == 0 ? "cut" : "limitExceeded", of: script.bytes, limits: limits)
    }
  }

  @Test func defaultLimitsAreFiniteAndAllowManyFiles() async throws {
    #expect(DropStreamLimits().openOfferBytes == 16 << 20 && DropStreamLimits().openOfferTypes == 131_072)
    try await Self.expect(1, Self.generation(1, itemCount: 10_000))
  }

  @Test func withdrawnOfferIsNotDeliveredAndDoesNotCount() async throws {
    let withdrawal = SenderFailure(kind: .cancelled, reason: "")
    let frames = (1...UInt32(3000)).flatMap { Self.generation($0) + [.withdrawal(generation: $0, withdrawal)] }
    let options = DropStreamOptions.setting { $0.limits = Self.limits(bytes: Self.length, types: 2) }
    let counts = try await RawPeer.play(options: options) { session in
      // The session has read all offers and the end before the program requests one.
      try await wait(for: "the end of the input") { session.state.withLock { $0.failure != nil } }
      var counts: [Int] = []
      for try await drop in session.drops { counts.append(drop.items.count) }
      return counts
    } peer: {
      try await $0.say([hello] + frames + Self.generation(3001) + [.bye])
    }
    #expect(try counts.get() == [1])
  }

  @Test func offerAboveTheLimitsFailsAtTheSource() async throws {
    @Sendable func items(_ count: Int) -> [ItemProvider] { (0..<count).map { _ in ItemProvider([1]) } }
    let offer = DropOffer(
      suggestedName: nil, representations: [DropOffer.Representation(typeIdentifier: "public.data")])
    for limits in [Self.limits(types: 4), Self.limits(bytes: 5 * offer.maximumLength - 1)] {
      let options = DropStreamOptions.setting { $0.limits = limits }
      let first = Gate()
      let outcome = try await holdSession(options: options) { session in
        await expectFailure(.limitExceeded) { try await session.offer(items(5)) }
        async let long = session.offer(items(3))
        await first.wait()
        await expectFailure(.limitExceeded) { try await session.offer(items(2)) }
        // Finished drops no longer count.
        for _ in 0..<10 { _ = try await session.offer(items(1)) }
        #expect(try await long.keptItems == [0, 1, 2])
        return try await session.offer(items(4))
      } destination: { session in
        var drops = session.drops.makeAsyncIterator()
        let long = try await drops.next()
        first.open()
        for _ in 0..<10 { try await drops.next()?.finish(.copy) }
        try await long?.finish(.copy)
        while let drop = try await drops.next() { try await drop.finish(.copy) }
      }
      #expect(try values(of: outcome).source.keptItems == [0, 1, 2, 3])
    }
  }
}

/// Responses to a request for content of 300 bytes, with another length than declared.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct WrongLengthTests {
  private typealias Response = (chunks: [Int], isWhole: Bool, range: Range<UInt64>?, reason: String?)

  private static func mismatch(_ found: Int, _ promised: Int = 300) -> String {
    "corrupt: a representation has \(found) bytes instead of the promised \(promised)"
  }

  private static let longer = "corrupt: a representation is longer than the promised 300 bytes"

  private static let responses: [Response] = [
    ([300], true, nil, nil), ([100, 200], false, nil, nil), ([299], true, nil, mismatch(299)),
    ([301], true, nil, mismatch(301)), ([], true, nil, mismatch(0)), ([100, 199], false, nil, mismatch(299)),
    ([100, 201], false, nil, longer), ([300, 1], false, nil, longer), ([10], true, 0..<10, nil),
    // Parts beyond the end of the content.
    ([20], true, 280..<400, nil), ([19], true, 280..<400, mismatch(19, 20)),
  ]

  private static func frames(_ response: Response) -> [OutgoingFrame] {
    let count = response.chunks.reduce(0, +)
    if response.isWhole { return [RawPeer.data(1, pattern(count))] }
    return response.chunks.map { RawPeer.data(1, pattern($0), isWhole: false) }
      + [.endOfRepresentation(number: 1, byteCount: UInt64(count))]
  }

  @Test(arguments: responses.indices) func contentOfAnotherLengthThanOfferedIsRejected(_ index: Int) async throws {
    let response = Self.responses[index]
    let result = try await RawPeer.play { session in
      var errors: [DropStreamError?] = []
      var drops = session.drops.makeAsyncIterator()
      let drop = try #require(try await drops.next())
      for range in [response.range, 0..<300] {
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
    } peer: { peer in
      try await peer.say(RawPeer.offer())
      try await peer.waitForRequest()
      try await peer.say(Self.frames(response))
      // The session continues with the next request.
      try await peer.waitForRequest(2)
      try await peer.say(RawPeer.data(2, pattern(300)))
    }
    let errors = try result.get()
    #expect(errors.map { $0?.reason } == [response.reason, nil])
    #expect(errors.allSatisfy { $0 == nil || $0?.code == .damaged })
  }
}
