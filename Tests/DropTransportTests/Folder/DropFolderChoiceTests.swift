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
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFolderChoiceTests {
  private var fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
  }

  @Test(
    "the most preferred accepted type is received, in any order of the source",
    arguments: FolderWay.allCases)
  func receivesTheMostPreferredAcceptedType(way: FolderWay) async throws {
    let item = textItem("saga.html", [.html: "h", .utf8PlainText: "t", .png: "p"])
    var folder = fixture.folder
    folder.acceptedTypes = [.image, .text]
    let receipt = try await way.receive([item], into: folder)
    #expect(receipt.files.map(\.contentType) == [.png])
    #expect(receipt.files.map(\.name) == ["saga.png"])
    #expect(receipt.files.map(\.suggestedName) == ["saga.html"])
    #expect(try fixture.content("saga.png") == Array("p".utf8))
    #expect(receipt.keptItems == [0])
  }

  @Test(
    "an item without an accepted type is left out and reported, and never loaded in a session",
    arguments: FolderWay.allCases)
  func itemWithoutAnAcceptedTypeIsLeftOutAndReported(way: FolderWay) async throws {
    let made = Collector<String>()
    let audio = ItemProvider(suggestedName: "song.mp3")
    audio.register(.mp3) { _ in
      made.add("song")
      return Data([1])
    }
    var folder = fixture.folder
    folder.acceptedTypes = [.image]
    let receipt = try await way.receive([audio, textItem("a.png", [.png: "p"])], into: folder)
    #expect(receipt.files.map(\.name) == ["a.png"])
    #expect(receipt.files.map(\.itemIndex) == [1])
    #expect(receipt.leftOut.map(\.suggestedName) == ["song.mp3"])
    #expect(receipt.leftOut.map(\.contentTypes) == [[.mp3]])
    #expect(receipt.leftOut.map(\.takenName) == [nil])
    #expect(receipt.keptItems == [1])
    if way == .session { #expect(made.values.isEmpty) }
    #expect(try fixture.names == ["a.png"])
  }

  @Test("each representation becomes one file with the extension of its type", arguments: FolderWay.allCases)
  func everyRepresentationBecomesOneFileWithItsExtension(way: FolderWay) async throws {
    let item = textItem("saga.html", [.html: "h", .utf8PlainText: "t", .plainText: "u"])
    item.registerAlias(.text, of: .html)
    var folder = fixture.folder
    folder.keepsAllRepresentations = true
    let receipt = try await way.receive([item, textItem(nil, [.png: "p", .gif: "g"])], into: folder)
    #expect(receipt.files.map(\.name) == ["saga.html", "saga.txt", "saga-2.txt", "item-2.png", "item-2.gif"])
    #expect(receipt.files.map(\.itemIndex) == [0, 0, 0, 1, 1])
    #expect(try fixture.content("saga-2.txt") == Array("u".utf8))
    #expect(receipt.keptItems == [0, 1])
  }

  @Test("a requested alias has the bytes of its original", arguments: FolderWay.allCases)
  func requestedAliasHasTheBytesOfItsOriginal(way: FolderWay) async throws {
    let item = ItemProvider(suggestedName: "saga.json")
    item.register(.png) { _ in Data("p".utf8) }
    item.register(.json) { _ in Data("j".utf8) }
    item.registerAlias(.utf8PlainText, of: .json)
    var folder = fixture.folder
    folder.acceptedTypes = [.utf8PlainText]
    let receipt = try await way.receive([item], into: folder)
    #expect(receipt.files.map(\.contentType) == [.utf8PlainText])
    #expect(try fixture.content(receipt.files[0].name) == Array("j".utf8))
  }

  @Test("representations that share their bytes are kept once", arguments: FolderWay.allCases)
  func representationsThatShareTheirBytesAreKeptOnce(way: FolderWay) async throws {
    let item = ItemProvider(suggestedName: "saga.json")
    item.register(.png) { _ in Data("p".utf8) }
    item.register(.json) { _ in Data("j".utf8) }
    for type in [UTType.utf8PlainText, .html] { item.registerAlias(type, of: .json) }
    var folder = fixture.folder
    folder.keepsAllRepresentations = true
    // Neither the image nor the aliases of the others are kept.
    folder.acceptedTypes = [.plainText, .html]
    #expect(try await way.receive([item], into: folder).files.map(\.contentType) == [.utf8PlainText])
    #expect(try fixture.content("saga.txt") == Array("j".utf8))
    folder.acceptedTypes = []
    folder.collision = .replace
    #expect(try await way.receive([item], into: folder).files.map(\.contentType) == [.png, .json])
  }

  @Test("a fixed name belongs to one item, with any policy for names", arguments: FolderWay.allCases)
  func fixedNameBelongsToOneItem(way: FolderWay) async throws {
    for collision in DropFolder.Collision.allCases {
      var folder = fixture.folder
      folder.naming = .fixed("one")
      folder.collision = collision
      let error = await #expect(throws: DropStreamError.self) {
        try await way.receive([textItem("a", [.data: "a"]), textItem("b", [.data: "b"])], into: folder)
      }
      #expect(error?.code == .duplicateName)
      #expect(try fixture.names == [])
    }
  }

  @Test("derived names do not exceed the maximum length", arguments: FolderWay.allCases)
  func derivedNamesDoNotExceedTheMaximumLength(way: FolderWay) async throws {
    let long = String(repeating: "é", count: 127)
    var folder = fixture.folder
    folder.keepsAllRepresentations = true
    let item = textItem(long, [.png: "p", .utf8PlainText: "t"])
    let receipt = try await way.receive([item], into: folder)
    #expect(receipt.files.map(\.name) == [long, String(repeating: "é", count: 125) + ".txt"])
    let tooLong = textItem(long + "xy", [.png: "p", .utf8PlainText: "t"])
    let error = await #expect(throws: DropStreamError.self) { try await way.receive([tooLong], into: folder) }
    #expect(error?.code == .unsafeName)
  }

  @Test("an unknown type is accepted by its stated supertypes", arguments: FolderWay.allCases)
  func unknownTypeIsAcceptedByItsStatedSupertypes(way: FolderWay) async throws {
    let type = UTType(exportedAs: "org.example.tests.folder-saga", conformingTo: .image)
    var folder = fixture.folder
    folder.acceptedTypes = [.image]
    #expect(try await way.receive([textItem("a", [type: "s"])], into: folder).files.map(\.contentType) == [type])
  }

  @Test("a representation that cannot be loaded is reported, and the others are kept", arguments: FolderWay.allCases)
  func representationThatFailsToLoadIsReported(way: FolderWay) async throws {
    let failing = ItemProvider(suggestedName: "lost.txt")
    failing.register(.utf8PlainText) { _ in throw CocoaError(.fileNoSuchFile) }
    let receipt = try await way.receive([failing, textItem("kept.txt", [.utf8PlainText: "k"])], into: fixture.folder)
    #expect(receipt.missing.map(\.name) == ["lost.txt"])
    #expect(receipt.missing.map(\.itemIndex) == [0])
    #expect(receipt.files.map(\.name) == ["kept.txt"])
    #expect(receipt.keptItems == [1])
    #expect(try fixture.names == ["kept.txt"])
  }

  @Test("permissions and times arrive, and are restored on request", arguments: FolderWay.allCases)
  func permissionsAndTimesAreRestoredOnRequest(way: FolderWay) async throws {
    let item = textItem("a", [.data: "x"])
    let time = try #require(FileTime(seconds: 1_000_000_000, nanoseconds: 123_456_789))
    item.fileAttributes = ItemFileAttributes(permissions: 0o6751, modificationTime: time)
    _ = try await way.receive([item], into: fixture.folder)
    let usual = try SystemCalls.statusAt(DropEndpoint.currentDirectory, fixture.file("a").path)
    #expect(usual.permissions & 0o6100 == 0o100)
    #expect(usual.modificationTime != time)
    var folder = fixture.folder
    folder.collision = .replace
    folder.preservesAttributes = true
    _ = try await way.receive([item], into: folder)
    let kept = try SystemCalls.statusAt(DropEndpoint.currentDirectory, fixture.file("a").path)
    #expect(kept.permissions == 0o751)
    #expect(kept.modificationTime == time)
  }

  @Test("a folder is unpacked, or stays an archive", arguments: FolderWay.allCases)
  func folderIsUnpackedOrStaysAnArchive(way: FolderWay) async throws {
    let source = try TemporaryDirectory()
    let tales = source.url.appendingPathComponent("Tales", isDirectory: true)
    try FileManager.default.createDirectory(at: tales.appendingPathComponent("deep"), withIntermediateDirectories: true)
    try Data("once".utf8).write(to: tales.appendingPathComponent("deep/a"))
    let item = ItemProvider(contentsOf: tales)
    let receipt = try await way.receive([item], into: fixture.folder)
    #expect(receipt.files.map(\.name) == ["Tales"])
    #expect(try fixture.content("Tales/deep/a") == Array("once".utf8))
    #expect(try fixture.names == ["Tales"])

    // An existing file stays, or an existing folder is merged with the `replace` policy.
    let error = await #expect(throws: DropStreamError.self) { try await way.receive([item], into: fixture.folder) }
    #expect(error?.code == .alreadyExists)
    try Data("twice".utf8).write(to: tales.appendingPathComponent("deep/a"))
    try Data("new".utf8).write(to: tales.appendingPathComponent("deep/b"))
    try Data("kept".utf8).write(to: fixture.file("Tales/deep/c"))
    var replacing = fixture.folder
    replacing.collision = .replace
    _ = try await way.receive([item], into: replacing)
    for (name, content) in [("a", "twice"), ("b", "new"), ("c", "kept")] {
      #expect(try fixture.content("Tales/deep/\(name)") == Array(content.utf8))
    }
    #expect(try fixture.names == ["Tales"])
    var archives = fixture.folder
    archives.unpacksFolders = false
    #expect(try await way.receive([item], into: archives).files.map(\.name) == ["Tales.tar"])
    #expect(try fixture.content("Tales.tar")[257..<262] == Array("ustar".utf8)[...])
  }

  @Test("an unknown type is a folder if its stated supertypes say so", arguments: FolderWay.allCases)
  func unknownTypeIsAFolderByItsStatedSupertypes(way: FolderWay) async throws {
    let source = try FolderFixture()
    try FileManager.default.createDirectory(at: source.file("deep"), withIntermediateDirectories: false)
    try source.write("once", to: "deep/a")
    var archives = fixture.folder
    archives.unpacksFolders = false
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
        #expect(try await way.receive([item], into: fixture.folder).files.map(\.name) == ["Tales"])
        #expect(try await way.receive([item], into: archives).files.map(\.name) == ["Tales.tar"])
      }
    }
    #expect(try fixture.content("Tales/deep/a") == Array("once".utf8))
    #expect(try fixture.content("Tales.tar") == archive)
  }

  @Test("a folder with an invalid or unsafe archive leaves no files", arguments: FolderWay.allCases)
  func folderWithAnInvalidArchiveLeavesNoFiles(way: FolderWay) async throws {
    let error = await #expect(throws: DropStreamError.self) {
      try await way.receive(
        [textItem("a", [.data: "x"]), textItem("Tales", [.folder: "no archive"])], into: fixture.folder)
    }
    #expect(error?.code == .damaged)
    #expect(try fixture.names == [])
    #expect(try fixture.surroundingsAreUntouched)
  }
}
