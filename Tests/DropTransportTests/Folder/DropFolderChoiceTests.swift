// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// The choice of the representations that become files, and the names of these files.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFolderChoiceTests {
  private let fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
  }

  /// Returns an item with an image, a text, and aliases of the text.
  private func saga(_ aliases: UTType...) -> ItemProvider {
    let item = textItem("saga.json", [.png: "p", .json: "j"])
    for type in aliases { item.registerAlias(type, of: .json) }
    return item
  }

  /// The type of an accepted representation decides, and not the order of the source.
  @Test(arguments: FolderWay.allCases) func receivesTheMostPreferredAcceptedType(way: FolderWay) async throws {
    let item = textItem("saga.html", [.html: "h", .utf8PlainText: "t", .png: "p"])
    let receipt = try await way.receive([item], into: fixture.folder { $0.acceptedTypes = [.image, .text] })
    #expect(receipt.files.map(\.contentType) == [.png] && receipt.files.map(\.suggestedName) == ["saga.html"])
    #expect(receipt.keptItems == [0])
    // An unknown type is accepted by its stated supertypes.
    let type = UTType(exportedAs: "org.example.tests.folder-saga", conformingTo: .image)
    let unknown = try await way.receive(
      [textItem("a", [type: "s"])], into: fixture.folder { $0.acceptedTypes = [.image] })
    #expect(unknown.files.map(\.contentType) == [type])
    try fixture.expect(tree: ["saga.png": "p", "a": "s"])
  }

  @Test(arguments: FolderWay.allCases)
  func itemWithoutAnAcceptedTypeIsLeftOutAndReported(way: FolderWay) async throws {
    let made = Collector<String>()
    let audio = ItemProvider(named: "song.mp3", loading: .mp3) { _ in
      made.add("song")
      return Data([1])
    }
    let images = fixture.folder { $0.acceptedTypes = [.image] }
    let receipt = try await way.receive([audio, textItem("a.png", [.png: "p"])], into: images)
    #expect(receipt.files.map(\.itemIndex) == [1] && receipt.keptItems == [1])
    let leftOut = receipt.leftOut
    #expect(leftOut.map(\.suggestedName) == ["song.mp3"] && leftOut.map(\.contentTypes) == [[.mp3]])
    #expect(leftOut.map(\.takenName) == [nil] && !receipt.hasNothingAcceptable)
    // A session never loads the item.
    if way == .session { #expect(made.values.isEmpty) }
    #expect(try await way.receive([audio], into: images).hasNothingAcceptable)
    try fixture.expect(tree: ["a.png": "p"])
  }

  @Test(arguments: FolderWay.allCases)
  func everyRepresentationBecomesOneFileWithItsExtension(way: FolderWay) async throws {
    let item = textItem("saga.html", [.html: "h", .utf8PlainText: "t", .plainText: "u"])
    item.registerAlias(.text, of: .html)
    let all = fixture.folder { $0.keepsAllRepresentations = true }
    let unnamed = textItem(nil, [.png: "p", .gif: "g", UTType(importedAs: "org.example.unknown"): "x"])
    let receipt = try await way.receive([item, unnamed], into: all)
    receipt.expect(
      files: ["saga.html", "saga.txt", "saga-2.txt", "item-2.png", "item-2.gif", "item-2"], kept: [0, 1])
    #expect(receipt.files.map(\.itemIndex) == [0, 0, 0, 1, 1, 1])
    let texts = ["h", "t", "u", "p", "g", "x"]
    try fixture.expect(tree: Dictionary(uniqueKeysWithValues: zip(receipt.files.map(\.name), texts)))
  }

  @Test(arguments: FolderWay.allCases) func representationsThatShareTheirBytesAreKeptOnce(way: FolderWay) async throws {
    let requested = fixture.folder { $0.acceptedTypes = [.utf8PlainText] }
    #expect(try await way.receive([saga(.utf8PlainText)], into: requested).files.map(\.contentType) == [.utf8PlainText])
    try fixture.expect(tree: ["saga.txt": "j"])
    // Neither the image nor the aliases of the others are kept.
    let some = fixture.folder {
      $0.keepsAllRepresentations = true
      $0.collision = .replace
      $0.acceptedTypes = [.plainText, .html]
    }
    let item = saga(.utf8PlainText, .html)
    #expect(try await way.receive([item], into: some).files.map(\.contentType) == [.utf8PlainText])
    try fixture.expect(tree: ["saga.txt": "j"])
    var all = some
    all.acceptedTypes = []
    #expect(try await way.receive([item], into: all).files.map(\.contentType) == [.png, .json])
  }

  @Test(arguments: FolderWay.allCases) func fixedNameBelongsToOneItem(way: FolderWay) async throws {
    for collision in DropFolder.Collision.allCases {
      try await requireDropError(.duplicateName) {
        try await way.receive(
          [textItem("a", [.data: "a"]), textItem("b", [.data: "b"])],
          into: fixture.folder {
            $0.naming = .fixed("one")
            $0.collision = collision
          })
      }
      try fixture.expect(names: [])
    }
  }

  @Test(arguments: FolderWay.allCases) func derivedNamesDoNotExceedTheMaximumLength(way: FolderWay) async throws {
    let long = String(repeating: "é", count: 127)
    let all = fixture.folder { $0.keepsAllRepresentations = true }
    let receipt = try await way.receive([textItem(long, [.png: "p", .utf8PlainText: "t"])], into: all)
    receipt.expect(files: [long, String(repeating: "é", count: 125) + ".txt"])
    let tooLong = textItem(long + "xy", [.png: "p", .utf8PlainText: "t"])
    try await requireDropError(.unsafeName) { try await way.receive([tooLong], into: all) }
  }

  @Test(arguments: FolderWay.allCases) func representationThatFailsToLoadIsReported(way: FolderWay) async throws {
    let failing = ItemProvider(named: "lost.txt", loading: .utf8PlainText) { _ in throw TestFailure("no ink") }
    failing.register(.png) { _ in Data("p".utf8) }
    let receipt = try await way.receive([failing, textItem("kept.txt", [.utf8PlainText: "k"])], into: fixture.folder)
    #expect(receipt.missing.map(\.name) == ["lost.txt"] && receipt.missing.map(\.itemIndex) == [0])
    #expect(receipt.missing.map(\.contentType) == [.utf8PlainText])
    #expect(receipt.missing[0].failure.reason.contains("no ink") && receipt.keptItems == [1])
    try fixture.expect(tree: ["kept.txt": "k"])
  }

  @Test(arguments: FolderWay.allCases) func permissionsAndTimesAreRestoredOnRequest(way: FolderWay) async throws {
    let item = textItem("a", [.data: "x"])
    let time = try #require(FileTime(seconds: 1_000_000_000, nanoseconds: 123_456_789))
    item.fileAttributes = ItemFileAttributes(permissions: 0o6751, modificationTime: time)
    _ = try await way.receive([item], into: fixture.folder)
    let usual = try SystemCalls.statusAt(DropEndpoint.currentDirectory, fixture.file("a").path)
    #expect(usual.permissions & 0o6100 == 0o100 && usual.modificationTime != time)
    let preserving = fixture.folder {
      $0.collision = .replace
      $0.preservesAttributes = true
    }
    _ = try await way.receive([item], into: preserving)
    let kept = try SystemCalls.statusAt(DropEndpoint.currentDirectory, fixture.file("a").path)
    #expect(kept.permissions == 0o751 && kept.modificationTime == time)
  }

  // MARK: Folders

  @Test(arguments: FolderWay.allCases) func folderIsUnpackedMergedOrStaysAnArchive(way: FolderWay) async throws {
    let source = try FolderFixture()
    try source.makeDirectory("Tales/deep")
    try source.write("once", to: "Tales/deep/a")
    let item = ItemProvider(contentsOf: source.file("Tales"))
    try await way.receive([item], into: fixture.folder).expect(files: ["Tales"])
    try fixture.expect(tree: ["Tales": "-", "Tales/deep": "-", "Tales/deep/a": "once"])

    // An existing folder stays, or is merged.
    try await requireDropError(.alreadyExists) { try await way.receive([item], into: fixture.folder) }
    try source.write("twice", to: "Tales/deep/a")
    try source.write("new", to: "Tales/deep/b")
    try fixture.write("kept", to: "Tales/deep/c")
    _ = try await way.receive([item], into: fixture.folder { $0.collision = .replace })
    var expected = ["Tales": "-", "Tales/deep": "-"]
    for (name, content) in [("a", "twice"), ("b", "new"), ("c", "kept")] { expected["Tales/deep/\(name)"] = content }
    try fixture.expect(tree: expected)
    let archived = try await way.receive([item], into: fixture.folder { $0.unpacksFolders = false })
    archived.expect(files: ["Tales.tar"])
    #expect(try fixture.content("Tales.tar")[257..<262] == Array("ustar".utf8)[...])
  }

  @Test(arguments: FolderWay.allCases) func unknownTypeIsAFolderByItsStatedSupertypes(way: FolderWay) async throws {
    let source = try FolderFixture()
    try source.makeDirectory("deep")
    try source.write("once", to: "deep/a")
    let archives = fixture.folder { $0.unpacksFolders = false }
    _ = try await way.receive([ItemProvider(contentsOf: source.url)], into: archives)
    let archive = try fixture.content("in.tar")
    let bytes = StreamBuilder.stream { builder in
      let name = StreamBuilder.field(OfferField.suggestedName, Array("Tales".utf8))
      let type = StreamBuilder.field(OfferField.typeIdentifier, Array("org.example.stated-bundle".utf8))
      let supertype = StreamBuilder.field(OfferField.supertype, Array("com.apple.package".utf8))
      builder.offer(name + StreamBuilder.field(OfferField.representation, type + supertype))
      builder.whole(archive)
      builder.endOfItem()
    }
    try await DropStream.withReader(from: .descriptor(try pipe(holding: bytes))) { items in
      for try await item in items {
        try await way.receive([item], into: fixture.folder).expect(files: ["Tales"])
        try await way.receive([item], into: archives).expect(files: ["Tales.tar"])
      }
    }
    #expect(try fixture.tree["Tales/deep/a"] == "once" && fixture.content("Tales.tar") == archive)
  }

  @Test(arguments: FolderWay.allCases) func folderWithAnInvalidArchiveLeavesNoFiles(way: FolderWay) async throws {
    let items = [textItem("a", [.data: "x"]), textItem("Tales", [.folder: "no archive"])]
    try await requireDropError(.damaged) { try await way.receive(items, into: fixture.folder) }
    try fixture.expect(names: [])
  }
}
