// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// Drags between two windows of this package on sway.
@Suite(.serialized, .limited, .timeLimit(minutes: 5), .peers("sway")) struct SwayDragTests {
  private let stage: SwayStage

  init() async throws {
    stage = try await SwayStage()
  }

  /// Drags from a window onto a window of a second connection.
  ///
  /// - Returns: The outcome of the drag, and the result of `body`.
  private func drag<Result: Sendable>(
    _ items: [ItemProvider], allowsMove: Bool = false, answer: DesktopDrop.Answer = .accept(.copy),
    _ body: (DesktopDrop.Session) async throws -> Result
  ) async throws -> (DesktopDrag.Outcome, Result) {
    try await stage.withDisplay { source in
      let left = try await WaylandTestWindow(source, name: "left")
      return try await stage.withDisplay { target in
        let right = try await WaylandTestWindow(target, name: "right")
        return try await DesktopDrop(target, window: right.surface.id, responder: { _ in answer }).withEvents {
          events in
          let drag = DesktopDrag(source, items, allowsMove: allowsMove)
          let outcome = try await stage.begin(drag)
          try await stage.pointer.carry(from: SwayStage.left, to: SwayStage.right)
          try await stage.pointer.release()
          let result = try await body(try await events.nextDrop())
          let end = try await finishing("the end of the drag") { try await outcome.value }
          withExtendedLifetime((left, right, drag)) {}
          return (end, result)
        }
      }
    }
  }

  @Test(arguments: [DropAction.copy, .move]) func itemsArriveVerified(action: DropAction) async throws {
    let items = [DragItems.text("Hail", name: "Ægir"), DragItems.picture(5_000_000, name: "shield.png")]
    let (outcome, names) = try await drag(items, allowsMove: action == .move, answer: .accept(action)) { session in
      let items = try await session.items
      let text = try await items.first?.value(as: String.self)
      let isEqual = try await items.last?.data(for: .png) == DragItems.bytes(5_000_000)
      #expect(text == "Hail" && isEqual)
      try await session.finish(session.acceptedAction)
      return items.map(\.suggestedName)
    }
    #expect(outcome == .dropped(action) && names == ["Ægir", "shield.png"])
  }

  @Test func windowsOfOneConnectionExchangeItems() async throws {
    try await stage.withDisplay { display in
      let left = try await WaylandTestWindow(display, name: "left")
      let right = try await WaylandTestWindow(display, name: "right")
      try await DesktopDrop(display, window: right.surface.id).withEvents { events in
        let drag = DesktopDrag(display, [DragItems.picture(5_000_000, name: "shield.png"), DragItems.text("Hail")])
        let outcome = try await stage.begin(drag)
        try await stage.pointer.carry(from: SwayStage.left, to: SwayStage.right)
        try await stage.pointer.release()
        let session = try await events.nextDrop()
        let items = try await session.items
        let isEqual = try await items.first?.data(for: .png) == DragItems.bytes(5_000_000)
        #expect(isEqual && items.map(\.suggestedName) == ["shield.png", nil])
        try await session.finish(.copy)
        let end = try await finishing("the end of the drag") { try await outcome.value }
        #expect(end == .dropped(.copy))
        withExtendedLifetime(drag) {}
      }
      withExtendedLifetime((left, right)) {}
    }
  }

  @Test func moveThatTheSourceDoesNotAllowIsACopy() async throws {
    let (outcome, action) = try await drag([DragItems.text("x")], answer: .accept(.move)) { session in
      _ = try await session.items
      try await session.finish(.copy)
      return session.acceptedAction
    }
    #expect(outcome == .dropped(.copy) && action == .copy)
  }

  @Test func refusedSessionIsRefusedForTheSource() async throws {
    let (outcome, _) = try await drag([DragItems.text("x")]) { $0.refuse(because: "test") }
    #expect(outcome == .refused)
  }

  @Test func filesFoldersAndPromisedFilesHaveAddresses() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("Hail".utf8), to: "100% ü.txt")
    let folder = directory.file("a b")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let items = [file, folder].map { url in
      let item = ItemProvider(suggestedName: url.lastPathComponent)
      item.register(.fileURL) { _ in Data(url.absoluteString.utf8) }
      return item
    }
    let (outcome, addresses) = try await drag(items + [DragItems.text("Saga", name: "saga.txt")]) { session in
      let addresses = try await session.addresses
      let texts = try [addresses[0], addresses[2]].map { try String(contentsOf: $0, encoding: .utf8) }
      #expect(texts == ["Hail", "Saga"])
      try await session.finish(.copy)
      return addresses
    }
    #expect(outcome == .dropped(.copy) && addresses.map(\.lastPathComponent) == ["100% ü.txt", "a b", "saga.txt"])
  }

  /// Releases the button at a location, after the pointer was over the window `right`, which refuses.
  @Test(arguments: [
    (SwayStage.nothing.x, DesktopDrag.Outcome.open), (SwayStage.right.x, .refused), (SwayStage.left.x, .refused),
  ])
  func releaseOverTheEmptyDesktopOpensAWindow(x: Int, end: DesktopDrag.Outcome) async throws {
    try await stage.withDisplay { display in
      let windows = [
        try await WaylandTestWindow(display, name: "left"), try await WaylandTestWindow(display, name: "right"),
      ]
      let target = DesktopDrop(display, window: windows[1].surface.id, responder: { _ in .refuse })
      try await target.withEvents { _ in
        let drag = DesktopDrag(
          display, [DragItems.text("x")], allowsMove: false, icon: nil, opensWindow: true, mark: nil)
        let outcome = try await stage.begin(drag)
        try await stage.pointer.carry(from: SwayStage.left, to: SwayStage.right)
        let y = x == SwayStage.nothing.x ? SwayStage.nothing.y : SwayStage.right.y
        try await stage.pointer.move(to: x, y)
        // A release right after the pointer has left a window looks like a release over the window.
        for _ in 0..<2 { try await display.wayland.roundTrip() }
        try await stage.pointer.release()
        let found = try await finishing("the end of the drag") { try await outcome.value }
        #expect(found == end)
      }
      withExtendedLifetime(windows) {}
    }
  }

  @Test func acceptingWindowThatIsLeftDoesNotKeepADesktopFromOpeningAWindow() async throws {
    try await stage.withDisplay { display in
      let left = try await WaylandTestWindow(display, name: "left")
      let right = try await WaylandTestWindow(display, name: "right")
      try await DesktopDrop(display, window: right.surface.id).withEvents { _ in
        let drag = DesktopDrag(
          display, [DragItems.text("x")], allowsMove: false, icon: nil, opensWindow: true, mark: nil)
        let outcome = try await stage.begin(drag)
        try await stage.pointer.carry(from: SwayStage.left, to: SwayStage.right)
        try await stage.pointer.carry(from: SwayStage.right, to: SwayStage.nothing)
        for _ in 0..<2 { try await display.wayland.roundTrip() }
        try await stage.pointer.release()
        let found = try await finishing("the end of the drag") { try await outcome.value }
        #expect(found == .open)
      }
      withExtendedLifetime((left, right)) {}
    }
  }

  @Test func clickDoesNotStartADrag() async throws {
    try await stage.withDisplay { display in
      let left = try await WaylandTestWindow(display, name: "left")
      try await stage.pointer.move(to: SwayStage.left.x, SwayStage.left.y)
      for _ in 0..<20 {
        try await stage.pointer.press()
        let outcome = Task { try await DesktopDrag(display, [DragItems.text("x")]).run() }
        try await stage.pointer.release()
        let end = try await finishing("the end of the drag") { try await outcome.value }
        // The compositor may have started the drag before the release.
        #expect(end == .cancelled || end == .refused)
      }
      withExtendedLifetime(left) {}
    }
  }
}

/// Drags to and from windows of other toolkits on sway.
@Suite(.serialized, .limited, .timeLimit(minutes: 5), .peers("sway", "python3")) struct SwayInteroperabilityTests {
  private let stage: SwayStage
  private static let toolkits = DragPeer.Toolkit.allCases.filter { $0.isInstalled && $0.runsOnWayland }

  init() async throws {
    stage = try await SwayStage()
  }

  /// Drags items onto the window of a peer, and returns the lines that it prints.
  private func drag(
    _ items: [ItemProvider], to toolkit: DragPeer.Toolkit, _ mode: String, lineCount: Int = 1
  ) async throws -> [String] {
    let peer = try await DragPeer(toolkit, ["target", mode], on: stage.desktop)
    return try await stage.withDisplay { display in
      let left = try await WaylandTestWindow(display, name: "left")
      let drag = DesktopDrag(display, items)
      let outcome = try await stage.begin(drag)
      try await stage.pointer.carry(from: SwayStage.left, to: SwayStage.other)
      try await stage.pointer.carry(from: SwayStage.other, to: (SwayStage.other.x + 20, SwayStage.other.y + 20))
      try await stage.pointer.release()
      let end = try await finishing("the end of the drag") { try await outcome.value }
      #expect(end == .dropped(.copy))
      var lines: [String] = []
      for _ in 0..<lineCount { lines.append(try await peer.next() ?? "") }
      withExtendedLifetime((left, drag)) {}
      return lines
    }
  }

  /// Drags from the window of a peer onto a window of this program.
  private func drop<Result: Sendable>(
    from toolkit: DragPeer.Toolkit, _ arguments: String..., load: (ItemProvider) async throws -> Result
  ) async throws -> [Result] {
    let peer = try await DragPeer(toolkit, ["source"] + arguments, on: stage.desktop)
    let found: [Result] = try await stage.withDisplay { display in
      let left = try await WaylandTestWindow(display, name: "left")
      return try await DesktopDrop(display, window: left.surface.id).withEvents { events in
        try await stage.pointer.move(to: SwayStage.other.x, SwayStage.other.y)
        try await stage.pointer.press()
        try await stage.pointer.carry(from: SwayStage.other, to: SwayStage.left)
        try await stage.pointer.release()
        let session = try await events.nextDrop()
        var found: [Result] = []
        for item in try await session.items { found.append(try await load(item)) }
        try await session.finish(.copy)
        withExtendedLifetime(left) {}
        return found
      }
    }
    #expect(try await peer.next() == "end copy")
    return found
  }

  /// Returns the same text as the peer's script.
  private func text(_ count: Int) -> String {
    String(
      String.UnicodeScalarView((0..<count).map { $0 % 40 == 0 ? "é" : Unicode.Scalar(UInt8(0x61 + $0 % 26)) }))
  }

  @Test(arguments: toolkits, [5, 5_000_000]) func textReachesATarget(toolkit: DragPeer.Toolkit, count: Int) async throws
  {
    let lines = try await drag([DragItems.text(text(count))], to: toolkit, "text")
    #expect(lines == ["text \(count) ok"])
  }

  @Test(arguments: toolkits) func filesReachATarget(toolkit: DragPeer.Toolkit) async throws {
    let items = ["one & ü.txt", "100%.txt", "a b.txt", "%41.txt"].map { DragItems.text($0, name: $0) }
    let lines = try await drag(items, to: toolkit, "files", lineCount: 4)
    #expect(
      lines.map { ($0 as NSString).lastPathComponent } == ["one & ü.txt", "100%.txt", "a b.txt", "%41.txt"])
  }

  @Test(arguments: toolkits, [5, 5_000_000]) func textOfASourceArrives(toolkit: DragPeer.Toolkit, count: Int)
    async throws
  {
    let found = try await drop(from: toolkit, "text", "\(count)") { try await $0.value(as: String.self) }
    let isEqual = found == [text(count)]
    #expect(isEqual, "\(found.map(\.utf8.count)) bytes")
  }

  @Test(arguments: toolkits) func bytesOfASourceArrive(toolkit: DragPeer.Toolkit) async throws {
    let found = try await drop(from: toolkit, "bytes", "5000000") { try await $0.data(for: .png) }
    let isEqual = found == [DragItems.bytes(5_000_000)]
    #expect(isEqual, "\(found.map(\.count)) bytes")
  }

  @Test(arguments: toolkits) func filesOfASourceArrive(toolkit: DragPeer.Toolkit) async throws {
    let directory = try TemporaryDirectory()
    let names = ["a b.txt", "ü.txt", "100%.txt", "%41.txt"]
    let paths = try names.map { try directory.write(Data($0.utf8), to: $0).path }
    let found = try await drop(from: toolkit, "files", paths[0], paths[1], paths[2], paths[3]) { item in
      String(decoding: try await item.data(for: .plainText), as: UTF8.self)
    }
    #expect(found == names)
  }

  /// A window of X11 receives the content, but sway does not report the end.
  ///
  /// GTK 4 refuses the drag. Drags from X11 to Wayland do not arrive at all.
  @Test(.peers("Xwayland"), arguments: toolkits.filter { $0 != .gtk4 })
  func textReachesAWindowOfX11(toolkit: DragPeer.Toolkit) async throws {
    let stage = try await SwayStage(xwayland: true)
    let peer = try await DragPeer(toolkit, ["target", "text"], on: try #require(stage.desktop.display))
    try await stage.withDisplay(.timingOut(after: .seconds(2))) { display in
      let left = try await WaylandTestWindow(display, name: "left")
      let drag = DesktopDrag(display, [DragItems.text(text(5))])
      let outcome = try await stage.begin(drag)
      try await stage.pointer.carry(from: SwayStage.left, to: SwayStage.other)
      try await stage.pointer.release()
      #expect(try await peer.next() == "text 5 ok")
      let end = try await finishing("the end of the drag") { try await outcome.value }
      #expect(end == .dropped(.copy))
      withExtendedLifetime((left, drag)) {}
    }
  }
}
