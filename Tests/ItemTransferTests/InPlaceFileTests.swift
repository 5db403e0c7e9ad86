// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite struct InPlaceFileTests {
  private let directory: TemporaryDirectory
  private let file: URL

  init() throws {
    directory = try TemporaryDirectory()
    file = try directory.write(Data("original".utf8), to: "saga.txt")
  }

  private func provider(inPlace: Bool) -> ItemProvider {
    ItemProvider(contentsOf: file, openInPlace: inPlace)
  }

  @Test("a source that allows it lends its own file, which stays")
  func original() async throws {
    try await provider(inPlace: true).withInPlaceFile(for: .plainText) { received in
      #expect(received.isOriginalFile && received.file == file)
      try Data("changed".utf8).write(to: received.file)
    }
    #expect(try Data(contentsOf: file) == Data("changed".utf8))
  }

  @Test("a source that does not, and one that has no file, lend a copy, which is gone afterwards")
  func copies() async throws {
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

  @Test("whoever asks for a file, not for the one in its place, gets a copy")
  func withFile() async throws {
    try await provider(inPlace: true).withFile(for: .plainText) { #expect($0 != file) }
  }

  @Test("a file representation imports the original where both sides want that")
  func fileRepresentation() async throws {
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

  @Test("an export may allow what its closure does not say")
  func exportAllows() async throws {
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

  @Test("which types can be opened in place is known beforehand where the source says so")
  func listed() {
    #expect(provider(inPlace: true).contentTypesForOpeningInPlace == [.plainText])
    #expect(provider(inPlace: false).contentTypesForOpeningInPlace.isEmpty)
  }

  @Test("a value that is made when it is asked for is made once for each load, in all its types")
  func lazyValue() async throws {
    let made = Counter()
    let provider = ItemProvider()
    provider.register(Hero.self, visibility: .group) { _ in
      made.increase()
      return Hero(name: "Ajax")
    }
    #expect(provider.contentTypes == Hero.exportedContentTypes() && made.count == 0)
    #expect(provider.contentTypes(visibleTo: .all).isEmpty)
    #expect(try await provider.value(as: Hero.self) == Hero(name: "Ajax"))
    #expect(try await provider.data(for: .plainText) == Data("Ajax".utf8))
    #expect(made.count == 2)
  }

  // MARK: Saving

  @Test("a saved file is the receiver's, under its name; a name that is taken is an error, and nothing is replaced")
  func saving() async throws {
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

  @Test("saving where there is no directory is an error")
  func noDirectory() async throws {
    _ = try await requireProviderError(.fileUnavailable, .plainText) {
      try await provider(inPlace: false).saveFile(for: .text, in: URL(fileURLWithPath: "/nowhere/at/all"))
    }
  }

  @Test("a copy can be run if the original can")
  func permissions() async throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: file.path)
    let permissions = try await provider(inPlace: false).withFile(for: .text) {
      try FileManager.default.attributesOfItem(atPath: $0.path)[.posixPermissions] as? Int
    }
    #expect(permissions == 0o750 || permissions == 0o700)
  }

  // MARK: Previews

  @Test("the promised preview is loaded when it is asked for, the last promise counting; else an image")
  func previews() async throws {
    let provider = provider(inPlace: false)
    _ = try await requireProviderError(.noRepresentation, .image) { try await provider.preview() }
    provider.register(.gif) { _ in Data("gif".utf8) }
    #expect(try await provider.preview() == ItemPreview(contentType: .gif, data: Data("gif".utf8)))
    let runs = Counter()
    for name in ["first", "last"] {
      provider.registerPreview(.png) { _ in
        runs.increase()
        return Data(name.utf8)
      }
    }
    #expect(runs.count == 0)
    let preview = try await provider.preview()
    #expect(preview.contentType == .png && preview.data == Data("last".utf8) && runs.count == 1)
  }
}
