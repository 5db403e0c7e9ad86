// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// A process that holds hundreds of sessions, whose peers may behave in any way.
///
/// The sessions are in a separate process, because other tests measure the memory and threads of this process.
@Suite(.limited, .serialized, .timeLimit(.minutes(10))) struct ManySessionsTests {
  private static let count = 300

  @Test("some hundreds of sessions are served at once")
  func servesHundredsOfSessionsAtOnce() async {
    await #expect(processExitsWith: .success) { try await ManySessionsTests.holdPairs() }
  }

  private static func holdPairs() async throws {
    let loaded = Collector<Int>()
    let all = Gate()
    let content = Data(pattern(1000))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        let pair = try DescriptorPair.socketPair()
        group.addTask {
          try await DropStream.withSession(over: .descriptor(pair.read)) { session in
            let item = ItemProvider(suggestedName: "item")
            item.register(.data) { _ in content }
            let receipt = try await session.offer([item])
            #expect(receipt.keptItems == [0])
          }
        }
        group.addTask {
          try await DropStream.withSession(over: .descriptor(pair.write)) { session in
            for try await drop in session.drops {
              let found = try await drop.items[0].data(for: .data)
              #expect(found == content)
              loaded.add(number)
              await all.wait()
              try await drop.finish(.copy)
            }
          }
        }
      }
      group.addTask {
        while loaded.values.count < count { try await Task.sleep(for: .milliseconds(20)) }
        all.open()
      }
      try await group.waitForAll()
    }
    #expect(Set(loaded.values).count == count)
  }

  @Test("some hundreds of peers that read nothing do not block the others")
  func peersThatReadNothingDoNotBlockOthers() async {
    await #expect(processExitsWith: .success) { try await ManySessionsTests.holdWithDeafPeers() }
  }

  private static func holdWithDeafPeers() async throws {
    let content = Data(pattern(400_000))
    let started = Collector<Int>()
    var peers: [CInt] = []
    var sessions: [Task<Void, any Error>] = []
    for number in 0..<count {
      let pair = try DescriptorPair.socketPair()
      let peer = RawPeer(pair.write)
      peers.append(pair.write)
      sessions.append(
        Task {
          try await DropStream.withSession(over: .descriptor(pair.read)) { session in
            let item = ItemProvider(suggestedName: "item")
            item.register(.data) { _ in
              started.add(number)
              return content
            }
            _ = try await session.offer([item])
          }
        })
      try await peer.say(RawPeer.hello)
      try await peer.waitForBytes(140)
      try await peer.say(RawPeer.request(1, credit: 1 << 30))
    }
    #expect(try await eventually { started.values.count == count })
    let outcome = try await holdSession { session in
      try await session.offer([ItemProvider(pattern(3_000_000))])
    } destination: { session in
      for try await drop in session.drops {
        #expect(try await drop.items[0].data(for: .data) == Data(pattern(3_000_000)))
        try await drop.finish(.copy)
      }
    }
    #expect(throws: Never.self) { try outcome.destination.get() }
    for peer in peers { close(peer) }
    for session in sessions { _ = await session.result }
  }
}
