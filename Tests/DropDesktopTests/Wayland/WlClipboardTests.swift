// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// The clipboard of sway, with the programs of wl-clipboard.
@Suite(.serialized, .limited, .timeLimit(minutes: 5), .peers("sway", "wl-copy", "wl-paste"))
struct WlClipboardTests {
  private let desktop: SwayDesktop
  private let directory: TemporaryDirectory

  init() async throws {
    desktop = try await SwayDesktop()
    directory = try TemporaryDirectory()
  }

  private func withClipboard<Result>(
    _ selection: Clipboard.Selection = .clipboard, isolation: isolated (any Actor)? = #isolation,
    _ body: (Clipboard) async throws -> Result
  ) async throws -> Result {
    try await DesktopDisplay(WaylandDisplay.open(desktop.address, .patient)).whileRouting {
      try await body(Clipboard($0, selection))
    }
  }

  /// Runs a program with a file as its input, and writes its output to the file `out`.
  private func run(_ command: String) async throws -> Data {
    let run = try await ProgramRun(
      "sh", ["-c", "cd '\(directory.url.path)' && {\n\(command)\n}"], environment: desktop.environment)
    #expect(run.exitCode == 0, "\(run.errors)")
    return FileManager.default.contents(atPath: directory.file("out").path) ?? Data()
  }

  @Test(arguments: [1, 65_535, 300_000, 20_000_000]) func valueOfWlCopyArrives(count: Int) async throws {
    try directory.write(DragItems.bytes(count), to: "in")
    _ = try await run("wl-copy --type image/png < in > out 2>&1")
    let isEqual = try await withClipboard { clipboard in
      try await clipboard.withItems { try await $0.first?.data(for: .png) } == DragItems.bytes(count)
    }
    #expect(isEqual)
  }

  @Test(arguments: [0, 1, 65_535, 300_000, 20_000_000]) func wlPasteReceivesAValue(count: Int) async throws {
    let isEqual = try await withClipboard { clipboard in
      let isOffered = Gate()
      let offer = Task { try await clipboard.offer([DragItems.picture(count)]) { isOffered.open() } }
      defer { offer.cancel() }
      await isOffered.wait()
      return try await run("wl-paste --no-newline --type image/png > out") == DragItems.bytes(count)
    }
    #expect(isEqual)
  }

  @Test(arguments: Clipboard.Selection.allCases) func bothSelectionsCross(selection: Clipboard.Selection) async throws {
    let option = selection == .primary ? "--primary" : ""
    _ = try await run("wl-copy \(option) 'Hail Ægir' > out 2>&1")
    let text = try await withClipboard(selection) { clipboard in
      try await clipboard.withItems { try await $0.first?.value(as: String.self) }
    }
    #expect(text == "Hail Ægir")
    let changes = try await withClipboard(selection) { clipboard in
      var changes = try await clipboard.changes().makeAsyncIterator()
      let isOffered = Gate()
      let offer = Task { try await clipboard.offer([DragItems.text("Farewell")]) { isOffered.open() } }
      await isOffered.wait()
      let first = await changes.next(isolation: nil)?.isOffered
      let pasted = try await run("wl-paste \(option) --no-newline > out")
      #expect(String(decoding: pasted, as: UTF8.self) == "Farewell")
      // Another program that copies ends the offer.
      _ = try await run("wl-copy \(option) Hail > out 2>&1")
      try await finishing("the end of the offer") { try await offer.value }
      _ = try await run("wl-copy \(option) --clear > out 2>&1")
      var last = await changes.next(isolation: nil)?.isOffered
      while last == true { last = await changes.next(isolation: nil)?.isOffered }
      return [first, last]
    }
    #expect(changes == [true, false])
  }

  @Test func severalTypesCrossAtOnce() async throws {
    let item = DragItems.picture(300_000)
    item.register(.html) { _ in Data("<b>Hail</b>".utf8) }
    item.register(.json) { _ in Data("[1]".utf8) }
    let out = try await withClipboard { clipboard in
      let isOffered = Gate()
      let offer = Task { try await clipboard.offer([item]) { isOffered.open() } }
      defer { offer.cancel() }
      await isOffered.wait()
      return try await run(
        """
        wl-paste -n -t image/png > a & wl-paste -n -t text/html > b & wl-paste -n -t application/json > c & wait
        cat a b c > out
        """)
    }
    let isEqual = out == DragItems.bytes(300_000) + Data("<b>Hail</b>[1]".utf8)
    #expect(isEqual, "\(out.count) bytes")
  }

  @Test func copiedItemsArriveInASecondConnection() async throws {
    let items = [DragItems.text("Hail", name: "Ægir"), DragItems.picture(20_000_000, name: "shield.png")]
    try await withClipboard { source in
      let isOffered = Gate()
      let offer = Task { try await source.offer(items) { isOffered.open() } }
      defer { offer.cancel() }
      await isOffered.wait()
      try await withClipboard { clipboard in
        try await clipboard.withItems { items in
          let isEqual = try await items.last?.data(for: .png) == DragItems.bytes(20_000_000)
          #expect(isEqual && items.map(\.suggestedName) == ["Ægir", "shield.png"])
        }
      }
    }
  }
}
