// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct InPlaceFileTests {
  private let directory: TemporaryDirectory
  private let file: URL

  init() throws {
    directory = try TemporaryDirectory()
    file = try directory.write(Data("original".utf8), to: "saga.txt")
  }

  private func provider(inPlace: Bool) -> ItemProvider {
    ItemProvider(contentsOf: file, openInPlace: inPlace)
  }

  @Test func allowedOriginalFileIsUsedAndKept() async throws {
    try await provider(inPlace: true).withInPlaceFile(for: .plainText) { received in
      #expect(received.isOriginalFile && received.file == file)
      try Data("changed".utf8).write(to: received.file)
    }
    #expect(try Data(contentsOf: file) == Data("changed".utf8))
  }

  @Test func otherFilesAndDataAreCopiedAndTheCopyIsRemoved() async throws {
    let data = ItemProvider(suggestedName: "saga.txt")
    data.register(.plainText) { _ in Data("original".utf8) }
    for provider in [provider(inPlace: false), data] {
      let copy = try await provider.withInPlaceFile(for: .plainText) { received in
        #expect(!received.isOriginalFile && received.file != file && received.file.lastPathComponent == "saga.txt")
        try Data("changed".utf8).write(to: received.file)
        return received.file
      }
      #expect(!FileManager.default.fileExists(atPath: copy.path))
    }
    #expect(try Data(contentsOf: file) == Data("original".utf8))
  }

  @Test func withFileNeverUsesTheOriginal() async throws {
    try await provider(inPlace: true).withFile(for: .plainText) { #expect($0 != file) }
  }

  @Test func fileRepresentationImportsTheOriginalIfBothSidesAllowIt() async throws {
    struct Saga: Transferable {
      var file: URL
      var isOriginal = false

      static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(contentType: .plainText, shouldAttemptToOpenInPlace: true) {
          SentTransferredFile($0.file, allowAccessingOriginalFile: true)
        } importing: {
          Saga(file: $0.file, isOriginal: $0.isOriginalFile)
        }
      }
    }
    let saga = try await ItemProvider(Saga(file: file)).value(as: Saga.self)
    #expect(saga.isOriginal && saga.file == file)
    #expect(try await !provider(inPlace: false).value(as: Saga.self).isOriginal)
  }

  @Test func exportMayAllowTheOriginalForItsClosure() async throws {
    struct Saga: Transferable {
      var file: URL

      static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(exportedContentType: .plainText, shouldAllowToOpenInPlace: true) {
          SentTransferredFile($0.file)
        }
      }
    }
    try await ItemProvider(Saga(file: file)).withInPlaceFile(for: .plainText) { #expect($0.isOriginalFile) }
  }

  @Test func typesForOpeningInPlaceAreListed() {
    #expect(provider(inPlace: true).contentTypesForOpeningInPlace == [.plainText])
    #expect(provider(inPlace: false).contentTypesForOpeningInPlace.isEmpty)
  }
}
