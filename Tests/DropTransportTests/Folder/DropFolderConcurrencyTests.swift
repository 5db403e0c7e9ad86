// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DropTransport

/// Several receivers into one folder.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFolderConcurrencyTests {
  private let fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
  }

  /// Every file is complete and from one of the receivers.
  @Test(arguments: DropFolder.Collision.allCases)
  func receiversOfTheSameNamesFollowTheirPolicy(_ collision: DropFolder.Collision) async throws {
    for _ in 0..<10 {
      let fixture = try FolderFixture()
      let folder = fixture.folder { $0.collision = collision }
      let winners = try await withThrowingTaskGroup(of: String?.self) { group in
        for receiver in 0..<6 {
          group.addTask {
            let bytes = StreamBuilder.stream { stream in
              for name in ["a", "b", "c"] { stream.item(Array("\(receiver)".utf8), name: name) }
            }
            do {
              _ = try await folder.receive(from: .descriptor(try pipe(holding: bytes)))
              return "\(receiver)"
            } catch let error as DropStreamError where error.code == .alreadyExists { return nil }
          }
        }
        return try await group.reduce(into: Set<String>()) { if let winner = $1 { $0.insert(winner) } }
      }
      let tree = try fixture.tree
      switch collision {
      case .refuse:
        // If the receivers block each other for a moment, none succeeds. Two must never succeed.
        #expect(winners.count <= 1)
        let names = winners.isEmpty ? [] : ["a", "b", "c"]
        #expect(tree == names.reduce(into: [String: String]()) { $0[$1] = winners.first })
      case .replace, .skip:
        #expect(winners.count == 6 && Set(tree.keys) == ["a", "b", "c"] && winners.isSuperset(of: tree.values))
      case .rename:
        // The names of each receiver have numbers without gaps.
        #expect(winners.count == 6)
        let numbered = ["a", "b", "c"].flatMap { name in [name] + (2...6).map { "\(name)-\($0)" } }
        #expect(Set(tree.keys) == Set(numbered) && tree.values.sorted() == winners.sorted().flatMap { [$0, $0, $0] })
      }
    }
  }

  @Test func rollbackKeepsFilesThatAnotherReceiverHasPublished() async throws {
    let folder = fixture.folder { $0.collision = .replace }
    for round in 0..<(isFullRun ? 100 : 30) {
      try fixture.write("old", to: "a")
      // This receiver detects the directory only when it names its files.
      let failing = try StagingDirectory(in: folder)
      for (index, name) in ["a", "c"].enumerated() { try failing.stage([name], index, "failing") }
      try fixture.makeDirectory("c")
      let good = try StagingDirectory(in: folder)
      try good.stage(["a"], 0, "good")
      let stagings = Lock<[StagingDirectory]>([good, failing])
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        let staging = stagings.withLock { $0[number] }
        #expect(((try? staging.publish()) != nil) == (number == 0))
        staging.remove()
      }
      try fixture.expect(tree: ["a": "good", "c": "-"], "round \(round)")
      try FileManager.default.removeItem(at: fixture.file("c"))
    }
  }

  @Test func failedReceiverRemovesOnlyItsOwnFiles() async throws {
    let failing = try await StalledReceive(StreamBuilder.stream { $0.item(name: "bad") }, into: fixture, staging: 1)
    #expect(try await fixture.receive(StreamBuilder.stream { $0.item(name: "good") }).map(\.name) == ["good"])
    try await requireDropError(.truncated) { try await failing.truncate() }
    try fixture.expect(names: ["good"])
  }

  @Test func receiversCreateDirectoriesDuringCleaning() async throws {
    let folder = fixture.folder
    let rounds = isFullRun ? 2000 : 40
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for round in 0..<rounds {
            if task == 0 {
              // A directory that is not locked yet may be removed. Its receiver then creates another.
              #expect(try await folder.removeLeftovers().remarks == [])
              continue
            }
            // Flushes to a slow disk must not delay the timeouts of other tests.
            let count = try await runBlocking {
              let staging = try StagingDirectory(in: folder)
              try staging.stage(["\(task)-\(round)"], 0)
              return try staging.publish().fileCount
            }
            #expect(count == 1)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try fixture.names.count == 3 * rounds)
  }
}
