// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct FileRepresentationTests {
  /// A value that records the URL of its file during the import.
  private struct Trace: Transferable {
    let received: ReceivedTransferredFile

    static var transferRepresentation: some TransferRepresentation {
      FileRepresentation(importedContentType: .text) { received in
        #expect(FileManager.default.fileExists(atPath: received.file.path))
        return Trace(received: received)
      }
    }
  }

  @Test func valueExportsAsItsFileAndImportsFromACopy() async throws {
    try await withTemporaryDirectory { directory in
      let own = directory.appendingPathComponent("own.txt")
      try Data("Sing, goddess".utf8).write(to: own)
      let provider = ItemProvider(Scroll(text: "", file: own), suggestedName: "iliad")
      #expect(provider.contentTypes == [.scroll])
      let scroll = try await provider.value(as: Scroll.self)
      #expect(scroll.text == "Sing, goddess")
      #expect(scroll.receivedName == "iliad.txt")
      #expect(FileManager.default.fileExists(atPath: own.path))
    }
  }

  @Test func fileLoadsAsData() async throws {
    try await withTemporaryDirectory { directory in
      let own = directory.appendingPathComponent("own.txt")
      try Data("Sing, goddess".utf8).write(to: own)
      let provider = ItemProvider(Scroll(text: "", file: own))
      #expect(try await provider.data(for: .plainText) == Data("Sing, goddess".utf8))
      try await provider.withFile(for: .plainText) { file in
        let data = try Data(contentsOf: file)
        #expect(file != own)
        #expect(data == Data("Sing, goddess".utf8))
      }
    }
  }

  @Test func dataImportsAsAFileWithNameAndExtension() async throws {
    let provider = ItemProvider(suggestedName: "odyssey")
    provider.register(.scroll) { _ in Data("Tell me, Muse".utf8) }
    let scroll = try await provider.value(as: Scroll.self)
    #expect(scroll.text == "Tell me, Muse")
    #expect(scroll.receivedName == "odyssey.txt")

    let plain = ItemProvider(suggestedName: "odyssey")
    plain.register(.plainText) { _ in Data() }
    #expect(try await plain.value(as: Trace.self).received.file.lastPathComponent == "odyssey.txt")
  }

  @Test func emptyDataImportsAsAnEmptyFile() async throws {
    let provider = ItemProvider()
    provider.register(.scroll) { _ in Data() }
    #expect(try await provider.value(as: Scroll.self).text.isEmpty)
  }

  @Test func copyIsRemovedAfterTheImport() async throws {
    let provider = ItemProvider()
    provider.register(.plainText) { _ in Data() }
    let received = try await provider.value(as: Trace.self).received
    #expect(!received.isOriginalFile)
    #expect(!FileManager.default.fileExists(atPath: received.file.deletingLastPathComponent().path))
  }

  @Test func importErrorMakesTheFileUndecodableAndLeavesNothing() async throws {
    let earlier = try filesUnderWay()
    let provider = ItemProvider()
    provider.register(.scroll) { _ in Data("illegible".utf8) }
    let error = try await requireProviderError(.undecodable, .scroll) { try await provider.value(as: Scroll.self) }
    #expect(error.underlyingError as? Failure == Failure(reason: "illegible"))
    try await expectNothingStays(since: earlier)
  }

  @Test func exportErrorIsTheSourcesFailure() async throws {
    let provider = ItemProvider(Scroll(text: "in nobody's file"))
    _ = try await requireProviderError(.representationFailed, .scroll) { try await provider.data(for: .scroll) }
    _ = try await requireProviderError(.representationFailed, .scroll) { try await provider.value(as: Scroll.self) }
  }

  @Test func missingFileIsUnavailable() async throws {
    let provider = ItemProvider(Scroll(text: "", file: URL(fileURLWithPath: "/nowhere/own.txt")))
    _ = try await requireProviderError(.fileUnavailable, .scroll) { try await provider.data(for: .scroll) }
    _ = try await requireProviderError(.fileUnavailable, .scroll) { try await provider.value(as: Scroll.self) }
  }
}
