// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// Drags between two programs in two windows of a terminal.
///
/// A comment names the section of the specification, the file `docs/dnd-protocol.rst` of kitty.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TerminalDragTests {
  /// The machines of the two programs, seen from the terminal.
  enum Machines: CaseIterable {
    case same, remoteSource, remoteTarget, remoteBoth
  }

  static func program(
    _ device: TerminalDevice, _ options: DesktopOptions = .patient, remote isRemote: Bool = false
  ) throws -> DesktopTerminal {
    let environment = isRemote ? ["SSH_TTY": "/dev/pts/1"] : [:]
    return DesktopTerminal(
      try TerminalDisplay(device, options, environment: environment, machine: "1:00ff"))
  }

  /// Drags items from one program to another.
  ///
  /// - Returns: The outcome for the source, and the result of `receive`.
  private func transfer<Result: Sendable>(
    _ items: [ItemProvider], _ machines: Machines = .same, isCut: Bool = false, hidesOwnTypes: Bool = false,
    _ receive: @escaping @Sendable (DesktopDrop.Session) async throws -> Result
  ) async throws -> (DesktopDrag.Outcome, Result) {
    let (sourceWindow, sourceDevice) = try FakeTerminal.pair()
    let (targetWindow, targetDevice) = try FakeTerminal.pair()
    var desk = try FakeTerminalDesk(sourceWindow, targetWindow)
    desk.isSourceRemote = [.remoteSource, .remoteBoth].contains(machines)
    desk.isTargetRemote = [.remoteTarget, .remoteBoth].contains(machines)
    (desk.isCut, desk.hidesOwnTypes) = (isCut, hidesOwnTypes)
    async let outcome = try await Self.program(sourceDevice, remote: desk.isSourceRemote).whileRouting { terminal in
      try await terminal.withGestures { gestures in
        #expect(await gestures.next() == TerminalGesture(column: 3, row: 1))
        return try await DesktopDrag(terminal.display, items).run()
      }
    }
    async let result = try await Self.program(targetDevice).whileRouting { terminal in
      try await DesktopDrop(terminal.display, window: 0).withEvents { events in
        let session = try await events.nextDrop()
        do {
          let result = try await receive(session)
          try await session.finish(.copy)
          return result
        } catch {
          session.refuse(because: "\(error)")
          throw error
        }
      }
    }
    try await desk.drag()
    return (try await outcome, try await result)
  }

  // Section "Starting drags": types that only this package knows keep each item whole.
  @Test func itemsOfThisPackageArriveWhole() async throws {
    let text = ItemProvider(suggestedName: "Iris")
    text.register(.utf8PlainText) { _ in Data("the rainbow".utf8) }
    let empty = ItemProvider(suggestedName: "Echo.txt")
    empty.register(.utf8PlainText) { _ in Data() }
    let (outcome, contents) = try await transfer([text, empty]) { session in
      var contents: [String: Data] = [:]
      for item in try await session.items {
        contents[item.suggestedName ?? ""] = try await item.data(for: .utf8PlainText)
      }
      return contents
    }
    #expect(outcome == .dropped(.copy))
    #expect(contents == ["Iris": Data("the rainbow".utf8), "Echo.txt": Data()])
  }

  @Test(arguments: [(5 << 20, false), (1 << 20, true)])
  func longContentArrivesByteForByte(length: Int, isCut: Bool) async throws {
    let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) })
    let item = ItemProvider(suggestedName: "Atlas.bin")
    item.register(.data) { _ in bytes }
    let (outcome, data) = try await transfer([item], isCut: isCut) { try await $0.items.first?.data(for: .data) }
    #expect(outcome == .dropped(.copy))
    #expect(data == bytes)
  }

  @Test func sourceCreatesPromisedContentOnce() async throws {
    let count = Lock(0)
    let item = ItemProvider(suggestedName: "Pandora.txt")
    item.register(.utf8PlainText) { _ in
      count.withLock { $0 += 1 }
      return Data("hope".utf8)
    }
    let (_, texts) = try await transfer([item]) { session in
      let list = try await session.drop.content.data(of: "text/uri-list", limit: 1000)
      let text = try await session.drop.content.data(of: "text/plain", limit: 1000)
      let file = try URIList.file(try URIList(parsing: list).entries[0])
      return [text, try Data(contentsOf: file)]
    }
    #expect(texts == [Data("hope".utf8), Data("hope".utf8)])
    #expect(count.withLock { $0 } == 1)
  }

  // Sections "Dropping from remote machines" and "Dragging to remote machines".
  @Test(arguments: Machines.allCases) func filesAndFoldersArriveByAddress(machines: Machines) async throws {
    let directory = try TemporaryDirectory()
    let folder = directory.file("Odyssey")
    let tree = FakeNode.folder([
      "Ithaca.txt": .file(Data("home".utf8)), "empty": .file(Data()), ".hidden": .file(Data([0, 255])),
      "sea": .folder([
        "Calypso": .folder([:]), "big": .file(Data(repeating: 7, count: 100_000)), "up": .link("../Ithaca.txt"),
      ]),
      "link": .link("sea/big"),
    ])
    try tree.write(to: folder)
    let file = try directory.write(Data("Iris".utf8), to: "a b%20ü.txt")
    let empty = try directory.write(Data(), to: "Echo")
    let items = [folder, file, empty].map { ItemProvider(unlinked: $0) }
    let (outcome, trees) = try await transfer(items, machines, hidesOwnTypes: true) { session in
      var trees: [String: FakeNode] = [:]
      for item in try await session.items {
        let url = try await item.value(as: URL.self)
        trees[item.suggestedName ?? ""] = try FakeNode(at: url)
      }
      return trees
    }
    #expect(outcome == .dropped(.copy))
    #expect(
      trees == ["Odyssey": tree, "a b%20ü.txt": .file(Data("Iris".utf8)), "Echo": .file(Data())])
  }

  // Section "Dragging to remote machines": the list is sent before the drag, so its files exist.
  @Test(arguments: Machines.allCases) func promisedFilesArriveByAddress(machines: Machines) async throws {
    let count = Lock(0)
    let items = ["Castor", "Pollux"].map { name in
      let item = ItemProvider(suggestedName: name)
      item.register(.utf8PlainText) { _ in
        count.withLock { $0 += 1 }
        return Data(name.utf8)
      }
      return item
    }
    let (outcome, files) = try await transfer(items, machines, hidesOwnTypes: true) { session in
      var files: [String: Data] = [:]
      for item in try await session.items {
        files[item.suggestedName ?? ""] = try Data(contentsOf: try await item.value(as: URL.self))
      }
      return files
    }
    #expect(outcome == .dropped(.copy))
    #expect(files == ["Castor.txt": Data("Castor".utf8), "Pollux.txt": Data("Pollux".utf8)])
    #expect(count.withLock { $0 } == 2)
  }

  @Test func textsOfOtherProgramsArrive() async throws {
    let item = ItemProvider()
    item.register(.html) { _ in Data("<b>Iris</b>".utf8) }
    item.register(.utf8PlainText) { _ in Data("Iris ü".utf8) }
    let (_, texts) = try await transfer([item], hidesOwnTypes: true) { session in
      let item = try #require(try await session.items.first)
      return [try await item.data(for: .utf8PlainText), try await item.data(for: .html)]
    }
    #expect(texts == [Data("Iris ü".utf8), Data("<b>Iris</b>".utf8)])
  }
}
