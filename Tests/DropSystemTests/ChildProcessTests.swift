// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestSupport
import Testing

@testable import DropSystem

/// Child processes, and the resources that they leave behind.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ChildProcessTests {
  /// Returns the state of a child of this process, such as `Z` for a zombie; `nil` if there is no such child.
  private static func state(of process: Int32) -> Substring? {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    guard let status, status.contains("PPid:\t\(getpid())\n") else { return nil }
    return status.split(separator: "\n").first { $0.hasPrefix("State:\t") }?.dropFirst(7).prefix(1)
  }

  private static func zombies() throws -> Set<Int32> {
    let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
    return Set(processes.filter { state(of: $0) == "Z" })
  }

  @Test func endingIsReportedRepeatedly() async throws {
    let child = try ChildProcess("sh", ["-c", "exit 3"])
    async let one = child.waitForEnd()
    async let other = child.end(within: waitingLimit)
    let both = await [one, other]
    #expect((both + [await child.waitForEnd()]).map(\.exitCode) == [3, 3, 3])
    let killed = try ChildProcess("sleep", ["600"])
    #expect(killed.send(signal: SIGKILL))
    #expect(await killed.end(within: waitingLimit).signal == SIGKILL)
  }

  @Test func endedProcessKeepsItsNumberUntilTheWait() async throws {
    let child = try ChildProcess("true", [])
    try await wait(for: "a zombie") { Self.state(of: child.processIdentifier) == "Z" }
    #expect(child.send(signal: SIGTERM))
    #expect(await child.waitForEnd().exitCode == 0)
    // The number may now belong to another process.
    #expect(!child.send(signal: 0))
  }

  @Test func signalReachesTheWholeGroup() async throws {
    let (read, write) = try SystemCalls.pipe()
    let child = try ChildProcess("sh", ["-c", "sleep 600 & sleep 600"], output: write, leadsGroup: true)
    try SystemCalls.close(write)
    #expect(getpgid(child.processIdentifier) == child.processIdentifier)
    child.terminate()
    #expect(await child.end(within: waitingLimit).signal == SIGTERM)
    // The pipe ends only when the last process of the group has closed it.
    #expect(try await readAll(read) == [])
  }

  @Test func releasedProcessLeavesNoZombie() async throws {
    var child: ChildProcess? = try ChildProcess("sleep", ["600"])
    let process = try #require(child?.processIdentifier)
    #expect(Self.state(of: process) != nil)
    child?.terminate()
    child = nil
    try await wait(for: "the end of process \(process)") { Self.state(of: process) == nil }
  }

  @Test func failedStartLeavesNothing() async throws {
    let before = try Self.zombies()
    #expect(throws: SystemError.self) { try ChildProcess("/no/such/program", []) }
    for input: CInt in [-5, 12_345] {
      #expect(throws: SystemError.self) { try ChildProcess("true", [], input: input) }
    }
    // Other suites have zombies for a moment.
    let new = try Self.zombies().subtracting(before)
    try await wait(for: "the end of \(new)") { new.allSatisfy { Self.state(of: $0) != "Z" } }
  }
}
