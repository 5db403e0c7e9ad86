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

@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ListenerTests {
  /// Runs `body` while a listener receives all offers.
  private static func listening(
    at path: String, options: DropStreamOptions = DropStreamOptions(), atOnce: Int = 64,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> [String] {
    let taken = Collector<String>()
    try await DropStream.withListener(at: .unixSocket(path), options: options) { listener in
      let serving = Task {
        try await listener.serve(atOnce: atOnce) { session in
          for try await drop in session.drops {
            for item in drop.items { taken.add(String(decoding: try await item.data(for: .data), as: UTF8.self)) }
            try await drop.finish(.copy)
          }
        }
      }
      let result: Result<Void, any Error>
      do { result = .success(try await body()) } catch { result = .failure(error) }
      serving.cancel()
      _ = await serving.result
      try result.get()
    }
    return taken.values
  }

  private static func offer(_ text: String, at path: String) async throws {
    var options = DropStreamOptions()
    // On a slow machine, other sessions may be served first.
    options.idleTimeout = .seconds(600)
    try await DropStream.withSession(over: .unixSocket(path), options: options) { session in
      #expect(session.peer?.isSameUser == true)
      #expect(session.peer?.processIdentifier == getpid())
      #expect(session.audience == .team)
      _ = try await session.offer([ItemProvider(Array(text.utf8))])
    }
  }

  @Test func cancellationFreesThePathWhileSessionsStillEnd() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    let (began, ends) = (Latch(), Latch())
    let listening = Task {
      try await DropStream.withListener(at: .unixSocket(path)) { _ in
        began.open()
        await ends.wait()
      }
    }
    await began.wait()
    #expect(FileManager.default.fileExists(atPath: path))
    listening.cancel()
    #expect(!FileManager.default.fileExists(atPath: path))
    ends.open()
    _ = await listening.result
  }

  @Test("processes connect in sequence and concurrently")
  func processesConnectInSequenceAndConcurrently() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    let taken = try await Self.listening(at: path, atOnce: 3) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<20 { group.addTask { try await Self.offer("\(number)", at: path) } }
        try await group.waitForAll()
      }
    }
    #expect(Set(taken) == Set((0..<20).map { "\($0)" }))
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("other users can never connect, regardless of the umask")
  func otherUsersCanNeverConnect() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    _ = try await Self.listening(at: path) {
      let permissions = try SystemCalls.statusAt(AT_FDCWD, path).permissions
      #expect(permissions & ~0o600 == 0)
    }
    // Watches the directory while the socket is created. No file in it may grant rights to other users.
    let watching = Task.detached {
      var worst: UInt32 = 0
      while !Task.isCancelled {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory.url.path)) ?? [] {
          worst |= (try? SystemCalls.statusAt(AT_FDCWD, directory.file(name).path).permissions) ?? 0
        }
        await Task.yield()
      }
      return worst
    }
    for _ in 0..<50 { _ = try await Self.listening(at: path) {} }
    watching.cancel()
    #expect(await watching.value & 0o077 == 0)
  }

  @Test("a stale socket is replaced; a used socket, a file and a link are not")
  func onlyAStaleSocketIsReplaced() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    let stale = try SystemCalls.socket()
    try SystemCalls.bind(stale, path)
    try SystemCalls.close(stale)
    _ = try await Self.listening(at: path) {
      #expect(await failureCode { try await Self.listening(at: path) {} } == .alreadyExists)
      try await Self.offer("still served", at: path)
    }
    try Data("a file".utf8).write(to: URL(fileURLWithPath: path))
    #expect(await failureCode { try await Self.listening(at: path) {} } == .alreadyExists)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "a file")
    let link = directory.file("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    #expect(await failureCode { try await Self.listening(at: link) {} } == .alreadyExists)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).count == 2)
  }

  @Test("the listener does not remove a foreign file at its path")
  func listenerDoesNotRemoveAForeignFileAtItsPath() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    _ = try await Self.listening(at: path) {
      try FileManager.default.removeItem(atPath: path)
      try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }

  @Test("a path that is too long for a socket's address is refused", arguments: [106, 107, 108, 300])
  func pathThatIsTooLongForASocketIsRefused(_ length: Int) async throws {
    let base = "/tmp/dragpipe-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: base) }
    let path = base + "/" + String(repeating: "s", count: length - base.utf8.count - 1)
    let code = await failureCode { try await Self.listening(at: path) { try await Self.offer("far", at: path) } }
    #expect(code == (length <= 107 ? nil : .limitExceeded))
  }

  @Test("a hundred idle connections do not keep another peer from being served")
  func idleConnectionsDoNotBlockAnotherPeer() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    var options = DropStreamOptions()
    options.idleTimeout = .seconds(2)
    let taken = try await Self.listening(at: path, options: options, atOnce: 64) {
      var idle: [CInt] = []
      defer { for socket in idle { close(socket) } }
      for number in 0..<100 {
        idle.append(try LocalSocket.connect(path).socket)
        // Some of them disconnect at once.
        if number % 10 == 0 { try SystemCalls.close(idle.removeLast()) }
      }
      try await Self.offer("patience", at: path)
    }
    #expect(taken == ["patience"])
  }

  @Test("connecting without a listener fails")
  func connectingWithoutAListenerFails() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    #expect(await failureCode { try await Self.offer("hello?", at: path) } == .sourceUnavailable)
  }

  @Test("the directory for sockets is created, and must belong to this user alone")
  func directoryForSocketsMustBelongToThisUserAlone() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("run").path
    try RuntimeDirectory.prepare(path)
    try RuntimeDirectory.prepare(path)
    #expect(try SystemCalls.statusAt(AT_FDCWD, path).permissions == 0o700)
    chmod(path, 0o755)
    #expect(throws: DropStreamError.self) { try RuntimeDirectory.prepare(path) }
    let link = directory.file("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    chmod(path, 0o700)
    #expect(throws: DropStreamError.self) { try RuntimeDirectory.prepare(link) }
  }

  @Test("a local socket transfers representations for teams and groups, but never those for the own process")
  func localSocketTransfersTeamAndGroupButNotOwnProcess() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("socket").path
    let types = Collector<[UTType]>()
    try await DropStream.withListener(at: .unixSocket(path)) { listener in
      async let serving: Void = listener.withNextSession { session in
        for try await drop in session.drops {
          types.add(drop.items[0].contentTypes)
          try await drop.finish(.copy)
        }
      }
      var options = DropStreamOptions()
      options.idleTimeout = .seconds(60)
      try await DropStream.withSession(over: .unixSocket(path), options: options) { session in
        let item = ItemProvider(suggestedName: "item")
        item.register(.data, visibility: .ownProcess) { _ in Data() }
        item.register(.json, visibility: .team) { _ in Data() }
        item.register(.plainText, visibility: .group) { _ in Data() }
        item.register(.png, visibility: .all) { _ in Data() }
        _ = try await session.offer([item])
      }
      try await serving
    }
    #expect(types.values == [[.json, .plainText, .png]])
  }
}
