// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// The clipboard between two connections to a virtual display.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct ClipboardTests {
  private let desk: TestDesk

  init() async throws {
    desk = try await TestDesk()
  }

  @Test(arguments: Clipboard.Selection.allCases)
  func itemsOfAnotherProgramArriveWithNamesAndTypes(selection: Clipboard.Selection) async throws {
    let hero = ItemProvider(suggestedName: "Theseus")
    hero.register(.json) { _ in Data(#"{"name":"Theseus"}"#.utf8) }
    hero.register(.utf8PlainText) { _ in Data("Theseus of Athens".utf8) }
    let card = ItemProvider(suggestedName: "card.txt")
    card.register(.plainText) { _ in Data("Slay the hydra".utf8) }
    let found = try await desk.offering([hero, card], selection: selection) { clipboard in
      try await clipboard.withItems { items in
        var found: [String] = []
        for item in items {
          for type in item.contentTypes(visibleTo: .ownProcess) {
            let text = String(decoding: try await item.data(for: type), as: UTF8.self)
            found.append("\(item.suggestedName ?? "-") \(type) \(text)")
          }
        }
        return found
      }
    }
    #expect(
      found == [
        #"Theseus public.json {"name":"Theseus"}"#, "Theseus public.utf8-plain-text Theseus of Athens",
        "card.txt public.plain-text Slay the hydra",
      ])
  }

  @Test(arguments: [0, 1, 65_535, 300_000, 1 << 20, 1 << 20 + 1, 5_000_000])
  func valuesOfAnyLengthCross(count: Int) async throws {
    let picture = ItemProvider()
    let sent = TestDesk.bytes(count)
    picture.register(.png) { _ in sent }
    // Reads the type by its name, as another program does.
    let received = try await desk.offering([picture]) { clipboard in
      try await clipboard.reader().data(of: "image/png", limit: 8 << 20)
    }
    #expect(received == sent)
  }

  @Test func eachProgramGetsItsOwnValue() async throws {
    let text = ItemProvider()
    text.register(.utf8PlainText) { _ in TestDesk.bytes(0) + Data(repeating: 0x61, count: 3_000_000) }
    let counts = try await desk.offering([text]) { clipboard in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<5 {
          group.addTask { try await clipboard.reader().data(of: "UTF8_STRING", limit: 4 << 20).count }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(counts == Array(repeating: 3_000_000, count: 5))
  }

  @Test func textIsOfferedUnderAllItsNames() async throws {
    let text = ItemProvider()
    text.register(.utf8PlainText) { _ in Data("Ægir".utf8) }
    let (names, latin, utf8) = try await desk.offering([text]) { clipboard in
      let reader = try await clipboard.reader()
      return (
        try await clipboard.typeNames(), try await reader.data(of: "STRING", limit: 99),
        try await reader.data(of: "text/plain", limit: 99)
      )
    }
    #expect(
      names == [
        "application/vnd.dragpipe.drop", "text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "TEXT", "STRING",
      ])
    #expect(latin == Data([0xC6, 0x67, 0x69, 0x72]) && utf8 == Data("Ægir".utf8))
  }

  @Test func failedRepresentationsAreRefusedAndNotEmpty() async throws {
    let item = ItemProvider()
    item.register(.png) { _ in throw CocoaError(.fileNoSuchFile) }
    item.register(.utf8PlainText) { _ in Data("日".utf8) }
    let codes = try await desk.offering([item]) { clipboard in
      let reader = try await clipboard.reader()
      var codes: [DesktopError.Code] = []
      for name in ["image/png", "STRING", "image/gif"] {
        do {
          _ = try await reader.data(of: name, limit: 99)
        } catch let error as DesktopError {
          codes.append(error.code)
        }
      }
      return codes
    }
    #expect(codes == [.sourceFailed, .sourceFailed, .sourceFailed])
  }

  @Test func namedItemsBecomeFilesForOtherPrograms() async throws {
    let notes = ItemProvider(suggestedName: "notes")
    notes.register(.plainText) { _ in Data("Hail".utf8) }
    let address = ItemProvider(suggestedName: "saga")
    address.register(.fileURL) { _ in Data("file:///sagas/a%20b".utf8) }
    let (list, copied, text) = try await desk.offering([notes, address]) { clipboard in
      let reader = try await clipboard.reader()
      let list = try URIList(parsing: try await reader.data(of: "text/uri-list", limit: 999)).entries
      let copied = try await reader.data(of: "x-special/gnome-copied-files", limit: 999)
      let file = try #require(list.first.flatMap { URL(string: $0) })
      return (list, String(decoding: copied, as: UTF8.self), try String(contentsOf: file, encoding: .utf8))
    }
    #expect(list.count == 2 && list.first?.hasSuffix("/notes.txt") == true && list.last == "file:///sagas/a%20b")
    #expect(copied == "copy\n" + list.joined(separator: "\n"))
    #expect(text == "Hail")
    // The file exists only as long as the offer.
    let file = try #require(list.first.flatMap { URL(string: $0) })
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test func anOfferEndsWhenAnotherProgramCopies() async throws {
    let (first, second) = (Gate(), Gate())
    try await desk.withDisplay { one in
      try await desk.withDisplay { two in
        async let lost: Void = Clipboard(one).offer([desk.text("one")]) { first.open() }
        await first.wait()
        let winner = Task { try await Clipboard(two).offer([desk.text("two")]) { second.open() } }
        await second.wait()
        try await lost
        let found = try await desk.withDisplay { try await desk.pasted(from: Clipboard($0)) }
        #expect(found == "two")
        winner.cancel()
        await #expect(throws: CancellationError.self) { try await winner.value }
        try await desk.withDisplay { display in
          let error = await #expect(throws: DesktopError.self) { try await Clipboard(display).typeNames() }
          #expect(error?.code == .nothingOffered)
        }
      }
    }
  }

  @Test func aProgramCanPasteItsOwnContent() async throws {
    let isOffered = Gate()
    let found = try await desk.withDisplay { display in
      let offer = Task {
        try await Clipboard(display).offer([desk.text(String(repeating: "saga ", count: 500_000))]) {
          isOffered.open()
        }
      }
      await isOffered.wait()
      defer { offer.cancel() }
      return try await Clipboard(display).reader().data(of: "UTF8_STRING", limit: 4 << 20).count
    }
    #expect(found == 2_500_000)
  }

  @Test func anOfferEndsAfterItsPastes() async throws {
    let isOffered = Gate()
    try await desk.withDisplay { display in
      async let offer: Void = Clipboard(display).offer([desk.text("secret")], isSensitive: true, pasteLimit: 1) {
        isOffered.open()
      }
      await isOffered.wait()
      try await desk.withDisplay { other in
        let reader = try await Clipboard(other).reader()
        // Requests for information about the content are not counted as pastes.
        #expect(try await reader.typeNames().contains("x-kde-passwordManagerHint"))
        #expect(try await reader.data(of: "UTF8_STRING", limit: 9) == Data("secret".utf8))
      }
      try await offer
    }
  }

  @Test func clearingRemovesTheContentOfAnotherProgram() async throws {
    let isOffered = Gate()
    try await desk.withDisplay { one in
      async let offer: Void = Clipboard(one).offer([desk.text("one")]) { isOffered.open() }
      await isOffered.wait()
      try await desk.withDisplay { two in
        let changes = try await Clipboard(two).changes()
        try await desk.withDisplay { try await Clipboard($0).clear() }
        var iterator = changes.makeAsyncIterator()
        let change = await iterator.next(isolation: nil)
        #expect(change != nil)
        await #expect(throws: DesktopError.self) { try await Clipboard(two).typeNames() }
      }
      try await offer
    }
  }

  @Test func anUnreadChangeIsReplacedByANewerOne() async throws {
    try await desk.withDisplay { watching in
      let changes = try await Clipboard(watching).changes()
      let isOffered = Gate()
      let offer = Task {
        try await desk.withDisplay { try await Clipboard($0).offer([desk.text("one")]) { isOffered.open() } }
      }
      await isOffered.wait()
      try await desk.withDisplay { try await Clipboard($0).clear() }
      try await offer.value
      // The response follows all events so far.
      try await watching.connection.synchronize()
      var iterator = changes.makeAsyncIterator()
      #expect(await iterator.next(isolation: nil)?.isOffered == false)
    }
  }

  @Test func theClipboardManagerStoresTheContentAtTheEnd() async throws {
    let manager = try await TestClipboardManager(desk)
    let isOffered = Gate()
    let offer = Task {
      try await desk.withDisplay { display in
        try await Clipboard(display).offer([desk.text("kept")]) { isOffered.open() }
      }
    }
    await isOffered.wait()
    offer.cancel()
    await #expect(throws: CancellationError.self) { try await offer.value }
    #expect(try await manager.stored == Data("kept".utf8))
  }
}
