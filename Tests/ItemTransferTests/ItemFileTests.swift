// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

private func permissions(_ url: URL) throws -> Int? {
  try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
}

/// `withFile(for:)`, `withInPlaceFile(for:)` and `saveFile(for:in:)`.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ItemFileTests {
  private let directory: TemporaryDirectory
  /// The source's own file.
  private let own: URL

  init() throws {
    directory = try TemporaryDirectory()
    own = try directory.write(Data("original".utf8), to: "saga.txt")
  }

  private func text(of file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

  // MARK: Data as a file

  @Test func dataLoadsAsAFileInAPrivateDirectory() async throws {
    let file = try await ItemProvider(of: .utf8PlainText, suggestedName: "greeting.txt", "Hail").withFile(for: .text) {
      file in
      let directory = file.deletingLastPathComponent()
      try #expect(file.isFileURL && text(of: file) == "Hail" && names(in: directory) == ["greeting.txt"])
      try #expect(permissions(directory) == 0o700)
      return file
    }
    #expect(!exists(file) && !exists(file.deletingLastPathComponent()))
  }

  @Test func fileIsRemovedHoweverTheBodyEnds() async throws {
    let provider = ItemProvider(of: .utf8PlainText, "Hail")
    let copies = Collector<URL>()
    await #expect(throws: Failure()) {
      try await provider.withFile(for: .text) { file in
        copies.add(file)
        try Data("more".utf8).write(to: file.deletingLastPathComponent().appendingPathComponent("more"))
        throw Failure()
      }
    }
    let kept = directory.file("kept.txt")
    try await provider.withFile(for: .text) { file in
      copies.add(file)
      try FileManager.default.moveItem(at: file, to: kept)
    }
    #expect(try text(of: kept) == "Hail")
    let began = Gate()
    let task = Task {
      try await provider.withFile(for: .text) { file in
        copies.add(file)
        began.open()
        await untilCancelled()
        #expect(exists(file))
      }
    }
    await began.wait()
    task.cancel()
    try await task.value
    #expect(copies.values.count == 3 && !copies.values.contains { exists($0.deletingLastPathComponent()) })
  }

  @Test func twoLoadsGetTwoFiles() async throws {
    let provider = ItemProvider(of: .utf8PlainText, suggestedName: "a.txt", "Hail")
    try await provider.withFile(for: .text) { first in
      try await provider.withFile(for: .text) { second in
        #expect(first != second)
        try Data("changed".utf8).write(to: second)
        #expect(try text(of: first) == "Hail")
      }
      #expect(exists(first))
    }
  }

  @MainActor @Test func bodyRunsInTheIsolationOfAnActor() async throws {
    final class Model { var names: [String] = [] }
    let model = Model()
    try await ItemProvider(of: .utf8PlainText, suggestedName: "a.txt", "Hail").withFile(for: .text) { file in
      MainActor.assertIsolated()
      model.names.append(file.lastPathComponent)
    }
    #expect(model.names == ["a.txt"])
  }

  // MARK: The source's own file

  @Test func sourceFileOrItsLinkIsCopiedAsAFile() async throws {
    let link = directory.file("link.txt")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "saga.txt")
    for source in [own, link] {
      // Also if the source lets others open the original.
      try await ItemProvider(contentsOf: source, openInPlace: true).withFile(for: .text) { file in
        let type = try FileManager.default.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType
        #expect(file != source && file.lastPathComponent == source.lastPathComponent && type == .typeRegular)
        let handle = try FileHandle(forWritingTo: file)
        try handle.write(contentsOf: Data("changed!".utf8))
        try handle.close()
      }
      #expect(try text(of: own) == "original")
    }
  }

  @Test func copyHasThePermissionsOfTheFileOrOfTheLinksTarget() async throws {
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: own)
    for (source, mode) in [(link, 0o600), (own, 0o750)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: own.path)
      let copy = try await ItemProvider(ofFile: source).withFile(for: .data) { try permissions($0) }
      // The umask of this process may deny others the access.
      #expect(copy == mode || copy == mode & 0o700)
    }
  }

  @Test func missingSourceFileFails() async throws {
    let provider = ItemProvider(contentsOf: URL(fileURLWithPath: "/nowhere/at/all.png"))
    let error = try await requireProviderError(.fileUnavailable, .png) {
      try await provider.withFile(for: .image) { _ in Issue.record("the body ran") }
    }
    #expect(error.underlyingError != nil)
  }

  // MARK: In place

  @Test func allowedOriginalFileIsUsedAndKept() async throws {
    let provider = ItemProvider(contentsOf: own, openInPlace: true)
    #expect(provider.contentTypesForOpeningInPlace == [.plainText])
    try await provider.withInPlaceFile(for: .plainText) { received in
      #expect(received.isOriginalFile && received.file == own)
      try Data("changed".utf8).write(to: received.file)
    }
    #expect(try text(of: own) == "changed")
  }

  @Test func otherFilesAndDataAreCopiedAndTheCopyIsRemoved() async throws {
    let file = ItemProvider(contentsOf: own, openInPlace: false)
    #expect(file.contentTypesForOpeningInPlace.isEmpty)
    for provider in [file, ItemProvider(of: .plainText, suggestedName: "saga.txt", "original")] {
      let copy = try await provider.withInPlaceFile(for: .plainText) { received in
        #expect(!received.isOriginalFile && received.file != own && received.file.lastPathComponent == "saga.txt")
        try Data("changed".utf8).write(to: received.file)
        return received.file
      }
      #expect(!exists(copy))
    }
    #expect(try text(of: own) == "original")
  }

  @Test func fileRepresentationGivesTheOriginalIfBothSidesAllowIt() async throws {
    struct Saga: Transferable {
      var file: URL
      var isOriginal = false

      static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(contentType: .plainText, shouldAttemptToOpenInPlace: true) {
          SentTransferredFile($0.file, allowAccessingOriginalFile: true)
        } importing: {
          Saga(file: $0.file, isOriginal: $0.isOriginalFile)
        }
        FileRepresentation(exportedContentType: .html, shouldAllowToOpenInPlace: true) { SentTransferredFile($0.file) }
      }
    }
    let provider = ItemProvider(Saga(file: own))
    let saga = try await provider.value(as: Saga.self)
    #expect(saga.isOriginal && saga.file == own)
    try await provider.withInPlaceFile(for: .html) { #expect($0.isOriginalFile) }
    #expect(try await !ItemProvider(contentsOf: own, openInPlace: false).value(as: Saga.self).isOriginal)
  }

  // MARK: Saving

  @Test func savedFileNeverReplacesAFileOrALink() async throws {
    let target = try TemporaryDirectory()
    let saved = try await ItemProvider(contentsOf: own, openInPlace: true).saveFile(for: .text, in: target.url)
    #expect(try saved.lastPathComponent == "saga.txt" && text(of: saved) == "original")
    try Data("mine".utf8).write(to: saved)
    let link = target.file("dangling.txt")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "nowhere")
    for name in ["saga.txt", "dangling.txt"] {
      let error = try await requireProviderError(.fileUnavailable, .plainText) {
        try await ItemProvider(of: .plainText, suggestedName: name, "").saveFile(for: .text, in: target.url)
      }
      #expect("\(error)".contains("File exists") && "\(error)".contains(target.file(name).path))
    }
    #expect(try text(of: saved) == "mine" && names(in: target.url) == ["dangling.txt", "saga.txt"])
  }

  @Test func savingIntoAMissingDirectoryFails() async throws {
    try await requireProviderError(.fileUnavailable, .plainText) {
      try await ItemProvider(contentsOf: own).saveFile(for: .text, in: URL(fileURLWithPath: "/nowhere/at/all"))
    }
  }
}

/// Copies of contents as files with suitable names.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TemporaryFileTests {
  private func materialize(_ content: ItemContent, name: String?, type: UTType = .png) async throws -> TemporaryFile {
    try await ItemRepresentation(contentType: type) { _ in content }
      .temporaryFile(of: content, suggestedName: name, in: nil, progress: ItemProgress())
  }

  // MARK: Names

  /// The types whose names have no extension, or that of a supertype.
  private static let undeclared = UTType(importedAs: "org.example.tests.undeclared")
  private static let report = UTType(exportedAs: "org.example.tests.report", conformingTo: .json)

  @Test(
    arguments: [
      ("a.png", .png, "a.png"), ("a.jpeg", .png, "a.jpeg"), ("archive.tar.gz", .png, "archive.tar.gz"),
      (".hidden", .png, ".hidden"), ("picture", .png, "picture.png"), ("picture", .image, "picture"),
      ("x", undeclared, "x"), ("greeting", .utf8PlainText, "greeting.txt"), ("x", report, "x.json"),
      (nil, .png, "item.png"), ("", .png, "item.png"), (nil, .image, "item"),
    ] as [(String?, UTType, String)])
  func missingNameOrExtensionIsAdded(suggestion: String?, type: UTType, name: String) {
    #expect(TemporaryFile.fileName(suggestedName: suggestion, contentType: type) == name)
  }

  @Test func pathsAndTooLongNamesAreReplaced() {
    let longest = String(repeating: "x", count: 255)
    let refused = [
      "../../x", "/etc/passwd", "a/b.png", "a/", "/", ".", "..", "../", "a\u{0}.png", "\u{0}", "a\u{1B}b", "./a.png",
      longest + "x", String(repeating: "\u{1F9B8}", count: 64),
    ]
    let accepted = [
      "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}.png", "\u{915}\u{94D}\u{200D}\u{937}.png",
      "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}\u{627}\u{647}\u{645}.png", longest, String(longest.prefix(252)),
    ]
    for name in refused + accepted {
      let expected = refused.contains(name) ? "item.png" : name
      #expect(TemporaryFile.fileName(suggestedName: name, contentType: .png) == expected)
    }
    #expect(TemporaryFile.fileName(suggestedName: String(longest.prefix(251)), contentType: .png).utf8.count == 255)
  }

  @Test(arguments: [
    "~", "~root", "a%2Fb.png", "%2e%2e", "a?b#c.png", "a b.png", " ", "-rf", "a\\b.png", "C:x.png",
    "caf\u{E9}.png", "cafe\u{301}.png", "\u{1F9B8}.png", "...", "file:x.png", "a;b&c|d.png", "$HOME.png",
  ])
  func unusualPlainNameStaysInsideTheDirectory(suggestion: String) async throws {
    let file = try await materialize(.data(Data("x".utf8)), name: suggestion, type: .image)
    try await file.use { url in
      let directory = url.deletingLastPathComponent()
      try #expect(names(in: directory).map { Array($0.utf8) } == [Array(suggestion.utf8)])
      try #expect(directory.lastPathComponent.hasPrefix("dragpipe-") && Data(contentsOf: url) == Data("x".utf8))
    }
    #expect(!exists(file.url.deletingLastPathComponent()))
  }

  // MARK: Lifetimes

  @Test func missingFileIsNotAnErrorOnRemoval() async throws {
    let file = try await materialize(.data(Data()), name: "a.png")
    try await file.use { try FileManager.default.removeItem(at: $0.deletingLastPathComponent()) }
  }

  @Test func directoryIsCopiedWithItsContent() async throws {
    let directory = try TemporaryDirectory()
    let inside = try directory.write(Data("x".utf8), to: "inside")
    let file = try await materialize(.file(SentTransferredFile(directory.url)), name: "folder", type: .folder)
    let copied = try await file.use { try Data(contentsOf: $0.appendingPathComponent("inside")) }
    #expect(copied == Data("x".utf8) && exists(inside))
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TemporaryLocationTests {
  private let directory: TemporaryDirectory
  private var location: TemporaryLocation { TemporaryLocation(hiddenIn: directory.url) }

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func filesAndDirectoriesArePrivateAndUnique() throws {
    let files = try (0..<2).map { _ in try location.makeFile() }
    defer { for file in files { close(file.descriptor) } }
    let made = try (0..<2).map { _ in try location.makeDirectory() }
    let modes = try [files[0].file.path, made[0]].map { try permissions(URL(fileURLWithPath: $0)) }
    #expect(modes == [0o600, 0o700] && files[0].file.path != files[1].file.path && made[0] != made[1])
  }

  @Test func namesAreHiddenInUserDirectoriesOnly() throws {
    let hidden = URL(fileURLWithPath: try location.makeDirectory())
    let parent = hidden.deletingLastPathComponent().path
    #expect(hidden.lastPathComponent.hasPrefix(".dragpipe-") && parent == directory.url.path)
    let made = URL(fileURLWithPath: try TemporaryLocation.standard.makeDirectory())
    defer { try? FileManager.default.removeItem(at: made) }
    #expect(made.lastPathComponent.hasPrefix("dragpipe-"))
  }

  @Test func fileIsRemovedWithItsLastReference() throws {
    var file: TransientFile?
    let descriptor: CInt
    (file, descriptor) = try location.makeFile()
    close(descriptor)
    #expect(try names(in: directory.url).count == 1 && file != nil)
    file = nil
    #expect(try names(in: directory.url) == [])
  }

  @Test func directoryIsCreatedInAMovedParent() throws {
    let before = directory.url.appendingPathComponent("before", isDirectory: true)
    let after = directory.url.appendingPathComponent("after", isDirectory: true)
    try FileManager.default.createDirectory(at: before, withIntermediateDirectories: false)
    let parent = open(before.path, O_RDONLY | O_DIRECTORY)
    defer { close(parent) }
    try FileManager.default.moveItem(at: before, to: after)
    let name = try TemporaryLocation(hiddenIn: before).makeDirectory(at: parent)
    #expect(try permissions(after.appendingPathComponent(name)) == 0o700)
  }

  @Test func errorsNameTheDirectoryAndTheSetting() throws {
    let missing = TemporaryLocation(hiddenIn: URL(fileURLWithPath: "/nowhere/at/all"))
    for make in [{ _ = try missing.makeFile() }, { _ = try missing.makeDirectory() }] {
      let error = #expect(throws: FileError.self) { try make() }
      #expect(error?.description == "create /nowhere/at/all: No such file or directory")
    }
    let usual = TemporaryLocation.standard
    #expect(
      usual.error(SystemError(EACCES, in: "mkdir")).description
        == "cannot create temporary files in \(usual.path) (see TMPDIR): Permission denied")
  }
}
