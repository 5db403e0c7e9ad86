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

/// Peers that open as many connections as they can.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ConnectionQuotaTests {
  @Test(arguments: [(1, 1), (2, 2), (3, 3), (4, 3), (64, 48), (128, 96)])
  func onePeerGetsAtMostThreeQuartersOfAllConnections(_ count: Int, _ expected: Int) {
    #expect(ConnectionQuota.limit(ofPeer: count) == expected)
  }

  @Test func aPeerBeyondItsQuotaIsRefused() {
    let quota = ConnectionQuota(sessionCount: 64)
    for _ in 0..<96 { #expect(quota.admit(1)) }
    #expect(!quota.admit(1))
    #expect(quota.admit(2))
    quota.release(1)
    #expect(quota.admit(1))
    #expect(!quota.admit(1))
  }

  @Test func sessionsOfOnePeerLeavePermitsForOtherPeers() async throws {
    let quota = ConnectionQuota(sessionCount: 4)
    for _ in 0..<5 { #expect(quota.admit(1)) }
    #expect(quota.admit(2))
    let (running, ends) = (Collector<Int>(), Latch())
    let greedy = (0..<5).map { number in
      Task {
        try await quota.withSession(of: 1) {
          running.add(number)
          await ends.wait()
        }
      }
    }
    #expect(try await eventually { running.values.count == 3 })
    try await quota.withSession(of: 2) { #expect(running.values.count == 3) }
    ends.open()
    for one in greedy { try await one.value }
    #expect(running.values.count == 5)
  }

  @Test func aCancelledWaitReturnsItsPermit() async throws {
    let quota = ConnectionQuota(sessionCount: 1)
    #expect(quota.admit(1) && quota.admit(2))
    let (began, ends) = (Latch(), Latch())
    let first = Task {
      try await quota.withSession(of: 1) {
        began.open()
        await ends.wait()
      }
    }
    await began.wait()
    let second = Task { try await quota.withSession(of: 2) {} }
    second.cancel()
    #expect(await failureCode { try await second.value } == .cancelled)
    ends.open()
    try await first.value
    try await quota.withSession(of: 2) {}
  }

  /// Connects 128 times, sends the same bytes each time, and stays until standard input ends.
  private static let crowd = """
    import socket, sys
    crowd = [socket.socket(socket.AF_UNIX) for _ in range(128)]
    for one in crowd:
        one.connect(sys.argv[1])
        one.send(bytes.fromhex(sys.argv[2]))
    print("ready", flush=True)
    sys.stdin.read()
    """

  @Test(.enabled(if: installedProgram("python3") != nil), arguments: [true, false])
  func connectionsOfOneProcessDoNotDelayAnotherProcess(_ saysHello: Bool) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    let first = saysHello ? RawPeer(-1).bytes([RawPeer.hello]) : []
    try await DropStream.withListener(at: .unixSocket(path)) { listener in
      let serving = Task {
        try await listener.serve { session in
          for try await drop in session.drops { try await drop.finish(.copy) }
        }
      }
      let crowd = Process()
      crowd.executableURL = URL(fileURLWithPath: installedProgram("python3") ?? "")
      crowd.arguments = ["-c", Self.crowd, path, Data(first).hex]
      let (input, output) = (Pipe(), Pipe())
      crowd.standardInput = input
      crowd.standardOutput = output
      try crowd.run()
      let word = try await onThread { try output.fileHandleForReading.read(upToCount: 5) }
      #expect(word == Data("ready".utf8))
      var options = DropStreamOptions()
      options.idleTimeout = .seconds(60)
      let result = await Task { [options] in
        try await DropStream.withSession(over: .unixSocket(path), options: options) { session in
          try await session.offer([ItemProvider([1])]).action
        }
      }.result
      try input.fileHandleForWriting.close()
      try await onThread { crowd.waitUntilExit() }
      serving.cancel()
      _ = await serving.result
      #expect(try result.get() == .copy)
    }
  }
}
