// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DropTransport

/// Connecting to a socket whose backlog is full, and listening at a path whose directory is locked.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct FullListenerTests {
  /// Runs `body` while a socket listens at a path and its backlog is full.
  private static func full(_ body: (String, _ listener: CInt) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    let listener = try SystemCalls.socket()
    defer { close(listener) }
    try SystemCalls.bind(listener, path)
    try SystemCalls.listen(listener, 1)
    var waiting: [CInt] = []
    defer { for one in waiting { close(one) } }
    while true {
      let one = try SystemCalls.socket()
      waiting.append(one)
      try SystemCalls.setNonBlocking(one)
      do { try SystemCalls.connect(one, path) } catch { break }
    }
    try await body(path, listener)
  }

  /// The ways to use a socket.
  enum Way: CaseIterable {
    case session
    case writer
    case reader
    case folder

    func open(_ path: String, _ options: DropStreamOptions = DropStreamOptions()) async throws {
      let endpoint = DropEndpoint.unixSocket(path)
      switch self {
      case .session: try await DropStream.withSession(over: endpoint, options: options) { _ in }
      case .writer: try await DropStream.withWriter(to: endpoint, options: options) { _ in }
      case .reader: try await DropStream.withReader(from: endpoint, options: options) { _ in }
      case .folder: _ = try await DropFolder(path: path + "-items").receive(from: endpoint, options: options)
      }
    }
  }

  @Test("connecting can be cancelled while the backlog is full", arguments: Way.allCases)
  func connectingToAFullBacklogCanBeCancelled(_ way: Way) async throws {
    try await Self.full { path, _ in
      var options = DropStreamOptions()
      // Beside long tests, the cancellation may come later than the usual limit of 30 s.
      options.idleTimeout = .seconds(600)
      let connecting = Task { [options] in try await way.open(path, options) }
      try await Task.sleep(for: .milliseconds(200))
      connecting.cancel()
      #expect(await ends { _ = await connecting.result })
      #expect(await failureCode { try await connecting.value } == .cancelled)
    }
  }

  @Test("connecting to a full backlog times out", arguments: Way.allCases)
  func connectingToAFullBacklogTimesOut(_ way: Way) async throws {
    try await Self.full { path, _ in
      var options = DropStreamOptions()
      options.idleTimeout = .seconds(1)
      let connecting = Task { [options] in try await way.open(path, options) }
      #expect(await ends { _ = await connecting.result })
      #expect(await failureCode { try await connecting.value } == .timedOut)
    }
  }

  @Test("a session that waits for a full backlog connects when there is room")
  func waitingSessionConnectsWhenTheBacklogHasRoom() async throws {
    try await Self.full { path, listener in
      var options = DropStreamOptions()
      options.idleTimeout = .seconds(600)
      let session = Task { [options] in try await Way.session.open(path, options) }
      try await Task.sleep(for: .milliseconds(200))
      // Accepts the waiting connections and the session, and sends them nothing.
      let peers = Task {
        try await onThread {
          for _ in 0..<3 { close(try SystemCalls.accept(listener)) }
        }
      }
      #expect(await ends { _ = await session.result })
      #expect(await failureCode { try await session.value } == .peerGone)
      try await peers.value
    }
  }

  @Test("listening can be cancelled while the directory is locked")
  func listeningInALockedDirectoryCanBeCancelled() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let holder = try OwnedDescriptor.open(directory.url.path, O_RDONLY | O_DIRECTORY)
    try SystemCalls.lock(holder.raw, LOCK_EX)
    let path = directory.file("socket").path
    let listening = Task { try await DropStream.withListener(at: .unixSocket(path)) { _ in } }
    try await Task.sleep(for: .milliseconds(100))
    listening.cancel()
    #expect(await failureCode { try await listening.value } == .cancelled)
    try SystemCalls.lock(holder.raw, LOCK_UN)
  }
}
