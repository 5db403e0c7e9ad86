// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import TestSupport
import Testing

@testable import DropWindows

@Suite(
  .serialized, .limited, .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"), .timeLimit(.minutes(5)))
struct DesktopWindowTests {
  @Test func theServerShowsTheCanvas() async throws {
    let tester = try await WindowTester(SampleContent.drag)
    let canvas = tester.window.contents.withLock { $0.canvas }
    #expect(canvas == SampleContent.picture(tester.window.contents.withLock { $0.state }))
    if let screen = try await tester.screenshot() { #expect(screen == canvas) }
    try await tester.send(tester.motion(to: tester.window.layout.row(4, scroll: 0)))
    try await tester.waitUntil { $0.state.hovered == .row(4) }
    let hovered = tester.window.contents.withLock { $0.canvas }
    #expect(hovered != canvas)
    if let screen = try await tester.screenshot() { #expect(screen == hovered) }
    try await tester.close()
  }

  @Test func windowManagersFindTheProperties() async throws {
    var model = SampleContent.drag
    model.title = "Größe\u{202E}"
    let tester = try await WindowTester(model, options: WindowOptions(theme: .dark, text: BuiltInFont()))
    let window = tester.window.identifier
    func bytes(_ name: String) async throws -> String {
      let property = try await tester.viewer.response(
        to: .getProperty(window, tester.viewer.intern(name), limit: 1000))
      guard case .bytes(let bytes) = property.data else { return "" }
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(try await bytes("_NET_WM_NAME") == "Größe\\u{202e}")
    #expect(try await bytes("WM_NAME") == "Gr??e\\u{202e}")
    #expect(try await bytes("WM_CLASS") == "dragpipe\0Dragpipe\0")
    #expect(try await bytes("_GTK_THEME_VARIANT") == "dark")
    let protocols = try await tester.viewer.response(
      to: .getProperty(window, tester.viewer.intern("WM_PROTOCOLS"), limit: 1000))
    #expect(protocols.data == .atoms(try await tester.viewer.intern(["WM_DELETE_WINDOW", "_NET_WM_PING"])))
    let sizes = try await tester.viewer.response(to: .getProperty(window, .wmNormalHints, limit: 1000))
    #expect(sizes.data.count == 18)
    try tester.window.update { $0.title = "New" }
    #expect(try await eventuallyEqual("New") { try await bytes("_NET_WM_NAME") })
    try await tester.close()
  }

  private func eventuallyEqual(_ expected: String, _ value: () async throws -> String) async throws -> Bool {
    for _ in 0..<1000 {
      if try await value() == expected { return true }
      try await Task.sleep(for: .milliseconds(5))
    }
    return false
  }

  @Test func aNewSizeChangesTheLayout() async throws {
    let tester = try await WindowTester(SampleContent.drag)
    try tester.viewer.send(.configureWindow(tester.window.identifier, width: 333, height: 301))
    try await tester.waitUntil { $0.canvas.width == 333 && $0.canvas.height == 301 }
    #expect(tester.window.layout.maximumScroll > 0)
    if let screen = try await tester.screenshot() {
      #expect(screen == tester.window.contents.withLock { $0.canvas })
    }
    try await tester.close()
  }

  @Test func windowManagersCloseAndPingTheWindow() async throws {
    let tester = try await WindowTester(SampleContent.drag)
    let viewer = tester.viewer
    let atoms = try await viewer.intern(["WM_PROTOCOLS", "WM_DELETE_WINDOW", "_NET_WM_PING"])
    try viewer.send(
      .changeWindowAttributes(viewer.screen.root, X11WindowAttributes(events: [.substructureNotify])))
    func message(_ words: [UInt32]) -> X11Request {
      .sendEvent(
        X11ClientMessage(window: tester.window.identifier, type: atoms[0], data: .words32(words)),
        to: tester.window.identifier)
    }
    try viewer.send(message([atoms[2].rawValue, 1234, tester.window.identifier.rawValue]))
    while let event = try await viewer.nextEvent() {
      guard case .clientMessage(let response) = event.kind else { continue }
      #expect(response.window == viewer.screen.root)
      #expect(response.type == atoms[0])
      #expect(response.data == .words32([atoms[2].rawValue, 1234, tester.window.identifier.rawValue, 0, 0]))
      break
    }
    try viewer.send(message([atoms[1].rawValue, 1]))
    try await tester.expect([.closed])
    try await tester.close()
  }

  @Test func thePointerSelectsDragsAndPresses() async throws {
    let tester = try await WindowTester(SampleContent.drag)
    let layout = tester.window.layout
    try await tester.send(
      tester.motion(to: layout.row(1, scroll: 0)), .button(1, isPressed: true), .button(1, isPressed: false))
    try await tester.expect([.changedSelection])
    #expect(tester.window.model.rows[1].isSelected)
    try await tester.send(
      tester.motion(to: layout.row(0, scroll: 0)), .button(1, isPressed: true),
      tester.motion(to: layout.row(0, scroll: 0), dx: 3), tester.motion(to: layout.row(0, scroll: 0), dx: 6),
      .button(1, isPressed: false))
    try await tester.expect([.beganDrag(.rows([0]))])
    try await tester.send(
      tester.motion(to: layout.buttons[0]), .button(1, isPressed: true), .button(1, isPressed: false))
    try await tester.expect([.pressedButton(0)])
    #expect(tester.window.target(x: layout.dragAll.x + 5, y: layout.dragAll.y + 5) == .dragAll)
    try await tester.close()
  }

  @Test func noPartIsUnderThePointerDuringAGrab() async throws {
    let tester = try await WindowTester(SampleContent.drag)
    try await tester.send(tester.motion(to: tester.window.layout.row(4, scroll: 0)))
    try await tester.waitUntil { $0.state.hovered == .row(4) }
    let root = tester.viewer.screen.root
    let status = try await tester.viewer.response(to: .grabPointer(root, events: [.buttonPress], time: .current))
    #expect(status == .success)
    try await tester.waitUntil { $0.state.hovered == nil }
    try tester.viewer.send(.ungrabPointer())
    try await tester.viewer.synchronize()
    try await tester.waitUntil { $0.state.hovered == .row(4) }
    try await tester.close()
  }

  @Test func keysReachTheWindow() async throws {
    let tester = try await WindowTester(SampleContent.drag)
    // Without a window manager, the window under the pointer has the focus.
    try await tester.send(tester.motion(to: tester.window.layout.title))
    for symbol: UInt32 in [0xFF54, 0xFF54, 0x20] { try await tester.press(symbol) }
    try await tester.expect([.changedSelection])
    #expect(tester.window.model.rows[1].isSelected)
    try await tester.press(0xFF1B)
    try await tester.expect([.closed])
    try await tester.close()
  }

  @Test func forgedInputIsIgnored() async throws {
    let tester = try await WindowTester(SampleContent.drag)
    let input = X11Event(.destroyNotify(tester.window.identifier), isSentByClient: true)
    #expect(try tester.window.handle(input) == [])
    #expect(try tester.window.handle(X11Event(.destroyNotify(tester.viewer.screen.root))) == [])
    try await tester.close()
  }

  @Test func manyChangesAreOneFrame() async throws {
    let tester = try await WindowTester(SampleContent.drop)
    for step in 0..<1000 {
      try tester.window.update { $0.rows[1].state = .loading(Double(step) / 1000) }
    }
    try tester.window.update { $0.rows[1].state = .done }
    try await tester.waitUntil { $0.state.model.rows[1].state == .done }
    #expect(tester.window.contents.withLock { $0.frameCount } < 1000)
    if let screen = try await tester.screenshot() {
      #expect(screen == tester.window.contents.withLock { $0.canvas })
    }
    try await tester.close()
  }

  @Test func theScaleOfTheDesktopIsUsed() async throws {
    let display = try await VirtualDisplay()
    let connection = try await X11Connection.open(display.address, timeout: .seconds(60))
    try connection.send(
      .changeProperty(
        connection.screen.root, .resourceManager, type: .string, .bytes(Array("Xft.dpi:\t144\n".utf8))))
    let window = try await DesktopWindow.open(
      on: connection, SampleContent.drag, options: WindowOptions(width: 300, height: 200, text: BuiltInFont()))
    #expect(window.scale == 1.5)
    #expect(window.layout.bounds == PixelRectangle(x: 0, y: 0, width: 450, height: 300))
    let geometry = try await connection.response(to: .getGeometry(window.identifier))
    #expect(geometry.frame.width == 450)
    window.close()
    window.close()
    try await connection.synchronize()
    await #expect(throws: DisplayError.self) {
      try await connection.response(to: .getGeometry(window.identifier))
    }
    connection.close()
    await display.stop()
  }

  @Test func aDestroyedWindowIsClosed() async throws {
    let tester = try await WindowTester(SampleContent.drag)
    try tester.viewer.send(.destroyWindow(tester.window.identifier))
    try await tester.expect([.closed])
    try tester.window.update { $0.title = "Gone" }
    #expect(tester.window.contents.withLock { $0.isClosed })
    // The window may have sent a message to itself after the server had destroyed it.
    try await tester.close(allowsErrors: true)
  }
}
