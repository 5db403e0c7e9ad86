// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// Offers that the source withdraws before it has sent all items.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct HalfOfferTests {
  @Test("an offer that is withdrawn before its end does not arrive, and the next offer does")
  func offerWithdrawnBeforeItsEndDoesNotArrive() async throws {
    let pair = try DescriptorPair.socketPair()
    let session = Task {
      try await DropStream.withSession(over: .descriptor(pair.read)) { session in
        var counts: [Int] = []
        for try await drop in session.drops { counts.append(drop.items.count) }
        return counts
      }
    }
    let withdrawal = SenderFailure(kind: .cancelled, reason: "")
    let offer = SessionScript.offer
    let script = SessionScript([
      RawPeer.hello, .offer(offer, generation: 1), .withdrawal(generation: 1, withdrawal),
      .withdrawal(generation: 2, withdrawal), .offer(offer, generation: 3), .offer(offer, generation: 3),
      .endOfOffers(generation: 3, itemCount: 2, actions: .copy), .bye,
    ])
    try script.bytes.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    #expect(try await session.value == [2])
    try SystemCalls.close(pair.write)
  }

  @Test("a source that is cancelled within an offer sends no end of offers, and can offer again")
  func sourceCancelledWithinAnOfferCanOfferAgain() async throws {
    let items = (0..<2000).map { ItemProvider(pattern(1), name: "\($0) " + String(repeating: "n", count: 900)) }
    let outcome = try await holdSession(over: .pipes) { session in
      for _ in 0..<20 {
        let offer = Task { try await session.offer(items) }
        try await Task.sleep(for: .milliseconds(2))
        offer.cancel()
        _ = await offer.result
      }
      return try await session.offer([items[0]])
    } destination: { session in
      var counts: Set<Int> = []
      for try await drop in session.drops {
        counts.insert(drop.items.count)
        // The source may have withdrawn the drop, which then cannot be finished.
        try? await drop.finish(.copy)
      }
      return counts
    }
    #expect(try outcome.source.get().keptItems == [0])
    #expect(try outcome.destination.get().isSubset(of: [1, 2000]))
  }
}
