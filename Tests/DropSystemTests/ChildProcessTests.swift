// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@testable import DropSystem

/// Child processes, and the resources that they leave behind.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ChildProcessTests {
  /// Returns whether this process has a child with this number, including a zombie.
  private static func isThere(_ process: Int32) throws -> Bool {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    return status?.contains("PPid:\t\(getpid())\n") ?? false
  }

  @Test func endingIsReportedRepeatedly() async throws {
    let child = try ChildProcess("sh", ["-c", "exit 3"])
    async let one = child.waitForEnd()
    async let other = child.waitForEnd()
    #expect(await [one.exitCode, other.exitCode] == [3, 3])
    #expect(await child.waitForEnd().exitCode == 3)
    let killed = try ChildProcess("sleep", ["600"])
    #expect(killed.send(signal: SIGKILL))
    #expect(await killed.waitForEnd().signal == SIGKILL)
  }

  @Test func noSignalIsSentAfterTheWait() async throws {
    let child = try ChildProcess("true", [])
    _ = await child.waitForEnd()
    #expect(!child.send(signal: 0))
  }

  @Test func endedProcessKeepsItsNumberUntilTheWait() async throws {
    let child = try ChildProcess("true", [])
    #expect(
      try await eventually {
        (try? String(contentsOfFile: "/proc/\(child.processIdentifier)/stat", encoding: .utf8))?.contains(" Z ") == true
      })
    #expect(child.send(signal: SIGTERM))
    #expect(await child.waitForEnd().exitCode == 0)
  }

  @Test func signalReachesTheWholeGroup() async throws {
    let (read, write) = try SystemCalls.pipe()
    let reader = OwnedDescriptor(read)
    let child = try ChildProcess("sh", ["-c", "sleep 600 & sleep 600"], output: write, leadsGroup: true)
    try SystemCalls.close(write)
    #expect(getpgid(child.processIdentifier) == child.processIdentifier)
    child.terminate()
    #expect(await child.waitForEnd().signal == SIGTERM)
    // The pipe ends only when the last process of the group has closed it.
    let count = try await runBlocking {
      try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try SystemCalls.read(reader.raw, $0) }
    }
    #expect(count == 0)
  }

  @Test func releasedProcessLeavesNoZombie() async throws {
    var child: ChildProcess? = try ChildProcess("sleep", ["600"])
    let process = try #require(child?.processIdentifier)
    #expect(try Self.isThere(process))
    child?.terminate()
    child = nil
    #expect(try await eventually { try !Self.isThere(process) })
  }

  @Test func failedStartLeavesNothing() async throws {
    let before = try Self.children()
    #expect(throws: SystemError.self) { try ChildProcess("/no/such/program", []) }
    for input: CInt in [-5, 12_345] {
      #expect(throws: SystemError.self) { try ChildProcess("true", [], input: input) }
    }
    let isAlone = try await eventually { try Self.children().subtracting(before).isEmpty }
    #expect(isAlone)
  }

  /// Returns the zombies of this process.
  private static func children() throws -> Set<String> {
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int32($0) != nil }
    return Set(
      try processes.filter { process in
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        return try isThere(Int32(process) ?? 0) && status.contains("State:\tZ")
      })
  }
}
