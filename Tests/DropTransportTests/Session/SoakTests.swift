// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Many sessions, sequential and concurrent, with all kinds of endings.
///
/// They must not leak resources.
///
/// These tests measure their process, so they run without other tests: `DRAGPIPE_SOAK=10000 swift test --filter
/// SoakTests`.
@Suite(
  .serialized, .limited, .enabled(if: ProcessInfo.processInfo.environment["DRAGPIPE_SOAK"] != nil),
  .timeLimit(.minutes(5)))
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

  /// Receives all drops of a session.
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

  private static func residentKibibytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }

  private static func descriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }

  @Test("ten thousand sessions leave no descriptor and no memory behind")
  func manySessionsLeaveNoDescriptorAndNoMemoryBehind() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    try await DropStream.withListener(at: .unixSocket(path)) { listener in
      let serving = Task { try await listener.serve(Self.take) }
      // The first sessions allocate the resources that a process needs only once.
      try await Self.hold(Self.count / 4, at: path)
      let (descriptors, memory) = (try Self.descriptorCount(), try Self.residentKibibytes())
      try await Self.hold(Self.count - Self.count / 4, at: path)
      #expect(try await eventually { try Self.descriptorCount() <= descriptors + 2 })
      let growth = try Self.residentKibibytes() - memory
      print("\(Self.count) sessions: \(growth) KiB more, \(try Self.descriptorCount() - descriptors) descriptors more")
      // The limit is less than 1 KiB for each session. Allocators keep half of that for later use.
      #expect(growth < 8192)
      serving.cancel()
      _ = await serving.result
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
}
