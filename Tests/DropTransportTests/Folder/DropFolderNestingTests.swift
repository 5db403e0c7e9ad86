// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Two items that share a folder: a file that is inside the folder `a`, and the folder `a` itself.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFolderNestingTests {
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
    #expect(receipt.files.map(\.name) == ["a/b", "a-2"])
    try fixture.expect(tree: ["a": "-", "a/b": "listed", "a-2": "-", "a-2/x": "inside"])
    // The folder item has the path of the file.
    try FileManager.default.removeItem(at: fixture.file("a"))
    try FileManager.default.removeItem(at: fixture.file("a-2"))
    try source.write("inside", to: "a/b")
    let second = try await way.receive(items(folderFirst: true), into: destination(collision))
    #expect(second.files.map(\.name) == ["a", "a/b-2"])
    try fixture.expect(tree: ["a": "-", "a/b": "inside", "a/b-2": "listed", "a/x": "inside"])
  }

  @Test(arguments: FolderWay.allCases, [false, true])
  func skipsAFolderAndAFileThatTheDestinationHas(way: FolderWay, folderFirst: Bool) async throws {
    try fixture.makeDirectory("a")
    try fixture.write("old", to: "a/b")
    let receipt = try await way.receive(items(folderFirst: folderFirst), into: destination(.skip))
    #expect(receipt.keptItems == [])
    #expect(receipt.leftOut.map(\.takenName) == (folderFirst ? ["a", "a/b"] : ["a/b", "a"]))
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
