// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@testable import DisplayWire
@testable import DropWindows

/// The frames, sizes and scales of windows on Wayland.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct WaylandFrameTests {
  // MARK: Frames

  @Test func theFirstFrameFollowsTheAcknowledgedSize() async throws {
    let window = try await WaylandWindow(on: try WaylandScreen())
    #expect(!window.window.isVisible)
    #expect(try await window.settle() == [])
    window.expectShown()
    #expect((window.frameCount, window.count(.xdgSurface, "ack_configure")) == (1, 1))
    #expect(window.last(.xdgSurface, "ack_configure")?.uint(0) == 1)
    window.close()
  }

  @Test func changesAreOneFrameAfterTheLastOneIsShown() async throws {
    let window = try await WaylandWindow.shown(SampleContent.drop, on: try WaylandScreen())
    window.screen.change { $0.showsFrames = false }
    try window.window.update { $0.rows[0].name = "Achilles" }
    _ = try await window.settle()
    #expect(window.frameCount == 2)
    for step in 0..<1000 { try window.window.update { $0.rows[1].state = .loading(Double(step) / 1000) } }
    _ = try await window.settle()
    #expect(window.frameCount == 2)
    window.screen.showFrames()
    _ = try await window.settle()
    #expect(window.frameCount == 3)
    window.expectShown()
    window.close()
  }

  @Test func aBurstOfEventsIsOneFrame() async throws {
    let window = try await WaylandWindow.shown(on: try WaylandScreen())
    window.enter(window.window.layout.row(0, scroll: 0))
    for step in 0..<500 { window.send(.pointer, "motion", .uint(0), .fixed(50), .fixed(Double(step % 300))) }
    _ = try await window.settleLate()
    #expect(window.frameCount == 2)
    window.expectShown()
    window.close()
  }

  @Test func updatesOfOtherTasksAreDrawn() async throws {
    let window = try await WaylandWindow.shown(SampleContent.drop, on: try WaylandScreen())
    let shown = window.window
    let updates = Task {
      for step in 0..<2000 {
        try shown.update { $0.rows[0].name = "\(step)" }
        await Task.yield()
      }
    }
    while shown.model.rows[0].name != "1999" { _ = try await window.settle() }
    try await updates.value
    _ = try await window.settle()
    window.expectShown()
    window.close()
  }

  @Test func withoutChangesNothingIsSent() async throws {
    let window = try await WaylandWindow.shown(on: try WaylandScreen())
    let count = window.compositor.requests.count
    for _ in 0..<5 {
      try window.window.update { _ in }
      _ = try await window.settle()
    }
    #expect(window.compositor.requests.count == count)
    window.close()
  }

  // MARK: Buffers

  @Test(arguments: [true, false]) func theCompositorShowsEachFrame(releasesBuffers: Bool) async throws {
    var behavior = WaylandScreen.Behavior()
    behavior.releasesBuffers = releasesBuffers
    let screen = try WaylandScreen(with: [.decorationManager], behavior)
    let window = try await WaylandWindow.shown(SampleContent.drop, on: screen)
    for step in 0..<12 {
      try window.window.update { $0.rows[step % 5].state = .loading(Double(step) / 12) }
      _ = try await window.settle()
      window.expectShown()
    }
    #expect(window.frameCount == 13)
    let (live, all) = window.screen.buffers
    #expect(live <= (releasesBuffers ? 2 : 4))
    #expect(all == (releasesBuffers ? 2 : 13))
    window.close()
  }

  @Test func aThousandFramesKeepNoObjects() async throws {
    let window = try await WaylandWindow.shown(SampleContent.drop, on: try WaylandScreen())
    try window.window.update { $0.rows[0].name = "Ajax" }
    _ = try await window.settle()
    let count = window.compositor.objectCount
    for step in 0..<1000 {
      try window.window.update { $0.rows[0].name = "\(step)" }
      _ = try await window.settle()
    }
    #expect((window.frameCount, window.compositor.objectCount) == (1002, count))
    window.close()
  }

  @Test func closedWindowsKeepNoObjects() async throws {
    let more: [WaylandInterface] = [.viewporter, .fractionalScaleManager, .decorationManager, .cursorShapeManager]
    for screen in [try WaylandScreen(with: more), try WaylandScreen()] {
      let first = try await WaylandWindow.shown(on: screen)
      var counts: [Int] = []
      for _ in 0..<20 {
        let window = try await first.another()
        _ = try await window.settle()
        window.enter(window.surface, 10, 10)
        _ = try await window.settle()
        window.window.close()
        _ = try await window.settle()
        counts.append(screen.compositor.objectCount)
      }
      #expect(counts.dropFirst().allSatisfy { $0 == counts[0] }, "\(counts)")
      first.window.close()
      _ = try await first.settle()
      #expect(screen.buffers.live == 0)
      first.connection.close()
    }
  }

  // MARK: Sizes

  @Test func theCompositorChoosesTheSize() async throws {
    let window = try await WaylandWindow.shown(on: try WaylandScreen(with: [.decorationManager]))
    window.send(.toplevelDecoration, "configure", .uint(2))
    for (width, height) in [(500, 450), (333, 301), (900, 200)] as [(Int32, Int32)] {
      window.screen.configure(width, height, serial: UInt32(width))
      _ = try await window.settle()
      #expect(window.size == [Int(width), Int(height)])
      #expect(window.last(.xdgSurface, "ack_configure")?.uint(0) == UInt32(width))
      #expect(window.numbers(.xdgSurface, "set_window_geometry") == [0, 0, width, height])
      window.expectShown()
    }
    #expect(window.screen.buffers.live <= 2)
    window.close()
  }

  @Test func aSizeThatDoesNotChangeIsCommitted() async throws {
    let window = try await WaylandWindow.shown(on: try WaylandScreen())
    let (frames, commits) = (window.frameCount, window.count(.surface, "commit"))
    window.screen.configure(0, 0, serial: 9)
    _ = try await window.settle()
    #expect(window.last(.xdgSurface, "ack_configure")?.uint(0) == 9)
    #expect(window.compositor.requests.last?.name == "commit")
    #expect((window.frameCount, window.count(.surface, "commit")) == (frames, commits + 1))
    window.close()
  }

  @Test func strangeSizesAreLimited() async throws {
    let window = try await WaylandWindow.shown(
      on: try WaylandScreen(with: [.decorationManager], WaylandScreen.Behavior(scales: [2])))
    window.send(.toplevelDecoration, "configure", .uint(2))
    let first = window.size
    for (size, expected) in [
      ((0, 0), first), ((-5, 100), [first[0], 200]), ((Int32.min, Int32.min), [first[0], 200]),
      ((500, 0), [1000, 200]), ((1, 1), [2, 2]), ((Int32.max, 2), [8192, 4]), ((3, Int32.max), [6, 8192]),
    ] as [((Int32, Int32), [Int])] {
      window.screen.configure(size.0, size.1)
      _ = try await window.settle()
      #expect(window.size == expected, "\(size)")
    }
    #expect(window.screen.violations == [])
    window.close()
  }

  @Test func programChangesTheSize() async throws {
    let window = try await WaylandWindow.shown(on: try WaylandScreen(WaylandScreen.Behavior(scales: [2])))
    try window.window.resize(width: 300, height: 250)
    _ = try await window.settle()
    #expect(window.size == [600, 500])
    let bar = Int32(WaylandTitleBar.height)
    #expect(window.numbers(.xdgSurface, "set_window_geometry") == [0, -bar, 300, 250 + bar])
    window.expectShown()
    window.close()
  }

  @Test func aFixedSizeIsDeclaredAndFollowsTheProgram() async throws {
    var options = WindowOptions(width: 300, height: 200, text: BuiltInFont())
    options.hasFixedSize = true
    let window = try await WaylandWindow.shown(options: options, on: try WaylandScreen())
    let bar = Int32(WaylandTitleBar.height)
    for name in ["set_min_size", "set_max_size"] { #expect(window.numbers(.toplevel, name) == [300, 200 + bar]) }
    window.screen.configure(900, 900)
    _ = try await window.settle()
    #expect(window.size == [300, 200])
    try window.window.resize(width: 310, height: 210)
    _ = try await window.settle()
    #expect(window.size == [310, 210])
    for name in ["set_min_size", "set_max_size"] { #expect(window.numbers(.toplevel, name) == [310, 210 + bar]) }
    window.close()
  }

  @Test(arguments: [true, false]) func aMaximizedWindowHasTheRequestedSize(hasFixedSize: Bool) async throws {
    var options = WindowOptions(width: 300, height: 200, text: BuiltInFont())
    options.hasFixedSize = hasFixedSize
    let window = try await WaylandWindow.shown(options: options, on: try WaylandScreen(with: [.decorationManager]))
    let (maximized, fullscreen): ([UInt8], [UInt8]) = ([1, 0, 0, 0], [4, 0, 0, 0, 2, 0, 0, 0, 9])
    for (states, size, expected) in [
      (maximized, (800, 700), [800, 700]), (fullscreen, (900, 750), [900, 750]), ([], (0, 0), [300, 200]),
    ] as [([UInt8], (Int32, Int32), [Int])] {
      window.send(.toplevel, "configure", .int(size.0), .int(size.1), .array(states))
      window.send(.xdgSurface, "configure", .uint(8))
      _ = try await window.settle()
      #expect(window.size == expected)
      window.expectShown()
      if states == maximized {
        try window.window.resize(width: 400, height: 400)
        _ = try await window.settle()
        #expect(window.size == expected)
      }
    }
    window.close()
  }

  @Test func theMinimumSizeIncludesTheTitleBar() async throws {
    let window = try await WaylandWindow.shown(on: try WaylandScreen(with: [.decorationManager]))
    window.send(.toplevelDecoration, "configure", .uint(1))
    _ = try await window.settle()
    let bar = Int32(WaylandTitleBar.height)
    #expect(window.numbers(.toplevel, "set_min_size") == [240, 160 + bar])
    window.send(.toplevelDecoration, "configure", .uint(2))
    _ = try await window.settle()
    #expect(window.numbers(.toplevel, "set_min_size") == [240, 160])
    #expect(window.count(.toplevel, "set_max_size") == 0)
    window.close()
  }

  // MARK: Scales

  @Test(arguments: [1, 2, 3]) func theScaleOfTheOutputIsUsed(scale: Int32) async throws {
    let screen = try WaylandScreen(WaylandScreen.Behavior(scales: [scale]))
    let window = try await WaylandWindow.shown(
      options: WindowOptions(width: 300, height: 200, text: BuiltInFont()), on: screen)
    #expect(window.size == [300 * Int(scale), 200 * Int(scale)])
    #expect(
      window.compositor.requests.last { $0.name == "set_buffer_scale" && $0.object == window.surface }?.int(0) == scale)
    window.expectShown()
    window.close()
  }

  @Test func theWindowFollowsItsOutputs() async throws {
    let screen = try WaylandScreen(with: [.output], WaylandScreen.Behavior(scales: [1, 2]))
    let window = try await WaylandWindow.shown(
      options: WindowOptions(width: 300, height: 200, text: BuiltInFont()), on: screen)
    let outputs = window.compositor.requests.filter { $0.string(1) == "wl_output" }.map { $0.uint(3) }
    try #require(outputs.count == 2)
    for (event, output, width) in [
      ("enter", outputs[0], 300), ("enter", outputs[1], 600), ("leave", outputs[1], 300), ("leave", outputs[0], 300),
    ] {
      window.compositor.send(window.surface, .surface, event, .uint(output))
      _ = try await window.settle()
      #expect(window.size[0] == width, "\(event) \(output)")
      window.expectShown()
    }
    window.compositor.send(window.surface, .surface, "enter", .uint(outputs[0]))
    window.compositor.send(outputs[0], .output, "scale", .int(3))
    window.compositor.send(outputs[0], .output, "done")
    _ = try await window.settle()
    #expect(window.size == [900, 600])
    window.expectShown()
    window.close()
  }

  @Test func aFractionalScaleIsUsed() async throws {
    let screen = try WaylandScreen(
      with: [.viewporter, .fractionalScaleManager], WaylandScreen.Behavior(scales: [2]))
    let window = try await WaylandWindow.shown(
      options: WindowOptions(width: 301, height: 200, text: BuiltInFont()), on: screen)
    let viewport = try #require(
      window.compositor.requests.first { $0.name == "get_viewport" && $0.uint(1) == window.surface }?.uint(0))
    for (value, width, height) in [(180, 452, 300), (150, 376, 250), (0, 151, 100), (UInt32.max, 1204, 800)] {
      window.send(.fractionalScale, "preferred_scale", .uint(UInt32(value)))
      _ = try await window.settle()
      #expect(window.size == [width, height])
      let destination = window.compositor.requests.last { $0.name == "set_destination" && $0.object == viewport }
      #expect((destination?.int(0), destination?.int(1)) == (301, 200))
      window.expectShown()
    }
    #expect(window.count(.surface, "set_buffer_scale") == 0)
    window.close()
  }

  @Test func aFixedScaleWithoutViewportIsAWholeNumber() async throws {
    let options = WindowOptions(width: 301, height: 201, scale: 1.5, text: BuiltInFont())
    let window = try await WaylandWindow.shown(options: options, on: try WaylandScreen())
    #expect(window.size == [602, 402])
    #expect(window.numbers(.surface, "set_buffer_scale") == [2])
    window.expectShown()
    window.close()
  }

  // MARK: Ends

  @Test(arguments: [[WaylandInterface.shm], [.windowBase], [.compositor], [.shm, .windowBase]])
  func theErrorNamesWhatTheCompositorLacks(missing: [WaylandInterface]) async throws {
    let error = await #expect(throws: DisplayError.self) {
      try await WaylandWindow(on: try WaylandScreen(without: missing))
    }
    #expect(error?.code == .badAddress)
    for interface in missing { #expect("\(try #require(error))".contains(interface.name)) }
  }

  @Test func theEndOfTheCompositorIsAnError() async throws {
    let window = try await WaylandWindow.shown(on: try WaylandScreen())
    window.compositor.close()
    let error = await #expect(throws: DisplayError.self) { try await window.settle() }
    #expect(error?.code == .serverGone)
    #expect(throws: DisplayError.self) { try window.window.update { $0.title = "Hector" } }
    window.close()
  }

  @Test func compositorAndUserCloseTheWindow() async throws {
    let window = try await WaylandWindow.shown(on: try WaylandScreen())
    window.send(.toplevel, "close")
    #expect(try await window.settle() == [.closed])
    window.window.close()
    window.window.close()
    _ = try await window.settle()
    for interface: WaylandInterface in [.toplevel, .xdgSurface, .surface, .subsurface, .buffer] {
      #expect(window.compositor.object(interface) == nil)
    }
    let count = window.compositor.requests.count
    try window.window.update { $0.title = "Gone" }
    try window.window.resize(width: 10, height: 10)
    _ = try await window.settle()
    #expect(window.compositor.requests.count == count)
    window.connection.close()
  }

  /// Another task closes the window while its events are handled, which is not an error.
  @Test func aWindowMayCloseWhileItsEventsAreHandled() async throws {
    let screen = try WaylandScreen()
    let first = try await WaylandWindow.shown(on: screen)
    for step in 0..<200 {
      let window = WaylandWindow(
        screen: screen, connection: first.connection, session: first.session,
        window: try await DesktopWindow.open(
          on: .wayland(first.session), SampleContent.drag, options: WindowOptions(text: BuiltInFont())))
      let shown = window.window
      let closing = Task {
        for _ in 0..<step { await Task.yield() }
        shown.close()
      }
      while !window.contents.isClosed {
        try shown.update { $0.title = "\(step)" }
        _ = try await window.settle()
      }
      await closing.value
    }
    _ = try await first.settle()
    first.close()
  }
}
