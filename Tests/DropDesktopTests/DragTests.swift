// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// Tests of drags between two connections to a virtual display, with simulated input of a pointer.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DragTests {
  private let stage: TestDesk

  init() async throws {
    stage = try await TestDesk()
  }

  /// Drags items from a window of one connection onto a window of another connection.
  ///
  /// - Parameters:
  ///   - drag: A closure that creates the drag.
  ///   - options: The options of both sides.
  ///   - directory: The directory in which the target saves files.
  ///   - responder: A closure that decides about each location at the target.
  ///   - drop: A closure that uses the dropped items.
  /// - Returns: The outcome of the drag, and the result of `drop`.
  /// - Throws: The errors of both sides.
  private func dragging<Result: Sendable>(
    _ drag: @escaping @Sendable (DesktopDisplay) -> DesktopDrag, options: DesktopOptions = .init(),
    directory: URL? = nil, responder: @escaping DesktopDrop.Responder = { _ in .accept(.copy) },
    drop: @escaping @Sendable (DesktopDrop.Session) async throws -> Result
  ) async throws -> (outcome: DesktopDrag.Outcome, result: Result?) {
    let pointer = try await stage.pointer()
    try await pointer.press()
    async let outcome = stage.withDisplay(options) { display in try await drag(display).run() }
    try await pointer.waitForGrab()
    let result: Result? = try await stage.withDisplay(options) { display in
      let window = try await display.window()
      let target = DesktopDrop(display, window: window.rawValue, directory: directory, responder: responder)
      return try await target.withEvents { events in
        try await pointer.move(to: 320, 120)
        for await event in events {
          switch event {
          case .entered: try await pointer.move(to: 330, 130)
          case .moved(let position): if position.x == 30 { try await pointer.release() }
          case .left: return nil
          case .dropped(let session): return try await drop(session)
          }
        }
        return nil
      }
    }
    return (try await outcome, result)
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
    #expect(result.result == ["hero.txt public.utf8-plain-text 7", "map.png public.png 300000"])
  }

  @Test(arguments: [0, 1, 65_536, 5_000_000]) func bytesCrossAndAreCreatedOnce(count: Int) async throws {
    let created = Collector<Int>()
    let result = try await dragging {
      DesktopDrag($0, [DragItems.picture(count, created: created)])
    } drop: { session in
      let display = session.display
      let selection = try await display.connection.intern("XdndSelection")
      let reader = SelectionReader(display: display, selection: selection, time: session.time)
      var values: [Data] = []
      for _ in 0..<3 { values.append(try await reader.data(of: "image/png", limit: 8 << 20)) }
      try await session.finish(.copy)
      return values
    }
    #expect(result.outcome == .dropped(.copy))
    #expect(result.result == Array(repeating: DragItems.bytes(count), count: 3))
    #expect(created.values == [count])
  }

  @Test(arguments: [true, false]) func moveNeedsThePermissionOfTheSource(isAllowed: Bool) async throws {
    let result = try await dragging {
      DesktopDrag($0, [DragItems.text("x")], allowsMove: isAllowed)
    } responder: {
      .accept($0.actions.contains(.move) ? .move : .copy)
    } drop: { session in
      #expect(session.position.actions == (isAllowed ? [.copy, .move] : .copy))
      if !isAllowed {
        await #expect { try await session.finish(.move) } throws: { ($0 as? DesktopError)?.code == .notAllowed }
      }
      try await session.finish(session.acceptedAction)
    }
    #expect(result.outcome == .dropped(isAllowed ? .move : .copy))
  }

  @Test func refusals() async throws {
    let refused = try await dragging {
      DesktopDrag($0, [DragItems.text("x")])
    } drop: {
      $0.refuse(because: "no room")
    }
    #expect(refused.outcome == .refused)
    let ignored = try await dragging {
      DesktopDrag($0, [DragItems.text("x")])
    } drop: { _ in
    }
    #expect(ignored.outcome == .refused)
    let notWanted = try await dragging {
      DesktopDrag($0, [DragItems.text("x")])
    } responder: { _ in
      .refuse
    } drop: { _ in
    }
    #expect(notWanted.outcome == .refused)
    #expect(notWanted.result == nil)
  }

  @Test func errorOfTheHandlerRefusesTheDrop() async throws {
    struct Failure: Error {}
    let pointer = try await stage.pointer()
    try await pointer.press()
    async let outcome = stage.withDisplay { try await DesktopDrag($0, [DragItems.text("x")]).run() }
    try await pointer.waitForGrab()
    await #expect(throws: Failure.self) {
      try await stage.withDisplay { display in
        let window = try await display.window()
        try await DesktopDrop(display, window: window.rawValue).withEvents { events in
          try await pointer.move(to: 320, 120)
          for await event in events {
            switch event {
            case .moved: try await pointer.release()
            case .dropped: throw Failure()
            default: break
            }
          }
        }
      }
    }
    #expect(try await outcome == .refused)
  }

  @Test func dragWithinOneConnection() async throws {
    let pointer = try await stage.pointer()
    try await pointer.press()
    let result = try await stage.withDisplay { display in
      let window = try await display.window()
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

  @Test func escapeCancelsAndTheTargetIsLeft() async throws {
    let pointer = try await stage.pointer()
    try await pointer.press()
    async let outcome = stage.withDisplay { try await DesktopDrag($0, [DragItems.text("x")]).run() }
    try await pointer.waitForGrab()
    try await stage.withDisplay { display in
      let window = try await display.window()
      try await DesktopDrop(display, window: window.rawValue).withEvents { events in
        try await pointer.move(to: 320, 120)
        for await event in events {
          if case .moved = event { try await pointer.type(keySymbol: 0xFF1B) }
          if case .left = event { break }
        }
      }
    }
    #expect(try await outcome == .cancelled)
  }

  @Test func releaseOverNoTargetIsARefusal() async throws {
    let pointer = try await stage.pointer()
    try await pointer.press()
    async let outcome = stage.withDisplay { try await DesktopDrag($0, [DragItems.text("x")]).run() }
    try await pointer.waitForGrab()
    try await pointer.move(to: 70, 70)
    try await pointer.release()
    #expect(try await outcome == .refused)
  }

  @Test func dragWithoutAPressedButtonIsCancelled() async throws {
    _ = try await stage.pointer()
    let outcome = try await stage.withDisplay { try await DesktopDrag($0, [DragItems.text("x")]).run() }
    #expect(outcome == .cancelled)
  }

  @Test func cancelledTaskReleasesThePointer() async throws {
    let pointer = try await stage.pointer()
    try await pointer.press()
    try await stage.withDisplay { display in
      let drag = Task { try await DesktopDrag(display, [DragItems.text("x")]).run() }
      try await pointer.waitForGrab()
      drag.cancel()
      await #expect(throws: CancellationError.self) { try await drag.value }
      // Another program can use the pointer again, once the server has processed the requests.
      try await display.connection.synchronize()
      let other = pointer.connection
      let status = try await other.response(
        to: .grabPointer(other.screen.root, events: [.buttonPress], time: .current))
      #expect(status == .success)
    }
  }

  @Test func secondProgramCannotGrabThePointer() async throws {
    let pointer = try await stage.pointer()
    try await pointer.press()
    let root = pointer.connection.screen.root
    let status = try await pointer.connection.response(
      to: .grabPointer(root, events: [.buttonPress], time: .current))
    #expect(status == .success)
    await #expect {
      try await stage.withDisplay { _ = try await DesktopDrag($0, [DragItems.text("x")]).run() }
    } throws: {
      ($0 as? DesktopError)?.code == .notOwned
    }
  }

  @Test func iconFollowsThePointerAndVanishes() async throws {
    let icon = try #require(DesktopDrag.Icon(width: 40, height: 30, pixels: Array(repeating: 0xFF00_80FF, count: 1200)))
    let result = try await dragging {
      DesktopDrag($0, [DragItems.text("x")], icon: icon)
    } drop: { session in
      try await session.finish(.copy)
    }
    #expect(result.outcome == .dropped(.copy))
    let pointer = try await stage.pointer()
    let root = pointer.connection.screen.root
    // The server notices the end of the other connections some time later.
    #expect(try await eventually { try await pointer.connection.response(to: .queryTree(root)).children.isEmpty })
  }
}
