// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemProviderFileTests {
  private func provider(_ text: String, name: String? = nil, type: UTType = .utf8PlainText) -> ItemProvider {
    let provider = ItemProvider(suggestedName: name)
    provider.register(type) { _ in Data(text.utf8) }
    return provider
  }

  private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  @Test func dataLoadsAsAFileInAPrivateDirectory() async throws {
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

  @Test func fileIsRemovedWhenTheBodyReturns() async throws {
    let file = try await provider("Hail").withFile(for: .text) { file in
      #expect(exists(file))
      return file
    }
    #expect(!exists(file))
    #expect(!exists(file.deletingLastPathComponent()))
  }

  @Test func fileIsRemovedWhenTheBodyThrows() async throws {
    var copy: URL?
    await #expect(throws: Failure()) {
      try await provider("Hail").withFile(for: .text) { file in
        copy = file
        throw Failure()
      }
    }
    let file = try #require(copy)
    #expect(!exists(file))
    #expect(!exists(file.deletingLastPathComponent()))
  }

  @Test func fileIsRemovedWhenTheBodyIsCancelled() async throws {
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

  @Test func movedFileIsKeptAndItsDirectoryRemoved() async throws {
    try await withTemporaryDirectory { directory in
      let kept = directory.appendingPathComponent("kept.txt")
      let copy = try await provider("Hail").withFile(for: .text) { file in
        try FileManager.default.moveItem(at: file, to: kept)
        return file
      }
      #expect(try String(contentsOf: kept, encoding: .utf8) == "Hail")
      #expect(!exists(copy.deletingLastPathComponent()))
    }
  }

  @Test func filesAddedToTheDirectoryAreRemoved() async throws {
    let file = try await provider("Hail").withFile(for: .text) { file in
      try Data("more".utf8).write(to: file.deletingLastPathComponent().appendingPathComponent("more"))
      return file
    }
    #expect(!exists(file.deletingLastPathComponent()))
  }

  @Test func twoLoadsGetTwoFiles() async throws {
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

  @Test func emptyDataCreatesAnEmptyFile() async throws {
    let data = try await provider("").withFile(for: .text) { try Data(contentsOf: $0) }
    #expect(data.isEmpty)
  }

  // MARK: The source's own file

  @Test func sourceFileIsCopied() async throws {
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

  @Test func symbolicLinkIsCopiedAsItsTarget() async throws {
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

  @Test func missingSourceFileFailsAndLeavesNothing() async throws {
    let earlier = try filesUnderWay()
    let provider = ItemProvider(contentsOf: URL(fileURLWithPath: "/nowhere/at/all.png"))
    let error = try await requireProviderError(.fileUnavailable, .png) {
      try await provider.withFile(for: .image) { _ in Issue.record("the body ran") }
    }
    #expect(error.underlyingError != nil)
    try await expectNothingStays(since: earlier)
  }

  // MARK: Callers

  @MainActor @Test func bodyRunsInTheIsolationOfAnActor() async throws {
    final class Model { var names: [String] = [] }
    let model = Model()
    try await provider("Hail", name: "a.txt").withFile(for: .text) { file in
      MainActor.assertIsolated()
      model.names.append(file.lastPathComponent)
    }
    #expect(model.names == ["a.txt"])
  }
}

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct SavedFileTests {
  private let directory: TemporaryDirectory
  private let file: URL

  init() throws {
    directory = try TemporaryDirectory()
    file = try directory.write(Data("original".utf8), to: "saga.txt")
  }

  private func provider(inPlace: Bool) -> ItemProvider {
    ItemProvider(contentsOf: file, openInPlace: inPlace)
  }

  @Test func savedFileNeverReplacesAnExistingOne() async throws {
    let target = try TemporaryDirectory()
    let saved = try await provider(inPlace: true).saveFile(for: .text, in: target.url)
    #expect(saved.lastPathComponent == "saga.txt")
    #expect(try Data(contentsOf: saved) == Data("original".utf8))
    try Data("mine".utf8).write(to: saved)
    let error = try await requireProviderError(.fileUnavailable, .plainText) {
      try await provider(inPlace: false).saveFile(for: .text, in: target.url)
    }
    #expect("\(error)".contains("File exists") && "\(error)".contains(saved.path))
    #expect(try Data(contentsOf: saved) == Data("mine".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: target.url.path) == ["saga.txt"])
  }

  @Test func savingIntoAMissingDirectoryFails() async throws {
    _ = try await requireProviderError(.fileUnavailable, .plainText) {
      try await provider(inPlace: false).saveFile(for: .text, in: URL(fileURLWithPath: "/nowhere/at/all"))
    }
  }

  @Test func copyOfAnExecutableIsExecutable() async throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: file.path)
    let permissions = try await provider(inPlace: false).withFile(for: .text) {
      try FileManager.default.attributesOfItem(atPath: $0.path)[.posixPermissions] as? Int
    }
    #expect(permissions == 0o750 || permissions == 0o700)
  }
}
