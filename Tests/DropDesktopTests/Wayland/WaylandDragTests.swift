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

/// Drags from a window of this program, on a compositor that runs in the test.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct WaylandDragTests {
  private static let text = "text/plain;charset=utf-8"
  private static let leftButton: UInt32 = 0x110

  /// A running drag, and the compositor with its source.
  private struct Stage: Sendable {
    let display: DesktopDisplay
    let compositor: FakeCompositor
    let source: UInt32
    let device: UInt32
    let surface: WaylandObject
    let pointer: UInt32
    let outcome: Task<DesktopDrag.Outcome, any Error>
    let isDropped: Gate

    /// Sends an event to the source.
    func send(_ event: String, _ argument: WaylandArgument? = nil) {
      if let argument {
        compositor.send(source, .dataSource, event, argument)
      } else {
        compositor.send(source, .dataSource, event)
      }
    }

    func accept(_ name: String? = text, action: UInt32 = 1) {
      send("target", .string(name))
      send("action", .uint(action))
    }

    /// Lets the drag enter a window of this program, or leave it.
    func enterOwnWindow() {
      let offer = compositor.newObject(.dataOffer)
      compositor.send(device, .dataDevice, "data_offer", .uint(offer))
      compositor.send(offer, .dataOffer, "source_actions", .uint(1))
      compositor.send(
        device, .dataDevice, "enter", .uint(20), .uint(surface.id), .fixed(1), .fixed(1), .uint(offer))
    }

    func leaveOwnWindow() { compositor.send(device, .dataDevice, "leave") }

    /// Waits until this program has learned that the drag continues.
    func settle() async throws {
      // The first response follows the events so far, and the second one the requests that they have caused.
      for _ in 0..<2 { try await display.wayland.roundTrip() }
    }

    func end() async throws -> DesktopDrag.Outcome {
      try await finishing("the end of the drag") { try await outcome.value }
    }
  }

  /// Runs `body` while a drag runs.
  private func dragging<Result: Sendable>(
    _ items: [ItemProvider] = [DragItems.text("Hail")], allowsMove: Bool = false, opensWindow: Bool = false,
    icon: DesktopDrag.Icon? = nil, finishTimeout: Duration = .seconds(60), options: DesktopOptions = .patient,
    _ body: (Stage) async throws -> Result
  ) async throws -> Result {
    try await withCompositor(SelectionProtocol.core.globals, options) { _, _ in
      false
    } _: { display, compositor in
      let surface = try display.surface()
      try await compositor.focus(surface)
      let pointer = try #require(compositor.object(.pointer))
      compositor.send(pointer, .pointer, "button", .uint(13), .uint(0), .uint(Self.leftButton), .uint(1))
      try await display.wayland.roundTrip()
      let drag = DesktopDrag(
        display, items, allowsMove: allowsMove, icon: icon, finishTimeout: finishTimeout, opensWindow: opensWindow,
        mark: nil)
      let isDropped = Gate()
      let outcome = Task { try await drag.run { _ in isDropped.open() } }
      defer { outcome.cancel() }
      let start = try await compositor.request(.dataDevice, "start_drag")
      #expect(start.uint(1) == surface.id && start.uint(3) == 13)
      compositor.send(pointer, .pointer, "leave", .uint(14), .uint(surface.id))
      let result = try await body(
        Stage(
          display: display, compositor: compositor, source: start.uint(0), device: start.object, surface: surface,
          pointer: pointer, outcome: outcome, isDropped: isDropped))
      return result
    }
  }

  @Test(arguments: [(false, UInt32(1)), (true, 3)]) func moveIsOfferedOnlyIfAllowed(isAllowed: Bool, bits: UInt32)
    async throws
  {
    try await dragging(allowsMove: isAllowed) { stage in
      #expect(try await stage.compositor.request(.dataSource, "set_actions").uint(0) == bits)
      // A compositor may send the action before the target has entered.
      stage.accept(action: 2)
      stage.send("dnd_drop_performed")
      stage.send("dnd_finished")
      let outcome = try await stage.end()
      #expect(outcome == .dropped(isAllowed ? .move : .copy))
      _ = try await stage.compositor.request(.dataSource, "destroy")
    }
  }

  @Test(arguments: [UInt32(0), 4, 0xFFFF_FFFF]) func unknownActionIsACopy(bits: UInt32) async throws {
    try await dragging(allowsMove: true) { stage in
      stage.accept(action: bits)
      stage.send("dnd_drop_performed")
      stage.send("dnd_finished")
      let outcome = try await stage.end()
      #expect(outcome == .dropped(.copy))
    }
  }

  @Test func valuesCrossBeforeAndAfterTheDrop() async throws {
    try await dragging([DragItems.picture(300_000)]) { stage in
      func value(_ name: String) async throws -> Data {
        Data(try await stage.compositor.pasted(name, from: stage.source, .dataSource))
      }
      let early = try await value("image/png")
      stage.accept("image/png")
      stage.send("dnd_drop_performed")
      await stage.isDropped.wait()
      let (late, unknown) = (try await value("image/png"), try await value("text/html"))
      #expect(early == DragItems.bytes(300_000) && late == early && unknown.isEmpty)
      stage.send("dnd_finished")
      let outcome = try await stage.end()
      #expect(outcome == .dropped(.copy))
    }
  }

  @Test func surplusRequestsAreClosedAtOnce() async throws {
    var options = DesktopOptions.patient
    options.maximumTransfers = 2
    let gate = Gate()
    try await dragging([DragItems.picture(behind: gate)], options: options) { stage in
      let waiting = try (0..<2).map { _ in try stage.compositor.paste("image/png", from: stage.source, .dataSource) }
      let surplus = try await stage.compositor.pasted("image/png", from: stage.source, .dataSource)
      gate.open()
      var values: [[UInt8]] = []
      for reader in waiting { values.append(try await readAll(reader)) }
      #expect(surplus.isEmpty && values == [[7], [7]])
    }
  }

  @Test(arguments: [false, true]) func cancelledDragIsRefused(isDropped: Bool) async throws {
    try await dragging(opensWindow: isDropped) { stage in
      if isDropped {
        stage.accept()
        stage.send("dnd_drop_performed")
      }
      stage.send("cancelled")
      let outcome = try await stage.end()
      #expect(outcome == .refused)
    }
  }

  @Test func dragWithoutAPressDoesNotBegin() async throws {
    try await withCompositor(SelectionProtocol.core.globals) { _, _ in
      false
    } _: { display, compositor in
      let outcome = try await DesktopDrag(display, [DragItems.text("x")]).run()
      #expect(outcome == .cancelled && !compositor.requests.contains { $0.name == "start_drag" })
    }
  }

  /// Some compositors ignore the start of a drag whose button is already released.
  @Test func releaseBeforeTheStartEndsTheDrag() async throws {
    try await dragging { stage in
      stage.compositor.send(
        stage.pointer, .pointer, "button", .uint(15), .uint(0), .uint(Self.leftButton + 1), .uint(0))
      stage.compositor.send(stage.pointer, .pointer, "button", .uint(15), .uint(0), .uint(Self.leftButton), .uint(0))
      let outcome = try await stage.end()
      #expect(outcome == .cancelled)
    }
  }

  @Test func targetThatDoesNotFinishTimesOut() async throws {
    let code = try await dragging(finishTimeout: .milliseconds(100)) { stage in
      stage.accept()
      stage.send("dnd_drop_performed")
      return try await failure { try await stage.end() }
    }
    #expect(code == .timedOut)
  }

  /// sway reports no end of a drop on a window of X11, but that there is no action.
  @Test(arguments: [false, true]) func dropWhoseEndIsUnreportedEndsWhenItsContentIsSent(isSent: Bool) async throws {
    try await dragging(allowsMove: true, options: .timingOut(after: .milliseconds(300))) { stage in
      stage.send("action", .uint(2))
      stage.send("dnd_drop_performed")
      stage.send("action", .uint(0))
      guard isSent else { return #expect(try await failure { try await stage.end() } == .timedOut) }
      let value = try await stage.compositor.pasted(Self.text, from: stage.source, .dataSource)
      let outcome = try await stage.end()
      #expect(value == Array("Hail".utf8) && outcome == .dropped(.copy))
    }
  }

  @Test func endOfTheCompositorEndsADrag() async throws {
    let code = try await dragging { stage in
      stage.compositor.close()
      return try await failure { try await stage.end() }
    }
    #expect(code == .displayGone)
  }

  @Test func cancelledTaskDestroysTheSource() async throws {
    try await dragging { stage in
      stage.outcome.cancel()
      await #expect(throws: CancellationError.self) { try await stage.end() }
      let end = try await stage.compositor.request(.dataSource, "destroy")
      #expect(end.object == stage.source)
    }
  }

  @Test func repeatedReportsDoNotHideTheEnd() async throws {
    try await dragging(allowsMove: true) { stage in
      for number in 0..<5_000 { stage.accept(number % 2 == 0 ? nil : Self.text, action: UInt32(number % 4)) }
      stage.send("dnd_drop_performed")
      stage.send("dnd_finished")
      _ = try await stage.end()
    }
  }

  // MARK: The empty desktop

  /// The ways in which a drag ends that no target has accepted.
  enum End: CaseIterable {
    case overNothing, overNothingAfterOwnWindow, overOwnWindow, leftBeforeCancelled, acceptedAndLeft

    var opens: Bool { self != .overOwnWindow && self != .leftBeforeCancelled }
  }

  @Test(arguments: End.allCases) func releaseOverTheEmptyDesktopOpensAWindow(end: End) async throws {
    try await dragging(opensWindow: true) { stage in
      if end != .overNothing { stage.enterOwnWindow() }
      switch end {
      case .overNothing: break
      case .overNothingAfterOwnWindow:
        stage.leaveOwnWindow()
        try await stage.settle()
      case .acceptedAndLeft:
        // wlroots does not report that the target no longer accepts the drag.
        stage.accept()
        stage.leaveOwnWindow()
        try await stage.settle()
      case .overOwnWindow: break
      // wlroots reports this before it cancels the drag, and Weston afterwards.
      case .leftBeforeCancelled: stage.leaveOwnWindow()
      }
      stage.send("cancelled")
      if end == .overOwnWindow { stage.leaveOwnWindow() }
      let outcome = try await stage.end()
      #expect(outcome == (end.opens ? .open : .refused))
    }
  }

  @Test func releaseOverTheEmptyDesktopIsRefusedWithoutTheOption() async throws {
    try await dragging { stage in
      stage.send("cancelled")
      let outcome = try await stage.end()
      #expect(outcome == .refused)
    }
  }

  @Test func offersOverAWindowThatIsNoTargetAreDestroyedOnce() async throws {
    try await dragging { stage in
      for _ in 0..<20 {
        stage.enterOwnWindow()
        stage.leaveOwnWindow()
      }
      stage.enterOwnWindow()
      stage.enterOwnWindow()
      stage.compositor.send(stage.device, .dataDevice, "drop")
      stage.leaveOwnWindow()
      _ = try await stage.compositor.request(.dataOffer, "destroy", count: 22)
      let ended = stage.compositor.requests.filter { $0.interface == .dataOffer }
      #expect(ended.count == 22 && Set(ended.map(\.object)).count == 22)
    }
  }

  @Test func pictureFollowsTheEffect() async throws {
    let icon = try #require(DesktopDrag.Icon(width: 4, height: 3, pixels: Array(repeating: 0, count: 12)))
    try await dragging(allowsMove: true, icon: icon) { stage in
      let surface = try await stage.compositor.request(.dataDevice, "start_drag").uint(2)
      stage.accept()
      stage.send("action", .uint(2))
      _ = try await stage.compositor.request(.surface, "commit", count: 3)
      stage.send("cancelled")
      _ = try await stage.end()
      #expect(try await stage.compositor.request(.surface, "destroy").object == surface)
    }
  }
}
