// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemProviderLoadingTests {
  @TaskLocal private static var whose = "nobody's"

  private func provider(_ representations: (UTType, String)...) -> ItemProvider {
    let provider = ItemProvider()
    for (type, text) in representations { provider.register(type) { _ in Data(text.utf8) } }
    return provider
  }

  private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

  // MARK: Choosing

  @Test func documentedLoaderRunsOnDemand() async throws {
    let runs = Counter()
    let provider = ItemProvider(suggestedName: "greeting.txt")
    provider.register(.utf8PlainText) { _ in
      runs.increase()
      return Data("Hail, Odysseus".utf8)
    }
    #expect(runs.count == 0)
    #expect(text(try await provider.data(for: .text)) == "Hail, Odysseus")
    #expect(runs.count == 1)
  }

  @Test func loaderRunsOnceForEachLoad() async throws {
    let runs = Counter()
    let provider = ItemProvider()
    provider.register(.png) { _ in
      runs.increase()
      return Data()
    }
    try await withThrowingTaskGroup { group in
      for _ in 0..<20 { group.addTask { _ = try await provider.data(for: .image) } }
      try await group.waitForAll()
    }
    #expect(runs.count == 20)
  }

  @Test func firstConformingRepresentationIsLoaded() async throws {
    let provider = provider((.png, "png"), (.utf8PlainText, "utf8"), (.plainText, "plain"), (.jpeg, "jpeg"))
    #expect(text(try await provider.data(for: .image)) == "png")
    #expect(text(try await provider.data(for: .jpeg)) == "jpeg")
    #expect(text(try await provider.data(for: .plainText)) == "utf8")
    #expect(text(try await provider.data(for: .data)) == "png")
    #expect(text(try await provider.data(for: .item)) == "png")
  }

  @Test func earlierConformingTypeBeatsALaterExactMatch() async throws {
    let provider = provider((.utf8PlainText, "special"), (.plainText, "exact"))
    #expect(text(try await provider.data(for: .plainText)) == "special")
  }

  @Test func supertypeOfTheRequestedTypeIsNotLoaded() async throws {
    let provider = provider((.plainText, "some text"))
    _ = try await requireProviderError(.noRepresentation, .utf8PlainText) {
      try await provider.data(for: .utf8PlainText)
    }
  }

  // MARK: Results and errors

  @Test func emptyDataIsAResult() async throws {
    let provider = provider((.png, ""))
    #expect(try await provider.data(for: .png).isEmpty)
  }

  @Test func missingRepresentationFailsWithTheRequestedType() async throws {
    let provider = ItemProvider()
    provider.register(.png) { _ in
      Issue.record("the loader ran")
      return Data()
    }
    let error = try await requireProviderError(.noRepresentation, .text) { try await provider.data(for: .text) }
    #expect(error.underlyingError == nil)
    _ = try await requireProviderError(.noRepresentation, .data) { try await ItemProvider().data(for: .data) }
    _ = try await requireProviderError(.noRepresentation, .text) { try await provider.withFile(for: .text) { $0 } }
  }

  @Test func loaderErrorIsWrappedWithTheType() async throws {
    let provider = ItemProvider()
    provider.register(.png) { _ in throw Failure() }
    let error = try await requireProviderError(.representationFailed, .png) { try await provider.data(for: .image) }
    #expect(error.underlyingError as? Failure == Failure())
    let fileError = try await requireProviderError(.representationFailed, .png) {
      try await provider.withFile(for: .image) { $0 }
    }
    #expect(fileError.underlyingError as? Failure == Failure())
  }

  @Test func failedLoadDoesNotTryTheNextRepresentation() async throws {
    let provider = ItemProvider()
    provider.register(.png) { _ in throw Failure() }
    provider.register(.jpeg) { _ in
      Issue.record("the loader ran")
      return Data()
    }
    _ = try await requireProviderError(.representationFailed, .png) { try await provider.data(for: .image) }
  }

  @Test func failedLoadCanBeRepeated() async throws {
    let runs = Counter()
    let provider = ItemProvider()
    provider.register(.png) { _ in
      runs.increase()
      if runs.count == 1 { throw Failure() }
      return Data("better".utf8)
    }
    _ = try await requireProviderError(.representationFailed, .png) { try await provider.data(for: .png) }
    #expect(text(try await provider.data(for: .png)) == "better")
  }

  @Test func errorPassesThroughASecondProviderUnchanged() async throws {
    let inner = ItemProvider()
    inner.register(.png) { _ in throw Failure() }
    let outer = ItemProvider()
    outer.register(.data) { try await inner.data(for: .png, progress: $0) }
    let error = try await requireProviderError(.representationFailed, .png) { try await outer.data(for: .data) }
    #expect(error.underlyingError as? Failure == Failure())
  }

  // MARK: Task and progress of the loader

  @Test func loaderRunsInTheCallersTaskWithItsProgress() async throws {
    let provider = ItemProvider()
    provider.register(.png) { progress in
      progress.setTotal(4)
      progress.advance(by: 3)
      return Data(Self.whose.utf8)
    }
    let progress = ItemProgress()
    let data = try await Self.$whose.withValue("mine") { try await provider.data(for: .png, progress: progress) }
    #expect(text(data) == "mine")
    #expect(progress.snapshot.completed == 4)
    #expect(progress.snapshot.total == 4)
    #expect(progress.snapshot.isFinished)
  }

  // MARK: Files as data

  @Test func fileRepresentationLoadsAsData() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("a.png")
      try Data("bytes".utf8).write(to: file)
      let provider = ItemProvider(contentsOf: file)
      #expect(text(try await provider.data(for: .image)) == "bytes")
      try Data().write(to: file)
      #expect(try await provider.data(for: .image).isEmpty)
      #expect(FileManager.default.fileExists(atPath: file.path))
    }
  }

  @Test func unreadableFileFailsWithTypeAndSystemError() async throws {
    try await withTemporaryDirectory { directory in
      for file in [directory.appendingPathComponent("missing.png"), directory] {
        let provider = ItemProvider(contentsOf: file, contentType: .png)
        let error = try await requireProviderError(.fileUnavailable, .png) { try await provider.data(for: .image) }
        #expect(error.underlyingError != nil)
      }
    }
  }

  @Test func errorOfAFileLoaderIsTheSourcesFailure() async throws {
    let provider = ItemProvider()
    provider.registerFile(.png) { _ in throw Failure() }
    let error = try await requireProviderError(.representationFailed, .png) { try await provider.data(for: .png) }
    #expect(error.underlyingError as? Failure == Failure())
  }
}
