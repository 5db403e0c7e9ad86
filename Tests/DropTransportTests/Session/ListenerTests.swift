// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ListenerTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("socket").path
  }

  /// Options for peers that may be served late, because the machine is slow or others are served first.
  private static let patient = DropStreamOptions.setting { $0.idleTimeout = .seconds(600) }

  /// Runs `body` while a listener receives all offers.
  private static func listening(
    at path: String, options: DropStreamOptions = DropStreamOptions(), atOnce: Int = 64,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> [String] {
    let taken = Collector<String>()
    try await DropStream.withListener(at: .unixSocket(path), options: options) { listener in
      let serving = Task {
        try await listener.serve(maximumSessionCount: atOnce) { session in
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
    try await DropStream.withSession(over: .unixSocket(path), options: patient) { session in
      #expect(session.peer?.isSameUser == true && session.peer?.processIdentifier == getpid())
      #expect(session.audience == .team)
      _ = try await session.offer([ItemProvider(Array(text.utf8))])
    }
  }

  // MARK: Connections

  @Test func processesConnectInSequenceAndConcurrently() async throws {
    let path = path
    let taken = try await Self.listening(at: path, atOnce: 3) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<20 { group.addTask { try await Self.offer("\(number)", at: path) } }
        try await group.waitForAll()
      }
    }
    #expect(Set(taken) == Set((0..<20).map { "\($0)" }) && !FileManager.default.fileExists(atPath: path))
    await expectFailure(.sourceUnavailable) { try await Self.offer("hello?", at: path) }
  }

  @Test func idleConnectionsDoNotBlockAnotherPeer() async throws {
    let path = path
    // No idle connection times out meanwhile.
    let taken = try await Self.listening(at: path, options: Self.patient, atOnce: 64) {
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

  @Test func oneOfSeveralWaitingTasksGetsAConnection() async throws {
    for round in 0..<5 {
      let path = path + "\(round)"
      try await DropStream.withListener(at: .unixSocket(path)) { listener in
        let served = Collector<Void>()
        let all = (0..<20).map { _ in
          Task {
            do { try await listener.withNextSession { _ in } } catch let error as DropStreamError
              where error.code == .peerGone
            { served.add(()) }
          }
        }
        for _ in 0..<5 { close(try LocalSocket.connect(path).socket) }
        try await wait(for: "five connections") { served.values.count == 5 }
        for one in all { one.cancel() }
        for one in all { _ = try await finishing("the end of a waiting task") { await one.result } }
        #expect(served.values.count == 5)
      }
    }
  }

  @Test func cancelledAcceptLeavesTheListenerToOtherTasks() async throws {
    try await DropStream.withListener(at: .unixSocket(path)) { listener in
      let first = Task { try await listener.withNextSession { _ in } }
      try await Task.sleep(for: .milliseconds(20))
      first.cancel()
      await expectFailure(.cancelled) { try await first.value }
      let second = Task { try await listener.withNextSession { _ in } }
      try await DropStream.withSession(over: .unixSocket(path), options: Self.patient) { _ in }
      #expect(await failureCode { try await second.value } == nil)
    }
  }

  // MARK: The path

  @Test func cancellationFreesThePathWhileSessionsStillEnd() async throws {
    let path = path
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

  /// The umask does not matter.
  @Test func otherUsersCanNeverConnect() async throws {
    let (path, directory) = (path, directory)
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

  @Test func onlyAStaleSocketIsReplaced() async throws {
    let path = path
    let stale = try SystemCalls.socket()
    try SystemCalls.bind(stale, path)
    try SystemCalls.close(stale)
    _ = try await Self.listening(at: path) {
      await expectFailure(.alreadyExists) { try await Self.listening(at: path) {} }
      try await Self.offer("still served", at: path)
    }
    try directory.write(Data("a file".utf8), to: "socket")
    await expectFailure(.alreadyExists) { try await Self.listening(at: path) {} }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "a file")
    let link = directory.file("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    await expectFailure(.alreadyExists) { try await Self.listening(at: link) {} }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).count == 2)
  }

  @Test func staleSocketWithTheLongestNameIsReplaced() async throws {
    let path = "/tmp/" + (UUID().uuidString + String(repeating: "s", count: 100)).prefix(102)
    let stale = try SystemCalls.socket()
    try SystemCalls.bind(stale, path)
    try SystemCalls.close(stale)
    defer { unlink(path) }
    #expect(await failureCode { try await DropStream.withListener(at: .unixSocket(path)) { _ in } } == nil)
  }

  @Test(arguments: [106, 107, 108, 300]) func pathThatIsTooLongForASocketIsRefused(_ length: Int) async throws {
    let base = "/tmp/dragpipe-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: base) }
    let path = base + "/" + String(repeating: "s", count: length - base.utf8.count - 1)
    let code = await failureCode { try await Self.listening(at: path) { try await Self.offer("far", at: path) } }
    #expect(code == (length <= 107 ? nil : .limitExceeded))
  }

  @Test func listenerDoesNotRemoveAForeignFileAtItsPath() async throws {
    let (path, directory) = (path, directory)
    _ = try await Self.listening(at: path) {
      try FileManager.default.removeItem(atPath: path)
      try directory.write(Data("mine".utf8), to: "socket")
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
  }

  @Test func pathIsFreeAsSoonAsTheListenerHasClosed() async throws {
    for _ in 0..<100 {
      try await DropStream.withListener(at: .unixSocket(path)) { listener in
        let serving = Task { try await listener.serve { _ in } }
        serving.cancel()
        _ = await serving.result
      }
      #expect(access(path, F_OK) == -1)
    }
  }

  /// Each process that may read the directory can lock it.
  @Test func lockOfTheDirectoryDoesNotPreventListening() async throws {
    let holder = try OwnedDescriptor.open(directory.url.path, O_RDONLY | O_DIRECTORY)
    try SystemCalls.lock(holder.raw, LOCK_EX)
    try await DropStream.withListener(at: .unixSocket(path)) { _ in }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == [])
    withExtendedLifetime(holder) {}
  }

  @Test(arguments: [false, true]) func socketThatDoesNotListenYetIsNotReplaced(isRelative: Bool) async throws {
    let (path, directory) = (path, directory)
    let bound = OwnedDescriptor(try SystemCalls.socket())
    let parent = try OwnedDescriptor.open(directory.url.path, O_RDONLY | O_DIRECTORY)
    // A process that was started in the directory uses a relative path.
    try SystemCalls.bind(bound.raw, isRelative ? "/proc/self/fd/\(parent.raw)/socket" : path)
    let identity = try SystemCalls.statusAt(AT_FDCWD, path)
    await expectFailure(.alreadyExists) { try await DropStream.withListener(at: .unixSocket(path)) { _ in } }
    #expect(try SystemCalls.statusAt(AT_FDCWD, path).isSameFile(as: identity))
    try bound.close()
    try await DropStream.withListener(at: .unixSocket(path)) { _ in }
  }

  @Test func waitForAnotherListenerTimesOutOrIsCancelled() async throws {
    let path = path
    let lock = directory.file(".dragpipe-socket.lock").path
    let holder = try OwnedDescriptor.open(lock, O_RDWR | O_CREAT, 0o600)
    try SystemCalls.lock(holder.raw, LOCK_EX)
    await expectFailure(.destinationUnavailable) { try await DropStream.withListener(at: .unixSocket(path)) { _ in } }
    let cancelled = Task { try await DropStream.withListener(at: .unixSocket(path)) { _ in } }
    // A busy thread of the tasks must not delay the cancellation until the listener has stopped waiting.
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.02)
      cancelled.cancel()
    }
    await expectFailure(.cancelled) { try await cancelled.value }
    withExtendedLifetime(holder) {}
  }

  @Test func directoryForSocketsMustBelongToThisUserAlone() throws {
    let run = directory.file("run").path
    try RuntimeDirectory.prepare(run)
    try RuntimeDirectory.prepare(run)
    #expect(try SystemCalls.statusAt(AT_FDCWD, run).permissions == 0o700)
    chmod(run, 0o755)
    expectDropError { try RuntimeDirectory.prepare(run) }
    let link = directory.file("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: run)
    chmod(run, 0o700)
    expectDropError { try RuntimeDirectory.prepare(link) }
  }
}

/// Connecting to a socket whose backlog is full.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FullListenerTests {
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

  enum Way: CaseIterable {
    case session
    case writer
    case reader
    case folder

    func open(_ path: String, idleTimeout: Duration) -> Task<Void, any Error> {
      let options = DropStreamOptions.setting { $0.idleTimeout = idleTimeout }
      let endpoint = DropEndpoint.unixSocket(path)
      return Task {
        switch self {
        case .session: try await DropStream.withSession(over: endpoint, options: options) { _ in }
        case .writer: try await DropStream.withWriter(to: endpoint, options: options) { _ in }
        case .reader: try await DropStream.withReader(from: endpoint, options: options) { _ in }
        case .folder: _ = try await DropFolder(path: path + "-items").receive(from: endpoint, options: options)
        }
      }
    }
  }

  /// Returns the error of a task that must end by itself.
  private static func code(of task: Task<Void, any Error>) async throws -> DropStreamError.Code? {
    try await finishing("the connection") { await failureCode { try await task.value } }
  }

  @Test(arguments: Way.allCases) func connectingToAFullBacklogIsCancelledOrTimesOut(_ way: Way) async throws {
    try await Self.full { path, _ async throws in
      // Beside long tests, the cancellation may come later than the usual limit of 30 s.
      let connecting = way.open(path, idleTimeout: .seconds(600))
      let impatient = way.open(path, idleTimeout: .milliseconds(100))
      #expect(try await Self.code(of: impatient) == .timedOut)
      connecting.cancel()
      #expect(try await Self.code(of: connecting) == .cancelled)
    }
  }

  @Test func waitingSessionConnectsWhenTheBacklogHasRoom() async throws {
    try await Self.full { path, listener in
      let session = Way.session.open(path, idleTimeout: .seconds(600))
      try await Task.sleep(for: .milliseconds(50))
      // Accepts the waiting connections and the session, and sends them nothing.
      try await onThread { for _ in 0..<3 { close(try SystemCalls.accept(listener)) } }
      #expect(try await Self.code(of: session) == .peerGone)
    }
  }
}

/// Peers that open as many connections as they can.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ConnectionQuotaTests {
  @Test(arguments: [(1, 1), (2, 2), (3, 3), (4, 3), (64, 48), (128, 96)])
  func onePeerGetsAtMostThreeQuartersOfAllConnections(_ count: Int, _ expected: Int) {
    #expect(ConnectionQuota.limit(ofPeer: count) == expected)
  }

  @Test func aPeerBeyondItsQuotaIsRefused() {
    let quota = ConnectionQuota(sessionCount: 64)
    for _ in 0..<96 { #expect(quota.admit(1)) }
    #expect(!quota.admit(1) && quota.admit(2))
    quota.release(1)
    #expect(quota.admit(1) && !quota.admit(1))
  }

  @Test func sessionsOfOnePeerLeavePermitsForOtherPeers() async throws {
    let quota = ConnectionQuota(sessionCount: 4)
    for _ in 0..<5 { #expect(quota.admit(1)) }
    #expect(quota.admit(2))
    let running = Collector<Int>()
    let ends = Latch()
    let greedy = (0..<5).map { number in
      Task {
        try await quota.withSession(of: 1) {
          running.add(number)
          await ends.wait()
        }
      }
    }
    try await wait(for: "three sessions") { running.values.count == 3 }
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
    await expectFailure(.cancelled) { try await second.value }
    ends.open()
    try await first.value
    try await quota.withSession(of: 2) {}
  }

  /// Another process connects 128 times, sends the same bytes each time, and stays until the test ends it.
  @Test(arguments: [true, false]) func connectionsOfOneProcessDoNotDelayAnotherProcess(_ saysHello: Bool) async throws {
    let directory = try TemporaryDirectory()
    let (path, first) = (directory.file("socket").path, saysHello ? SessionScript([RawPeer.hello]).bytes : [])
    let (ready, done) = (directory.file("ready").path, directory.file("done").path)
    try await DropStream.withListener(at: .unixSocket(path)) { listener in
      let serving = Task {
        try await listener.serve { session in
          for try await drop in session.drops { try await drop.finish(.copy) }
        }
      }
      let crowd = Task {
        _ = await #expect(processExitsWith: .success) {
          [path = path as String, first = first as [UInt8], ready = ready as String, done = done as String] in
          _ = ignoringBrokenPipes
          for _ in 0..<128 {
            let socket = try SystemCalls.socket()
            try SystemCalls.connect(socket, path)
            // The listener may already have closed a connection beyond the quota.
            do { try send(first, to: socket) } catch let error as SystemError where error.errorNumber == EPIPE {}
          }
          #expect(FileManager.default.createFile(atPath: ready, contents: nil))
          // The test waits for the ready file and for the session.
          try await wait(for: "the end of the test", within: waitingLimit * 3) {
            FileManager.default.fileExists(atPath: done)
          }
        }
      }
      try await wait(for: "128 connections") { FileManager.default.fileExists(atPath: ready) }
      let options = DropStreamOptions.setting { $0.idleTimeout = .seconds(60) }
      let result = await Task {
        try await DropStream.withSession(over: .unixSocket(path), options: options) { session in
          try await session.offer([ItemProvider([1])]).action
        }
      }.result
      #expect(FileManager.default.createFile(atPath: done, contents: nil))
      await crowd.value
      serving.cancel()
      _ = await serving.result
      #expect(try result.get() == .copy)
    }
  }
}
