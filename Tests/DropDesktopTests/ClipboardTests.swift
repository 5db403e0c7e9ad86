// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// The clipboard between two windows of a connection.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ClipboardTests {
  /// Offers items while `body` reads them.
  private func offering<Result: Sendable>(
    _ items: [ItemProvider], selection: Clipboard.Selection = .clipboard,
    _ body: (Clipboard) async throws -> Result
  ) async throws -> Result {
    try await withLoopback { display, _ in
      let (clipboard, isOffered) = (Clipboard(display, selection), Gate())
      async let _: Void = clipboard.offer(items) { isOffered.open() }
      await isOffered.wait()
      return try await body(clipboard)
    }
  }

  @Test(arguments: Clipboard.Selection.allCases)
  func itemsArriveWithNamesAndTypes(selection: Clipboard.Selection) async throws {
    let hero = ItemProvider(suggestedName: "Theseus")
    hero.register(.json) { _ in Data(#"{"name":"Theseus"}"#.utf8) }
    hero.register(.utf8PlainText) { _ in Data("Theseus of Athens".utf8) }
    let card = ItemProvider(suggestedName: "card.txt")
    card.register(.plainText) { _ in Data("Slay the hydra".utf8) }
    let found = try await offering([hero, card], selection: selection) { clipboard in
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
    // Several readers get their own value. They read the type by its name, as another program does.
    let values = try await offering([DragItems.picture(count)]) { clipboard in
      try await withThrowingTaskGroup(of: Data.self) { group in
        for _ in 0..<3 {
          group.addTask { try await clipboard.reader().data(of: "image/png", limit: 8 << 20) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    let areEqual = values == Array(repeating: DragItems.bytes(count), count: 3)
    #expect(areEqual, "\(values.map(\.count))")
  }

  @Test func textIsOfferedUnderAllItsNames() async throws {
    try await offering([DragItems.text("Ægir")]) { clipboard in
      #expect(
        try await clipboard.typeNames() == [
          "application/vnd.dragpipe.drop", "text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "TEXT", "STRING",
        ])
      let reader = try await clipboard.reader()
      let texts = (try await reader.data(of: "STRING", limit: 99), try await reader.data(of: "text/plain", limit: 99))
      #expect(texts == (Data([0xC6, 0x67, 0x69, 0x72]), Data("Ægir".utf8)))
    }
  }

  @Test func failedRepresentationsAreRefusedAndNotEmpty() async throws {
    let item = ItemProvider()
    item.register(.png) { _ in throw CocoaError(.fileNoSuchFile) }
    item.register(.utf8PlainText) { _ in Data("日".utf8) }
    try await offering([item]) { clipboard in
      let reader = try await clipboard.reader()
      for name in ["image/png", "STRING", "image/gif"] {
        #expect(try await failure { try await reader.data(of: name, limit: 99) } == .sourceFailed, "\(name)")
      }
    }
  }

  @Test func namedItemsBecomeFilesForOtherPrograms() async throws {
    let address = ItemProvider(suggestedName: "saga")
    address.register(.fileURL) { _ in Data("file:///sagas/a%20b".utf8) }
    let path = try await offering([DragItems.text("Hail", name: "notes"), address]) { clipboard in
      let reader = try await clipboard.reader()
      let list = try URIList(parsing: try await reader.data(of: "text/uri-list", limit: 999)).entries
      let copied = try await reader.data(of: "x-special/gnome-copied-files", limit: 999)
      #expect(String(decoding: copied, as: UTF8.self) == "copy\n" + list.joined(separator: "\n"))
      #expect(list.count == 2 && list[0].hasSuffix("/notes.txt") && list[1] == "file:///sagas/a%20b")
      let path = try URIList.file(list[0]).path
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "Hail")
      return path
    }
    // The file exists only as long as the offer.
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  private func file(_ address: String, _ content: ItemProvider = ItemProvider()) -> ItemProvider {
    content.register(.fileURL) { _ in Data(address.utf8) }
    return content
  }

  @Test func filesComeFirstAndTheirPathsAreTheirText() async throws {
    let files = ["text/uri-list", "x-special/gnome-copied-files"]
    let text = ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "TEXT", "STRING"]
    let picture = file("file:///sagas/a%20b.png", DragItems.picture(1))
    try await offering([picture]) { clipboard in
      #expect(
        try await clipboard.typeNames() == ["application/vnd.dragpipe.drop"] + files + ["image/png"] + text)
      let reader = try await clipboard.reader()
      for name in text {
        #expect(try await reader.data(of: name, limit: 99) == Data("/sagas/a b.png".utf8), "\(name)")
      }
    }
    let paths = try await offering([picture, file("file:///%C3%A6")]) { clipboard in
      try await clipboard.reader().data(of: "UTF8_STRING", limit: 99)
    }
    #expect(String(decoding: paths, as: UTF8.self) == "/sagas/a b.png\n/æ")
  }

  /// A terminal would run the text after a line end as a command.
  @Test func pathWithALineEndIsNoText() async throws {
    try await offering([file("file:///a%0Arm")]) { clipboard in
      let reader = try await clipboard.reader()
      #expect(try await failure { try await reader.data(of: "UTF8_STRING", limit: 99) } == .sourceFailed)
    }
  }

  @Test func theTextOfATextFileIsItsContent() async throws {
    let text = try await offering([file("file:///saga.txt", DragItems.text("Hail"))]) { clipboard in
      try await clipboard.reader().data(of: "UTF8_STRING", limit: 99)
    }
    #expect(text == Data("Hail".utf8))
  }

  @Test func anOfferEndsAfterItsPastes() async throws {
    try await withLoopback { display, _ in
      let (clipboard, isOffered) = (Clipboard(display), Gate())
      async let offer: Void = clipboard.offer([DragItems.text("secret")], isSensitive: true, pasteLimit: 1) {
        isOffered.open()
      }
      await isOffered.wait()
      let reader = try await clipboard.reader()
      // Requests for information about the content are not counted as pastes.
      #expect(try await reader.typeNames().contains("x-kde-passwordManagerHint"))
      #expect(try await reader.data(of: "UTF8_STRING", limit: 9) == Data("secret".utf8))
      try await offer
    }
  }
}

/// The clipboard between several connections to a real server.
@Suite(.serialized, .limited, .timeLimit(minutes: 10), .peers("Xvfb")) struct ClipboardDisplayTests {
  private let desk: TestDesk

  init() async throws {
    desk = try await TestDesk()
  }

  @Test func anOfferEndsWhenAnotherProgramCopies() async throws {
    let (first, second) = (Gate(), Gate())
    try await desk.withDisplay { one in
      try await desk.withDisplay { two in
        async let lost: Void = Clipboard(one).offer([DragItems.text("one")]) { first.open() }
        await first.wait()
        let winner = Task { try await Clipboard(two).offer([DragItems.picture(5_000_000)]) { second.open() } }
        await second.wait()
        try await lost
        try await desk.withDisplay { reader in
          let found = try await Clipboard(reader).withItems { try await $0.first?.data(for: .png) }
          let isEqual = found == DragItems.bytes(5_000_000)
          #expect(isEqual)
          winner.cancel()
          await #expect(throws: CancellationError.self) { try await winner.value }
          #expect(try await failure { try await Clipboard(reader).typeNames() } == .nothingOffered)
        }
      }
    }
  }

  /// Runs `body` while another connection offers a text, and returns the result of the offer.
  private func offering(
    _ text: String, _ body: (Task<Void, any Error>) async throws -> Void
  ) async throws {
    let isOffered = Gate()
    let offer = Task {
      try await desk.withDisplay { try await Clipboard($0).offer([DragItems.text(text)]) { isOffered.open() } }
    }
    await isOffered.wait()
    try await body(offer)
  }

  /// The other program ends before the content is created, or before it reads the first part.
  @Test(arguments: [false, true]) func aRequestorThatClosesEndsItsTransfer(isReading: Bool) async throws {
    let (isOffered, isRequested, isClosed) = (Gate(), Gate(), Gate())
    let item = ItemProvider()
    item.register(.png) { _ in
      isRequested.open()
      if !isReading { await isClosed.wait() }
      return DragItems.bytes(3_000_000)
    }
    try await desk.withDisplay { owner in
      let offer = Task { try await Clipboard(owner).offer([item]) { isOffered.open() } }
      await isOffered.wait()
      try await desk.withDisplay { display in
        let notices = display.x11.router.events { event -> Bool? in
          if case .selectionNotify = event.kind { true } else { nil }
        }
        let target = try await display.x11.connection.intern("image/png")
        try display.x11.connection.send(
          .convertSelection(
            requestor: display.x11.window, selection: display.x11.atoms[.clipboard], target: target,
            property: display.x11.atoms[.value], time: try await display.x11.currentTime()))
        await isRequested.wait()
        if isReading { _ = try await display.x11.next(of: notices, while: "the value is announced") }
      }
      isClosed.open()
      // The offer ends once it is lost and its transfers have ended.
      try await desk.withDisplay { try await Clipboard($0).clear() }
      try await finishing("the end of the transfer") { try await offer.value }
    }
  }

  @Test func clearingRemovesTheContentAndAnUnreadChangeIsReplaced() async throws {
    try await desk.withDisplay { watching in
      let changes = try await Clipboard(watching).changes()
      try await offering("one") { offer in
        try await desk.withDisplay { try await Clipboard($0).clear() }
        try await offer.value
      }
      // The response follows all events so far.
      try await watching.x11.connection.synchronize()
      var iterator = changes.makeAsyncIterator()
      #expect(await iterator.next(isolation: nil)?.isOffered == false)
      #expect(try await failure { try await Clipboard(watching).typeNames() } == .nothingOffered)
    }
  }

  @Test func theClipboardManagerStoresTheContentAtTheEnd() async throws {
    try await desk.withDisplay { display in
      let manager = display.x11.atoms[.clipboardManager]
      let requests = display.x11.selectionRequests(of: manager)
      try display.x11.connection.send(
        .setSelectionOwner(display.x11.window, selection: manager, time: try await display.x11.currentTime()))
      try await display.x11.connection.synchronize()
      try await offering("kept") { offer in
        offer.cancel()
        let request = try await display.x11.next(of: requests, while: "a program ends")
        let data = try await Clipboard(display).reader().data(of: "UTF8_STRING", limit: 1 << 20)
        #expect(data == Data("kept".utf8))
        try display.x11.notify(request, property: request.property)
        await #expect(throws: CancellationError.self) { try await offer.value }
      }
    }
  }
}
