// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropScenes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SceneRestorationFileTests {
  private let directory: TemporaryDirectory
  private let file: SceneRestorationFile

  init() throws {
    directory = try TemporaryDirectory()
    file = SceneRestorationFile(path: directory.file("scenes.drop").path)
  }

  private var sessions: [SceneSession] {
    (0..<3).map { number in
      var session = SceneSession(SceneConfiguration(name: number == 0 ? "Board" : "Card"))
      session.title = "Scene \(number)"
      session.userInfo = ["number": .integer(Int64(number)), "when": .date(Date(timeIntervalSinceReferenceDate: 7))]
      if number > 0 {
        session.stateRestorationActivity = UserActivity(
          activityType: "org.example.open-card", userInfo: ["cardID": .integer(Int64(number))],
          targetContentIdentifier: "card/\(number)")
        session.activationConditions = SceneActivationConditions(
          canActivate: .never, prefersToActivate: .equal(to: "card/\(number)"))
      }
      return session
    }
  }

  /// Returns the code of the error of loading a changed file.
  private func code(of data: Data? = nil) async throws -> SceneRestorationError.Code? {
    try data?.write(to: URL(fileURLWithPath: file.path))
    do {
      _ = try await file.load()
      return nil
    } catch {
      #expect(error.description.contains("scenes.drop"))
      return error.code
    }
  }

  @Test func roundTripsNewestSave() async throws {
    #expect(try await file.load().isEmpty)
    let sessions = sessions
    for saved in [sessions, sessions.reversed().dropLast(), []] {
      try await file.save(saved)
      #expect(try await file.load() == saved)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["scenes.drop"])
  }

  @Test func rejectsFileTruncatedOrChangedAnywhere() async throws {
    try await file.save(sessions)
    let whole = try Data(contentsOf: URL(fileURLWithPath: file.path))
    for length in sampled(0..<whole.count, 40, "truncated restoration file") {
      if try await code(of: whole.prefix(length)) != .corrupt { Issue.record("\(length) of \(whole.count)") }
    }
    for offset in sampled(0..<whole.count, 40, "changed restoration file") {
      var changed = whole
      changed[offset] ^= 0x10
      if try await code(of: changed) == nil { Issue.record("byte \(offset)") }
    }
  }

  @Test func rejectsNewerVersionAndOtherKinds() async throws {
    let version = [0x67] + Array("version".utf8)
    // {"version": 2, "scenes": []}, {"version": 1}, {"version": 1, "sessionCount": 1}
    for (type, content, expected) in [
      (.sceneRestoration, [0xA2] + version + [2, 0x66] + Array("scenes".utf8) + [0x80], .newerVersion),
      (.sceneRestoration, [0xA1] + version + [1], .corrupt),
      (.sceneRestoration, [0xA2] + version + [1, 0x6C] + Array("sessionCount".utf8) + [1], .corrupt),
      (.png, [1], .corrupt),
    ] as [(UTType, [UInt8], SceneRestorationError.Code)] {
      let item = ItemProvider()
      item.register(type) { _ in Data(content) }
      try await DropStream.withWriter(to: .file(file.path, replacing: true)) { try await $0.write(item) }
      #expect(try await code() == expected)
    }
    #expect(try await code(of: Data("no drop at all".utf8)) == .corrupt)
  }

  @Test func failedSaveKeepsPreviousFile() async throws {
    let lost = SceneRestorationFile(path: directory.file("nowhere/scenes.drop").path)
    let error = await #expect(throws: SceneRestorationError.self) { try await lost.save(sessions) }
    #expect(error?.code == .unwritable)
    try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
    #expect(try await code() == .unreadable)
  }

  @Test func limitsNumberOfSessions() async throws {
    let session = sessions[0]
    let most = SceneRestorationFile.maximumSessionCount
    try await file.save(Array(repeating: session, count: most))
    #expect(try await file.load().count == most)
    let error = await #expect(throws: SceneRestorationError.self) {
      try await file.save(Array(repeating: session, count: most + 1))
    }
    #expect(error?.code == .limitExceeded)
    #expect(try await file.load().count == most)
  }
}
