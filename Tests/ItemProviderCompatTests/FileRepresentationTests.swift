// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ItemProviderCompat
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

/// File representations in Apple's API.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct FileRepresentationTests {
  private struct Answer: Sendable {
    var file: URL?
    var text: String?
    var isInPlace: Bool?
    var errorCode: Int?

    init(_ file: URL?, _ isInPlace: Bool?, _ error: (any Error)?) {
      self.file = file
      text = file.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
      self.isInPlace = isInPlace
      errorCode = (error as NSError?)?.code
    }
  }

  private static let unavailable = NSItemProvider.ErrorCode.itemUnavailableError.rawValue

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func loadInPlace(_ provider: NSItemProvider, _ type: UTType) async -> Answer {
    await withCheckedContinuation { continuation in
      _ = provider.loadFileRepresentation(for: type, openInPlace: true) {
        continuation.resume(returning: Answer($0, $1, $2))
      }
    }
  }

  private func load(_ provider: NSItemProvider, _ type: UTType) async -> Answer {
    await withCheckedContinuation { continuation in
      provider.loadFileRepresentation(forTypeIdentifier: type.identifier) {
        continuation.resume(returning: Answer($0, nil, $1))
      }
    }
  }

  /// Returns the text of the file at a path in a loaded folder.
  private func text(of path: String, in provider: NSItemProvider) async throws -> String {
    try await provider.withFileRepresentation(forTypeIdentifier: "public.folder") { folder in
      try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }
  }

  @Test func fileExistsUnderItsNameDuringHandler() async throws {
    let provider = provider("public.utf8-plain-text", suggestedName: "greeting", "Hail")
    let answer = await load(provider, .text)
    let file = try #require(answer.file)
    #expect(answer.text == "Hail" && file.lastPathComponent == "greeting.txt")
    try await wait(for: "the removal of the file") { !FileManager.default.fileExists(atPath: file.path) }
    let text = try await provider.withFileRepresentation(forTypeIdentifier: "public.text") { file in
      try String(contentsOf: file, encoding: .utf8)
    }
    #expect(text == "Hail")
  }

  @Test(arguments: [true, false])
  func usesOriginalFileOnlyIfAllowed(isAllowed: Bool) async throws {
    let original = try directory.write(Data("Hail".utf8), to: "greeting.txt")
    let provider = provider(.utf8PlainText, openInPlace: isAllowed) { $0(original) }
    let isOffered = provider.hasRepresentationConforming(toTypeIdentifier: "public.text", fileOptions: .openInPlace)
    #expect(
      (provider.registeredContentTypesForOpenInPlace, isOffered) == (isAllowed ? [.utf8PlainText] : [], isAllowed))
    let answer = await loadInPlace(provider, .text)
    let file = try #require(answer.file)
    #expect(answer.text == "Hail" && answer.isInPlace == isAllowed && (file.path == original.path) == isAllowed)
    // The file remains after the handler, until the receiver removes it.
    try await Task.sleep(for: .milliseconds(50))
    #expect(FileManager.default.fileExists(atPath: file.path))
    if !isAllowed { try FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
  }

  @Test func sourceMayRemoveFileAfterCompletionAndNothingStays() async {
    // This test needs a process of its own, because concurrent tests create files.
    await #expect(processExitsWith: .success) {
      let temporary = try TemporaryDirectory()
      setenv("TMPDIR", temporary.url.path, 1)
      try await FileRepresentationTests().loadRemovedFiles()
      try await wait(for: "the removal of all files") {
        try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).isEmpty
      }
    }
  }

  private func loadRemovedFiles() async throws {
    let file = provider(.utf8PlainText) { [directory] send in
      let file = directory.file(UUID().uuidString)
      try? Data("Hail".utf8).write(to: file)
      send(file)
      try? FileManager.default.removeItem(at: file)
    }
    let folder = provider(.folder) { [directory] send in
      let folder = directory.url.appendingPathComponent("Saga", isDirectory: true)
      let inside = folder.appendingPathComponent("deeds", isDirectory: true)
      try? FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
      try? Data("Hail".utf8).write(to: inside.appendingPathComponent("greeting.txt"))
      send(folder)
      try? FileManager.default.removeItem(at: folder)
    }
    for _ in 0..<10 {
      #expect(await load(file, .utf8PlainText).text == "Hail")
      let copy = await loadInPlace(file, .utf8PlainText)
      #expect(copy.text == "Hail" && copy.isInPlace == false)
      try FileManager.default.removeItem(at: try #require(copy.file).deletingLastPathComponent())
      #expect(try await file.text("public.text") == "Hail")
      var chunks = Data()
      for try await chunk in try await file.itemProvider.bytes(for: .text) { chunks += chunk }
      #expect(chunks == Data("Hail".utf8))
      #expect(try await text(of: "deeds/greeting.txt", in: folder) == "Hail")
    }
  }

  @Test func offersFolderByLinkAndRejectsUnsupportedEntries() async throws {
    let folder = directory.url.appendingPathComponent("Saga", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("Hail".utf8).write(to: folder.appendingPathComponent("greeting.txt"))
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "Saga")
    let provider = provider(.folder) { $0(link) }
    #expect(try await text(of: "greeting.txt", in: provider) == "Hail")
    #expect(mkfifo(folder.appendingPathComponent("pipe").path, 0o600) == 0)
    #expect(await load(provider, .folder).errorCode == Self.unavailable)
  }

  @Test func offersFileByURLEvenIfMissing() async throws {
    let original = try directory.write(Data("Hail".utf8), to: "greeting.txt")
    let provider = try #require(NSItemProvider(contentsOf: original))
    let isText = provider.hasItemConformingToTypeIdentifier("public.plain-text")
    #expect(isText && provider.canLoadObject(ofClass: URL.self) && provider.suggestedName == "greeting.txt")
    #expect(await load(provider, .plainText).text == "Hail")
    let missing = try #require(NSItemProvider(contentsOf: directory.file("gone.txt")))
    #expect(await load(missing, .plainText).errorCode == Self.unavailable)
    let link = try #require(NSItemProvider(contentsOf: URL(string: "https://example.org")))
    #expect(link.registeredTypeIdentifiers == ["public.url"])
  }

  @Test(arguments: ["https://example.org/etc/hostname", "pipe", "gone", "/dev/null"], [false, true])
  func rejectsURLsWithoutLocalFile(text: String, openInPlace: Bool) async throws {
    let isName = ["pipe", "gone"].contains(text)
    let file = try #require(isName ? directory.file(text) : URL(string: text))
    if text == "pipe" { #expect(mkfifo(file.path, 0o600) == 0) }
    let provider = provider(.data, openInPlace: openInPlace) { $0(file) }
    #expect(await load(provider, .data).errorCode == Self.unavailable)
    let inPlace = await withCheckedContinuation { continuation in
      provider.loadInPlaceFileRepresentation(forTypeIdentifier: "public.data") {
        continuation.resume(returning: Answer($0, $1, $2))
      }
    }
    #expect(inPlace.errorCode == Self.unavailable)
    try await requireItemError { try await provider.text("public.data") }
  }
}
