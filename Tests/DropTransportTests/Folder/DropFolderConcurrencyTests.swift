// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFolderConcurrencyTests {
  @Test("two receivers into one folder do not affect each other")
  func twoReceiversIntoOneFolderDoNotAffectEachOther() async throws {
    let fixture = try FolderFixture()
    let streams = (0..<2).map { receiver in
      StreamBuilder.stream { stream in
        for number in 0..<20 { stream.item([UInt8(receiver), UInt8(number)], name: "\(receiver)-\(number)") }
      }
    }
    async let first = fixture.receive(streams[0])
    async let second = fixture.receive(streams[1])
    #expect(try await (first.count, second.count) == (20, 20))
    #expect(try fixture.names.count == 40)
    for receiver in 0..<2 {
      for number in 0..<20 {
        #expect(try fixture.content("\(receiver)-\(number)") == [UInt8(receiver), UInt8(number)])
      }
    }
  }

  @Test("at most one of several concurrent receivers publishes its files")
  func atMostOneConcurrentReceiverPublishesItsFiles() async throws {
    for _ in 0..<10 {
      let fixture = try FolderFixture()
      let winners = await withTaskGroup(of: UInt8?.self) { group in
        for receiver in UInt8(0)..<6 {
          group.addTask {
            let bytes = StreamBuilder.stream { stream in
              for name in ["a", "b", "c"] { stream.item([receiver], name: name) }
            }
            do {
              _ = try await fixture.receive(bytes)
              return receiver
            } catch {
              #expect((error as? DropStreamError)?.code == .alreadyExists)
              return nil
            }
          }
        }
        return await group.compactMap { $0 }.reduce(into: []) { $0.append($1) }
      }
      // If the receivers block each other for a moment, none succeeds. Two must never succeed.
      #expect(winners.count <= 1)
      #expect(try fixture.names == (winners.isEmpty ? [] : ["a", "b", "c"]))
      for name in try fixture.names { #expect(try fixture.content(name) == winners) }
    }
  }

  @Test("a rollback does not change files that another receiver has published since")
  func rollbackKeepsFilesThatAnotherReceiverHasPublished() async throws {
    let fixture = try FolderFixture()
    var folder = fixture.folder
    folder.collision = .replace
    for round in 0..<100 {
      try fixture.write("old", to: "a")
      // This receiver detects the directory only when it names its files.
      let failing = try StagingDirectory(in: folder)
      for (index, name) in ["a", "c"].enumerated() { try stage(name, index, "failing", in: failing) }
      try FileManager.default.createDirectory(at: fixture.file("c"), withIntermediateDirectories: false)
      let good = try StagingDirectory(in: folder)
      try stage("a", 0, "good", in: good)
      let stagings = Lock<[StagingDirectory]>([good, failing])
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        let staging = stagings.withLock { $0[number] }
        #expect(number == 0 ? (try? staging.publish()) != nil : (try? staging.publish()) == nil)
        staging.remove()
      }
      #expect(try fixture.content("a") == Array("good".utf8), "round \(round)")
      try FileManager.default.removeItem(at: fixture.file("c"))
    }
    #expect(try fixture.names == ["a"])
  }

  private func stage(_ name: String, _ index: Int, _ text: String, in staging: StagingDirectory) throws {
    guard case .files(let files) = try staging.makeItem([.init(wish: name)], index: index) else { return }
    for file in files {
      try Array(text.utf8).withUnsafeBytes { try file.append($0) }
      try staging.finish(file)
    }
  }

  @Test("a receiver that fails removes only its own files")
  func failedReceiverRemovesOnlyItsOwnFiles() async throws {
    let fixture = try FolderFixture()
    let good = StreamBuilder.stream { $0.item(name: "good") }
    var failing = StreamBuilder()
    failing.item(name: "bad")
    let pair = try DescriptorPair.pipe()
    try failing.bytes.withUnsafeBytes { try SystemCalls.writeAll(pair.write, $0) }
    let folder = fixture.folder
    let task = Task { try await folder.receive(from: pair.reader) }
    #expect(try await eventually { try !fixture.names.isEmpty })
    #expect(try await fixture.receive(good).map(\.name) == ["good"])
    try SystemCalls.close(pair.write)
    try await requireDropError(.truncated) { try await task.value }
    #expect(try fixture.names == ["good"])
  }
}
