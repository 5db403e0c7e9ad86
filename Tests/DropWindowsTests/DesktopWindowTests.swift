// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@testable import DisplayWire
@testable import DropWindows

/// A window on a fake server.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DesktopWindowTests {
  private let screen: FakeScreen
  private let connection: X11Connection

  init() async throws {
    screen = try FakeScreen()
    connection = try await screen.display.connect()
  }

  private func open(
    _ model: WindowModel = SampleContent.drag, options: WindowOptions = WindowOptions(text: BuiltInFont())
  ) async throws -> WindowTester {
    try await WindowTester(model, options: options, on: connection)
  }

  /// Returns whether the server shows the canvas of the window.
  private func isShown(_ canvas: Canvas) -> Bool {
    screen.picture(width: canvas.width, height: canvas.height) == canvas
  }

  @Test func theServerShowsTheCanvas() async throws {
    let tester = try await open()
    let canvas = tester.contents.canvas
    #expect(canvas == SampleContent.picture(tester.contents.state) && isShown(canvas))
    screen.send(6, to: tester.identifier, in: tester.row(4))
    try await tester.waitUntil("the hover") { $0.state.hovered == .row(4) }
    #expect(tester.contents.canvas != canvas && isShown(tester.contents.canvas))
    try await tester.close()
  }

  @Test func windowManagersFindTheProperties() async throws {
    var model = SampleContent.drag
    model.title = "Größe\u{202E}"
    let tester = try await open(model, options: WindowOptions(theme: .dark, text: BuiltInFont()))
    func property(_ atom: X11Atom) async throws -> X11Data {
      try await connection.response(to: .getProperty(tester.identifier, atom, limit: 1000)).data
    }
    let atoms = try await connection.intern([
      "_NET_WM_NAME", "_GTK_THEME_VARIANT", "WM_PROTOCOLS", "WM_DELETE_WINDOW", "_NET_WM_PING",
    ])
    for (atom, text) in [
      (atoms[0], "Größe\\u{202e}"), (atoms[1], "dark"), (.wmName, "Gr??e\\u{202e}"),
      (.wmClass, "dragpipe\0Dragpipe\0"),
    ] {
      #expect(try await property(atom) == .bytes(ArraySlice(text.utf8)))
    }
    let (protocols, sizes) = (try await property(atoms[2]), try await property(.wmNormalHints))
    #expect((protocols, sizes.count) == (.atoms(Array(atoms[3...])), 18))
    let process = try await connection.intern("_NET_WM_PID")
    #expect(try await property(process) == .words32([UInt32(SystemCalls.processIdentifier)]))
    #expect(try await property(.wmClientMachine) == .bytes(SystemCalls.hostName()[...]))
    try tester.window.update { $0.title = "New" }
    #expect(try await property(atoms[0]) == .bytes(ArraySlice("New".utf8)))
    try await tester.close()
  }

  @Test(arguments: [true, false]) func aDialogStaysAboveAndMayHaveAFixedSize(hasFixedSize: Bool) async throws {
    var options = WindowOptions(text: BuiltInFont())
    (options.isDialog, options.hasFixedSize, options.isOnTop) = (true, hasFixedSize, true)
    let tester = try await open(options: options)
    func property(_ atom: X11Atom) async throws -> X11Data {
      try await connection.response(to: .getProperty(tester.identifier, atom, limit: 1000)).data
    }
    let atoms = try await connection.intern([
      "_NET_WM_WINDOW_TYPE", "_NET_WM_WINDOW_TYPE_DIALOG", "_NET_WM_STATE", "_NET_WM_STATE_ABOVE",
    ])
    #expect(try await property(atoms[0]) == .atoms([atoms[1]]))
    #expect(try await property(atoms[2]) == .atoms([atoms[3]]))
    guard case .words32(let hints) = try await property(.wmNormalHints) else {
      Issue.record("the window has no size hints")
      return
    }
    let bounds = tester.window.layout.bounds
    let size = [UInt32(bounds.width), UInt32(bounds.height)]
    // Without a position, a window manager chooses the middle of a monitor.
    #expect(hints[0] == (hasFixedSize ? 0x30 : 0x10))
    #expect((Array(hints[5...8]) == size + size) == hasFixedSize)
    try await tester.close()
  }

  @Test func aTooltipAppearsWhenThePointerRests() async throws {
    var model = SampleContent.drag
    model.rows[1].tooltip = "/folder/file"
    let tester = try await open(model)
    screen.send(6, to: tester.identifier, in: tester.row(1))
    try await tester.waitUntil("the tooltip") { $0.state.tooltip == "/folder/file" }
    screen.send(6, to: tester.identifier, in: tester.row(2))
    try await tester.waitUntil("the end of the tooltip") { $0.state.tooltip.isEmpty }
    try await tester.close()
  }

  @Test func aNewSizeChangesTheLayout() async throws {
    let tester = try await open()
    let window = tester.identifier.rawValue
    screen.display.send(
      event: [22, 0, 0, 0] + bytes(window, window, 0) + bytes(halves: [0, 0, 333, 301, 0]) + zeros(6))
    try await tester.waitUntil("the size") { $0.canvas.width == 333 && $0.canvas.height == 301 }
    #expect(tester.window.layout.maximumScroll() > 0 && isShown(tester.contents.canvas))
    try await tester.close()
  }

  @Test func windowManagersCloseAndPingTheWindow() async throws {
    let tester = try await open()
    let window = tester.identifier
    let atoms = try await connection.intern(["WM_PROTOCOLS", "WM_DELETE_WINDOW", "_NET_WM_PING"])
    func message(_ words: [UInt32]) -> X11ClientMessage {
      X11ClientMessage(window: window, type: atoms[0], data: .words32(words))
    }
    screen.send(message([atoms[2].rawValue, 1234, window.rawValue]))
    screen.send(message([atoms[1].rawValue, 1]))
    try await tester.expect([.closed])
    try await connection.synchronize()
    let root = FakeDisplay.root
    let response = X11ClientMessage(
      window: root, type: atoms[0], data: .words32([atoms[2].rawValue, 1234, window.rawValue]))
    #expect(
      screen.display.requests.filter { $0.opcode == 25 && $0.word32(0) == root.rawValue }.map { Array($0.body[8...]) }
        == [response.encoded])
    try await tester.close()
  }

  @Test func thePointerSelectsDragsAndPresses() async throws {
    let tester = try await open()
    let (window, layout) = (tester.identifier, tester.window.layout)
    screen.press(in: tester.row(1), of: window)
    screen.release(in: tester.row(1), of: window)
    try await tester.expect([.changedSelection])
    #expect(tester.window.model.rows[1].isSelected)
    screen.press(in: tester.row(0), of: window)
    for dx in [3, 6] { screen.send(6, to: window, in: tester.row(0), dx: dx, state: 0x100) }
    screen.release(in: tester.row(0), of: window)
    try await tester.expect([.beganDrag(.rows([0]))])
    screen.press(in: layout.buttons[0], of: window)
    screen.release(in: layout.buttons[0], of: window)
    try await tester.expect([.pressedButton(0)])
    #expect(tester.window.target(x: layout.dragAll.x + 5, y: layout.dragAll.y + 5) == .dragAll)
    try await tester.close()
  }

  @Test func noPartIsUnderThePointerDuringAGrab() async throws {
    let tester = try await open()
    let window = tester.identifier
    // Mode 1 is the start of a grab, and mode 2 is its end.
    screen.send(7, to: window, in: tester.row(4))
    try await tester.waitUntil("the hover") { $0.state.hovered == .row(4) }
    screen.send(8, to: window, in: tester.row(4), mode: 1)
    try await tester.waitUntil("the start of the grab") { $0.state.hovered == nil }
    screen.send(7, to: window, in: tester.row(3), mode: 1)
    screen.send(7, to: window, in: tester.row(4), mode: 2)
    try await tester.waitUntil("the end of the grab") { $0.state.hovered == .row(4) }
    try await tester.close()
  }

  @Test func keysReachTheWindow() async throws {
    let tester = try await open()
    for code: UInt8 in [8, 8, 9, 10] { screen.send(2, detail: code, to: tester.identifier, in: .empty) }
    try await tester.expect([.changedSelection, .closed])
    #expect(tester.window.model.rows[1].isSelected)
    try await tester.close()
  }

  @Test func forgedInputIsIgnored() async throws {
    let tester = try await open()
    let input = X11Event(.destroyNotify(tester.identifier), isSentByClient: true)
    let other = X11Event(.destroyNotify(FakeDisplay.root))
    #expect(try [input, other].flatMap { try tester.window.handle(.x11($0)) } == [])
    try await tester.close()
  }

  @Test func programScrollsTheListUpToItsEnds() async throws {
    let tester = try await open(WindowModel(title: "", rows: (0..<50).map { WindowRow(name: "\($0)") }))
    let moves = try [-1, 0.25, 1000, 1, -1000].map { try tester.window.scroll(by: $0) }
    #expect(moves == [false, true, true, false, true])
    try await tester.waitUntil("the start") { $0.state.scrolls == [0] }
    try await tester.close()
  }

  @Test func manyChangesAreOneFrame() async throws {
    let tester = try await open(SampleContent.drop)
    let count = tester.contents.frameCount
    screen.hold.isActive.withLock { $0 = true }
    defer { screen.hold.isActive.withLock { $0 = false } }
    for step in 0..<1000 { try tester.window.update { $0.rows[1].state = .loading(Double(step) / 1000) } }
    try tester.window.update { $0.rows[1].state = .done }
    screen.hold.isActive.withLock { $0 = false }
    try await tester.waitUntil("the last change") { $0.frameCount > count }
    #expect(tester.contents.frameCount == count + 1 && isShown(tester.contents.canvas))
    try await tester.close()
  }

  @Test func theScaleOfTheDesktopIsUsed() async throws {
    try connection.send(
      .changeProperty(FakeDisplay.root, .resourceManager, type: .string, .bytes(ArraySlice("Xft.dpi:\t144\n".utf8))))
    let tester = try await open(options: WindowOptions(width: 300, height: 200, text: BuiltInFont()))
    let bounds = PixelRectangle(x: 0, y: 0, width: 450, height: 300)
    #expect((tester.window.scale, tester.window.layout.bounds) == (1.5, bounds))
    tester.window.close()
    try await tester.close()
    let requests = screen.display.requests
    let size = requests.first { $0.opcode == 1 }.map { [$0.word16(12), $0.word16(14)] }
    #expect((size, requests.count { $0.opcode == 4 }) == ([450, 300], 1))
  }

  @Test func aDestroyedWindowIsClosed() async throws {
    let tester = try await open()
    let window = tester.identifier.rawValue
    screen.display.send(event: [17, 0, 0, 0] + bytes(window, window) + zeros(20))
    try await tester.expect([.closed])
    let count = screen.display.requests.count
    try tester.window.update { $0.title = "Gone" }
    #expect(tester.contents.isClosed)
    try await tester.close()
    // Only the synchronization sends requests.
    #expect(screen.display.requests.dropFirst(count).allSatisfy { $0.opcode == 43 })
  }

  /// The same on a real server, which reads the pixels in its own format.
  @Test(.peers("Xvfb")) func realServerShowsTheCanvasAndSendsInput() async throws {
    let display = try await VirtualDisplay()
    let tester = try await WindowTester(
      SampleContent.drag, on: X11Connection.open(display.address, timeout: .seconds(60)))
    let viewer = try await X11Connection.open(display.address, timeout: .seconds(60))
    let pointer = try await TestPointer(viewer)
    func move(to area: PixelRectangle) async throws {
      try await pointer.move(to: Int16(area.x + area.width / 2), Int16(area.y + area.height / 2))
    }
    func expectShown() async throws {
      let canvas = tester.contents.canvas
      let pixels = try await viewer.response(
        to: .pixels(
          of: tester.identifier,
          in: X11Rectangle(x: 0, y: 0, width: UInt16(canvas.width), height: UInt16(canvas.height))))
      if pixels != canvas.pixels.map({ $0 & 0xFF_FFFF }) { Issue.record("the window shows other pixels") }
    }
    try await expectShown()
    try await move(to: tester.row(4))
    try await tester.waitUntil("the hover") { $0.state.hovered == .row(4) }
    try await expectShown()
    let root = viewer.screen.root
    #expect(try await viewer.response(to: .grabPointer(root, events: [.buttonPress], time: .current)) == .success)
    try await tester.waitUntil("the start of the grab") { $0.state.hovered == nil }
    try viewer.send(.ungrabPointer())
    try await viewer.synchronize()
    try await tester.waitUntil("the end of the grab") { $0.state.hovered == .row(4) }
    // Without a window manager, the window under the pointer has the focus.
    try await move(to: tester.window.layout.title)
    for symbol: UInt32 in [0xFF54, 0xFF54, 0x20] { try await pointer.type(keySymbol: symbol) }
    try await tester.expect([.changedSelection])
    #expect(tester.window.model.rows[1].isSelected)
    try viewer.send(.configureWindow(tester.identifier, width: 333, height: 301))
    try await tester.waitUntil("the size") { $0.canvas.width == 333 && $0.canvas.height == 301 }
    try await expectShown()
    try await tester.close()
    await display.stop()
  }
}
