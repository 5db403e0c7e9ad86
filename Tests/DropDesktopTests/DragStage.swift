// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// A virtual display with a pointer of the test's own, for drags between connections.
struct DragStage {
  let screen: VirtualDisplay

  init() async throws {
    screen = try await VirtualDisplay()
  }

  func withDisplay<Result>(
    _ options: DesktopOptions = .init(), _ body: (DesktopDisplay) async throws -> Result
  ) async throws -> Result {
    try await DesktopDisplay.withConnection(to: "\(screen.address)", options: options, body)
  }

  /// Opens the pointer, at a location without windows.
  func pointer() async throws -> TestPointer {
    try await TestPointer(X11Connection.open(screen.address, timeout: .seconds(60)))
  }
}

extension DesktopDisplay {
  /// Creates a visible window, without a window manager.
  func window(
    x: Int16 = 300, y: Int16 = 100, width: UInt16 = 200, height: UInt16 = 200, parent: X11Identifier? = nil
  ) async throws -> X11Identifier {
    let window = try connection.newIdentifier()
    try connection.send(
      .createWindow(
        window, parent: parent ?? connection.screen.root,
        frame: X11Rectangle(x: x, y: y, width: width, height: height),
        attributes: X11WindowAttributes(
          backgroundPixel: 0, overridesRedirect: true, events: DesktopDisplay.transferEvents)))
    try connection.send(.mapWindow(window))
    try await connection.synchronize()
    return window
  }
}

/// Input that the server takes for that of a user.
final class TestPointer: Sendable {
  let connection: X11Connection
  private let xtest: X11Extension

  init(_ connection: X11Connection) async throws {
    self.connection = connection
    xtest = try #require(try await connection.serverExtension(X11Extension.xtestName))
    _ = try await connection.response(to: .xtestGetVersion(xtest))
    try await move(to: 50, 50)
  }

  func move(to x: Int16, _ y: Int16) async throws {
    try await input(.motion(root: connection.screen.root, x: x, y: y))
  }

  func press(_ button: UInt8 = 1) async throws {
    try await input(.button(button, isPressed: true))
  }

  func release(_ button: UInt8 = 1) async throws {
    try await input(.button(button, isPressed: false))
  }

  func type(keySymbol: UInt32) async throws {
    let setup = connection.setup
    let mapping = try await connection.response(
      to: .getKeyboardMapping(of: setup))
    let code = try #require(
      (setup.minimumKeyCode...setup.maximumKeyCode).first { mapping.symbol($0) == keySymbol })
    try await input(.key(code: code, isPressed: true))
    try await input(.key(code: code, isPressed: false))
  }

  private func input(_ input: X11FakeInput) async throws {
    try connection.send(.xtestFakeInput(xtest, input))
    try await connection.synchronize()
  }

  /// Waits until a drag has grabbed the pointer and the keyboard.
  func waitForGrab() async throws {
    let root = connection.screen.root
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      // A time in the future never grabs; the server checks it after the grabs of others.
      let status = try await connection.response(to: .grabKeyboard(root, time: X11Time(1 << 30)))
      if status == .alreadyGrabbed { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("no drag has begun")
  }
}

/// Items for drags.
enum DragItems {
  static func text(_ text: String, name: String? = nil) -> ItemProvider {
    let item = ItemProvider(suggestedName: name)
    item.register(.utf8PlainText) { _ in Data(text.utf8) }
    return item
  }

  static func picture(_ count: Int, name: String? = nil, created: Collector<Int>? = nil) -> ItemProvider {
    let item = ItemProvider(suggestedName: name)
    item.register(.png) { _ in
      created?.add(count)
      return bytes(count)
    }
    return item
  }

  static func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }) }
}
