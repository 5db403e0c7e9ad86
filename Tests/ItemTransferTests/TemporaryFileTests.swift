// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TemporaryFileTests {
  private func name(_ suggestion: String?, _ type: UTType = .png) -> String {
    TemporaryFile.fileName(suggestedName: suggestion, contentType: type)
  }

  private func materialize(_ content: ItemContent, name: String?, type: UTType = .png) async throws -> TemporaryFile {
    try await ItemRepresentation(contentType: type) { _ in content }
      .temporaryFile(suggestedName: name, progress: ItemProgress())
  }

  // MARK: Names

  @Test func suggestedNameWithExtensionIsUsed() {
    #expect(name("a.png") == "a.png")
    #expect(name("a.jpeg") == "a.jpeg")
    #expect(name("archive.tar.gz") == "archive.tar.gz")
    #expect(name(".hidden") == ".hidden")
  }

  @Test func missingExtensionIsAddedFromTheType() {
    #expect(name("picture") == "picture.png")
    #expect(name("picture", .image) == "picture")
    #expect(name("x", UTType(importedAs: "org.example.tests.undeclared")) == "x")
  }

  @Test func extensionComesFromTheNearestSupertype() {
    #expect(UTType.utf8PlainText.preferredFilenameExtension == nil)
    #expect(name("greeting", .utf8PlainText) == "greeting.txt")
    #expect(name("x", UTType(exportedAs: "org.example.tests.report", conformingTo: .json)) == "x.json")
  }

  @Test func missingNameGetsADefault() {
    #expect(name(nil) == "item.png")
    #expect(name("") == "item.png")
    #expect(name(nil, .image) == "item")
  }

  @Test(arguments: ["../../x", "/etc/passwd", "a/b.png", "a/", "/", ".", "..", "../", "a\u{0}.png", "\u{0}", "./a.png"])
  func pathLikeNameIsReplaced(suggestion: String) {
    #expect(name(suggestion) == "item.png")
  }

  @Test(arguments: [
    "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}.png",
    "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}.png", "\u{915}\u{94D}\u{200D}\u{937}.png",
  ])
  func joinersAreAllowedBetweenLettersAndEmoji(suggestion: String) {
    #expect(name(suggestion) == suggestion)
  }

  @Test func nameIsAtMost255BytesLong() {
    let longest = String(repeating: "x", count: 255)
    #expect(name(longest) == longest)
    #expect(name(longest + "x") == "item.png")
    #expect(name(String(repeating: "\u{1F9B8}", count: 64)) == "item.png")
    #expect(name(String(repeating: "x", count: 251)).utf8.count == 255)
    #expect(name(String(repeating: "x", count: 252)).utf8.count == 252)
  }

  @Test(arguments: [
    "~", "~root", "a%2Fb.png", "%2e%2e", "a?b#c.png", "a b.png", " ", "-rf", "a\\b.png", "C:x.png",
    "caf\u{E9}.png", "cafe\u{301}.png", "\u{1F9B8}.png", "...", "file:x.png", "a;b&c|d.png", "$HOME.png",
  ])
  func unusualPlainNameStaysInsideTheDirectory(suggestion: String) async throws {
    let file = try await materialize(.data(Data("x".utf8)), name: suggestion, type: .image)
    try await file.use { url in
      let directory = url.deletingLastPathComponent()
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      #expect(names.map { Array($0.utf8) } == [Array(suggestion.utf8)])
      #expect(directory.lastPathComponent.hasPrefix("dragpipe-"))
      #expect(try Data(contentsOf: url) == Data("x".utf8))
    }
    #expect(!FileManager.default.fileExists(atPath: file.url.deletingLastPathComponent().path))
  }

  // MARK: Lifetimes

  @Test func fileIsRemovedAfterUse() async throws {
    let file = try await materialize(.data(Data("x".utf8)), name: "a.png")
    #expect(try await file.use { try Data(contentsOf: $0) } == Data("x".utf8))
    #expect(!FileManager.default.fileExists(atPath: file.url.deletingLastPathComponent().path))

    let other = try await materialize(.data(Data()), name: "a.png")
    await #expect(throws: Failure()) { try await other.use { _ in throw Failure() } }
    #expect(!FileManager.default.fileExists(atPath: other.url.deletingLastPathComponent().path))
  }

  @Test func missingFileIsNotAnErrorOnRemoval() async throws {
    let file = try await materialize(.data(Data()), name: "a.png")
    try await file.use { try FileManager.default.removeItem(at: $0.deletingLastPathComponent()) }
  }

  @Test func failedCopyLeavesNothing() async throws {
    let earlier = try filesUnderWay()
    let sent = SentTransferredFile(URL(fileURLWithPath: "/nowhere/a.png"))
    await #expect(throws: (any Error).self) { try await materialize(.file(sent), name: "a.png") }
    try await expectNothingStays(since: earlier)
  }

  @Test func directoryIsCopiedWithItsContent() async throws {
    try await withTemporaryDirectory { directory in
      try Data("x".utf8).write(to: directory.appendingPathComponent("inside"))
      let file = try await materialize(.file(SentTransferredFile(directory)), name: "folder", type: .folder)
      let copied = try await file.use { try Data(contentsOf: $0.appendingPathComponent("inside")) }
      #expect(copied == Data("x".utf8))
      #expect(FileManager.default.fileExists(atPath: directory.appendingPathComponent("inside").path))
    }
  }

  @Test func noDescriptorStaysOpen() async {
    // This test needs a process of its own, because concurrent tests open descriptors.
    await #expect(processExitsWith: .success) { try await TemporaryFileTests().lendOften() }
  }

  private func lendOften() async throws {
    try await withTemporaryDirectory { directory in
      let own = directory.appendingPathComponent("own.png")
      try Data(count: 100_000).write(to: own)
      let before = try openDescriptorCount()
      for _ in 0..<200 {
        try await materialize(.file(SentTransferredFile(own)), name: nil).use { _ in }
        try await materialize(.data(Data(count: 10)), name: nil).use { _ in }
      }
      #expect(try openDescriptorCount() < before + 20)
    }
  }
}
