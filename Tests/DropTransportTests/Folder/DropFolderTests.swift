// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFolderTests {
  private let fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
  }

  @Test func filesArriveByteForByteInTheOrderOfTheItems() async throws {
    var generator = SeededGenerator.announced("folder files")
    let large = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let sparse = [1] + [UInt8](repeating: 0, count: 200_000) + [2] + [UInt8](repeating: 0, count: 5000)
    let contents: [(name: String, type: UTType, content: [UInt8], chunkLength: Int?)] = [
      ("empty", .data, [], nil), ("large.bin", .data, large, 65_536), ("note.txt", .utf8PlainText, [72, 105], nil),
      ("chunks", .data, sparse, 4096), ("whole", .data, sparse, nil),
      ("zeros", .data, [UInt8](repeating: 0, count: 8192), 4096),
    ]
    let files = try await fixture.receive(
      StreamBuilder.stream { stream in
        for (name, type, content, chunkLength) in contents {
          // Only the first representation becomes a file.
          stream.add(ReceivedItem(name, [type.identifier: content, "public.png": [1]]), chunkLength: chunkLength)
        }
      })
    #expect(files.map(\.name) == contents.map(\.name))
    #expect(files.map(\.byteCount) == contents.map { UInt64($0.content.count) })
    #expect(files.map(\.contentType) == contents.map(\.type))
    try fixture.expect(names: Set(contents.map(\.name)))
    for (name, _, content, _) in contents { #expect(try fixture.content(name) == content, "\(name)") }
  }

  @Test func stagedFilesArePrivateUntilTheEnd() async throws {
    // The file is complete, but the stream is not.
    let receive = try await StalledReceive(StreamBuilder.stream { $0.item(name: "a") }, into: fixture, staging: 1)
    let staging = try #require(try fixture.stagingName)
    try fixture.expect(names: [staging])
    #expect(try fixture.permissions(fixture.file(staging).path) == 0o700)
    #expect(try fixture.permissions(fixture.file(staging + "/0").path) == 0o600)
    try await receive.finish().expect(files: ["a"])
    try fixture.expect(names: ["a"])
  }

  @Test func filesGoToTheDirectoryThatWasOpened() async throws {
    let receive = try await StalledReceive(StreamBuilder.stream { $0.item(name: "a") }, into: fixture, staging: 1)
    let other = try TemporaryDirectory()
    let moved = fixture.url.path + "-moved"
    try FileManager.default.moveItem(atPath: fixture.url.path, toPath: moved)
    try FileManager.default.createSymbolicLink(at: fixture.url, withDestinationURL: other.url)
    _ = try await receive.finish()
    #expect(try FileManager.default.contentsOfDirectory(atPath: moved) == ["a"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.url.path) == [])
  }

  @Test func streamWithoutItemsDoesNotChangeTheFolder() async throws {
    #expect(try await fixture.receive(StreamBuilder.stream { _ in }) == [])
    try fixture.expect(names: [])
  }

  @Test func progressCountsTheBytesAndFinishes() async throws {
    let progress = ItemProgress(total: 7)
    let bytes = StreamBuilder.stream {
      $0.item([1, 2, 3], name: "a")
      $0.item([1, 2, 3, 4], name: "b")
    }
    _ = try await fixture.folder.receive(from: .descriptor(try pipe(holding: bytes)), progress: progress)
    #expect(progress.snapshot.completed == 7 && progress.snapshot.isFinished)
  }

  @Test(
    arguments: [(2, 10, nil), (1, 10, .itemLimit), (2, 9, .byteLimit)]
      as [(UInt64, UInt64, DropStreamError.Detail?)])
  func limitsOfLocalItemsAreExact(items: UInt64, bytes: UInt64, exceeded: DropStreamError.Detail?) async throws {
    var limits = DropStreamLimits()
    (limits.items, limits.bytes) = (items, bytes)
    let offered = ["a", "b"].map { textItem($0, [.plainText: "12345"]) }
    guard let exceeded else {
      _ = try await fixture.folder.receive(offered, limits: limits)
      return try fixture.expect(tree: ["a": "12345", "b": "12345"])
    }
    let error = try await requireDropError(.limitExceeded) {
      try await fixture.folder.receive(offered, limits: limits)
    }
    #expect(error.detail == exceeded)
    try fixture.expect(names: [])
  }

  @Test func missingFolderIsCreatedOnRequestAndALinkToAFolderIsUsed() async throws {
    let link = fixture.url.path + "-link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "in")
    var folder = DropFolder(path: link + "/deep")
    folder.isCreatedWhenMissing = true
    for (folder, name) in [(folder, "a"), (folder, "b"), (DropFolder(path: link), "c")] {
      let bytes = StreamBuilder.stream { $0.item([65], name: name) }
      _ = try await folder.receive(from: .descriptor(try pipe(holding: bytes)))
    }
    try fixture.expect(tree: ["deep": "-", "deep/a": "A", "deep/b": "A", "c": "A"])
  }

  @Test func cancelledLoadDoesNotAffectOtherItems() async throws {
    let isLoading = Gate()
    let stalled = ItemProvider(named: "stalled", loading: .data) { _ in
      isLoading.open()
      try await Task.sleep(for: .seconds(3600))
      return Data()
    }
    func plain(_ name: String) -> ItemProvider {
      let item = ItemProvider(suggestedName: name)
      item.register(.data, size: .exact(4)) { _ in Data("hail".utf8) }
      return item
    }
    let loads = Collector<(Int, ItemProgress)>()
    let observer = DropFolder.Observer(begin: { _, _ in }, advance: { _ in }, load: { loads.add(($0, $1)) })
    let cancelling = Task {
      await isLoading.wait()
      loads.values.last?.1.cancel()
    }
    let offered = [plain("a"), stalled, plain("b")]
    let (sent, receipt) = try await holdSession {
      try await $0.offer(offered)
    } destination: { [fixture] session in
      for try await drop in session.drops {
        let receipt = try await fixture.folder.receive(drop, observer: observer)
        try await drop.finish(.copy, keeping: receipt.keptItems)
        return receipt as DropFolder.Receipt?
      }
      return nil
    }
    await cancelling.value
    #expect(try sent.get().keptItems == [0, 2])
    let received = try #require(try receipt.get())
    #expect(received.missing.map(\.failure.kind) == [.cancelled])
    #expect(loads.values.map(\.0) == [0, 1, 2])
    #expect(loads.values.map { $0.1.snapshot.ending } == [.finished, .cancelled, .finished])
    #expect(loads.values.map { $0.1.snapshot.completed } == [4, 0, 4])
    received.expect(files: ["a", "b"], missing: ["stalled"])
    try fixture.expect(tree: ["a": "hail", "b": "hail"])
  }
}

/// Failures of a receive.
///
/// After any failure, the folder must have no new file.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFolderFailureTests {
  private let fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
  }

  private static let stream = StreamBuilder.stream {
    $0.item([1, 2, 3], name: "a")
    $0.item([4, 5], name: "b")
  }

  /// Checks that a receive fails and does not change the folder.
  @discardableResult private func expectFailure(
    _ code: DropStreamError.Code?, of bytes: [UInt8] = Self.stream, into folder: DropFolder? = nil,
    options: DropStreamOptions = DropStreamOptions(), sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> DropStreamError? {
    let before = try fixture.tree
    let error = await #expect(throws: DropStreamError.self, sourceLocation: sourceLocation) {
      try await (folder ?? fixture.folder).receive(from: .descriptor(try pipe(holding: bytes)), options: options)
    }
    let found = "\(bytes.count) bytes: \(error?.description ?? "no error")"
    #expect(code == nil || error?.code == code, "\(found)", sourceLocation: sourceLocation)
    #expect(try fixture.tree == before, "\(found)", sourceLocation: sourceLocation)
    #expect(try fixture.surroundingsAreUntouched, sourceLocation: sourceLocation)
    return error
  }

  @Test func truncatedCorruptOrTooLongStreamLeavesNoFiles() async throws {
    for length in sampled(0..<Self.stream.count, 60, "a stream cut on its way to a folder") {
      try await expectFailure(length == 0 ? .empty : .truncated, of: Array(Self.stream[..<length]))
    }
    for index in stride(from: 0, to: Self.stream.count, by: 3) {
      var damaged = Self.stream
      damaged[index] ^= 0x04
      try await expectFailure(nil, of: damaged)
    }
    try await expectFailure(.trailingBytes, of: Self.stream + Self.stream)
    let options = DropStreamOptions.setting { $0.limits.bytes = 4 }
    try await expectFailure(.limitExceeded, options: options)
    #expect(try await fixture.receive(Self.stream).count == 2)
  }

  @Test func failedSenderLeavesNoFilesAndItsReasonArrives() async throws {
    var builder = StreamBuilder()
    builder.item(name: "a")
    builder.offer(name: "b")
    builder.failure(kind: 1, reason: Array("no more".utf8))
    let error = try await expectFailure(.senderFailed, of: builder.bytes)
    #expect(error?.senderFailure == SenderFailure(kind: .failed, reason: "no more"))
  }

  @Test func cancelledReceiveLeavesNoFiles() async throws {
    let receive = try await StalledReceive(Self.stream, into: fixture, staging: 2)
    receive.task.cancel()
    try await requireDropError(.cancelled) { try await receive.task.value }
    try fixture.expect(names: [])
    _ = try? await receive.truncate()
  }

  @Test(arguments: ["file", "directory", "fifo", "link", "dangling"])
  func existingFileOfThatNameIsKept(_ kind: String) async throws {
    let path = fixture.file("b").path
    let outside = fixture.url.deletingLastPathComponent().appendingPathComponent("canary").path
    switch kind {
    case "file": try fixture.write("old", to: "b")
    case "directory": try fixture.makeDirectory("b")
    case "fifo": try makeFIFO(path)
    case "link": try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
    default: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside + "-2")
    }
    let error = try await expectFailure(.alreadyExists)
    #expect(error?.reason == "\"b\" is in \(fixture.url.path) already")
    try fixture.expect(names: ["b"])
  }

  @Test func nameTakenBeforeTheEndRollsBackAllFiles() async throws {
    let bytes = StreamBuilder.stream { stream in
      for name in ["a", "b", "c"] { stream.item(name: name) }
    }
    let receive = try await StalledReceive(bytes, into: fixture, staging: 3)
    try fixture.write("late", to: "c")
    try await requireDropError(.alreadyExists) { try await receive.finish() }
    try fixture.expect(tree: ["c": "late"])
  }

  // MARK: The folder

  @Test func unusableFolderIsRefused() async throws {
    try fixture.write("a file", to: "file")
    for path in ["missing", "file", "file/x"].map({ fixture.file($0).path }) + ["", "/proc/self"] {
      let error = try await expectFailure(.destinationUnavailable, into: DropFolder(path: path))
      #expect(error?.errorNumber != nil, "\(path)")
    }
    var folder = DropFolder(path: fixture.file("x/y").path)
    folder.isCreatedWhenMissing = true
    try await expectFailure(.destinationUnavailable, into: folder)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write anywhere")) func readOnlyFolderIsRefused() async throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: fixture.url.path)
    try await expectFailure(.destinationUnavailable)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: fixture.url.path)
  }

  @Test func folderRemovedBeforeTheEndLeavesNoFilesElsewhere() async throws {
    let receive = try await StalledReceive(Self.stream, into: fixture, staging: 2)
    try FileManager.default.removeItem(at: fixture.url)
    await #expect(throws: DropStreamError.self) { try await receive.finish() }
    #expect(!FileManager.default.fileExists(atPath: fixture.url.path))
  }
}

/// Several receivers into one folder.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFolderConcurrencyTests {
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
      for name in ["a", "c"] { try failing.stage([name], "failing") }
      try fixture.makeDirectory("c")
      let good = try StagingDirectory(in: folder)
      try good.stage(["a"], "good")
      let stagings = Lock<[StagingDirectory]>([good, failing])
      DispatchQueue.concurrentPerform(iterations: 2) { number in
        let staging = stagings.withLock { $0[number] }
        #expect(((try? staging.publication().run()) != nil) == (number == 0))
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
            try await runBlocking {
              let staging = try StagingDirectory(in: folder)
              try staging.stage(["\(task)-\(round)"])
              _ = try staging.publication().run()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try fixture.names.count == 3 * rounds)
  }
}
