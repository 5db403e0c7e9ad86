// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// The limits on stored offers, which a conforming peer never exceeds.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct OfferLimitTests {
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

  /// Returns the number of drops that a destination keeps open, and its error.
  private static func open(
    _ frames: [OutgoingFrame], _ limits: DropStreamLimits
  ) async throws -> Result<Int, any Error> {
    let pair = try DescriptorPair.socketPair()
    var options = DropStreamOptions()
    options.limits = limits
    let session = Task { [options] in
      try await DropStream.withSession(over: .descriptor(pair.read), options: options) { session in
        var drops: [IncomingDrop] = []
        for try await drop in session.drops { drops.append(drop) }
        return drops.count
      }
    }
    let reading = Task { try await readAll(dup(pair.write)) }
    try? await RawPeer(pair.write).say([RawPeer.hello] + frames + [.bye])
    let result = await session.result
    close(pair.write)
    _ = await reading.result
    return result
  }

  @Test("the open offers together stay within the limits of bytes and types", arguments: [0, 1])
  func openOffersTogetherStayWithinTheLimits(_ excess: Int) async throws {
    let frames = (1...3).flatMap { Self.generation($0) }
    for limits in [Self.limits(bytes: 3 * Self.length - excess), Self.limits(types: 6 - excess)] {
      let result = try await Self.open(frames, limits)
      #expect((try? result.get()) == (excess == 0 ? 3 : nil))
      #expect(result.streamError?.code == (excess == 0 ? nil : .limitExceeded))
    }
  }

  @Test("a single offer has the same limits, and is refused before its end", arguments: [0, 1])
  func singleOfferBeyondTheLimitsIsRefusedBeforeItsEnd(_ excess: Int) {
    let script = SessionScript([RawPeer.hello] + Self.generation(1, itemCount: 3).dropLast())
    for limits in [Self.limits(bytes: 3 * Self.length - excess), Self.limits(types: 6 - excess)] {
      #expect(SessionScript.meaning(of: script.bytes, limits: limits).last == (excess == 0 ? "cut" : "limitExceeded"))
    }
  }

  @Test("the default limits are finite, and an offer of many files is far below them")
  func defaultLimitsAreFiniteAndAllowManyFiles() async throws {
    let limits = DropStreamLimits()
    #expect(limits.openOfferBytes == 16 << 20)
    #expect(limits.openOfferTypes == 131_072)
    let result = try await Self.open(Self.generation(1, itemCount: 20_000), limits)
    #expect(try result.get() == 1)
  }

  @Test("an offer that is withdrawn before it is received is not delivered, and does not count")
  func withdrawnOfferIsNotDeliveredAndDoesNotCount() async throws {
    let withdrawal = SenderFailure(kind: .cancelled, reason: "")
    let frames = (1...UInt32(3000)).flatMap { number in
      Self.generation(number) + [.withdrawal(generation: number, withdrawal)]
    }
    let pair = try DescriptorPair.socketPair()
    var options = DropStreamOptions()
    options.limits = Self.limits(bytes: Self.length, types: 2)
    let session = Task { [options] in
      try await DropStream.withSession(over: .descriptor(pair.read), options: options) { session in
        // The session has read all offers and the end before the program requests one.
        _ = try await eventually { session.state.withLock { $0.failure != nil } }
        var count = 0
        for try await drop in session.drops {
          #expect(drop.items.count == 1)
          count += 1
        }
        return count
      }
    }
    try await RawPeer(pair.write).say([RawPeer.hello] + frames + Self.generation(3001) + [.bye])
    #expect(try await session.value == 1)
    close(pair.write)
  }

  @Test("an offer above the limits fails at the source, and finished drops no longer count")
  func offerAboveTheLimitsFailsAtTheSource() async throws {
    @Sendable func items(_ count: Int) -> [ItemProvider] {
      (0..<count).map { _ in ItemProvider([1], type: .data) }
    }
    var options = DropStreamOptions()
    options.limits = Self.limits(types: 4)
    let first = Gate()
    let outcome = try await holdSession(options: options) { session in
      #expect(await failureCode { try await session.offer(items(5)) } == .limitExceeded)
      async let long = session.offer(items(3))
      await first.wait()
      #expect(await failureCode { try await session.offer(items(2)) } == .limitExceeded)
      for _ in 0..<10 { _ = try await session.offer(items(1)) }
      let receipt = try await long
      #expect(receipt.keptItems == [0, 1, 2])
      return try await session.offer(items(4))
    } destination: { session in
      var drops = session.drops.makeAsyncIterator()
      let long = try await drops.next()
      first.open()
      for _ in 0..<10 { try await drops.next()?.finish(.copy) }
      try await long?.finish(.copy)
      while let drop = try await drops.next() { try await drop.finish(.copy) }
    }
    _ = try outcome.destination.get()
    #expect(try outcome.source.get().keptItems == [0, 1, 2, 3])
  }
}
