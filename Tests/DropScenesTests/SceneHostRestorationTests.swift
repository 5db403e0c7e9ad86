// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import DropSystem
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing

/// The restoration of an app's windows in the next run.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SceneHostRestorationTests {
  private let directory: TemporaryDirectory
  private let file: SceneRestorationFile

  init() throws {
    directory = try TemporaryDirectory()
    file = SceneRestorationFile(path: directory.file("scenes.drop").path)
  }

  private func session(_ kind: String) -> SceneSession {
    SceneSession(SceneHostTests.kind(kind))
  }

  @Test func failingWindowsDoNotBlockOthersAndKeepSessions() async throws {
    let sessions = ["Well", "Dying", "Unheard-of", "Well"].map(session)
    try await file.save(sessions)
    let failures = SceneHostTests.Failures()
    try await SceneHostTests.run(restoration: file, failures: failures) { host in
      #expect(host.scenes.map(\.id) == sessions.map(\.id))
      try await host.restore()
      #expect(host.scenes.map { $0.processIdentifier != nil } == [true, false, false, true])
      await host.close(sessions[3].id)
    }
    #expect(failures.count.withLock { $0 } == 2)
    #expect(try await file.load().map(\.id) == sessions.dropLast().map(\.id))
  }

  @Test func silentWindowsTimeOutAndKeepSessions() async throws {
    let sessions = ["Mute", "Mute"].map(session)
    try await file.save(sessions)
    let failures = SceneHostTests.Failures()
    try await SceneHostTests.run(restoration: file, opening: .milliseconds(300), failures: failures) { host in
      try await host.restore()
      #expect(host.scenes.map { $0.processIdentifier != nil } == [false, false])
    }
    #expect(failures.count.withLock { $0 } == 2)
    #expect(try await file.load().map(\.id) == sessions.map(\.id))
  }

  @Test func unopenedSessionsAreKept() async throws {
    let saved = session("Well")
    try await file.save([saved])
    let opened = try await SceneHostTests.run(restoration: file) { host in
      try await host.open(SceneHostTests.kind("Well")).id
    }
    #expect(try await file.load().map(\.id) == [saved.id, opened])
  }

  @Test func unreadableFileIsKeptAndAppContinues() async throws {
    try Data("no sessions".utf8).write(to: URL(fileURLWithPath: file.path))
    try await SceneHostTests.run(restoration: file) { host in
      await #expect(throws: SceneRestorationError.self) { try await host.restore() }
      try await host.open(SceneHostTests.kind("Well"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: file.path)) == Data("no sessions".utf8))
  }

  @Test func cancelledAppKeepsSessions() async throws {
    let file = file
    let isOpen = Lock(false)
    let app = Task {
      try await SceneHostTests.run(restoration: file) { host in
        try await host.open(SceneHostTests.kind("Well"))
        isOpen.withLock { $0 = true }
        try await Task.sleep(for: .seconds(600))
      }
    }
    while !isOpen.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
    app.cancel()
    await #expect(throws: CancellationError.self) { try await app.value }
    #expect(try await file.load().count == 1)
  }
}
