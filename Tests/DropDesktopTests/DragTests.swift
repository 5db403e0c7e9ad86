// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DisplayWire
@testable import DropDesktop

/// Tests of drags between two connections to a virtual display, with simulated input of a pointer.
@Suite(.serialized, .limited, .timeLimit(minutes: 10), .peers("Xvfb")) struct DragTests {
  private let stage: TestDesk
  private let pointer: TestPointer

  init() async throws {
    stage = try await TestDesk()
    pointer = try await stage.pointer()
  }

  /// Presses the button of the pointer, and runs a drag until it ends.
  private func begin(
    _ drag: @escaping @Sendable (DesktopDisplay) -> DesktopDrag = { DesktopDrag($0, [DragItems.text("x")]) }
  ) async throws -> Task<DesktopDrag.Outcome, any Error> {
    try await pointer.press()
    let outcome = Task { try await stage.withDisplay { try await drag($0).run() } }
    try await pointer.waitForGrab()
    return outcome
  }

  /// Drags items from a window of one connection onto a window of another connection.
  ///
  /// The target saves files in the directory. The user acts at the second location.
  ///
  /// - Returns: The outcome of the drag, and the result of `drop`; `nil` if the drag leaves.
  private func dragging<Value: Sendable>(
    _ drag: @escaping @Sendable (DesktopDisplay) -> DesktopDrag = { DesktopDrag($0, [DragItems.text("x")]) },
    directory: URL? = nil, responder: @escaping DesktopDrop.Responder = { _ in .accept(.copy) },
    act: (TestPointer) async throws -> Void = { try await $0.release() },
    drop: (DesktopDrop.Session) async throws -> Value
  ) async throws -> (outcome: DesktopDrag.Outcome, result: Result<Value, any Error>?) {
    let outcome = try await begin(drag)
    let result: Result<Value, any Error>? = try await stage.withDisplay { display in
      let window = try await display.x11.window()
      let target = DesktopDrop(display, window: window.rawValue, directory: directory, responder: responder)
      do {
        return try await target.withEvents { events in
          try await pointer.move(to: 320, 120)
          for await event in events {
            switch event {
            case .entered: try await pointer.move(to: 330, 130)
            case .moved(let position): if position.x == 30 { try await act(pointer) }
            case .left, .scrolled: return nil
            case .dropped(let session): return .success(try await drop(session))
            }
          }
          return nil
        }
      } catch {
        return .failure(error)
      }
    }
    return (try await outcome.value, result)
  }

  @Test func itemsArriveWithNamesAndTypes() async throws {
    let result = try await dragging {
      DesktopDrag($0, [DragItems.text("Theseus", name: "hero.txt"), DragItems.picture(300_000, name: "map.png")])
    } drop: { session in
      var found: [String] = []
      for item in try await session.items {
        let type = try #require(item.contentTypes.first)
        found.append("\(item.suggestedName ?? "-") \(type) \(try await item.data(for: type).count)")
      }
      try await session.finish(.copy)
      return found
    }
    #expect(result.outcome == .dropped(.copy))
    #expect(try result.result?.get() == ["hero.txt public.utf8-plain-text 7", "map.png public.png 300000"])
  }

  @Test func itemsAreAnnouncedBeforeTheirBytes() async throws {
    let created = Collector<Int>()
    let file = ItemProvider(suggestedName: "a.bin")
    file.register(.data, size: .exact(70)) { _ in Data(count: 70) }
    file.register(.json, size: .estimated(30)) { _ in Data("{}".utf8) }
    let result = try await dragging {
      DesktopDrag($0, [file, DragItems.picture(300, name: "map.png", created: created)])
    } drop: { session in
      let summaries = try await session.summaries
      #expect(summaries.map(\.name) == ["a.bin", "map.png"] && summaries.map(\.type) == ["public.data", "public.png"])
      #expect(summaries.map(\.byteCount) == [70, nil] && summaries.map(\.streamByteCount) == [100, nil])
      #expect(created.values.isEmpty)
      #expect(try await session.items.count == 2)
      try await session.finish(.copy)
    }
    #expect(result.outcome == .dropped(.copy))
    try result.result?.get()
  }

  @Test(arguments: [0, 1, 65_536, 5_000_000]) func bytesCrossAndAreCreatedOnce(count: Int) async throws {
    let created = Collector<Int>()
    let result = try await dragging {
      DesktopDrag($0, [DragItems.picture(count, created: created)])
    } drop: { session in
      let reader = session.drop.content
      var values: [Data] = []
      for _ in 0..<3 { values.append(try await reader.data(of: "image/png", limit: 8 << 20)) }
      try await session.finish(.copy)
      return values
    }
    #expect(result.outcome == .dropped(.copy))
    let areEqual = try result.result?.get() == Array(repeating: DragItems.bytes(count), count: 3)
    #expect(areEqual && created.values == [count])
  }

  @Test(arguments: [true, false]) func moveNeedsThePermissionOfTheSource(isAllowed: Bool) async throws {
    let result = try await dragging {
      DesktopDrag($0, [DragItems.text("x")], allowsMove: isAllowed)
    } responder: {
      .accept($0.actions.contains(.move) ? .move : .copy)
    } drop: { session in
      #expect(session.position.actions == (isAllowed ? [.copy, .move] : .copy))
      if !isAllowed { #expect(try await failure { try await session.finish(.move) } == .notAllowed) }
      try await session.finish(session.acceptedAction)
    }
    #expect(result.outcome == .dropped(isAllowed ? .move : .copy))
  }

  @Test func refusals() async throws {
    struct Failure: Error {}
    let failed = try await dragging(drop: { _ in throw Failure() })
    let notWanted = try await dragging(responder: { _ in .refuse }, drop: { _ in })
    let overNoTarget = try await begin()
    try await pointer.move(to: 70, 70)
    try await pointer.release()
    let outcomes = [
      try await dragging(drop: { $0.refuse(because: "no room") }).outcome, try await dragging(drop: { _ in }).outcome,
      failed.outcome, notWanted.outcome, try await overNoTarget.value,
    ]
    #expect(outcomes == Array(repeating: .refused, count: 5))
    #expect(throws: Failure.self) { try failed.result?.get() }
    #expect(notWanted.result == nil)
  }

  @Test func escapeCancelsAndTheTargetIsLeft() async throws {
    let result = try await dragging(act: { try await $0.type(keySymbol: 0xFF1B) }, drop: { _ in })
    #expect(result.outcome == .cancelled && result.result == nil)
  }

  @Test func ownEndsSaveDirectly() async throws {
    let created = Collector<Int>()
    let directory = try TemporaryDirectory()
    let item = DragItems.picture(3_000_000, name: "map.png", created: created)
    let drop = { @Sendable (session: DesktopDrop.Session) async throws -> Int? in
      #expect(!session.position.typeNames.contains("text/uri-list") && created.values.isEmpty)
      // Removes the type of complete drops, as a program does that does not know the type.
      let names = session.position.typeNames.filter { $0 != TargetName.drop }
      let count = try await session.load(names).items.first?.data(for: .png).count
      try await session.finish(.copy)
      return count
    }
    let result = try await dragging(
      { DesktopDrag($0, [item], promisedFiles: .directSave) }, directory: directory.url, drop: drop)
    #expect(try result.outcome == .dropped(.copy) && result.result?.get() == 3_000_000)
    #expect(created.values == [3_000_000])
  }

  @Test func dragWithinOneConnection() async throws {
    try await pointer.press()
    let result = try await stage.withDisplay { display in
      let window = try await display.x11.window()
      return try await DesktopDrop(display, window: window.rawValue).withEvents { events in
        async let outcome = DesktopDrag(display, [DragItems.picture(3_000_000)]).run()
        try await pointer.waitForGrab()
        try await pointer.move(to: 320, 120)
        var count = 0
        for await event in events {
          if case .moved = event { try await pointer.release() }
          guard case .dropped(let session) = event else { continue }
          for item in try await session.items { count += try await item.data(for: .png).count }
          try await session.finish(.copy)
          break
        }
        return (try await outcome, count)
      }
    }
    #expect(result == (.dropped(.copy), 3_000_000))
  }

  @Test func dragWithoutAPressedButtonIsCancelled() async throws {
    let outcome = try await stage.withDisplay { try await DesktopDrag($0, [DragItems.text("x")]).run() }
    #expect(outcome == .cancelled)
  }

  @Test func cancelledTaskReleasesThePointer() async throws {
    try await pointer.press()
    try await stage.withDisplay { display in
      let drag = Task { try await DesktopDrag(display, [DragItems.text("x")]).run() }
      try await pointer.waitForGrab()
      drag.cancel()
      await #expect(throws: CancellationError.self) { try await drag.value }
      // Another program can use the pointer again, once the server has processed the requests.
      try await display.x11.connection.synchronize()
      let other = pointer.connection
      #expect(
        try await other.response(to: .grabPointer(other.screen.root, events: [.buttonPress], time: .current))
          == .success)
      // A second program cannot grab the pointer.
      #expect(try await failure { try await DesktopDrag(display, [DragItems.text("x")]).run() } == .notOwned)
    }
  }

  // MARK: Icon

  private static let (red, green, blue): (UInt32, UInt32, UInt32) = (0xFFFF_0000, 0xFF00_FF00, 0xFF00_00FF)
  private static let yellow: UInt32 = 0xFFFF_FF00

  private static func icon() throws -> DesktopDrag.Icon {
    try #require(
      DesktopDrag.Icon(width: 40, height: 30) { feedback in
        let color =
          switch feedback {
          case .refused: red
          case .copy: green
          case .move: blue
          case .open: yellow
          }
        return Array(repeating: color, count: 1200)
      })
  }

  /// Moves the pointer, and waits until the screen beside it has a colour.
  private func move(to x: Int16, _ y: Int16, expecting color: UInt32) async throws {
    try await pointer.move(to: x, y)
    let root = pointer.connection.screen.root
    var seen: UInt32 = 0
    func isSeen() async throws -> Bool {
      let area = X11Rectangle(x: x + 20, y: y + 20, width: 1, height: 1)
      seen = try await pointer.connection.response(to: .pixels(of: root, in: area))[0]
      return seen == color & 0xFF_FFFF
    }
    try await wait(
      for: "the colour \(String(color, radix: 16))", details: { String(seen, radix: 16) }, until: isSeen)
  }

  /// Returns the visible and invisible windows of the display.
  private func windows() async throws -> [X11Identifier] {
    try await pointer.connection.response(to: .queryTree(pointer.connection.screen.root)).children
  }

  @Test func iconShowsTheEffectOfADrop() async throws {
    let icon = try Self.icon()
    let outcome = try await begin { DesktopDrag($0, [DragItems.text("x")], allowsMove: true, icon: icon) }
    try await stage.withDisplay { display in
      let window = try await display.x11.window()
      let target = DesktopDrop(display, window: window.rawValue) { position in
        position.x < 50 ? .accept(.copy) : position.x < 100 ? .accept(.move) : .refuse
      }
      try await target.withEvents { events in
        try await move(to: 50, 50, expecting: Self.red)
        for (x, color) in [(310, Self.green), (360, Self.blue), (450, Self.red), (310, Self.green)] as [(Int16, UInt32)]
        {
          try await move(to: x, 120, expecting: color)
        }
        try await pointer.release()
        for await event in events {
          guard case .dropped(let session) = event else { continue }
          try await session.finish(.copy)
          break
        }
      }
    }
    #expect(try await outcome.value == .dropped(.copy))
    // The server notices the end of the other connections some time later.
    try await wait(for: "the end of all windows") { try await windows().isEmpty }
  }

  @Test func iconTellsThatAWindowOpensWhereNoWindowIs() async throws {
    let icon = try Self.icon()
    let mark = DragMark(name: "application/x-mark", data: Data("7".utf8))
    let outcome = try await begin {
      DesktopDrag(
        $0, [DragItems.text("x"), DragItems.text("y")], allowsMove: false, icon: icon, opensWindow: true, mark: mark)
    }
    try await stage.withDisplay { display in
      let window = try await display.x11.window()
      // The types of several items are known while they are over a window.
      let target = DesktopDrop(display, window: window.rawValue) { position in
        position.x < 50 && position.types.contains(.utf8PlainText) ? .accept(.copy) : .refuse
      }
      try await target.withEvents { events in
        for (x, y, color) in [
          (50, 50, Self.yellow), (310, 120, Self.green), (360, 120, Self.red), (50, 51, Self.yellow),
          (310, 121, Self.green),
        ] as [(Int16, Int16, UInt32)] {
          try await move(to: x, y, expecting: color)
        }
        try await pointer.release()
        for await event in events {
          guard case .dropped(let session) = event else { continue }
          let marks = [await session.mark(named: mark.name), await session.mark(named: "application/x-other")]
          #expect(marks == [mark.data, nil])
          try await session.finish(.copy)
          break
        }
      }
    }
    #expect(try await outcome.value == .dropped(.copy))
  }

  @Test(arguments: [(true, yellow, DesktopDrag.Outcome.open), (false, red, .refused)])
  func endOverTheDesktopIsReported(opensWindow: Bool, color: UInt32, end: DesktopDrag.Outcome) async throws {
    let icon = try Self.icon()
    let outcome = try await begin {
      DesktopDrag($0, [DragItems.text("x")], allowsMove: false, icon: icon, opensWindow: opensWindow, mark: nil)
    }
    try await move(to: 50, 50, expecting: color)
    try await pointer.release()
    #expect(try await outcome.value == end)
  }

  @Test(arguments: ["released", "escape", "cancelled", "target vanished"])
  func iconLetsInputThroughAndVanishesHoweverTheDragEnds(ending: String) async throws {
    let root = pointer.connection.screen.root
    try await pointer.press()
    let icon = try Self.icon()
    try await stage.withDisplay { display in
      let drag = Task { try await DesktopDrag(display, [DragItems.text("x")], icon: icon).run() }
      try await move(to: 50, 50, expecting: Self.red)
      let under = X11Query.translateCoordinates(from: root, to: root, x: 70, y: 70)
      #expect(try await pointer.connection.response(to: under).child == .none)
      let countWithIcon = try await windows().count
      switch ending {
      case "released": try await pointer.release()
      case "escape": try await pointer.type(keySymbol: 0xFF1B)
      case "cancelled": drag.cancel()
      default:
        try await stage.withDisplay { other in
          let window = try await other.x11.window()
          try await DesktopDrop(other, window: window.rawValue).withEvents { _ in
            try await move(to: 320, 120, expecting: Self.green)
          }
        }
        try await move(to: 330, 130, expecting: Self.red)
        try await pointer.release()
      }
      _ = await drag.result
      // The connection is still open, so its end has not removed the windows of the picture, the source and the owner.
      try await display.x11.connection.synchronize()
      #expect(try await windows().count == countWithIcon - 3)
    }
  }

  // MARK: Proxies

  @Test func proxiesThatDoNotReferToThemselvesAreIgnored() async throws {
    try await stage.withDisplay { display in
      let atoms = try await DragAtoms(display.x11.connection)
      let finder = DragTargetFinder(display: display.x11, atoms: atoms)
      let root = display.x11.connection.screen.root
      let window = try await display.x11.window()
      let proxy = try await display.x11.window(x: 0, y: 0, width: 10, height: 10)
      func set(_ name: DragName, _ window: X11Identifier, _ value: UInt32) throws {
        try display.x11.connection.send(
          .changeProperty(window, atoms[name], type: name == .aware ? .atom : .window, .words32([value])))
      }
      #expect(try await finder.target(x: 310, y: 110) == nil)
      // Versions before 3 are not used.
      try set(.aware, window, 2)
      #expect(try await finder.target(x: 310, y: 110) == nil)
      try set(.aware, window, 4)
      let own = DragTarget(window: window, recipient: window, version: 4)
      #expect(try await finder.target(x: 310, y: 110) == own)
      // Invalid proxies: a missing window, the window itself, and two windows that refer to each other.
      for value in [0x7FFF_FFFF, window.rawValue, proxy.rawValue] {
        try set(.proxy, window, value)
        try set(.proxy, proxy, window.rawValue)
        #expect(try await finder.target(x: 310, y: 110) == own)
      }
      try set(.proxy, proxy, proxy.rawValue)
      #expect(try await finder.target(x: 310, y: 110) == nil)
      try set(.aware, proxy, 9)
      #expect(
        try await finder.target(x: 310, y: 110) == DragTarget(window: window, recipient: proxy, version: 5))
      // The root window is a target only at locations without a window.
      try set(.proxy, root, proxy.rawValue)
      #expect(try await finder.target(x: 600, y: 400)?.recipient == proxy)
      _ = try await display.x11.window(x: 590, y: 390, width: 50, height: 50)
      #expect(try await finder.target(x: 600, y: 400) == nil)
    }
  }

  @Test func deeplyNestedWindowsAreBounded() async throws {
    try await stage.withDisplay { display in
      let atoms = try await DragAtoms(display.x11.connection)
      let finder = DragTargetFinder(display: display.x11, atoms: atoms)
      var window = try await display.x11.window()
      for _ in 0..<40 { window = try await display.x11.window(x: 0, y: 0, parent: window) }
      try display.x11.connection.send(.changeProperty(window, atoms[.aware], type: .atom, .words32([5])))
      #expect(try await finder.target(x: 310, y: 110) == nil)
    }
  }
}
