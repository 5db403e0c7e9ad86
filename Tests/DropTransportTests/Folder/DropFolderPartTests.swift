// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Items of which several representations are kept.
///
/// The files of an item must stay together.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFolderPartTests {
  private let fixture: FolderFixture

  init() throws {
    fixture = try FolderFixture()
    // This file has the name of the second representation, but not of the first.
    try fixture.write("old", to: "saga.txt")
  }

  private func folder(_ collision: DropFolder.Collision) -> DropFolder {
    var folder = fixture.folder
    folder.collision = collision
    folder.keepsAllRepresentations = true
    return folder
  }

  private func saga() -> ItemProvider {
    textItem("saga.html", [.html: "h", .utf8PlainText: "t", .plainText: "u"])
  }

  private func text(_ name: String) throws -> String { String(decoding: try fixture.content(name), as: UTF8.self) }

  @Test("one taken name refuses all parts of an item", arguments: FolderWay.allCases)
  func oneTakenNameRefusesAllPartsOfAnItem(way: FolderWay) async throws {
    let error = await #expect(throws: DropStreamError.self) { try await way.receive([saga()], into: folder(.refuse)) }
    #expect(error?.code == .alreadyExists)
    #expect(try fixture.names == ["saga.txt"])
  }

  @Test("one taken name leaves out all parts of an item", arguments: FolderWay.allCases)
  func oneTakenNameLeavesOutAllPartsOfAnItem(way: FolderWay) async throws {
    let receipt = try await way.receive([saga(), textItem("b", [.data: "b"])], into: folder(.skip))
    #expect(receipt.files.map(\.name) == ["b"])
    #expect(receipt.leftOut.map(\.takenName) == ["saga.txt"])
    #expect(receipt.leftOut.map(\.contentTypes) == [[.html, .utf8PlainText, .plainText]])
    #expect(try fixture.names == ["saga.txt", "b"])
  }

  @Test("all parts have the same number, except parts with the same name", arguments: FolderWay.allCases)
  func allPartsOfAnItemGetTheSameNumber(way: FolderWay) async throws {
    let receipt = try await way.receive([saga(), saga()], into: folder(.rename))
    #expect(
      receipt.files.map(\.name)
        == ["saga-2.html", "saga-2.txt", "saga-3.txt", "saga-4.html", "saga-4.txt", "saga-5.txt"])
    #expect(try receipt.files.map { try text($0.name) } == ["h", "t", "u", "h", "t", "u"])
    #expect(try text("saga.txt") == "old")
  }

  @Test("all parts of an item replace the existing files", arguments: FolderWay.allCases)
  func allPartsOfAnItemReplaceTheExistingFiles(way: FolderWay) async throws {
    for turn in 1...2 {
      let receipt = try await way.receive([saga()], into: folder(.replace))
      #expect(receipt.files.map(\.name) == ["saga.html", "saga.txt", "saga-2.txt"], "turn \(turn)")
      #expect(try receipt.files.map { try text($0.name) } == ["h", "t", "u"])
      #expect(try fixture.names == ["saga.html", "saga.txt", "saga-2.txt"])
    }
  }

  @Test("a part never takes another item's name", arguments: [DropFolder.Collision.refuse, .replace])
  func partNeverTakesTheNameOfAnotherItem(collision: DropFolder.Collision) async throws {
    let items = [textItem("b.txt", [.utf8PlainText: "x"]), textItem("b.html", [.html: "h", .utf8PlainText: "t"])]
    let error = await #expect(throws: DropStreamError.self) {
      try await FolderWay.pipe.receive(items, into: folder(collision))
    }
    #expect(error?.code == .duplicateName)
    #expect(try fixture.names == ["saga.txt"])
  }

  @Test("a name that is taken late gives all parts of an item the next number")
  func nameTakenLateGivesAllPartsTheNextNumber() throws {
    let staging = try StagingDirectory(in: folder(.rename))
    guard
      case .files(let files) = try staging.makeItem(
        [.init(wish: "c.html"), .init(wish: "c.txt"), .init(wish: "c.txt")], index: 0)
    else {
      Issue.record("the item is left out")
      return
    }
    for file in files { try staging.finish(file) }
    try fixture.write("late", to: "c.txt")
    try fixture.write("late", to: "c-3.html")
    #expect(
      try staging.publish().names == ["c.html": "c-4.html", "c.txt": "c-4.txt", "c-2.txt": "c-5.txt"])
    #expect(try fixture.names == ["saga.txt", "c.txt", "c-3.html", "c-4.html", "c-4.txt", "c-5.txt"])
  }

  @Test("a part that failed to load does not affect the numbers of the other parts", arguments: FolderWay.allCases)
  func failedPartDoesNotAffectTheNumbersOfOtherParts(way: FolderWay) async throws {
    let failing = ItemProvider(suggestedName: "saga.txt")
    failing.register(.utf8PlainText) { _ in throw CocoaError(.fileNoSuchFile) }
    let items = [failing, textItem("saga.txt", [.utf8PlainText: "new"])]
    let receipt = try await way.receive(items, into: folder(.rename))
    #expect(receipt.missing.map(\.name) == ["saga-2.txt"])
    #expect(receipt.files.map(\.name) == ["saga-2.txt"])
  }
}
