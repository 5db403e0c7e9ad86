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

/// Drags to targets that vanish, do not respond, or send forged messages.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DragFaultTests {
  private let stage: TestDesk

  init() async throws {
    stage = try await TestDesk()
  }

  /// Input that a program forges, as if the server had sent it.
  private struct ForgedInput: X11SendableEvent {
    let code: UInt8
    let detail: UInt8
    let window: X11Identifier

    var encoded: [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 32)
      (bytes[0], bytes[1]) = (code, detail)
      for index in 0..<4 { bytes[12 + index] = UInt8(truncatingIfNeeded: window.rawValue >> (8 * UInt32(index))) }
      return bytes
    }
  }

  /// A window with the properties of a drop target.
  ///
  /// The test responds to its messages.
  private struct Target: Sendable {
    let display: DesktopDisplay
    let window: X11Identifier
    let atoms: DragAtoms
    let messages: EventSubscription<DragMessage>

    init(_ display: DesktopDisplay, version: UInt32 = 5) async throws {
      self.display = display
      let atoms = try await DragAtoms(display.connection)
      self.atoms = atoms
      let window = try await display.window()
      self.window = window
      messages = display.router.events(limit: 1000) { event in
        guard case .clientMessage(let message) = event.kind, message.window == window else { return nil }
        return DragMessage(message, atoms)
      }
      try display.connection.send(.changeProperty(window, atoms[.aware], type: .atom, .words32([version])))
      try await display.connection.synchronize()
    }

    func send(_ message: DragMessage, to source: X11Identifier) throws {
      try display.connection.send(.sendEvent(message.encoded(for: source, atoms), to: source))
    }

    /// Accepts each position, and calls `whenAccepted` after it; with `accepting` false, ignores the positions.
    ///
    /// Returns the source after the drop; `nil` if the drag leaves the window.
    func awaitDrop(accepting: Bool = true, _ whenAccepted: () async throws -> Void) async throws -> X11Identifier? {
      while let message = await messages.next() {
        switch message {
        case .position(let source, _, _, _, _):
          guard accepting else { break }
          try send(.status(target: window, DragStatus(isAccepted: true, action: nil)), to: source)
          try await display.connection.synchronize()
          try await whenAccepted()
        case .drop(let source, _): return source
        case .leave: return nil
        default: break
        }
      }
      return nil
    }
  }

  /// Drags text onto a target whose messages `body` responds to.
  private func dragging<Result: Sendable>(
    idleTimeout: Duration = .seconds(60), finishTimeout: Duration = .seconds(60), version: UInt32 = 5,
    _ body: (Target, TestPointer) async throws -> Result
  ) async throws -> (outcome: Swift.Result<DesktopDrag.Outcome, DesktopError>, result: Result) {
    let pointer = try await stage.pointer()
    try await pointer.press()
    var options = DesktopOptions()
    options.idleTimeout = idleTimeout
    let drag = Task { [options] in
      try await stage.withDisplay(options) {
        try await DesktopDrag($0, [DragItems.text("x")], finishTimeout: finishTimeout).run()
      }
    }
    try await pointer.waitForGrab()
    let result = try await stage.withDisplay { display in
      let target = try await Target(display, version: version)
      try await pointer.move(to: 320, 120)
      return try await body(target, pointer)
    }
    switch await drag.result {
    case .success(let outcome): return (.success(outcome), result)
    case .failure(let error): return (.failure(try #require(error as? DesktopError)), result)
    }
  }

  @Test func acceptanceWithoutAnActionIsACopy() async throws {
    let (outcome, _) = try await dragging { target, pointer in
      let source = try #require(try await target.awaitDrop { try await pointer.release() })
      try target.send(.finished(target: target.window, isAccepted: true, action: nil), to: source)
      try await target.display.connection.synchronize()
    }
    #expect(try outcome.get() == .dropped(.copy))
  }

  @Test func falseMessagesOfAnotherWindowChangeNothing() async throws {
    let (outcome, _) = try await dragging { target, pointer in
      let stranger = try await target.display.window(x: 0, y: 300, width: 10, height: 10)
      let source = try #require(
        try await target.awaitDrop(accepting: true) {
          try await pointer.release()
        })
      try target.send(.finished(target: stranger, isAccepted: true, action: .move), to: source)
      try target.send(.status(target: stranger, DragStatus(isAccepted: true)), to: source)
      try target.send(.finished(target: target.window, isAccepted: false, action: nil), to: source)
      try await target.display.connection.synchronize()
    }
    #expect(try outcome.get() == .refused)
  }

  @Test func silentTargetEndsTheDragWithAnError() async throws {
    let (outcome, _) = try await dragging(idleTimeout: .milliseconds(300)) { target, pointer in
      try await pointer.release()
      _ = try await target.awaitDrop(accepting: false) {}
    }
    #expect { try outcome.get() } throws: { ($0 as? DesktopError)?.code == .timedOut }
    let (unfinished, _) = try await dragging(finishTimeout: .milliseconds(300)) { target, pointer in
      _ = try await target.awaitDrop { try await pointer.release() }
      // The window stays until the drag has ended.
      try await Task.sleep(for: .seconds(1))
    }
    #expect { try unfinished.get() } throws: { ($0 as? DesktopError)?.code == .timedOut }
  }

  @Test func targetThatVanishesAfterTheDropIsAnError() async throws {
    let (outcome, _) = try await dragging { target, pointer in
      _ = try await target.awaitDrop { try await pointer.release() }
    }
    #expect { try outcome.get() } throws: { ($0 as? DesktopError)?.code == .targetFailed }
  }

  @Test func targetThatVanishesBeforeTheDropIsARefusal() async throws {
    let (outcome, _) = try await dragging { target, pointer in
      _ = await target.messages.next()
      try target.display.connection.send(.destroyWindow(target.window))
      try await target.display.connection.synchronize()
      try await pointer.move(to: 330, 130)
      try await pointer.release()
    }
    #expect(try outcome.get() == .refused)
  }

  @Test func oldTargetReceivesNothing() async throws {
    let (outcome, _) = try await dragging(version: 2) { target, pointer in
      try await pointer.release()
    }
    #expect(try outcome.get() == .refused)
  }

  @Test func forgedInputDoesNotEndTheDrag() async throws {
    let (outcome, _) = try await dragging { target, pointer in
      var forged = false
      while !forged, let message = await target.messages.next() {
        guard case .position(let source, _, _, _, _) = message else { continue }
        // Forges a release of the button, and a press of the key Escape.
        for (code, detail) in [(5, 1), (2, 9)] as [(UInt8, UInt8)] {
          try target.display.connection.send(
            .sendEvent(ForgedInput(code: code, detail: detail, window: source), to: source))
        }
        try target.send(.status(target: target.window, DragStatus(isAccepted: true, action: .copy)), to: source)
        try await target.display.connection.synchronize()
        forged = true
      }
      try await pointer.move(to: 340, 140)
      let source = try #require(try await target.awaitDrop { try await pointer.release() })
      try target.send(.finished(target: target.window, isAccepted: true, action: .copy), to: source)
      try await target.display.connection.synchronize()
    }
    #expect(try outcome.get() == .dropped(.copy))
  }

  // MARK: Proxies

  @Test func proxiesThatDoNotReferToThemselvesAreIgnored() async throws {
    try await stage.withDisplay { display in
      let atoms = try await DragAtoms(display.connection)
      let finder = DragTargetFinder(display: display, atoms: atoms)
      let connection = display.connection
      let window = try await display.window()
      let proxy = try await display.window(x: 0, y: 0, width: 10, height: 10)
      func set(_ name: DragName, _ window: X11Identifier, _ value: UInt32) throws {
        try connection.send(
          .changeProperty(window, atoms[name], type: name == .aware ? .atom : .window, .words32([value])))
      }
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
      try set(.proxy, connection.screen.root, proxy.rawValue)
      #expect(try await finder.target(x: 600, y: 400)?.recipient == proxy)
      _ = try await display.window(x: 590, y: 390, width: 50, height: 50)
      #expect(try await finder.target(x: 600, y: 400) == nil)
    }
  }

  @Test func deeplyNestedWindowsAreBounded() async throws {
    try await stage.withDisplay { display in
      let atoms = try await DragAtoms(display.connection)
      let finder = DragTargetFinder(display: display, atoms: atoms)
      var window = try await display.window()
      for _ in 0..<40 { window = try await display.window(x: 0, y: 0, parent: window) }
      try display.connection.send(.changeProperty(window, atoms[.aware], type: .atom, .words32([5])))
      #expect(try await finder.target(x: 310, y: 110) == nil)
    }
  }
}
