// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing

@testable import DropScenes

/// An app in which each window is a process.
///
/// Some of the windows misbehave.
private enum TestApp {
  static let kinds = ["Well", "Slow", "Deaf", "Mute", "Dying"].map { SceneConfiguration(name: $0) }
  static let show = "org.example.tests.show"

  /// Runs the app, and returns the result and the number of errors that its `onFailure` receives.
  static func run<Result: Sendable>(
    restoration: SceneRestorationFile? = nil, opening: Duration = .seconds(60),
    _ body: @escaping @Sendable (SceneHost) async throws -> Result
  ) async throws -> (result: Result, failureCount: Int) {
    let failureCount = Lock(0)
    let router = SceneRouter(
      manifest: SceneManifest(configurations: kinds, activityTypes: [show]), configurationNames: [show: "Well"])
    let timeouts = SceneHost.Timeouts(opening: opening, closing: .milliseconds(500))
    let result = try await SceneHost.run(
      router: router, restoration: restoration, timeouts: timeouts, opening: program,
      onFailure: { _ in failureCount.withLock { $0 += 1 } }, body)
    return (result, failureCount.withLock { $0 })
  }

  /// The window program that was built with these tests.
  private static let program: @Sendable (SceneSession) -> [String] = {
    [builtProduct("SceneProbe"), $0.configurationName]
  }
}

extension SceneHost {
  fileprivate func open(_ kind: String) async throws -> HostedScene { try await open(SceneConfiguration(name: kind)) }

  /// Waits until the state of a window satisfies a condition.
  fileprivate func wait(
    for state: String, of scene: HostedScene, until isSo: @escaping @Sendable (HostedScene?) -> Bool
  ) async throws {
    try await finishing(state) {
      for try await change in self.changes where isSo(change.elements.first { $0.id == scene.id }) { return }
      throw WaitTimedOut(state, within: .zero, "the app has ended")
    }
  }

  /// Waits until a window shows a line.
  fileprivate func wait(for line: String, in scene: HostedScene) async throws {
    try await wait(for: line, of: scene) { $0?.content.contains(line) ?? false }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SceneHostTests {
  @Test func keyWindowReceivesInputAndCloses() async throws {
    _ = try await TestApp.run { host in
      let one = try await host.open("Well")
      let two = try await host.open("Well")
      try await host.wait(for: "not key", in: one)
      #expect(host.scenes.map(\.isKey) == [false, true])
      try await host.sendInput("hail")
      try await host.wait(for: "typed hail", in: two)
      // Input may also go to another window, which does not become the key window.
      try await host.sendInput("ave", to: one.id)
      try await host.wait(for: "typed ave", in: one)
      #expect(host.scenes.map(\.isKey) == [false, true])
      await host.close(two.id)
      await #expect(throws: SceneHostError.self) { try await host.sendInput("ave", to: two.id) }
      #expect(two.processIdentifier.map { kill($0, 0) } == -1)
      #expect(host.scenes.map(\.id) == [one.id] && host.scenes.first?.isKey == true)
      await host.close(two.id)
    }
  }

  @Test func deadOrSilentWindowIsReported() async throws {
    let dead = try await TestApp.run { host in
      let well = try await host.open("Well")
      await #expect(throws: SceneHostError.self) { try await host.open("Dying") }
      await #expect(throws: SceneRoutingError.self) { try await host.open("Unheard-of") }
      #expect(host.scenes.map { $0.failure == nil } == [true, false] && host.scenes.first?.isKey == true)
      try await host.sendInput("hail")
      try await host.wait(for: "typed hail", in: well)
    }
    #expect(dead.failureCount == 1)
    let silent = try await TestApp.run(opening: .milliseconds(300)) { host in
      await #expect(throws: SceneHostError.self) { try await host.open("Mute") }
      #expect(host.scenes.map { $0.failure == nil } == [false])
    }
    #expect(silent.failureCount == 1)
  }

  @Test func unresponsiveWindowTimesOutWithoutDelayingOthers() async throws {
    _ = try await TestApp.run { host in
      let well = try await host.open("Well")
      let deaf = try await host.open("Deaf")
      #expect(host.scenes.map(\.isKey) == [false, true])
      await host.makeKey(well.id)
      await host.refresh(deaf.id)
      try await host.sendInput("drag Deaf")
      try await host.wait(for: "! this window does not accept drops", in: well)
      await host.close(deaf.id)
      #expect(host.scenes.map(\.id) == [well.id])
    }
  }

  @Test(arguments: ["close", "cancel", "end of the app"]) func anOpeningEndsEarly(cause: String) async throws {
    let opening = try await TestApp.run { host in
      // The app also ends despite an unresponsive window.
      let count = cause == "end of the app" ? 1 : 0
      if count == 1 { _ = try await host.open("Deaf") }
      let opening = Task { try await host.open("Mute") }
      try await wait(for: "the opening") { host.scenes.count == count + 1 }
      switch cause {
      case "close":
        await host.close(host.scenes[0].id)
        await #expect(throws: SceneHostError.self) { try await opening.value }
        #expect(host.scenes.isEmpty)
      case "cancel":
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
      default: break
      }
      return opening
    }.result
    if cause == "end of the app" { await #expect(throws: SceneHostError.self) { try await opening.value } }
  }

  @Test func dropReachesTargetAndSameWindow() async throws {
    _ = try await TestApp.run { host in
      let one = try await host.open("Well")
      let two = try await host.open("Well")
      try await host.sendInput("drag 1")
      try await host.wait(for: "dropped 3 true", in: one)
      try await host.wait(for: "kept 1", in: two)
      try await host.sendInput("drag 2")
      try await host.wait(for: "dropped 3 true", in: two)
    }
  }

  @Test func forwardsValidPositionsOnly() async throws {
    _ = try await TestApp.run { host in
      let target = try await host.open("Well")
      let source = try await host.open("Well")
      let valid = SceneTarget.positions
      for position in [valid.lowerBound, valid.upperBound] {
        try await host.sendInput("drag 1 \(position)")
        try await host.wait(for: "dropped 3 true at \(position)", in: target)
      }
      for position in [valid.lowerBound - 1, valid.upperBound + 1, .min, .max] {
        try await host.sendInput("drag 1 \(position)")
        try await host.wait(for: "! position \(position) is outside the range 0 to 2147483647", in: source)
      }
    }
  }

  @Test(arguments: ["killed source", "closed source", "killed target"])
  func endOfAWindowDuringADropIsReportedToTheOther(event: String) async throws {
    _ = try await TestApp.run { host in
      let target = try await host.open("Slow")
      let source = try await host.open("Well")
      try await host.sendInput("drag-slowly 1")
      try await host.wait(for: "a drop is there", in: target)
      if event == "closed source" {
        await host.close(source.id)
      } else {
        let killed = try #require(host.scene(event == "killed source" ? "2" : "1").processIdentifier)
        #expect(kill(killed, SIGKILL) == 0)
      }
      guard event != "killed target" else { return try await host.wait(for: "! window 1 has ended", in: source) }
      if event == "killed source" { try await host.wait(for: "a failure", of: source) { $0?.failure != nil } }
      try await host.wait(for: "a loss", of: target) { $0?.content.contains { $0.hasPrefix("lost") } ?? false }
      try await host.sendInput("still here")
      try await host.wait(for: "typed still here", in: target)
    }
  }

  @Test func sanitizesStateAndKeepsNewestUpdate() async throws {
    _ = try await TestApp.run { host in
      let scene = try await host.open("Well")
      try await host.sendInput("title")
      try await host.wait(for: "titled", in: scene)
      let title = try #require(host.scenes.first?.title)
      #expect(!title.contains("\u{1B}") && title.count == 500)
      try await host.sendInput("count")
      try await host.wait(for: "counted", in: scene)
      #expect(host.scenes.first?.session.userInfo["count"] == 50)
    }
  }

  @Test func newWindowIsForItsContentOnly() async throws {
    _ = try await TestApp.run { host in
      func open(_ target: String) async throws -> HostedScene {
        try await host.open(UserActivity(activityType: TestApp.show, targetContentIdentifier: target))
      }
      let one = try await open("card/1")
      let same = [try await open("card/2"), try await open("card/1")].map { $0.id == one.id }
      #expect(same == [false, true])
      try await host.wait(for: "again for card/1", in: one)
      // A window that has died is reopened for the next activity.
      #expect(kill(try #require(host.scene("1").processIdentifier), SIGKILL) == 0)
      #expect(try await open("card/1").id == one.id)
      try await host.wait(for: "for card/1", in: one)
      #expect(host.scenes.count == 2)
    }
  }

  @Test func newWindowHasTheRequestedStyle() async throws {
    _ = try await TestApp.run { host in
      // The first window is only for its content.
      try await host.open(UserActivity(activityType: TestApp.show, targetContentIdentifier: "card/1"))
      try await host.sendInput("open card/2")
      try await wait(for: "the second window") { host.scenes.count == 2 }
      try await host.wait(for: "prominent", in: host.scenes[1])
      let three = try await host.open(SceneConfiguration(name: "Well"), presentationStyle: .standard)
      try await host.wait(for: "standard", in: three)
    }
    let message = SceneMessage.open(UserActivity(activityType: TestApp.show), style: .prominent)
    let text = String(decoding: try JSONEncoder().encode(message), as: UTF8.self)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(SceneMessage.self, from: Data(text.replacing("prominent", with: "huge").utf8))
    }
  }

  @Test func concurrentOpensAndClosesKeepOneKeyWindow() async throws {
    _ = try await TestApp.run { host in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let scene = try await host.open("Well")
            await host.makeKey(scene.id)
            if number.isMultiple(of: 2) { await host.close(scene.id) }
          }
        }
        try await group.waitForAll()
      }
      #expect((host.scenes.count, host.scenes.count(where: \.isKey)) == (4, 1))
    }
  }
}

/// The restoration of an app's windows in the next run.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SceneHostRestorationTests {
  private let directory: TemporaryDirectory
  private let file: SceneRestorationFile

  init() throws {
    directory = try TemporaryDirectory()
    file = SceneRestorationFile(path: directory.file("scenes.drop").path)
  }

  private func save(_ kinds: String...) async throws -> [SceneSession] {
    let sessions = kinds.map { SceneSession(SceneConfiguration(name: $0)) }
    try await file.save(sessions)
    return sessions
  }

  @Test func failingWindowsDoNotBlockOthersAndKeepSessions() async throws {
    let sessions = try await save("Well", "Dying", "Unheard-of", "Well")
    let failed = try await TestApp.run(restoration: file) { host in
      #expect(host.scenes.map(\.id) == sessions.map(\.id))
      try await host.restore()
      #expect(host.scenes.map { $0.processIdentifier != nil } == [true, false, false, true])
      await host.close(sessions[3].id)
    }
    let kept = try await file.load().map(\.id)
    #expect((failed.failureCount, kept) == (2, sessions.dropLast().map(\.id)))
  }

  @Test func silentWindowsTimeOutAndKeepSessions() async throws {
    let sessions = try await save("Mute", "Mute")
    let failed = try await TestApp.run(restoration: file, opening: .milliseconds(300)) { host in
      try await host.restore()
      #expect(host.scenes.map { $0.processIdentifier != nil } == [false, false])
    }
    let kept = try await file.load().map(\.id)
    #expect((failed.failureCount, kept) == (2, sessions.map(\.id)))
  }

  @Test func unopenedSessionsAreKept() async throws {
    let saved = try await save("Well")
    let opened = try await TestApp.run(restoration: file) { try await $0.open("Well").id }.result
    #expect(try await file.load().map(\.id) == [saved[0].id, opened])
  }

  @Test func unreadableFileIsKeptAndAppContinues() async throws {
    try directory.write(Data("no sessions".utf8), to: "scenes.drop")
    _ = try await TestApp.run(restoration: file) { host in
      await #expect(throws: SceneRestorationError.self) { try await host.restore() }
      _ = try await host.open("Well")
    }
    #expect(try Data(contentsOf: directory.file("scenes.drop")) == Data("no sessions".utf8))
  }

  @Test func cancelledAppKeepsSessions() async throws {
    let isOpen = Gate()
    let app = Task {
      try await TestApp.run(restoration: file) { host in
        _ = try await host.open("Well")
        isOpen.open()
        try await Task.sleep(for: .seconds(600))
      }
    }
    await isOpen.wait()
    app.cancel()
    await #expect(throws: CancellationError.self) { try await app.value }
    #expect(try await file.load().count == 1)
  }
}
