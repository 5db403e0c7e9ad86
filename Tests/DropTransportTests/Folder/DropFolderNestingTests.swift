// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Two items that share a folder: a file that is inside the folder `a`, and the folder `a` itself.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct DropFolderNestingTests {
  private let fixture: FolderFixture
  private let source: FolderFixture

  init() throws {
    fixture = try FolderFixture()
    source = try FolderFixture()
    try FileManager.default.createDirectory(at: source.file("a"), withIntermediateDirectories: false)
    try source.write("inside", to: "a/x")
  }

  private var file: ItemProvider {
    let item = textItem("b", [.data: "listed"])
    item.fileAttributes.folder = "a"
    return item
  }

  private func folder() throws -> ItemProvider { ItemProvider(contentsOf: source.file("a")) }

  private func destination(_ collision: DropFolder.Collision) -> DropFolder {
    var folder = fixture.folder
    folder.collision = collision
    return folder
  }

  private func paths() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: fixture.url.path).sorted()
  }

  private func items(folderFirst: Bool) throws -> [ItemProvider] {
    folderFirst ? [try folder(), file] : [file, try folder()]
  }

  @Test(arguments: FolderWay.allCases, [false, true])
  func refusesAFolderThatIsTheParentOfAnotherItem(way: FolderWay, folderFirst: Bool) async throws {
    let items = try items(folderFirst: folderFirst)
    let error = await #expect(throws: DropStreamError.self) {
      try await way.receive(items, into: destination(.refuse))
    }
    #expect(error?.code == .duplicateName)
    #expect(error?.reason == "two items have the name \"a\"")
    #expect(try paths() == [])
  }

  @Test(arguments: FolderWay.allCases, [false, true])
  func replacingMergesAFolderThatIsTheParentOfAnotherItem(way: FolderWay, folderFirst: Bool) async throws {
    let receipt = try await way.receive(try items(folderFirst: folderFirst), into: destination(.replace))
    #expect(receipt.files.map(\.name).sorted() == ["a", "a/b"])
    #expect(try paths() == ["a", "a/b", "a/x"])
    #expect(try fixture.content("a/b") == Array("listed".utf8))
    // Receives the same items again, now that the folder exists.
    _ = try await way.receive(try items(folderFirst: folderFirst), into: destination(.replace))
    #expect(try paths() == ["a", "a/b", "a/x"])
  }

  @Test(arguments: [false, true], [false, true])
  func replacingRefusesTwoFilesOfADropWithOnePath(folderFirst: Bool, isThere: Bool) async throws {
    try source.write("inside", to: "a/b")
    if isThere {
      try FileManager.default.createDirectory(at: fixture.file("a"), withIntermediateDirectories: false)
      try fixture.write("old", to: "a/b")
    }
    let items = try items(folderFirst: folderFirst)
    let error = await #expect(throws: DropStreamError.self) {
      try await FolderWay.pipe.receive(items, into: destination(.replace))
    }
    #expect(error?.code == .duplicateName)
    #expect(error?.reason == "two items have the name \"a/b\"")
    #expect(try paths() == (isThere ? ["a", "a/b"] : []))
    if isThere { #expect(try fixture.content("a/b") == Array("old".utf8)) }
  }

  @Test(arguments: FolderWay.allCases, [DropFolder.Collision.rename, .skip])
  func numbersAFolderThatIsTheParentOfAnotherItem(way: FolderWay, collision: DropFolder.Collision) async throws {
    let receipt = try await way.receive(try items(folderFirst: false), into: destination(collision))
    #expect(receipt.files.map(\.name) == ["a/b", "a-2"])
    #expect(try paths() == ["a", "a-2", "a-2/x", "a/b"])
  }

  @Test(arguments: FolderWay.allCases, [DropFolder.Collision.rename, .skip])
  func numbersAFileWhosePathAFolderItemAlsoHas(way: FolderWay, collision: DropFolder.Collision) async throws {
    try source.write("inside", to: "a/b")
    let receipt = try await way.receive(try items(folderFirst: true), into: destination(collision))
    #expect(receipt.files.map(\.name) == ["a", "a/b-2"])
    #expect(try paths() == ["a", "a/b", "a/b-2", "a/x"])
    #expect(try fixture.content("a/b") == Array("inside".utf8))
  }

  @Test(arguments: FolderWay.allCases, [false, true])
  func skipsAFolderAndAFileThatTheDestinationHas(way: FolderWay, folderFirst: Bool) async throws {
    try FileManager.default.createDirectory(at: fixture.file("a"), withIntermediateDirectories: false)
    try fixture.write("old", to: "a/b")
    let receipt = try await way.receive(try items(folderFirst: folderFirst), into: destination(.skip))
    #expect(receipt.keptItems == [])
    #expect(receipt.leftOut.map(\.takenName) == (folderFirst ? ["a", "a/b"] : ["a/b", "a"]))
    #expect(try paths() == ["a", "a/b"])
    #expect(try fixture.content("a/b") == Array("old".utf8))
  }

  @Test(arguments: FolderWay.allCases, DropFolder.Collision.allCases)
  func refusesAFileWhoseParentIsAFileOfTheDrop(way: FolderWay, collision: DropFolder.Collision) async throws {
    let error = await #expect(throws: DropStreamError.self) {
      try await way.receive([textItem("a", [.data: "file"]), file], into: destination(collision))
    }
    #expect(error?.code == .duplicateName)
    #expect(error?.reason == "two items have the name \"a\"")
    #expect(try paths() == [])
  }

  @Test(arguments: FolderWay.allCases)
  func failedFolderDoesNotBlockTheNameForOtherItems(way: FolderWay) async throws {
    let failing = ItemProvider(suggestedName: "a")
    failing.register(.folder) { _ -> Data in throw CocoaError(.fileReadCorruptFile) }
    let receipt = try await way.receive([failing, file], into: destination(.refuse))
    #expect(receipt.missing.count == 1)
    #expect(try paths() == ["a", "a/b"])
  }
}
