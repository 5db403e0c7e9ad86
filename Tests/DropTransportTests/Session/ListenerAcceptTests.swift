// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DropTransport

/// Concurrent waits for a connection, and their cancellation.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ListenerAcceptTests {
  @Test("one of several waiting tasks gets a connection, and the others can be cancelled")
  func oneOfSeveralWaitingTasksGetsAConnection() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let hasEnded = await ends(within: 60) {
      for round in 0..<5 {
        let path = directory.file("\(round)").path
        try? await DropStream.withListener(at: .unixSocket(path)) { listener in
          let all = (0..<20).map { _ in Task { try await listener.withNextSession { _ in } } }
          try? await Task.sleep(for: .milliseconds(50))
          for _ in 0..<5 { close(try LocalSocket.connect(path).socket) }
          try? await Task.sleep(for: .milliseconds(50))
          for one in all { one.cancel() }
          for one in all { _ = await one.result }
        }
      }
    }
    #expect(hasEnded)
  }

  @Test("a cancelled accept leaves the listener to other tasks")
  func cancelledAcceptLeavesTheListenerToOtherTasks() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    try await DropStream.withListener(at: .unixSocket(path)) { listener in
      let first = Task { try await listener.withNextSession { _ in } }
      try await Task.sleep(for: .milliseconds(50))
      first.cancel()
      _ = await first.result
      let second = Task { try await listener.withNextSession { _ in } }
      try await DropStream.withSession(over: .unixSocket(path)) { _ in }
      #expect(await failureCode { try await second.value } == nil)
    }
  }

  @Test("a socket with the longest name, left behind, is replaced")
  func staleSocketWithTheLongestNameIsReplaced() async throws {
    let path = "/tmp/" + (UUID().uuidString + String(repeating: "s", count: 100)).prefix(102)
    let stale = try SystemCalls.socket()
    try SystemCalls.bind(stale, path)
    try SystemCalls.close(stale)
    defer { unlink(path) }
    #expect(await failureCode { try await DropStream.withListener(at: .unixSocket(path)) { _ in } } == nil)
  }

  @Test("the path is free as soon as the listener has closed")
  func pathIsFreeAsSoonAsTheListenerHasClosed() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    for _ in 0..<100 {
      try await DropStream.withListener(at: .unixSocket(path)) { listener in
        let serving = Task { try await listener.serve { _ in } }
        serving.cancel()
        _ = await serving.result
      }
      #expect(access(path, F_OK) == -1)
    }
  }

  @Test("waiting for a locked directory times out")
  func waitForALockedDirectoryTimesOut() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let holder = try SystemCalls.open(directory.url.path, O_RDONLY | O_DIRECTORY)
    try SystemCalls.lock(holder, LOCK_EX)
    let path = directory.file("socket").path
    #expect(
      await failureCode { try await DropStream.withListener(at: .unixSocket(path)) { _ in } } == .destinationUnavailable
    )
    try SystemCalls.close(holder)
  }
}
