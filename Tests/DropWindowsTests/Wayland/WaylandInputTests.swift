// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@testable import DisplayWire
@testable import DropWindows

/// The pointer and the keyboard of windows on Wayland.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct WaylandInputTests {
  private static let list: WindowModel = {
    var model = WindowModel(
      title: "", rows: (0..<50).map { WindowRow(name: "\($0)") }, buttons: [WindowButton("Close")])
    model.rowsAreOpened = true
    return model
  }()

  /// The list with a field.
  private static let form: WindowModel = {
    var model = list
    model.field = WindowField(label: "")
    return model
  }()

  private func open(
    _ model: WindowModel = list, with more: [WaylandInterface] = [], capabilities: UInt32 = 3
  ) async throws -> WaylandWindow {
    try await .shown(model, on: try WaylandScreen(with: more, WaylandScreen.Behavior(capabilities: capabilities)))
  }

  // MARK: The pointer

  @Test func aClickPressesAButton() async throws {
    let window = try await open()
    window.enter(window.window.layout.buttons[0])
    window.click()
    #expect(try await window.settle() == [.pressedButton(0)])
    window.expectShown()
    window.button(isPressed: true, code: 0x111)
    window.button(isPressed: false, code: 0x111)
    #expect(try await window.settle() == [])
    window.close()
  }

  @Test func aDoubleClickOpensARow() async throws {
    let window = try await open()
    window.enter(window.window.layout.row(1, scroll: 0))
    window.click(time: 1000)
    window.click(time: 1200)
    #expect(try await window.settle().last == .openedRow(1))
    window.click(time: 3000)
    window.click(time: 3500)
    #expect(try await !window.settle().contains(.openedRow(1)))
    window.close()
  }

  @Test func locationsAreScaled() async throws {
    let screen = try WaylandScreen(WaylandScreen.Behavior(scales: [2]))
    let window = try await WaylandWindow.shown(Self.list, on: screen)
    window.enter(window.window.layout.row(2, scroll: 0))
    _ = try await window.settle()
    #expect(window.contents.state.hovered == .row(2))
    window.send(.pointer, "motion", .uint(0), .fixed(-8_000_000), .fixed(8_000_000))
    _ = try await window.settle()
    #expect(window.contents.state.hovered == nil)
    window.close()
  }

  @Test func theEndOfTheHoverIsDrawn() async throws {
    let window = try await open()
    window.enter(window.window.layout.row(0, scroll: 0))
    _ = try await window.settle()
    #expect(window.contents.state.hovered == .row(0))
    window.send(.pointer, "leave", .uint(21), .uint(window.surface))
    _ = try await window.settle()
    #expect(window.contents.state.hovered == nil)
    window.expectShown()
    window.close()
  }

  /// A drag takes the pointer from the window without the release of the button.
  @Test func leavingForgetsTheButton() async throws {
    let window = try await open()
    window.enter(window.window.layout.buttons[0])
    window.button(isPressed: true)
    _ = try await window.settle()
    #expect(window.session.input.press?.serial == 31)
    window.send(.pointer, "leave", .uint(21), .uint(window.surface))
    _ = try await window.settle()
    #expect(window.session.input.press == nil)
    window.close()
  }

  /// The session has received the end of the input before the window handles the input.
  @Test func aSlowWindowLosesNoInput() async throws {
    let window = try await open(Self.form)
    window.enter(window.window.layout.buttons[0])
    window.click()
    window.enter(window.window.layout.field)
    window.click()
    window.send(.pointer, "leave", .uint(21), .uint(window.surface))
    window.focus()
    window.modify(1)
    window.key(30)
    window.modify(0)
    window.send(.keyboard, "leave", .uint(43), .uint(window.surface))
    #expect(try await window.settleLate() == [.pressedButton(0), .changedFocus(true), .changedFocus(false)])
    #expect(window.contents.state.model.field.map { String($0.text) } == "A")
    window.close()
  }

  @Test func theWheelScrolls() async throws {
    let window = try await open()
    window.enter(window.window.layout.row(1, scroll: 0))
    let step = window.window.layout.scrollStep
    func turn(_ events: [(String, WaylandArgument, WaylandArgument)], distance: Double? = nil) async throws -> Int {
      let before = window.contents.state.scrolls[0]
      for (name, one, other) in events { window.send(.pointer, name, one, other) }
      if let distance { window.send(.pointer, "axis", .uint(0), .uint(0), .fixed(distance)) }
      window.send(.pointer, "frame")
      _ = try await window.settle()
      return (window.contents.state.scrolls[0] - before) / step
    }
    #expect(try await turn([("axis_discrete", .uint(0), .int(2))], distance: 30) == 2)
    #expect(try await turn([("axis_value120", .uint(0), .int(60))], distance: 7.5) == 0)
    #expect(try await turn([("axis_value120", .uint(0), .int(60))], distance: 7.5) == 1)
    #expect(try await turn([], distance: 6) == 0)
    #expect(try await turn([], distance: 6) == 1)
    #expect(try await turn([], distance: -12) == -1)
    #expect(try await turn([("axis_discrete", .uint(1), .int(3))]) == 0)
    window.send(.pointer, "axis", .uint(0), .uint(0), .fixed(15))
    #expect(try await turn([("axis_discrete", .uint(0), .int(1))]) == 1)
    #expect(try await turn([("axis_discrete", .uint(0), .int(Int32.min))]) < 0)
    #expect(window.contents.state.scrolls[0] == 0)
    window.expectShown()
    window.close()
  }

  // MARK: The title bar

  /// Returns the surface of the title bar.
  private func bar(_ window: WaylandWindow) throws -> UInt32 {
    try #require(window.last(.subcompositor, "get_subsurface")?.uint(1))
  }

  @Test func theTitleBarIsAboveTheContent() async throws {
    let window = try await open()
    let height = Int32(WaylandTitleBar.height)
    #expect(window.numbers(.subsurface, "set_position") == [0, -height])
    let width = Int32(window.size[0])
    #expect(
      window.numbers(.xdgSurface, "set_window_geometry") == [0, -height, width, Int32(window.size[1]) + height])
    let picture = window.screen.picture(try bar(window))
    #expect((picture.width, picture.height) == (window.size[0], WaylandTitleBar.height))
    window.screen.configure(500, 434)
    _ = try await window.settle()
    #expect(window.size == [500, 400])
    #expect(window.screen.picture(try bar(window)).width == 500)
    window.expectShown()
    window.close()
  }

  @Test func theTitleBarShowsTheTitleTheFocusAndThePointer() async throws {
    let window = try await open()
    let bar = try bar(window)
    var pictures = [window.screen.picture(bar)]
    try window.window.update { $0.title = "Penelope" }
    _ = try await window.settle()
    pictures.append(window.screen.picture(bar))
    window.focus()
    _ = try await window.settle()
    pictures.append(window.screen.picture(bar))
    window.enter(bar, Double(window.size[0]) - 5, 5)
    _ = try await window.settle()
    pictures.append(window.screen.picture(bar))
    #expect(Set(pictures).count == 4)
    window.send(.pointer, "leave", .uint(22), .uint(bar))
    _ = try await window.settle()
    #expect(window.screen.picture(bar) == pictures[2])
    // The content shows only the title.
    #expect((window.frameCount, window.screen.violations) == (2, []))
    window.close()
  }

  @Test func theTitleBarMovesAndClosesTheWindow() async throws {
    let window = try await open()
    let (bar, width) = (try bar(window), Double(window.size[0]))
    window.enter(bar, 30, 5)
    window.button(isPressed: true)
    #expect(try await window.settle() == [])
    #expect(window.last(.toplevel, "move")?.uint(1) == 31)
    // The button of the move is released over the other button.
    window.send(.pointer, "motion", .uint(0), .fixed(width - 5), .fixed(5))
    window.button(isPressed: false)
    #expect(try await window.settle() == [])
    window.button(isPressed: true)
    window.send(.pointer, "motion", .uint(0), .fixed(30), .fixed(5))
    window.button(isPressed: false)
    #expect(try await window.settle() == [])
    window.send(.pointer, "motion", .uint(0), .fixed(width - 5), .fixed(5))
    window.click()
    #expect(try await window.settle() == [.closed])
    #expect(window.count(.toplevel, "move") == 1)
    window.close()
  }

  @Test func theCompositorDecidesWhoDrawsTheTitleBar() async throws {
    let window = try await open(with: [.decorationManager])
    #expect(window.last(.toplevelDecoration, "set_mode")?.uint(0) == 2)
    #expect(window.compositor.object(.subsurface) == nil)
    // The size arrives before the mode, and includes the title bar.
    let height = Int32(WaylandTitleBar.height)
    for (mode, bar) in [(1, height), (2, 0), (1, height)] as [(UInt32, Int32)] {
      let (toplevel, shell) = try (
        #require(window.compositor.object(.toplevel)), #require(window.compositor.object(.xdgSurface))
      )
      window.compositor.send(toplevel, .toplevel, "configure", .int(500), .int(434), .array([]))
      window.send(.toplevelDecoration, "configure", .uint(mode))
      window.compositor.send(shell, .xdgSurface, "configure", .uint(mode))
      _ = try await window.settle()
      #expect((window.compositor.object(.subsurface) != nil) == (bar > 0))
      #expect(window.size == [500, 434 - Int(bar)])
      #expect(window.numbers(.xdgSurface, "set_window_geometry") == [0, -bar, 500, 434])
      window.expectShown()
    }
    window.close()
  }

  @Test func withoutSubsurfacesThereIsNoTitleBar() async throws {
    let window = try await WaylandWindow.shown(on: try WaylandScreen(without: [.subcompositor]))
    #expect(window.numbers(.xdgSurface, "set_window_geometry")[1] == 0)
    window.expectShown()
    window.close()
  }

  // MARK: The arrow

  @Test func theCompositorDrawsTheArrowIfItCan() async throws {
    let window = try await open(with: [.cursorShapeManager])
    window.enter(window.surface, 10, 10)
    _ = try await window.settle()
    #expect(window.last(.cursorShapeDevice, "set_shape")?.uint(0) == 20)
    window.close()
  }

  @Test func theArrowIsDrawnOtherwise() async throws {
    let screen = try WaylandScreen(WaylandScreen.Behavior(scales: [2]))
    let window = try await WaylandWindow.shown(on: screen)
    for _ in 0..<3 {
      window.enter(window.surface, 10, 10)
      _ = try await window.settle()
    }
    let arrow = try #require(window.last(.pointer, "set_cursor")?.uint(1))
    #expect(screen.picture(arrow).width == 24)
    #expect(screen.frameCount(arrow) == 1)
    window.close()
  }

  // MARK: The keyboard

  @Test func keysHaveTheUSLayoutWithoutAKeymap() async throws {
    let window = try await open(Self.form)
    window.focus()
    window.enter(window.window.layout.field)
    window.click()
    // a, Shift a, Caps Lock a, 1, Shift 1, and further keys.
    for (code, modifiers, locked) in [
      (30, 0, 0), (30, 1, 0), (30, 0, 2), (30, 1, 2), (2, 0, 0), (2, 1, 0), (2, 0, 2), (12, 0, 0), (41, 0, 0),
      (53, 0, 0), (999, 0, 0),
    ] as [(UInt32, UInt32, UInt32)] {
      window.modify(modifiers, locked: locked)
      window.key(code)
      window.key(code, isPressed: false)
    }
    _ = try await window.settle()
    #expect(window.contents.state.model.field.map { String($0.text) } == "aAAa1!1-`/")
    window.close()
  }

  @Test func escapeAndTheFocusAreReported() async throws {
    let window = try await open()
    window.key(1)
    #expect(try await window.settle() == [])
    window.focus()
    window.key(1)
    window.send(.keyboard, "leave", .uint(43), .uint(window.surface))
    window.key(1)
    #expect(try await window.settle() == [.changedFocus(true), .closed, .changedFocus(false)])
    window.close()
  }

  /// A keymap with one key, which the US layout gives another symbol.
  private static let keymap = """
    xkb_keymap {
    xkb_keycodes "hero" { minimum = 8; maximum = 255; <AD06> = 29; };
    xkb_types "hero" {
      type "TWO_LEVEL" { modifiers = Shift; map[Shift] = Level2; level_name[Level1] = "a"; level_name[Level2] = "b"; };
    };
    xkb_compatibility "hero" { };
    xkb_symbols "hero" { key <AD06> { type = "TWO_LEVEL", [ z, Udiaeresis ] }; };
    };
    """

  private func send(_ keymap: [UInt8], length: Int? = nil, format: UInt32 = 1, to window: WaylandWindow) throws {
    let memory = try WaylandMemory(byteCount: max(1, keymap.count))
    memory.withBytes { $0.copyBytes(from: keymap) }
    window.send(
      .keyboard, "keymap", .uint(format), .descriptor(try memory.descriptor()), .uint(UInt32(length ?? keymap.count)))
  }

  @Test(.enabled(if: DynamicLibrary("libxkbcommon.so.0") != nil)) func theKeymapDecides() async throws {
    let window = try await open(Self.form)
    try send(Array(Self.keymap.utf8) + [0], to: window)
    window.focus()
    window.enter(window.window.layout.field)
    window.click()
    for modifiers: UInt32 in [0, 1] {
      window.modify(modifiers)
      window.key(21)
    }
    _ = try await window.settle()
    #expect(window.contents.state.model.field.map { String($0.text) } == "zÜ")
    window.close()
  }

  @Test func strangeKeymapsAreIgnored() async throws {
    let window = try await open(Self.form)
    let text = Array(Self.keymap.utf8)
    try send(Array("xkb_keymap {".utf8), to: window)
    try send(text, length: Int(UInt32.max), to: window)
    try send(text, length: 0, to: window)
    try send(text, format: 0, to: window)
    let (reader, writer) = try SystemCalls.pipe()
    window.send(.keyboard, "keymap", .uint(1), .descriptor(WaylandDescriptor(OwnedDescriptor(reader))), .uint(100))
    window.focus()
    window.enter(window.window.layout.field)
    window.click()
    window.key(21)
    _ = try await window.settle()
    #expect(window.contents.state.model.field.map { String($0.text) } == "y")
    _ = OwnedDescriptor(writer)
    window.close()
  }

  @Test(arguments: ["release", "leave", "capabilities", "global_remove", "close"])
  func aPressedKeyIsRepeatedUntil(end: String) async throws {
    let window = try await open()
    window.send(.keyboard, "repeat_info", .int(100), .int(1))
    window.focus()
    window.key(15)
    window.key(108)
    func waitForRepetition() async throws {
      let row = window.contents.state.focused
      try await wait(for: "a repetition") {
        _ = try await window.handleEvents()
        return window.contents.state.focused != row
      }
    }
    for _ in 0..<3 { try await waitForRepetition() }
    // A modifier is not repeated, and does not end the repetition.
    window.modify(1)
    window.key(42)
    window.modify(0)
    try await waitForRepetition()
    switch end {
    case "release": window.key(108, isPressed: false)
    case "leave": window.send(.keyboard, "leave", .uint(43), .uint(window.surface))
    case "capabilities": window.send(.seat, "capabilities", .uint(1))
    case "global_remove":
      let index = FakeCompositor.desktop.firstIndex(of: .seat)
      window.send(.registry, "global_remove", .uint(UInt32(try #require(index)) + 1))
    default: window.window.close()
    }
    _ = try await window.settle()
    let last = window.contents.state.focused
    for _ in 0..<20 {
      try await Task.sleep(for: .milliseconds(2))
      _ = try await window.settle()
    }
    #expect(window.contents.state.focused == last)
    window.close()
  }

  @Test func thePressedEnterKeyIsNotRepeated() { #expect(!WaylandKeyboard.repeats(28)) }

  // MARK: The seat

  @Test func aSeatMayHaveNoDevices() async throws {
    let window = try await open(capabilities: 0)
    window.expectShown()
    #expect((window.compositor.object(.pointer), window.compositor.object(.keyboard)) == (nil, nil))
    window.send(.seat, "capabilities", .uint(3))
    _ = try await window.settle()
    window.enter(window.window.layout.buttons[0])
    window.click()
    #expect(try await window.settle() == [.pressedButton(0)])
    window.close()
  }

  @Test func aLostDeviceEndsItsInput() async throws {
    let window = try await open()
    window.focus()
    window.enter(window.window.layout.row(0, scroll: 0))
    #expect(try await window.settle() == [.changedFocus(true)])
    window.send(.seat, "capabilities", .uint(0))
    #expect(try await window.settle() == [.changedFocus(false)])
    #expect(window.contents.state.hovered == nil)
    for interface: WaylandInterface in [.pointer, .keyboard] { #expect(window.count(interface, "release") == 1) }
    window.send(.seat, "capabilities", .uint(0))
    #expect(try await window.settle() == [])
    window.close()
  }

  @Test func aDesktopWithoutSeatShowsTheWindow() async throws {
    let window = try await WaylandWindow.shown(on: try WaylandScreen(without: [.seat]))
    window.expectShown()
    window.close()
  }
}
