// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// The collision policies for an item whose name already exists in the folder.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFolderCollisionTests {
  private let fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
    try fixture.write("old", to: "a.txt")
  }

  private func folder(_ collision: DropFolder.Collision) -> DropFolder {
    var folder = fixture.folder
    folder.collision = collision
    return folder
  }

  /// Stages an item with a file for each name.
  private func stage(_ names: [String], _ index: Int, in staging: StagingDirectory) throws {
    guard case .files(let files) = try staging.makeItem(names.map { .init(wish: $0) }, index: index) else {
      Issue.record("the item is left out")
      return
    }
    for file in files {
      try Array("new".utf8).withUnsafeBytes { try file.append($0) }
      try staging.finish(file)
    }
  }

  private func items(_ names: String...) -> [ItemProvider] { names.map { textItem($0, [.data: "new"]) } }

  @Test("by default, a taken name fails the receive, and the old file stays", arguments: FolderWay.allCases)
  func takenNameFailsTheReceiveByDefault(way: FolderWay) async throws {
    let error = await #expect(throws: DropStreamError.self) {
      try await way.receive(items("b.txt", "a.txt"), into: folder(.refuse))
    }
    #expect(error?.code == .alreadyExists)
    #expect(try fixture.names == ["a.txt"])
    #expect(try fixture.content("a.txt") == Array("old".utf8))
  }

  @Test(
    "a file is replaced atomically, its other links are not, and no temporary file stays",
    arguments: FolderWay.allCases)
  func replacesAFileAtomically(way: FolderWay) async throws {
    let other = fixture.file("other-link").path
    try FileManager.default.linkItem(atPath: fixture.file("a.txt").path, toPath: other)
    let receipt = try await way.receive(items("b.txt", "a.txt"), into: folder(.replace))
    #expect(receipt.files.map(\.name) == ["b.txt", "a.txt"])
    #expect(try fixture.names == ["a.txt", "b.txt", "other-link"])
    #expect(try fixture.content("a.txt") == Array("new".utf8))
    #expect(try fixture.content("other-link") == Array("old".utf8))
  }

  @Test("only a regular file is replaced: no link, no folder, no FIFO", arguments: FolderWay.allCases)
  func replacesOnlyARegularFile(way: FolderWay) async throws {
    let outside = try TemporaryDirectory()
    let victim = try outside.write(Data("victim".utf8), to: "victim")
    try FileManager.default.createSymbolicLink(at: fixture.file("link"), withDestinationURL: victim)
    try FileManager.default.createDirectory(at: fixture.file("folder"), withIntermediateDirectories: false)
    #expect(mkfifo(fixture.file("fifo").path, 0o600) == 0)
    for name in ["link", "folder", "fifo"] {
      let error = await #expect(throws: DropStreamError.self) {
        try await way.receive(items("a.txt", name), into: folder(.replace))
      }
      #expect(error?.code == .alreadyExists)
    }
    #expect(try Data(contentsOf: victim) == Data("victim".utf8))
    #expect(try fixture.content("a.txt") == Array("old".utf8))
    #expect(try fixture.names == ["a.txt", "link", "folder", "fifo"])
  }

  @Test("replaced files are restored if a later file cannot be named")
  func replacedFilesAreRestoredIfALaterFileCannotBeNamed() async throws {
    let folder = folder(.replace)
    let staging = try StagingDirectory(in: folder)
    for (index, name) in ["a.txt", "c.txt"].enumerated() { try stage([name], index, in: staging) }
    // The folder is created after the names were checked.
    try FileManager.default.createDirectory(at: fixture.file("c.txt"), withIntermediateDirectories: false)
    #expect(throws: DropStreamError.self) { try staging.publish() }
    staging.remove()
    #expect(try fixture.content("a.txt") == Array("old".utf8))
    #expect(try fixture.names == ["a.txt", "c.txt"])
  }

  @Test(
    "a taken name gets a number before its extension", arguments: FolderWay.allCases)
  func takenNameGetsANumberBeforeItsExtension(way: FolderWay) async throws {
    let long = String(repeating: "x", count: 251) + ".txt"
    try fixture.write("old", to: long)
    let receipt = try await way.receive(items("a.txt", "a.txt", "b", "b", long), into: folder(.rename))
    let shortened = String(repeating: "x", count: 249) + "-2.txt"
    #expect(receipt.files.map(\.name) == ["a-2.txt", "a-3.txt", "b", "b-2", shortened])
    #expect(try fixture.content("a.txt") == Array("old".utf8))
    #expect(try fixture.content("a-3.txt") == Array("new".utf8))
    #expect(try fixture.content(shortened) == Array("new".utf8))
  }

  @Test("a name that is taken during publishing gets a number, and the final name is reported")
  func nameTakenDuringPublishingGetsANumber() async throws {
    let staging = try StagingDirectory(in: folder(.rename))
    try stage(["b.txt"], 0, in: staging)
    // The name of this item already has a number.
    try stage(["a.txt"], 1, in: staging)
    for name in ["b.txt", "a-2.txt"] { try fixture.write("late", to: name) }
    let outcome = try staging.publish()
    #expect(outcome.names == ["b.txt": "b-2.txt", "a-2.txt": "a-3.txt"])
    #expect(outcome.leftOut.isEmpty)
    for name in ["b.txt", "a-2.txt"] { #expect(try fixture.content(name) == Array("late".utf8)) }
    for name in ["b-2.txt", "a-3.txt"] { #expect(try fixture.content(name) == Array("new".utf8)) }
    #expect(try fixture.names == ["a.txt", "a-2.txt", "a-3.txt", "b.txt", "b-2.txt"])
  }

  @Test("only the taken name gets a number, not a similar name")
  func onlyTheTakenNameGetsANumber() throws {
    let staging = try StagingDirectory(in: folder(.rename))
    for (index, name) in ["\u{E9}", "e\u{301}"].enumerated() { try stage([name], index, in: staging) }
    try fixture.write("late", to: "e\u{301}")
    let outcome = try staging.publish()
    var receipt = DropFolder.Receipt()
    for (index, name) in ["\u{E9}", "e\u{301}"].enumerated() {
      receipt.files.append(
        .init(name: name, contentType: .data, byteCount: 3, itemIndex: index, suggestedName: name))
    }
    receipt.settle(DropFolder.Publication(finalNames: outcome.finalNames))
    #expect(receipt.files.map { Array($0.name.utf8) } == [Array("\u{E9}".utf8), Array("e\u{301}-2".utf8)])
  }

  @Test("an item whose name is taken during publishing is left out and reported", arguments: FolderWay.allCases)
  func itemWhoseNameIsTakenDuringPublishingIsLeftOut(way: FolderWay) async throws {
    // The file is created while the second item is staged.
    let late = ItemProvider(suggestedName: "c.txt")
    let fixture = fixture
    late.register(.utf8PlainText) { _ in
      try fixture.write("late", to: "b.txt")
      return Data("new".utf8)
    }
    var folder = folder(.skip)
    folder.keepsAllRepresentations = true
    let both = textItem("b.html", [.html: "new", .utf8PlainText: "new"])
    let receipt = try await way.receive([both, late, textItem("a.txt", [.data: "new"])], into: folder)
    #expect(receipt.files.map(\.name) == ["c.txt"])
    #expect(receipt.leftOut.map(\.itemIndex) == [0, 2])
    #expect(receipt.leftOut.map(\.takenName) == ["b.txt", "a.txt"])
    #expect(receipt.leftOut.map(\.contentTypes) == [[.html, .utf8PlainText], [.data]])
    #expect(receipt.keptItems == [1])
    #expect(try fixture.content("b.txt") == Array("late".utf8))
    #expect(try fixture.names == ["a.txt", "b.txt", "c.txt"])
  }

  @Test(
    "an item whose name is taken is left out and reported, and never loaded in a session", arguments: FolderWay.allCases
  )
  func itemWhoseNameIsTakenIsLeftOutAndReported(way: FolderWay) async throws {
    let receipt = try await way.receive(items("a.txt", "b.txt", "b.txt"), into: folder(.skip))
    #expect(receipt.files.map(\.name) == ["b.txt", "b-2.txt"])
    #expect(receipt.leftOut.map(\.takenName) == ["a.txt"])
    #expect(receipt.keptItems == [1, 2])
    #expect(try fixture.content("a.txt") == Array("old".utf8))
    // In the second receive, all names are taken.
    let second = try await way.receive(items("a.txt", "b.txt", "b.txt"), into: folder(.skip))
    #expect(second.files.isEmpty && second.leftOut.count == 3)
  }

  @Test(
    "two items with one name never become one file", arguments: FolderWay.allCases,
    [DropFolder.Collision.refuse, .replace])
  func twoItemsWithOneNameNeverBecomeOneFile(way: FolderWay, collision: DropFolder.Collision) async throws {
    let error = await #expect(throws: DropStreamError.self) {
      try await way.receive(items("b.txt", "b.txt"), into: folder(collision))
    }
    #expect(error?.code == .duplicateName)
    #expect(try fixture.names == ["a.txt"])
  }
}
