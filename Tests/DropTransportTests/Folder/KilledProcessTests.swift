// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Processes that are killed at random steps of a move, or while they replace files.
@Suite(.serialized, .limited, .timeLimit(minutes: 10)) struct KilledProcessTests {
  private let directory: URL

  init() throws {
    // In memory, since the flushes of a disk would take most of the time, and a killed process does not depend on them.
    let memory = "/dev/shm"
    let parent = access(memory, W_OK) == 0 ? URL(fileURLWithPath: memory) : FileManager.default.temporaryDirectory
    directory = parent.appendingPathComponent("dragpipe-tests-\(UUID().uuidString)", isDirectory: true)
  }

  /// Calls `body` with a new directory that has the subdirectories `source` and `destination`.
  private func withWork(_ body: (Work) async throws -> Void) async throws {
    let work = Work(path: directory.path)
    defer { try? FileManager.default.removeItem(at: directory) }
    for url in [work.source, work.destination] {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    try await body(work)
  }

  /// Each file is complete at its source or at its destination.
  @Test(arguments: 0..<(isFullRun ? 300 : 6)) func killedMovesLoseNoFile(_ round: Int) async throws {
    try await withWork { work in
      var generator = SeededGenerator.announced("killed move \(round)")
      let contents = (0..<Work.fileCount).reduce(into: [String: Data]()) { contents, number in
        contents["\(number)"] = Data(pattern(Int.random(in: 1..<8000, using: &generator)))
      }
      for (name, content) in contents { try content.write(to: work.source.appendingPathComponent(name)) }
      // The steps of a move: each file is staged, is named, and is removed from the source.
      let steps = (0..<2).map { _ in Int.random(in: 0..<3 * Work.fileCount, using: &generator) }
      let victims = round % 3
      async let sender: Void = Self.send(work.path, killedAt: victims == 1 ? nil : steps[0])
      async let receiver: Void = Self.receive(work.path, killedAt: victims == 0 ? nil : steps[1])
      _ = await (sender, receiver)

      _ = try await DropFolder(path: work.destination.path).removeLeftovers()
      let (here, there) = (try work.contents(of: work.source), try work.contents(of: work.destination))
      #expect(Set(there.keys).isSubset(of: contents.keys))
      for (name, content) in contents where there[name] != content {
        if there[name] != nil { Issue.record("\(name) is incomplete at the destination") }
        if here[name] != content { Issue.record("\(name) is lost") }
      }
      print("killed move \(round): \(there.count) files arrived, \(here.count) remain; steps \(steps)")
    }
  }

  private static func send(_ path: String, killedAt step: Int?) async {
    await #expect(processExitsWith: step == nil ? .success : .signal(SIGKILL)) {
      [path = path as String, step = step as Int?] in
      let work = Work(path: path)
      let items = try work.contents(of: work.source).map { name, content in
        let file = work.source.appendingPathComponent(name)
        let item = ItemProvider(suggestedName: name)
        item.registerFile(.data, size: .exact(Int64(content.count))) { _ in
          SentTransferredFile(file)
        }
        let status = try SystemCalls.statusAt(AT_FDCWD, file.path)
        item.fileAttributes = ItemFileAttributes(permissions: nil, modificationTime: status.modificationTime)
        return item
      }
      let isServed = Gate()
      try? await DropStream.withListener(at: .unixSocket(work.socket)) { listener in
        let serving = Task {
          try await listener.serve(maximumSessionCount: 1) { session in
            work.killProcess(at: step) { $0.moveStep }
            let receipt = try await session.offer(items, allowing: .move)
            for index in receipt.keptItems {
              try SystemCalls.unlinkAt(AT_FDCWD, "\(path)/source/\(items[index].suggestedName ?? "")")
            }
          } onEnd: { _ in
            isServed.open()
          }
        }
        await isServed.wait()
        serving.cancel()
        _ = await serving.result
      }
      if step != nil { kill(getpid(), SIGKILL) }
    }
  }

  private static func receive(_ path: String, killedAt step: Int?) async {
    await #expect(processExitsWith: step == nil ? .success : .signal(SIGKILL)) {
      [path = path as String, step = step as Int?] in
      let work = Work(path: path)
      try await wait(for: "the socket of the sender") { FileManager.default.fileExists(atPath: work.socket) }
      let folder = DropFolder(path: work.destination.path)
      try? await DropStream.withSession(over: .unixSocket(work.socket)) { session in
        work.killProcess(at: step) { $0.moveStep }
        for try await drop in session.drops {
          let receipt = try await folder.receive(drop)
          try await drop.finish(.move, keeping: receipt.keptItems)
        }
      }
      if step != nil { kill(getpid(), SIGKILL) }
    }
  }

  /// Every name leads to a complete file, and every former file exists, unless all names had been given.
  @Test(arguments: 0..<(isFullRun ? 300 : 4)) func killedReceiverLosesNoFormerFile(_ round: Int) async throws {
    try await withWork { work in
      var generator = SeededGenerator.announced("killed receiver \(round)")
      let names = Work.names
      for (folder, age) in [(work.source, "newer"), (work.destination, "old")] {
        let tree = folder.appendingPathComponent("tree")
        try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: false)
        for name in names { try Work.text(age, name).write(to: folder.appendingPathComponent(name)) }
      }
      let step = Int.random(in: 0..<3 * Work.fileCount, using: &generator)
      await Self.replace(work.path, killedAt: step)

      let folder = DropFolder(path: work.destination.path)
      let leftovers = try await folder.removeLeftovers()
      #expect(leftovers.failures == [])
      let kept = Dictionary(uniqueKeysWithValues: leftovers.keptFiles.map { ($0.name, $0.path) })
      let there = try work.contents(of: work.destination)
      let old = names.count { there[$0] == Work.text("old", $0) }
      for name in names where there[name] != Work.text("old", name) {
        if there[name] != Work.text("newer", name) { Issue.record("\(name) is incomplete") }
        let former = kept[name].flatMap { try? Data(contentsOf: URL(fileURLWithPath: $0)) }
        if old > 0, former != Work.text("old", name) { Issue.record("the former \(name) is lost") }
      }
      // The files that were kept are kept by the next cleaning too, and nothing else is left.
      #expect(try await folder.removeLeftovers().keptFiles == leftovers.keptFiles)
      #expect(try leftovers.keptFiles.isEmpty == (work.stagingDirectory == nil))
      print("killed receiver \(round): \(old) former files, \(kept.count) kept; step \(step)")
    }
  }

  private static func replace(_ path: String, killedAt step: Int) async {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, step = step as Int] in
      let work = Work(path: path)
      let names = try FileManager.default.contentsOfDirectory(atPath: work.source.path)
      let items = names.map { ItemProvider(contentsOf: work.source.appendingPathComponent($0)) }
      var folder = DropFolder(path: work.destination.path)
      folder.collision = .replace
      work.killProcess(at: step) { $0.replacementStep }
      _ = try await FolderWay.pipe.receive(items, into: folder)
      kill(getpid(), SIGKILL)
    }
  }
}

/// The directories of a transfer.
private struct Work: Sendable {
  static let fileCount = 200
  /// The names of the files that are replaced; half of them are in a folder.
  static let names = (0..<fileCount).map { $0 % 2 == 0 ? "\($0)" : "tree/\($0)" }
  static func text(_ age: String, _ name: String) -> Data { Data("\(age) \(name)".utf8) }

  let path: String

  var source: URL { URL(fileURLWithPath: path + "/source", isDirectory: true) }
  var destination: URL { URL(fileURLWithPath: path + "/destination", isDirectory: true) }
  var socket: String { path + "/socket" }

  var stagingDirectory: URL? {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: destination.path).first { $0.hasPrefix(".dragpipe-") }
        .map { destination.appendingPathComponent($0) }
    }
  }

  /// Returns the files of a directory by their paths, without staging directories.
  func contents(of directory: URL) throws -> [String: Data] {
    try FileManager.default.subpathsOfDirectory(atPath: directory.path).reduce(into: [String: Data]()) {
      contents, path in
      guard !path.hasPrefix(".dragpipe-"), !path.hasSuffix("tree") else { return }
      contents[path] = try Data(contentsOf: directory.appendingPathComponent(path))
    }
  }

  private func count(_ url: URL?) -> Int {
    url.flatMap { try? FileManager.default.subpathsOfDirectory(atPath: $0.path).count { !$0.hasPrefix(".") } } ?? 0
  }

  private var stagedCount: Int { count((try? stagingDirectory) ?? nil) }

  /// The step of a move: each file is staged, gets its name, and is removed from the source.
  var moveStep: Int { stagedCount + 2 * count(destination) + Self.fileCount - count(source) }

  /// The step of a receive that replaces files: each is staged, replaces its former file, which is then removed.
  var replacementStep: Int {
    let staged = stagedCount
    let replaced = Self.names.count { name in
      let status = try? SystemCalls.statusAt(AT_FDCWD, destination.appendingPathComponent(name).path)
      return status?.size == Int64(Self.text("newer", name).count)
    }
    return replaced == Self.fileCount ? replaced + 2 * Self.fileCount - staged : staged + replaced
  }

  /// Kills this process once it has reached a step.
  func killProcess(at step: Int?, of progress: @escaping @Sendable (Work) -> Int) {
    guard let step else { return }
    BlockingExecutor.startThread {
      while progress(self) < step { usleep(100) }
      kill(getpid(), SIGKILL)
    }
  }
}
