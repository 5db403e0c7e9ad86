// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// Temporary files and open descriptors, which a load must not leave behind.
///
/// Each test has a process of its own, because concurrent tests create files and open descriptors.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct LeftoverTests {
  /// Runs `body` with its own directory for temporary files, and waits until that directory is empty.
  private static func leavingNothing(_ body: (_ kept: URL) async throws -> Void) async throws {
    let former = ProcessInfo.processInfo.environment["TMPDIR"]
    let (kept, temporary) = (try TemporaryDirectory(), try TemporaryDirectory())
    setenv("TMPDIR", temporary.url.path, 1)
    defer { if let former { setenv("TMPDIR", former, 1) } else { unsetenv("TMPDIR") } }
    #expect(TemporaryLocation.standard.path == temporary.url.path)
    try await body(kept.url)
    let isEmpty = try await eventually { try names(in: temporary.url).isEmpty }
    // An error ends the process, and fails the test.
    guard isEmpty else { throw Failure(reason: "left behind: \(try names(in: temporary.url))") }
  }

  @Test func loadsLeaveNoTemporaryFile() async {
    await #expect(processExitsWith: .success) {
      for kind in LoadKind.allCases {
        try await LeftoverTests.leavingNothing { directory in
          let content = try await kind.load(kind.provider(), into: directory)
          #expect(content == kind.content)
          let failing = ItemProvider(of: kind.contentType) { _ in throw Failure() }
          await #expect(throws: ItemProviderError.self) { try await kind.load(failing, into: directory) }
          let missing = ItemProvider(ofFile: URL(fileURLWithPath: "/nowhere"), kind.contentType)
          await #expect(throws: ItemProviderError.self) { try await kind.load(missing, into: directory) }
        }
      }
    }
  }

  @Test func cancelledLoadsLeaveNoTemporaryFile() async {
    await #expect(processExitsWith: .success) {
      for kind in LoadKind.allCases {
        try await LeftoverTests.leavingNothing { directory in
          let waiting = Gate()
          let provider = kind.waiting(waiting)
          let load = Task { try await kind.load(provider, into: directory) }
          await waiting.wait()
          load.cancel()
          kind.expectCancelled(await load.result)

          for microseconds in 0..<60 {
            let later = ItemProvider(of: kind.contentType) { _ in
              try await Task.sleep(for: .microseconds(100))
              return kind.content
            }
            let load = Task { try await kind.load(later, into: directory) }
            try await Task.sleep(for: .microseconds(10 * microseconds))
            load.cancel()
            _ = await load.result
          }
        }
      }
    }
  }

  @Test func failedUsesOfFilesLeaveNoTemporaryFile() async {
    await #expect(processExitsWith: .success) {
      let text = ItemProvider(of: .plainText, suggestedName: "a.txt", "Hail")
      let partial = ItemProvider()
      partial.registerStream(.data) { _ in
        let made = Counter()
        return AsyncThrowingStream<Data, any Error>(unfolding: {
          defer { made.increase() }
          if made.count > 0 { throw Failure() }
          return Data("ab".utf8)
        })
      }
      let uses: [(URL) async throws -> Void] = [
        { _ in try await text.withFile(for: .text) { _ in throw Failure() } },
        { _ in try await text.withFile(for: .text) { _ in throw CancellationError() } },
        { _ = try await text.saveFile(for: .text, in: $0.appendingPathComponent("gone")) },
        { _ = try await text.saveFile(for: .text, in: $0) },
        { _ in _ = try await ItemProvider(of: .scroll, "illegible").value(as: Scroll.self) },
        { _ in try await Hero(name: "Ajax").withExportedFile(contentType: nil) { _ in throw Failure() } },
        { _ in _ = try await partial.data(for: .data) },
        { _ in try await partial.withFile(for: .data) { _ in } },
        { _ = try await partial.saveFile(for: .data, in: $0) },
        { _ in
          try await ItemProvider(of: .data, size: .exact(3)) { _ in Data("four".utf8) }.withFile(for: .data) { _ in }
        },
      ]
      for (number, use) in uses.enumerated() {
        try await LeftoverTests.leavingNothing { directory in
          try Data("mine".utf8).write(to: directory.appendingPathComponent("a.txt"))
          await #expect(throws: (any Error).self, "\(number)") { try await use(directory) }
          #expect(try names(in: directory) == ["a.txt"])
        }
      }
    }
  }

  @Test func noDescriptorStaysOpen() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      let own = try directory.write(Data(count: 100_000), to: "own.png")
      let folder = directory.url.appendingPathComponent("Tales")
      try makeTree(["a": "x", "b/c/d": "y"], at: folder)
      try Data(repeating: 1, count: 700_000).write(to: folder.appendingPathComponent("b/c/big"))
      let (file, data) = (ItemProvider(ofFile: own), ItemProvider(of: .png, "x"))
      let good = CraftedTar(CraftedTar.Entry("Tales/b/c/d", "x"))
      let bad = CraftedTar(CraftedTar.Entry("Tales/b/c/d", "x"), CraftedTar.Entry("Tales/b/c/d", "x"))

      let before = try openDescriptorCount()
      for _ in 0..<60 {
        try await file.withFile(for: .data) { _ in }
        try await data.withFile(for: .png) { _ in }
        _ = try await data.data(for: .png)
        let writer = try FolderArchiveWriter(folder: folder.path)
        #expect(throws: Failure.self) { _ = try writer.archive { throw Failure() } }
        try extract(good.bytes) { _ in }
        try requireFolderError(.malformed) { try extract(bad.bytes) { _ in } }
      }
      try await wait(for: "closed descriptors") { try openDescriptorCount() < before + 20 }
    }
  }
}
