// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// A process that holds hundreds of sessions, whose peers may behave in any way.
///
/// The sessions are in a separate process, because other tests measure the memory and threads of this process.
@Suite(.limited, .serialized, .timeLimit(minutes: 5)) struct ManySessionsTests {
  private static let count = 300

  @Test func servesHundredsOfSessionsAtOnce() async {
    await #expect(processExitsWith: .success) { try await ManySessionsTests.holdPairs() }
  }

  private static func holdPairs() async throws {
    let loaded = Collector<Int>()
    let all = Gate()
    let content = pattern(1000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask {
          let receipt = try await exchange([ItemProvider(content)]) { drop async throws in
            try await drop.items[0].expect(Data(content))
            loaded.add(number)
            await all.wait()
          }
          #expect(receipt.keptItems == [0])
        }
      }
      group.addTask {
        try await wait(for: "all sessions") { loaded.values.count == count }
        all.open()
      }
      try await group.waitForAll()
    }
    #expect(Set(loaded.values).count == count)
  }

  @Test func peersThatReadNothingDoNotBlockOthers() async {
    await #expect(processExitsWith: .success) { try await ManySessionsTests.holdWithDeafPeers() }
  }

  private static func holdWithDeafPeers() async throws {
    let content = Data(pattern(400_000))
    let started = Collector<Void>()
    var peers: [CInt] = []
    var sessions: [Task<Void, any Error>] = []
    for _ in 0..<count {
      let pair = try DescriptorPair.socketPair()
      let peer = RawPeer(pair.write)
      peers.append(pair.write)
      sessions.append(
        Task {
          try await DropStream.withSession(over: pair.reader) { session in
            let item = ItemProvider(named: "item", loading: .data) { _ in
              started.add(())
              return content
            }
            _ = try await session.offer([item])
          }
        })
      try await peer.say(RawPeer.hello)
      try await peer.waitForOffer()
      try await peer.say(RawPeer.request(1, credit: 1 << 30))
    }
    try await wait(for: "all loaders") { started.values.count == count }
    try await exchange([ItemProvider(pattern(3_000_000))]) { drop async throws in
      try await drop.items[0].expect(Data(pattern(3_000_000)))
    }
    for peer in peers { close(peer) }
    for session in sessions { _ = await session.result }
  }
}

/// Many sessions, sequential and concurrent, with all kinds of endings.
///
/// They must not leak resources. These tests measure their process, so they run without other tests:
/// `DRAGPIPE_SOAK=10000 swift test --filter SoakTests`.
@Suite(
  .serialized, .limited, .enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_SOAK"] != nil),
  .timeLimit(minutes: 5))
struct SoakTests {
  private static let count = ProcessInfo.processInfo.environment["DRAGPIPE_SOAK"].flatMap { Int($0) } ?? 1000

  /// Holds one session, whose course depends on its number.
  private static func session(_ number: Int, at path: String) async {
    try? await DropStream.withSession(over: .unixSocket(path)) { session in
      let item = ItemProvider(pattern(number % 5 == 0 ? 300_000 : 100), name: "\(number)")
      item.register(.json) { _ in
        try await Task.sleep(for: .seconds(60))
        return Data()
      }
      switch number % 4 {
      case 0: throw TestFailure("on purpose")
      case 1:
        let offer = Task { try await session.offer([item]) }
        offer.cancel()
        _ = await offer.result
      default: _ = try await session.offer([item])
      }
    }
  }

  private static func take(_ session: DropSession) async throws {
    for try await drop in session.drops {
      let number = Int(drop.items[0].suggestedName ?? "") ?? 0
      if number % 3 == 0 {
        let slow = Task { try await drop.items[0].data(for: .json) }
        try await Task.sleep(for: .milliseconds(1))
        slow.cancel()
        _ = await slow.result
      }
      if number % 7 == 0 { throw TestFailure("enough") }
      _ = try await drop.items[0].data(for: .data)
      if number % 2 == 0 { try await drop.finish(.copy) }
    }
  }

  private static func hold(_ count: Int, at path: String) async throws {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        if number >= 8 { await group.next() }
        group.addTask { await session(number, at: path) }
      }
    }
  }

  private static func residentKibibytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }

  @Test func manySessionsLeaveNoDescriptorAndNoMemoryBehind() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("socket").path
    try await DropStream.withListener(at: .unixSocket(path)) { listener in
      let serving = Task { try await listener.serve(Self.take) }
      // The first sessions allocate the resources that a process needs only once.
      try await Self.hold(Self.count / 4, at: path)
      let descriptors = try openDescriptorCount()
      var growth: [Int] = []
      for _ in 0..<3 {
        let memory = try Self.residentKibibytes()
        try await Self.hold(Self.count / 4, at: path)
        growth.append(try Self.residentKibibytes() - memory)
      }
      try await wait(for: "the end of all descriptors") { try openDescriptorCount() <= descriptors + 2 }
      print("\(Self.count) sessions: \(growth) KiB more, \(try openDescriptorCount() - descriptors) descriptors more")
      // A leak of 1 KiB a session is in each part. Allocators keep memory for later use only in some.
      let least = growth.min() ?? 0
      #expect(least < Self.count / 5, "\(growth) KiB")
      serving.cancel()
      _ = await serving.result
    }
  }
}
