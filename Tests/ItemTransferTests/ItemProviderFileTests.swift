// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited) struct ItemProviderFileTests {
  private func provider(_ text: String, name: String? = nil, type: UTType = .utf8PlainText) -> ItemProvider {
    let provider = ItemProvider(suggestedName: name)
    provider.register(type) { _ in Data(text.utf8) }
    return provider
  }

  private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  @Test("bytes are lent as a file with the suggested name, in a directory that is this user's alone")
  func dataAsFile() async throws {
    try await provider("Hail", name: "greeting.txt").withFile(for: .text) { file in
      #expect(file.isFileURL)
      #expect(file.lastPathComponent == "greeting.txt")
      #expect(try String(contentsOf: file, encoding: .utf8) == "Hail")
      let directory = file.deletingLastPathComponent()
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["greeting.txt"])
      let attributes = try FileManager.default.attributesOfItem(atPath: directory.path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
  }

  @Test("the file and its directory are gone when the body returns")
  func goneAfterReturn() async throws {
    let file = try await provider("Hail").withFile(for: .text) { file in
      #expect(exists(file))
      return file
    }
    #expect(!exists(file))
    #expect(!exists(file.deletingLastPathComponent()))
  }

  @Test("the file and its directory are gone when the body throws, and its error passes")
  func goneAfterThrow() async throws {
    var lent: URL?
    await #expect(throws: Failure()) {
      try await provider("Hail").withFile(for: .text) { file in
        lent = file
        throw Failure()
      }
    }
    let file = try #require(lent)
    #expect(!exists(file))
    #expect(!exists(file.deletingLastPathComponent()))
  }

  @Test("the file and its directory are gone when the body is cancelled")
  func goneAfterCancellation() async throws {
    let provider = provider("Hail")
    let began = Signal()
    let task = Task {
      try await provider.withFile(for: .text) { file in
        began.send()
        await #expect(throws: CancellationError.self) { try await Task.sleep(for: .seconds(600)) }
        return file
      }
    }
    await began.wait()
    task.cancel()
    let file = try await task.value
    #expect(!exists(file.deletingLastPathComponent()))
  }

  @Test("a file that the body moves away is kept, its directory is not")
  func movedAway() async throws {
    try await withTemporaryDirectory { directory in
      let kept = directory.appendingPathComponent("kept.txt")
      let lent = try await provider("Hail").withFile(for: .text) { file in
        try FileManager.default.moveItem(at: file, to: kept)
        return file
      }
      #expect(try String(contentsOf: kept, encoding: .utf8) == "Hail")
      #expect(!exists(lent.deletingLastPathComponent()))
    }
  }

  @Test("what else the body puts into the directory goes with it")
  func additionsGo() async throws {
    let file = try await provider("Hail").withFile(for: .text) { file in
      try Data("more".utf8).write(to: file.deletingLastPathComponent().appendingPathComponent("more"))
      return file
    }
    #expect(!exists(file.deletingLastPathComponent()))
  }

  @Test("two loads get two files")
  func filesAreApart() async throws {
    let provider = provider("Hail", name: "a.txt")
    try await provider.withFile(for: .text) { first in
      try await provider.withFile(for: .text) { second in
        #expect(first != second)
        try Data("changed".utf8).write(to: second)
        #expect(try String(contentsOf: first, encoding: .utf8) == "Hail")
      }
      #expect(exists(first))
    }
  }

  @Test("no bytes make an empty file")
  func emptyFile() async throws {
    let data = try await provider("").withFile(for: .text) { try Data(contentsOf: $0) }
    #expect(data.isEmpty)
  }

  // MARK: The source's own file

  @Test("the source's file is copied: what the body does to it does not reach the source")
  func fileIsCopied() async throws {
    try await withTemporaryDirectory { directory in
      let own = directory.appendingPathComponent("own.txt")
      try Data("original".utf8).write(to: own)
      try await ItemProvider(contentsOf: own).withFile(for: .text) { file in
        #expect(file.lastPathComponent == "own.txt")
        #expect(file != own)
        try Data("changed".utf8).write(to: file)
      }
      #expect(try String(contentsOf: own, encoding: .utf8) == "original")
    }
  }

  @Test("a source's file that is a symbolic link is copied, not linked to")
  func linkIsCopied() async throws {
    try await withTemporaryDirectory { directory in
      let own = directory.appendingPathComponent("own.txt")
      try Data("original".utf8).write(to: own)
      let link = directory.appendingPathComponent("link.txt")
      try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "own.txt")
      try await ItemProvider(contentsOf: link).withFile(for: .text) { file in
        #expect(file.lastPathComponent == "link.txt")
        let type = try FileManager.default.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType
        #expect(type == .typeRegular)
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data("changed!".utf8))
        try handle.close()
      }
      #expect(try String(contentsOf: own, encoding: .utf8) == "original")
    }
  }

  @Test("a source's file that is missing is an error, and leaves nothing behind")
  func missingFile() async throws {
    let earlier = try filesUnderWay()
    let provider = ItemProvider(contentsOf: URL(fileURLWithPath: "/nowhere/at/all.png"))
    let error = try await requireProviderError(.fileUnavailable, .png) {
      try await provider.withFile(for: .image) { _ in Issue.record("the body ran") }
    }
    #expect(error.underlyingError != nil)
    try await expectNothingStays(since: earlier)
  }

  // MARK: Callers

  @MainActor @Test("an actor can use the file in its own isolation")
  func isolation() async throws {
    final class Model { var names: [String] = [] }
    let model = Model()
    try await provider("Hail", name: "a.txt").withFile(for: .text) { file in
      MainActor.assertIsolated()
      model.names.append(file.lastPathComponent)
    }
    #expect(model.names == ["a.txt"])
  }
}
