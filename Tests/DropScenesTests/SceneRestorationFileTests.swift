// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropScenes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SceneRestorationFileTests {
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

  private func code() async -> SceneRestorationError.Code? {
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
    try await file.save(sessions)
    #expect(try await file.load() == sessions)
    try await file.save(Array(sessions.reversed().prefix(2)))
    #expect(try await file.load() == Array(sessions.reversed().prefix(2)))
    try await file.save([])
    #expect(try await file.load().isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["scenes.drop"])
  }

  @Test func rejectsFileTruncatedAnywhere() async throws {
    try await file.save(sessions)
    let whole = try Data(contentsOf: URL(fileURLWithPath: file.path))
    for length in stride(from: 0, to: whole.count, by: 7) {
      try whole.prefix(length).write(to: URL(fileURLWithPath: file.path))
      #expect(await code() == .corrupt, "\(length) of \(whole.count)")
    }
  }

  @Test func rejectsFileWithAnyByteChanged() async throws {
    try await file.save(sessions)
    let whole = try Data(contentsOf: URL(fileURLWithPath: file.path))
    for offset in stride(from: 0, to: whole.count, by: 11) {
      var changed = whole
      changed[offset] ^= 0x10
      try changed.write(to: URL(fileURLWithPath: file.path))
      #expect(await code() != nil, "\(offset)")
    }
  }

  @Test func rejectsNewerVersionAndOtherKinds() async throws {
    func write(_ type: UTType, _ data: Data) async throws {
      let item = ItemProvider()
      item.register(type) { _ in data }
      try await DropStream.withWriter(to: .file(file.path, replacing: true)) { try await $0.write(item) }
    }
    // {"version": 2, "scenes": []}, {"version": 1}, {"version": 1, "sessionCount": 1}
    try await write(
      .sceneRestoration, Data([0xA2, 0x67] + Array("version".utf8) + [2, 0x66] + Array("scenes".utf8) + [0x80]))
    #expect(await code() == .newerVersion)
    try await write(.sceneRestoration, Data([0xA1, 0x67] + Array("version".utf8) + [1]))
    #expect(await code() == .corrupt)
    try await write(
      .sceneRestoration,
      Data([0xA2, 0x67] + Array("version".utf8) + [1, 0x6C] + Array("sessionCount".utf8) + [1]))
    #expect(await code() == .corrupt)
    try await write(.png, Data([1]))
    #expect(await code() == .corrupt)
    try Data("no drop at all".utf8).write(to: URL(fileURLWithPath: file.path))
    #expect(await code() == .corrupt)
  }

  @Test func failedSaveKeepsPreviousFile() async throws {
    let lost = SceneRestorationFile(path: directory.file("nowhere/scenes.drop").path)
    do {
      try await lost.save(sessions)
      Issue.record("there is no such directory")
    } catch {
      #expect(error.code == .unwritable)
    }
    try FileManager.default.createDirectory(atPath: file.path, withIntermediateDirectories: false)
    #expect(await code() == .unreadable)
  }

  @Test func limitsNumberOfSessions() async throws {
    let session = sessions[0]
    let most = SceneRestorationFile.maximumSessionCount
    try await file.save(Array(repeating: session, count: most))
    #expect(try await file.load().count == most)
    do {
      try await file.save(Array(repeating: session, count: most + 1))
      Issue.record("too many")
    } catch {
      #expect(error.code == .limitExceeded)
    }
    #expect(try await file.load().count == most)
  }
}
