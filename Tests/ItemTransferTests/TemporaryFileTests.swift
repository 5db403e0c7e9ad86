// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited) struct TemporaryFileTests {
  private func name(_ suggestion: String?, _ type: UTType = .png) -> String {
    TemporaryFile.fileName(suggestedName: suggestion, contentType: type)
  }

  private func materialize(_ content: ItemContent, name: String?, type: UTType = .png) async throws -> TemporaryFile {
    try await ItemRepresentation(contentType: type) { _ in content }
      .temporaryFile(suggestedName: name, progress: ItemProgress())
  }

  // MARK: Names

  @Test("a suggested name with an extension is taken as it is")
  func suggestedName() {
    #expect(name("a.png") == "a.png")
    #expect(name("a.jpeg") == "a.jpeg")
    #expect(name("archive.tar.gz") == "archive.tar.gz")
    #expect(name(".hidden") == ".hidden")
  }

  @Test("a suggested name without an extension gets its type's, where that has one")
  func addsExtension() {
    #expect(name("picture") == "picture.png")
    #expect(name("picture", .image) == "picture")
    #expect(name("x", UTType(importedAs: "org.example.tests.undeclared")) == "x")
  }

  @Test("of a type that has no extension, the nearest type it conforms to says it")
  func inheritsExtension() {
    #expect(UTType.utf8PlainText.preferredFilenameExtension == nil)
    #expect(name("greeting", .utf8PlainText) == "greeting.txt")
    #expect(name("x", UTType(exportedAs: "org.example.tests.report", conformingTo: .json)) == "x.json")
  }

  @Test("without a name there is a plain one")
  func noName() {
    #expect(name(nil) == "item.png")
    #expect(name("") == "item.png")
    #expect(name(nil, .image) == "item")
  }

  @Test(
    "a name that could lead elsewhere is replaced",
    arguments: ["../../x", "/etc/passwd", "a/b.png", "a/", "/", ".", "..", "../", "a\u{0}.png", "\u{0}", "./a.png"])
  func hostileName(suggestion: String) {
    #expect(name(suggestion) == "item.png")
  }

  @Test(
    "what joins or parts letters and emoji belongs to a name, as in a folder",
    arguments: [
      "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}.png",
      "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}.png", "\u{915}\u{94D}\u{200D}\u{937}.png",
    ])
  func joiners(suggestion: String) {
    #expect(name(suggestion) == suggestion)
  }

  @Test("a name is as long as file systems allow at most")
  func longNames() {
    let longest = String(repeating: "x", count: 255)
    #expect(name(longest) == longest)
    #expect(name(longest + "x") == "item.png")
    #expect(name(String(repeating: "\u{1F9B8}", count: 64)) == "item.png")
    #expect(name(String(repeating: "x", count: 251)).utf8.count == 255)
    #expect(name(String(repeating: "x", count: 252)).utf8.count == 252)
  }

  @Test(
    "a name that is odd but plain stays, and stays in the directory",
    arguments: [
      "~", "~root", "a%2Fb.png", "%2e%2e", "a?b#c.png", "a b.png", " ", "-rf", "a\\b.png", "C:x.png",
      "caf\u{E9}.png", "cafe\u{301}.png", "\u{1F9B8}.png", "...", "file:x.png", "a;b&c|d.png", "$HOME.png",
    ])
  func oddName(suggestion: String) async throws {
    let file = try await materialize(.data(Data("x".utf8)), name: suggestion, type: .image)
    try await file.lend { url in
      let directory = url.deletingLastPathComponent()
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      #expect(names.map { Array($0.utf8) } == [Array(suggestion.utf8)])
      #expect(directory.lastPathComponent.hasPrefix("dragpipe-"))
      #expect(try Data(contentsOf: url) == Data("x".utf8))
    }
    #expect(!FileManager.default.fileExists(atPath: file.url.deletingLastPathComponent().path))
  }

  // MARK: Lifetimes

  @Test("a file and its directory are removed after the body, whether it returns or throws")
  func lend() async throws {
    let file = try await materialize(.data(Data("x".utf8)), name: "a.png")
    #expect(try await file.lend { try Data(contentsOf: $0) } == Data("x".utf8))
    #expect(!FileManager.default.fileExists(atPath: file.url.deletingLastPathComponent().path))

    let other = try await materialize(.data(Data()), name: "a.png")
    await #expect(throws: Failure()) { try await other.lend { _ in throw Failure() } }
    #expect(!FileManager.default.fileExists(atPath: other.url.deletingLastPathComponent().path))
  }

  @Test("a file that is gone already is no error")
  func goneAlready() async throws {
    let file = try await materialize(.data(Data()), name: "a.png")
    try await file.lend { try FileManager.default.removeItem(at: $0.deletingLastPathComponent()) }
  }

  @Test("the copy of a file that cannot be had leaves nothing behind")
  func failedCopy() async throws {
    let earlier = try filesUnderWay()
    let sent = SentTransferredFile(URL(fileURLWithPath: "/nowhere/a.png"))
    await #expect(throws: (any Error).self) { try await materialize(.file(sent), name: "a.png") }
    try await expectNothingStays(since: earlier)
  }

  @Test("a directory is copied with what is in it")
  func directories() async throws {
    try await withTemporaryDirectory { directory in
      try Data("x".utf8).write(to: directory.appendingPathComponent("inside"))
      let file = try await materialize(.file(SentTransferredFile(directory)), name: "folder", type: .folder)
      let copied = try await file.lend { try Data(contentsOf: $0.appendingPathComponent("inside")) }
      #expect(copied == Data("x".utf8))
      #expect(FileManager.default.fileExists(atPath: directory.appendingPathComponent("inside").path))
    }
  }

  @Test("no descriptor stays open")
  func descriptors() async {
    // Alone: tests beside this one have some open, too.
    await #expect(processExitsWith: .success) { try await TemporaryFileTests().lendOften() }
  }

  private func lendOften() async throws {
    try await withTemporaryDirectory { directory in
      let own = directory.appendingPathComponent("own.png")
      try Data(count: 100_000).write(to: own)
      let before = try openDescriptorCount()
      for _ in 0..<200 {
        try await materialize(.file(SentTransferredFile(own)), name: nil).lend { _ in }
        try await materialize(.data(Data(count: 10)), name: nil).lend { _ in }
      }
      #expect(try openDescriptorCount() < before + 20)
    }
  }
}
