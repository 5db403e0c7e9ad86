// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing

@testable import DropScenes

/// Apps in which each window is a process.
///
/// Some of the windows misbehave.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct SceneHostTests {
  /// The number of errors that an app's `onFailure` receives.
  final class Failures: Sendable {
    let count = Lock(0)
  }

  static let kinds = ["Well", "Slow", "Deaf", "Mute", "Dying"].map { SceneConfiguration(name: $0) }
  static let show = "org.example.tests.show"

  static var router: SceneRouter {
    SceneRouter(
      manifest: SceneManifest(configurations: kinds, activityTypes: [show]), configurationNames: [show: "Well"])
  }

  /// The window program that was built with these tests.
  static let program: @Sendable (SceneSession) -> [String] = { session in
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let probe = URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("SceneProbe").path
    return [probe, session.configurationName]
  }

  static func run<Result: Sendable>(
    restoration: SceneRestorationFile? = nil, opening: Duration = .seconds(60), failures: Failures = Failures(),
    _ body: @escaping @Sendable (SceneHost) async throws -> Result
  ) async throws -> Result {
    let timeouts = SceneHost.Timeouts(opening: opening, closing: .milliseconds(500))
    return try await SceneHost.run(
      router: router, restoration: restoration, timeouts: timeouts, opening: program,
      onFailure: { _ in failures.count.withLock { $0 += 1 } }, body)
  }

  static func kind(_ name: String) -> SceneConfiguration { SceneConfiguration(name: name) }

  /// Waits until the state of a window satisfies a condition; records an issue if the app ends first.
  static func wait(
    _ host: SceneHost, _ id: SceneSession.ID, sourceLocation: SourceLocation = #_sourceLocation,
    until isSo: (HostedScene?) -> Bool
  ) async throws {
    for try await change in host.changes where isSo(change.elements.first { $0.id == id }) { return }
    Issue.record("the app has ended", sourceLocation: sourceLocation)
  }

  static func wait(
    _ host: SceneHost, _ scene: HostedScene, for line: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await wait(host, scene.id, sourceLocation: sourceLocation) { $0?.content.contains(line) ?? false }
  }

  @Test func keyWindowReceivesInputAndCloses() async throws {
    try await Self.run { host in
      let one = try await host.open(Self.kind("Well"))
      let two = try await host.open(Self.kind("Well"))
      try await Self.wait(host, one, for: "not key")
      #expect(host.scenes.map(\.isKey) == [false, true])
      try await host.sendInput("hail")
      try await Self.wait(host, two, for: "typed hail")
      // Input may also go to another window, which does not become the key window.
      try await host.sendInput("ave", to: one.id)
      try await Self.wait(host, one, for: "typed ave")
      #expect(host.scenes.map(\.isKey) == [false, true])
      await host.close(two.id)
      await #expect(throws: SceneHostError.self) { try await host.sendInput("ave", to: two.id) }
      #expect(host.scenes.map(\.id) == [one.id])
      #expect(two.processIdentifier.map { kill($0, 0) } == -1)
      #expect(host.scenes.map(\.isKey) == [true])
      await host.close(two.id)
    }
  }

  @Test func deadWindowIsReported() async throws {
    let failures = Failures()
    try await Self.run(failures: failures) { host in
      let well = try await host.open(Self.kind("Well"))
      await #expect(throws: SceneHostError.self) { try await host.open(Self.kind("Dying")) }
      await #expect(throws: SceneRoutingError.self) { try await host.open(Self.kind("Unheard-of")) }
      #expect(host.scenes.map { $0.failure == nil } == [true, false])
      #expect(host.scenes.first?.isKey == true)
      try await host.sendInput("hail")
      try await Self.wait(host, well, for: "typed hail")
    }
    #expect(failures.count.withLock { $0 } == 1)
  }

  @Test func silentWindowTimesOut() async throws {
    let failures = Failures()
    try await Self.run(opening: .milliseconds(300), failures: failures) { host in
      await #expect(throws: SceneHostError.self) { try await host.open(Self.kind("Mute")) }
      #expect(host.scenes.map { $0.failure == nil } == [false])
    }
    #expect(failures.count.withLock { $0 } == 1)
  }

  @Test func unresponsiveWindowTimesOutWithoutDelayingOthers() async throws {
    try await Self.run { host in
      let well = try await host.open(Self.kind("Well"))
      let deaf = try await host.open(Self.kind("Deaf"))
      #expect(host.scenes.map(\.isKey) == [false, true])
      await host.makeKey(well.id)
      await host.refresh(deaf.id)
      try await host.sendInput("drag Deaf")
      try await Self.wait(host, well, for: "! this window does not accept drops")
      await host.close(deaf.id)
      #expect(host.scenes.map(\.id) == [well.id])
    }
  }

  @Test func closingWhileOpeningIsReported() async throws {
    try await Self.run { host in
      let opening = Task { try await host.open(Self.kind("Mute")) }
      while host.scenes.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      await host.close(host.scenes[0].id)
      await #expect(throws: SceneHostError.self) { _ = try await opening.value }
      #expect(host.scenes.isEmpty)
    }
  }

  @Test func appEndsDespiteUnresponsiveAndOpeningWindows() async throws {
    let opening = Lock<Task<HostedScene, any Error>?>(nil)
    try await Self.run { host in
      try await host.open(Self.kind("Deaf"))
      let task = Task { try await host.open(Self.kind("Mute")) }
      opening.withLock { $0 = task }
      while host.scenes.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
    }
    let task = opening.withLock { $0 }
    await #expect(throws: SceneHostError.self) { _ = try await task?.value }
  }

  @Test func cancelledOpeningReturns() async throws {
    try await Self.run { host in
      let task = Task { try await host.open(Self.kind("Mute")) }
      while host.scenes.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
  }

  @Test func dropReachesTargetAndSameWindow() async throws {
    try await Self.run { host in
      let one = try await host.open(Self.kind("Well"))
      let two = try await host.open(Self.kind("Well"))
      try await host.sendInput("drag 1")
      try await Self.wait(host, one, for: "dropped 3 true")
      try await Self.wait(host, two, for: "kept 1")
      try await host.sendInput("drag 2")
      try await Self.wait(host, two, for: "dropped 3 true")
    }
  }

  @Test func forwardsValidPositionsOnly() async throws {
    try await Self.run { host in
      let target = try await host.open(Self.kind("Well"))
      let source = try await host.open(Self.kind("Well"))
      for position in [SceneTarget.positions.lowerBound, SceneTarget.positions.upperBound] {
        try await host.sendInput("drag 1 \(position)")
        try await Self.wait(host, target, for: "dropped 3 true at \(position)")
      }
      for position in [SceneTarget.positions.lowerBound - 1, SceneTarget.positions.upperBound + 1, .min, .max] {
        try await host.sendInput("drag 1 \(position)")
        try await Self.wait(host, source, for: "! position \(position) is outside the range 0 to 2147483647")
      }
    }
  }

  @Test func killedSourceLeavesTargetRunning() async throws {
    try await Self.run { host in
      let target = try await host.open(Self.kind("Slow"))
      let source = try await host.open(Self.kind("Well"))
      try await host.sendInput("drag-slowly 1")
      try await Self.wait(host, target, for: "a drop is there")
      #expect(kill(try #require(host.scene("2").processIdentifier), SIGKILL) == 0)
      try await Self.wait(host, source.id) { $0?.failure != nil }
      try await Self.wait(host, target.id) { $0?.content.contains { $0.hasPrefix("lost") } ?? false }
      try await host.sendInput("still here")
      try await Self.wait(host, target, for: "typed still here")
    }
  }

  @Test func killedTargetIsReportedToSource() async throws {
    try await Self.run { host in
      let target = try await host.open(Self.kind("Slow"))
      let source = try await host.open(Self.kind("Well"))
      try await host.sendInput("drag-slowly 1")
      try await Self.wait(host, target, for: "a drop is there")
      #expect(kill(try #require(host.scene("1").processIdentifier), SIGKILL) == 0)
      try await Self.wait(host, source, for: "! window 1 has ended")
    }
  }

  @Test func exitOfSourceIsReportedToTarget() async throws {
    try await Self.run { host in
      let target = try await host.open(Self.kind("Slow"))
      let source = try await host.open(Self.kind("Well"))
      try await host.sendInput("drag-slowly 1")
      try await Self.wait(host, target, for: "a drop is there")
      await host.close(source.id)
      try await Self.wait(host, target.id) { $0?.content.contains { $0.hasPrefix("lost") } ?? false }
    }
  }

  @Test func sanitizesStateAndKeepsNewestUpdate() async throws {
    try await Self.run { host in
      let scene = try await host.open(Self.kind("Well"))
      try await host.sendInput("title")
      try await Self.wait(host, scene, for: "titled")
      let title = try #require(host.scenes.first?.title)
      #expect(!title.contains("\u{1B}"))
      #expect(title.count == 500)
      try await host.sendInput("count")
      try await Self.wait(host, scene, for: "counted")
      #expect(host.scenes.first?.session.userInfo["count"] == 50)
    }
  }

  @Test func newWindowIsForItsContentOnly() async throws {
    try await Self.run { host in
      func activity(_ target: String) -> UserActivity {
        UserActivity(activityType: Self.show, targetContentIdentifier: target)
      }
      let one = try await host.open(activity("card/1"))
      let two = try await host.open(activity("card/2"))
      #expect(one.id != two.id)
      #expect(try await host.open(activity("card/1")).id == one.id)
      try await Self.wait(host, one, for: "again for card/1")
      // A window that has died is reopened for the next activity.
      #expect(kill(try #require(host.scene("1").processIdentifier), SIGKILL) == 0)
      #expect(try await host.open(activity("card/1")).id == one.id)
      try await Self.wait(host, one, for: "for card/1")
      #expect(host.scenes.count == 2)
    }
  }

  @Test func concurrentOpensAndClosesKeepOneKeyWindow() async throws {
    try await Self.run { host in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask {
            let scene = try await host.open(Self.kind("Well"))
            await host.makeKey(scene.id)
            if number.isMultiple(of: 2) { await host.close(scene.id) }
          }
        }
        try await group.waitForAll()
      }
      #expect(host.scenes.count == 4)
      #expect(host.scenes.count(where: \.isKey) == 1)
    }
  }
}
