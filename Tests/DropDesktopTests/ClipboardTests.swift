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
  .serialized, .limited, .timeLimit(.minutes(5)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct ClipboardTests {
  private let screen: VirtualDisplay

  init() throws {
    screen = try VirtualDisplay()
  }

  private func withDisplay<Result>(
    _ options: DesktopOptions = .init(), _ body: (DesktopDisplay) async throws -> Result
  ) async throws -> Result {
    try await DesktopDisplay.withConnection(to: "\(screen.address)", options: options, body)
  }

  /// Offers items on one connection while the body reads them on another one.
  private func offering<Result: Sendable>(
    _ items: [ItemProvider], _ options: DesktopOptions = .init(), selection: Clipboard.Selection = .clipboard,
    _ body: @escaping @Sendable (Clipboard) async throws -> Result
  ) async throws -> Result {
    let isOffered = Gate()
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask {
        try await withDisplay(options) { display in
          try await Clipboard(display, selection).offer(items) { isOffered.open() }
        }
        return nil
      }
      await isOffered.wait()
      let result = try await withDisplay(options) { try await body(Clipboard($0, selection)) }
      group.cancelAll()
      return result
    }
  }

  private func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }) }

  @Test(arguments: Clipboard.Selection.allCases)
  func itemsOfAnotherProgramArriveWithNamesAndTypes(selection: Clipboard.Selection) async throws {
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
    let picture = ItemProvider()
    let sent = bytes(count)
    picture.register(.png) { _ in sent }
    // By the name of the type, as a foreign program reads it.
    let received = try await offering([picture]) { clipboard in
      try await clipboard.reader().data(of: "image/png", limit: 8 << 20)
    }
    #expect(received == sent)
  }
}
