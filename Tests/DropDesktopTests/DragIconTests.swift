// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DisplayWire
@testable import DropDesktop

/// Tests of the picture that follows the pointer, on a virtual display.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DragIconTests {
  private let stage: TestDesk

  init() async throws {
    stage = try await TestDesk()
  }

  private static let red: UInt32 = 0xFFFF_0000
  private static let green: UInt32 = 0xFF00_FF00
  private static let blue: UInt32 = 0xFF00_00FF

  private static func icon() throws -> DesktopDrag.Icon {
    try #require(
      DesktopDrag.Icon(width: 40, height: 30) { feedback in
        let color =
          switch feedback {
          case .refused: red
          case .copy: green
          case .move: blue
          }
        return Array(repeating: color, count: 1200)
      })
  }

  /// Waits until the screen beside the pointer has a colour.
  private func expect(_ color: UInt32, beside x: Int16, _ y: Int16, _ pointer: TestPointer) async throws {
    let root = pointer.connection.screen.root
    var seen: UInt32 = 0
    let isSeen = try await eventually {
      seen = try await pointer.connection.response(to: .pixel(of: root, x: x + 20, y: y + 20))
      return seen == color & 0xFF_FFFF
    }
    #expect(isSeen, "the pixel is \(String(seen, radix: 16))")
  }

  @Test func iconShowsTheEffectOfADrop() async throws {
    let pointer = try await stage.pointer()
    try await pointer.press()
    let icon = try Self.icon()
    async let outcome = stage.withDisplay { display in
      try await DesktopDrag(display, [DragItems.text("x")], allowsMove: true, icon: icon).run()
    }
    try await pointer.waitForGrab()
    try await stage.withDisplay { display in
      let window = try await display.window()
      let target = DesktopDrop(display, window: window.rawValue) { position in
        position.x < 50 ? .accept(.copy) : position.x < 100 ? .accept(.move) : .refuse
      }
      try await target.withEvents { events in
        try await expect(Self.red, beside: 50, 50, pointer)
        try await pointer.move(to: 310, 120)
        try await expect(Self.green, beside: 310, 120, pointer)
        try await pointer.move(to: 360, 120)
        try await expect(Self.blue, beside: 360, 120, pointer)
        try await pointer.move(to: 450, 120)
        try await expect(Self.red, beside: 450, 120, pointer)
        try await pointer.move(to: 310, 120)
        try await expect(Self.green, beside: 310, 120, pointer)
        try await pointer.release()
        for await event in events {
          guard case .dropped(let session) = event else { continue }
          try await session.finish(.copy)
          break
        }
      }
    }
    #expect(try await outcome == .dropped(.copy))
  }

  @Test func inputGoesThroughTheIcon() async throws {
    let pointer = try await stage.pointer()
    try await pointer.press()
    let icon = try Self.icon()
    let drag = Task {
      try await stage.withDisplay { try await DesktopDrag($0, [DragItems.text("x")], icon: icon).run() }
    }
    try await expect(Self.red, beside: 50, 50, pointer)
    let root = pointer.connection.screen.root
    let found = try await pointer.connection.response(to: .translateCoordinates(from: root, to: root, x: 70, y: 70))
    #expect(found.child == .none)
    #expect(try await pointer.connection.response(to: .queryTree(root)).children.count > 1)
    drag.cancel()
    _ = await drag.result
  }

  enum Ending: CaseIterable {
    case released, escape, cancelled, targetVanished
  }

  @Test(arguments: Ending.allCases) func iconVanishesHoweverTheDragEnds(ending: Ending) async throws {
    let pointer = try await stage.pointer()
    let root = pointer.connection.screen.root
    try await pointer.press()
    let icon = try Self.icon()
    try await stage.withDisplay { display in
      let drag = Task { try await DesktopDrag(display, [DragItems.text("x")], icon: icon).run() }
      try await expect(Self.red, beside: 50, 50, pointer)
      let countWithIcon = try await pointer.connection.response(to: .queryTree(root)).children.count
      switch ending {
      case .released: try await pointer.release()
      case .escape: try await pointer.type(keySymbol: 0xFF1B)
      case .cancelled: drag.cancel()
      case .targetVanished:
        try await stage.withDisplay { other in
          let window = try await other.window()
          try await DesktopDrop(other, window: window.rawValue).withEvents { _ in
            try await pointer.move(to: 320, 120)
            try await expect(Self.green, beside: 320, 120, pointer)
          }
        }
        try await pointer.move(to: 330, 130)
        try await expect(Self.red, beside: 330, 130, pointer)
        try await pointer.release()
      }
      _ = await drag.result
      // The connection is still open, so its end has not removed the window.
      try await display.connection.synchronize()
      #expect(try await pointer.connection.response(to: .queryTree(root)).children.count == countWithIcon - 2)
    }
  }

  @Test func theShapeIsTheOpaquePart() throws {
    let pixels: [UInt32] = [
      0, 0xFFFF_FFFF, 0xFFFF_FFFF, 0,
      0x8040_4040, 0xFFFF_FFFF, 0xFFFF_FFFF, 0x7F00_0000,
      0x8040_4040, 0xFFFF_FFFF, 0xFFFF_FFFF, 0x7F00_0000,
      0xFFFF_FFFF, 0, 0, 0xFFFF_FFFF,
    ]
    let icon = try #require(DesktopDrag.Icon(width: 4, height: 4, pixels: pixels))
    #expect(
      icon.visibleRectangles == [
        X11Rectangle(x: 1, y: 0, width: 2, height: 1), X11Rectangle(x: 0, y: 1, width: 3, height: 2),
        X11Rectangle(x: 0, y: 3, width: 1, height: 1), X11Rectangle(x: 3, y: 3, width: 1, height: 1),
      ])
  }
}

extension X11Query<UInt32> {
  /// Creates the request for the colour of a pixel of a window, including the windows inside it.
  fileprivate static func pixel(of window: X11Identifier, x: Int16, y: Int16) -> Self {
    Self("GetImage", 73, detail: 2, maximumExtraBytes: 4) { writer in
      writer.write(window)
      writer.write(X11Rectangle(x: x, y: y, width: 1, height: 1))
      writer.write32(.max)
    } response: { (_, reader) throws(X11SyntaxError) in
      for _ in 0..<6 { _ = try reader.read32() }
      return try reader.read32() & 0xFF_FFFF
    }
  }
}
