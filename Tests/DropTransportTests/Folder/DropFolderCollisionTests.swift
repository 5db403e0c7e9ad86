// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// The collision policies for an item whose name already exists in the folder.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFolderCollisionTests {
  private let fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
    try fixture.write("old", to: "a.txt")
  }

  private func folder(_ collision: DropFolder.Collision, keepsAll: Bool = false) -> DropFolder {
    fixture.folder {
      $0.collision = collision
      $0.keepsAllRepresentations = keepsAll
    }
  }

  private func items(_ names: String...) -> [ItemProvider] { names.map { textItem($0, [.data: "new"]) } }

  @Test(arguments: FolderWay.allCases) func replacesAFileButNotItsOtherLinks(way: FolderWay) async throws {
    try FileManager.default.linkItem(at: fixture.file("a.txt"), to: fixture.file("other-link"))
    let receipt = try await way.receive(items("b.txt", "a.txt"), into: folder(.replace))
    receipt.expect(files: ["b.txt", "a.txt"])
    try fixture.expect(tree: ["a.txt": "new", "b.txt": "new", "other-link": "old"])
  }

  @Test(arguments: FolderWay.allCases) func replacesOnlyARegularFile(way: FolderWay) async throws {
    let outside = try TemporaryDirectory()
    let victim = try outside.write(Data("victim".utf8), to: "victim")
    try FileManager.default.createSymbolicLink(at: fixture.file("link"), withDestinationURL: victim)
    try fixture.makeDirectory("folder")
    try makeFIFO(fixture.file("fifo").path)
    for name in ["link", "folder", "fifo"] {
      try await requireDropError(.alreadyExists) {
        try await way.receive(items("a.txt", name), into: folder(.replace))
      }
    }
    #expect(try Data(contentsOf: victim) == Data("victim".utf8))
    try fixture.expect(tree: ["a.txt": "old", "link": "-", "folder": "-", "fifo": "-"])
  }

  @Test func replacedFilesAreRestoredIfALaterFileCannotBeNamed() throws {
    let staging = try StagingDirectory(in: folder(.replace))
    for name in ["a.txt", "c.txt"] { try staging.stage([name]) }
    // The folder is created after the names were checked.
    try fixture.makeDirectory("c.txt")
    expectDropError { try staging.publication().run() }
    staging.remove()
    try fixture.expect(tree: ["a.txt": "old", "c.txt": "-"])
  }

  @Test(arguments: FolderWay.allCases) func takenNameGetsANumberBeforeItsExtension(way: FolderWay) async throws {
    let long = String(repeating: "x", count: 251) + ".txt"
    try fixture.write("old", to: long)
    let receipt = try await way.receive(items("a.txt", "a.txt", "b", "b", long), into: folder(.rename))
    let names = ["a-2.txt", "a-3.txt", "b", "b-2", String(repeating: "x", count: 249) + "-2.txt"]
    receipt.expect(files: names)
    let new = Dictionary(uniqueKeysWithValues: names.map { ($0, "new") })
    try fixture.expect(tree: new.merging(["a.txt": "old", long: "old"]) { $1 })
  }

  @Test func nameTakenDuringPublishingGetsANumber() throws {
    let staging = try StagingDirectory(in: folder(.rename))
    // The name of the second item already has a number.
    for name in ["b.txt", "a.txt"] { try staging.stage([name]) }
    for name in ["b.txt", "a-2.txt"] { try fixture.write("late", to: name) }
    let outcome = try staging.publication().run()
    #expect(outcome.names == ["b.txt": "b-2.txt", "a-2.txt": "a-3.txt"] && outcome.leftOut.isEmpty)
    try fixture.expect(tree: ["a.txt": "old", "a-2.txt": "late", "a-3.txt": "new", "b.txt": "late", "b-2.txt": "new"])
  }

  @Test func onlyTheTakenNameGetsANumberAndNotASimilarName() throws {
    let staging = try StagingDirectory(in: folder(.rename))
    for name in ["\u{E9}", "e\u{301}"] { try staging.stage([name]) }
    try fixture.write("late", to: "e\u{301}")
    let outcome = try staging.publication().run()
    var receipt = DropFolder.Receipt()
    for (index, name) in ["\u{E9}", "e\u{301}"].enumerated() {
      receipt.files.append(
        .init(name: name, contentType: .data, byteCount: 3, itemIndex: index, suggestedName: name))
    }
    receipt.settle(outcome)
    #expect(receipt.files.map { Array($0.name.utf8) } == [Array("\u{E9}".utf8), Array("e\u{301}-2".utf8)])
  }

  @Test(arguments: FolderWay.allCases) func itemWhoseNameIsTakenIsLeftOutAndReported(way: FolderWay) async throws {
    for isSecond in [false, true] {
      let receipt = try await way.receive(items("a.txt", "b.txt", "b.txt"), into: folder(.skip))
      receipt.expect(
        files: isSecond ? [] : ["b.txt", "b-2.txt"], kept: isSecond ? [] : [1, 2],
        leftOut: isSecond ? ["a.txt", "b.txt", "b.txt"] : ["a.txt"])
      #expect(!receipt.hasNothingAcceptable)
      try fixture.expect(tree: ["a.txt": "old", "b.txt": "new", "b-2.txt": "new"])
    }
  }

  @Test(arguments: FolderWay.allCases)
  func itemWhoseNameIsTakenDuringPublishingIsLeftOut(way: FolderWay) async throws {
    // The file is created while the second item is staged.
    let late = ItemProvider(named: "c.txt", loading: .utf8PlainText) { [fixture] _ in
      try fixture.write("late", to: "b.txt")
      return Data("new".utf8)
    }
    let both = textItem("b.html", [.html: "new", .utf8PlainText: "new"])
    let receipt = try await way.receive([both, late] + items("a.txt"), into: folder(.skip, keepsAll: true))
    #expect(receipt.leftOut.map(\.itemIndex) == [0, 2] && receipt.leftOut.map(\.takenName) == ["b.txt", "a.txt"])
    #expect(receipt.leftOut.map(\.contentTypes) == [[.html, .utf8PlainText], [.data]] && receipt.keptItems == [1])
    try fixture.expect(tree: ["a.txt": "old", "b.txt": "late", "c.txt": "new"])
  }

  @Test(arguments: FolderWay.allCases, [DropFolder.Collision.refuse, .replace])
  func twoItemsWithOneNameNeverBecomeOneFile(way: FolderWay, collision: DropFolder.Collision) async throws {
    try await requireDropError(.duplicateName, reason: "two items have the name \"b.txt\"") {
      try await way.receive(items("b.txt", "b.txt"), into: folder(collision))
    }
    // A part of an item has the name of another item.
    try await requireDropError(.duplicateName) {
      try await way.receive(
        items("c.txt") + [textItem("c.html", [.html: "h", .utf8PlainText: "t"])],
        into: folder(collision, keepsAll: true))
    }
    try fixture.expect(tree: ["a.txt": "old"])
  }

  // MARK: Items of which several representations are kept

  /// Returns an item whose second file has the name that exists.
  private func saga() -> ItemProvider {
    textItem("a.html", [.html: "h", .utf8PlainText: "t", .plainText: "u"])
  }

  @Test(arguments: FolderWay.allCases) func partsOfAnItemAreRefusedOrLeftOutTogether(way: FolderWay) async throws {
    try await requireDropError(.alreadyExists) {
      try await way.receive([saga()], into: folder(.refuse, keepsAll: true))
    }
    try fixture.expect(tree: ["a.txt": "old"])
    let receipt = try await way.receive([saga()] + items("b"), into: folder(.skip, keepsAll: true))
    receipt.expect(files: ["b"], leftOut: ["a.txt"])
    #expect(receipt.leftOut.map(\.contentTypes) == [[.html, .utf8PlainText, .plainText]])
    try fixture.expect(tree: ["a.txt": "old", "b": "new"])
  }

  @Test(arguments: FolderWay.allCases) func partsOfAnItemGetTheSameNumber(way: FolderWay) async throws {
    let receipt = try await way.receive([saga(), saga()], into: folder(.rename, keepsAll: true))
    let names = ["a-2.html", "a-2.txt", "a-3.txt", "a-4.html", "a-4.txt", "a-5.txt"]
    receipt.expect(files: names)
    var tree = Dictionary(uniqueKeysWithValues: zip(names, ["h", "t", "u", "h", "t", "u"]))
    tree["a.txt"] = "old"
    try fixture.expect(tree: tree)
  }

  @Test(arguments: FolderWay.allCases) func partsOfAnItemReplaceTheExistingFiles(way: FolderWay) async throws {
    for _ in 0..<2 {
      let receipt = try await way.receive([saga()], into: folder(.replace, keepsAll: true))
      receipt.expect(files: ["a.html", "a.txt", "a-2.txt"])
      try fixture.expect(tree: ["a.html": "h", "a.txt": "t", "a-2.txt": "u"])
    }
  }

  @Test func nameTakenLateGivesAllPartsTheNextNumber() throws {
    let staging = try StagingDirectory(in: folder(.rename))
    try staging.stage(["c.html", "c.txt", "c.txt"])
    for name in ["c.txt", "c-3.html"] { try fixture.write("late", to: name) }
    #expect(
      try staging.publication().run().names == ["c.html": "c-4.html", "c.txt": "c-4.txt", "c-2.txt": "c-5.txt"])
    try fixture.expect(names: ["a.txt", "c.txt", "c-3.html", "c-4.html", "c-4.txt", "c-5.txt"])
  }

  @Test(arguments: FolderWay.allCases) func failedPartDoesNotAffectTheNumbersOfOtherParts(way: FolderWay) async throws {
    let failing = ItemProvider(named: "a.txt", loading: .utf8PlainText) { _ in throw CocoaError(.fileNoSuchFile) }
    let receipt = try await way.receive([failing] + items("a.txt"), into: folder(.rename, keepsAll: true))
    receipt.expect(files: ["a-2.txt"], missing: ["a-2.txt"])
  }
}

/// Two items that share a folder: a file that is inside the folder `a`, and the folder `a` itself.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFolderNestingTests {
  private let fixture: FolderFixture
  private let source: FolderFixture

  init() throws {
    fixture = try FolderFixture()
    source = try FolderFixture()
    try source.makeDirectory("a")
    try source.write("inside", to: "a/x")
  }

  private var file: ItemProvider {
    let item = textItem("b", [.data: "listed"])
    item.fileAttributes.folder = "a"
    return item
  }

  private func items(folderFirst: Bool) -> [ItemProvider] {
    let folder = ItemProvider(contentsOf: source.file("a"))
    return folderFirst ? [folder, file] : [file, folder]
  }

  private func destination(_ collision: DropFolder.Collision) -> DropFolder {
    fixture.folder { $0.collision = collision }
  }

  /// Checks that items are refused because of a common name, and that the destination does not change.
  private func expectDuplicate(
    _ name: String, _ items: [ItemProvider], _ collision: DropFolder.Collision, by way: FolderWay
  ) async throws {
    let before = try fixture.tree
    try await requireDropError(.duplicateName, reason: "two items have the name \"\(name)\"") {
      try await way.receive(items, into: destination(collision))
    }
    try fixture.expect(tree: before)
  }

  @Test(arguments: FolderWay.allCases, [false, true])
  func folderThatIsTheParentOfAnotherItemIsRefusedOrMerged(way: FolderWay, folderFirst: Bool) async throws {
    try await expectDuplicate("a", items(folderFirst: folderFirst), .refuse, by: way)
    // The folder exists in the second receive.
    for _ in 0..<2 {
      let receipt = try await way.receive(items(folderFirst: folderFirst), into: destination(.replace))
      #expect(receipt.files.map(\.name).sorted() == ["a", "a/b"])
      try fixture.expect(tree: ["a": "-", "a/b": "listed", "a/x": "inside"])
    }
  }

  @Test(arguments: [false, true], [false, true])
  func replacingRefusesTwoFilesOfADropWithOnePath(folderFirst: Bool, exists: Bool) async throws {
    try source.write("inside", to: "a/b")
    if exists {
      try fixture.makeDirectory("a")
      try fixture.write("old", to: "a/b")
    }
    try await expectDuplicate("a/b", items(folderFirst: folderFirst), .replace, by: .pipe)
  }

  @Test(arguments: FolderWay.allCases, [DropFolder.Collision.rename, .skip])
  func numbersOneOfTwoItemsWithOnePath(way: FolderWay, collision: DropFolder.Collision) async throws {
    let receipt = try await way.receive(items(folderFirst: false), into: destination(collision))
    receipt.expect(files: ["a/b", "a-2"])
    try fixture.expect(tree: ["a": "-", "a/b": "listed", "a-2": "-", "a-2/x": "inside"])
    // The folder item has the path of the file.
    try FileManager.default.removeItem(at: fixture.file("a"))
    try FileManager.default.removeItem(at: fixture.file("a-2"))
    try source.write("inside", to: "a/b")
    let second = try await way.receive(items(folderFirst: true), into: destination(collision))
    second.expect(files: ["a", "a/b-2"])
    try fixture.expect(tree: ["a": "-", "a/b": "inside", "a/b-2": "listed", "a/x": "inside"])
  }

  @Test(arguments: FolderWay.allCases, [false, true])
  func skipsAFolderAndAFileThatTheDestinationHas(way: FolderWay, folderFirst: Bool) async throws {
    try fixture.makeDirectory("a")
    try fixture.write("old", to: "a/b")
    let receipt = try await way.receive(items(folderFirst: folderFirst), into: destination(.skip))
    receipt.expect(files: [], kept: [], leftOut: folderFirst ? ["a", "a/b"] : ["a/b", "a"])
    try fixture.expect(tree: ["a": "-", "a/b": "old"])
  }

  @Test(arguments: FolderWay.allCases, DropFolder.Collision.allCases)
  func refusesAFileWhoseParentIsAFileOfTheDrop(way: FolderWay, collision: DropFolder.Collision) async throws {
    try await expectDuplicate("a", [textItem("a", [.data: "file"]), file], collision, by: way)
  }

  @Test(arguments: FolderWay.allCases)
  func failedFolderDoesNotBlockTheNameForOtherItems(way: FolderWay) async throws {
    let failing = ItemProvider(named: "a", loading: .folder) { _ -> Data in throw CocoaError(.fileReadCorruptFile) }
    let receipt = try await way.receive([failing, file], into: destination(.refuse))
    #expect(receipt.missing.count == 1)
    try fixture.expect(tree: ["a": "-", "a/b": "listed"])
  }
}
