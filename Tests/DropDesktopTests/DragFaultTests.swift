// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import DropTransport
import Foundation
import TestSupport
import Testing

@testable import DropDesktop

/// Drags to targets that vanish, do not respond, or send forged messages.
@Suite(.serialized, .limited, .timeLimit(minutes: 10), .peers("Xvfb")) struct DragFaultTests {
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
    let messages: AsyncQueue<DragMessage>

    init(_ display: DesktopDisplay, x: Int16 = 300, y: Int16 = 100) async throws {
      self.display = display
      let atoms = try await DragAtoms(display.x11.connection)
      self.atoms = atoms
      let window = try await display.x11.window(x: x, y: y)
      self.window = window
      messages = display.x11.router.events(limit: 1000) { event in
        guard case .clientMessage(let message) = event.kind, message.window == window else { return nil }
        return DragMessage(message, atoms)
      }
      try display.x11.connection.send(.changeProperty(window, atoms[.aware], type: .atom, .words32([5])))
      try await display.x11.connection.synchronize()
    }

    func send(_ messages: DragMessage..., to source: X11Identifier) async throws {
      for message in messages {
        try display.x11.connection.send(.sendEvent(message.encoded(for: source, atoms), to: source))
      }
      try await display.x11.connection.synchronize()
    }

    /// Takes the selection from the drag, as a drag of this other program does.
    func takeSelection() async throws {
      try display.x11.connection.send(
        .setSelectionOwner(window, selection: atoms[.selection], time: try await display.x11.currentTime()))
      try await display.x11.connection.synchronize()
    }

    /// Requests the text of a drag.
    func text(at time: X11Time) async throws -> String {
      let reader = SelectionReader(display: display.x11, selection: atoms[.selection], time: time)
      return String(decoding: try await reader.data(of: "text/plain;charset=utf-8", limit: 99), as: UTF8.self)
    }

    /// Accepts each position, and calls `whenAccepted` after it; with `accepting` false, ignores the positions.
    ///
    /// - Returns: The source and the time of the drop; `nil` if the drag leaves the window.
    @discardableResult
    func awaitDrop(
      accepting: Bool = true, _ whenAccepted: (X11Identifier) async throws -> Void
    ) async throws -> (source: X11Identifier, time: X11Time)? {
      while true {
        switch try await display.x11.next(of: messages, while: "a drop") {
        case .position(let source, _, _, _, _):
          guard accepting else { break }
          try await send(.status(target: window, DragStatus(isAccepted: true, action: nil)), to: source)
          try await whenAccepted(source)
        case .drop(let source, let time): return (source, time)
        case .leave: return nil
        default: break
        }
      }
    }
  }

  /// Drags text onto a target whose messages `body` responds to.
  private func dragging(
    idleTimeout: Duration = .seconds(60), finishTimeout: Duration = .seconds(60),
    _ body: (Target, TestPointer, Task<DesktopDrag.Outcome, any Error>) async throws -> Void
  ) async throws -> DesktopDrag.Outcome {
    let pointer = try await stage.pointer()
    try await pointer.press()
    let drag = Task {
      try await stage.withDisplay(.timingOut(after: idleTimeout)) {
        try await DesktopDrag($0, [DragItems.text("x")], finishTimeout: finishTimeout).run()
      }
    }
    try await pointer.waitForGrab()
    try await stage.withDisplay { display in
      let target = try await Target(display)
      try await pointer.move(to: 320, 120)
      try await body(target, pointer, drag)
    }
    return try await drag.value
  }

  @Test func silentTargetEndsTheDragWithAnError() async throws {
    let unanswered = try await failure {
      try await dragging(idleTimeout: .milliseconds(300)) { target, pointer, _ in
        try await pointer.release()
        try await target.awaitDrop(accepting: false) { _ in }
      }
    }
    let unfinished = try await failure {
      try await dragging(finishTimeout: .milliseconds(300)) { target, pointer, drag in
        try await target.awaitDrop { _ in try await pointer.release() }
        // The window stays until the drag has ended.
        _ = await drag.result
      }
    }
    #expect([unanswered, unfinished] == [.timedOut, .timedOut])
  }

  @Test func targetThatVanishesIsAnErrorOnlyAfterTheDrop() async throws {
    let code = try await failure {
      try await dragging { target, pointer, _ in try await target.awaitDrop { _ in try await pointer.release() } }
    }
    #expect(code == .targetFailed)
    let outcome = try await dragging { target, pointer, _ in
      _ = try await target.display.x11.next(of: target.messages, while: "a drag enters")
      try target.display.x11.connection.send(.destroyWindow(target.window))
      try await target.display.x11.connection.synchronize()
      try await pointer.move(to: 330, 130)
      try await pointer.release()
    }
    #expect(outcome == .refused)
  }

  @Test func aLaterDragLeavesAnEarlierDropItsContent() async throws {
    let pointer = try await stage.pointer()
    let titles = Collector<String?>()
    try await stage.withDisplay { own in
      try await stage.withDisplay { display in
        let target = try await Target(display)
        let words = Array("terminal\0Terminal\0".utf8)
        try display.x11.connection.send(.changeProperty(target.window, .wmClass, type: .string, .bytes(words[...])))
        var last: (drop: (source: X11Identifier, time: X11Time), drag: Task<DesktopDrag.Outcome, any Error>)?
        func finish(expecting text: String) async throws {
          let (drop, drag) = try #require(last)
          #expect(try await target.text(at: drop.time) == text)
          try await target.send(.finished(target: target.window, isAccepted: true, action: .copy), to: drop.source)
          #expect(try await drag.value == .dropped(.copy))
        }
        for text in ["first", "second"] {
          try await pointer.move(to: 50, 50)
          try await pointer.press()
          let drag = Task { try await DesktopDrag(own, [DragItems.text(text)]).run { titles.add($0) } }
          try await pointer.waitForGrab()
          try await pointer.move(to: 320, 120)
          let drop = try await target.awaitDrop { _ in
            if last != nil { try await finish(expecting: "first") }
            // The end of the first drag does not release the pointer.
            #expect(try await pointer.isGrabbed(within: .seconds(5)))
            try await pointer.release()
          }
          last = (try #require(drop), drag)
          // The times of the server, in milliseconds, tell the drags apart.
          try await wait(for: "a later time") {
            try await display.x11.currentTime().isLater(than: drop?.time ?? .current)
          }
        }
        try await finish(expecting: "second")
      }
    }
    #expect(titles.values == ["Terminal", "Terminal"])
  }

  @Test func eachTargetReceivesOnlyTheContentOfItsOwnDrag() async throws {
    let pointer = try await stage.pointer()
    func drop(
      _ text: String, from own: DesktopDisplay, on target: Target, x: Int16, y: Int16
    ) async throws -> (source: X11Identifier, time: X11Time, drag: Task<DesktopDrag.Outcome, any Error>) {
      try await pointer.move(to: 50, 50)
      try await pointer.press()
      let drag = Task { try await DesktopDrag(own, [DragItems.text(text)]).run() }
      try await pointer.waitForGrab()
      try await pointer.move(to: x, y)
      let drop = try #require(try await target.awaitDrop { _ in try await pointer.release() })
      try await wait(for: "a later time") { try await target.display.x11.currentTime().isLater(than: drop.time) }
      return (drop.source, drop.time, drag)
    }
    func finish(_ target: Target, _ source: X11Identifier) async throws {
      try await target.send(.finished(target: target.window, isAccepted: true, action: .copy), to: source)
    }
    try await stage.withDisplay { own in
      try await stage.withDisplay { firstDisplay in
        try await stage.withDisplay { secondDisplay in
          let targets = try await (Target(firstDisplay), Target(secondDisplay, x: 50, y: 250))
          let first = try await drop("first", from: own, on: targets.0, x: 320, y: 120)
          let second = try await drop("second", from: own, on: targets.1, x: 100, y: 300)
          #expect(try await targets.0.text(at: .current) == "first")
          #expect(try await targets.1.text(at: .current) == "second")
          try await finish(targets.1, second.source)
          #expect(try await second.drag.value == .dropped(.copy))
          // The second drag has ended: its target receives nothing more, and the target of the first one still does.
          for time in [second.time, .current] {
            await #expect(throws: DesktopError.self) { try await targets.1.text(at: time) }
          }
          #expect(try await targets.0.text(at: first.time) == "first")
          try await finish(targets.0, first.source)
          #expect(try await first.drag.value == .dropped(.copy))
          let selection = targets.0.atoms[.selection]
          #expect(try await own.x11.connection.response(to: .getSelectionOwner(selection)) == .none)
        }
      }
    }
  }

  @Test func lossOfTheSelectionBeforeTheContentIsSentIsAnError() async throws {
    let releasing = try await failure {
      try await dragging { target, pointer, drag in
        _ = try await target.display.x11.next(of: target.messages, while: "a drag enters")
        try await pointer.release()
        try await wait(for: "the release of the grab") { try await !pointer.isGrabbed(within: .milliseconds(20)) }
        try await target.takeSelection()
        _ = await drag.result
      }
    }
    let dropped = try await failure {
      try await dragging { target, pointer, _ in
        let drop = try #require(try await target.awaitDrop { _ in try await pointer.release() })
        try await target.takeSelection()
        try await target.send(.finished(target: target.window, isAccepted: true, action: .move), to: drop.source)
      }
    }
    #expect([releasing, dropped] == [.notOwned, .notOwned])
    let outcome = try await dragging { target, pointer, _ in
      let drop = try #require(try await target.awaitDrop { _ in try await pointer.release() })
      #expect(try await target.text(at: drop.time) == "x")
      try await target.takeSelection()
      try await target.send(.finished(target: target.window, isAccepted: true, action: .copy), to: drop.source)
    }
    #expect(outcome == .dropped(.copy))
  }

  @Test func forgedInputDoesNotEndTheDrag() async throws {
    let outcome = try await dragging { target, pointer, _ in
      var (isForged, isReleased) = (false, false)
      let drop = try await target.awaitDrop { source in
        if isForged {
          isReleased = true
          return try await pointer.release()
        }
        isForged = true
        // Forges a release of the button, and a press of the key Escape.
        for (code, detail) in [(5, 1), (2, 9)] as [(UInt8, UInt8)] {
          try target.display.x11.connection.send(
            .sendEvent(ForgedInput(code: code, detail: detail, window: source), to: source))
        }
        try await target.display.x11.connection.synchronize()
        try await pointer.move(to: 340, 140)
      }
      try await target.send(
        .finished(target: target.window, isAccepted: true, action: .copy), to: try #require(drop?.source))
      #expect(isReleased)
    }
    #expect(outcome == .dropped(.copy))
  }
}
