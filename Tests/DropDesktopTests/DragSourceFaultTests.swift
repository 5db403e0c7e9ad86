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

/// Drops from sources that vanish, offer too much, or send forged messages.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DragSourceFaultTests {
  private let stage: TestDesk

  init() async throws {
    stage = try await TestDesk()
  }

  /// Passes `body` a target of this program and a source that the test controls.
  private func receiving<Result: Sendable>(
    names: [String], _ body: (HostileSource, X11Identifier, DesktopDrop.Events) async throws -> Result
  ) async throws -> Result {
    try await stage.withDisplay { display in
      let window = try await display.window()
      return try await DesktopDrop(display, window: window.rawValue).withEvents { events in
        try await stage.withDisplay { other in
          try await body(HostileSource(other, names: names), window, events)
        }
      }
    }
  }

  private func next(_ events: DesktopDrop.Events) async -> DesktopDrop.Event? {
    var iterator = events.makeAsyncIterator()
    return await iterator.next()
  }

  @Test func tenThousandTypesAreBounded() async throws {
    let names = (0..<10_000).map { "application/x-\($0)" }
    try await receiving(names: names) { source, window, events in
      try source.send(.enter(source: source.window, version: 5, hasTypeList: true, types: []), to: window)
      guard case .entered(let found)? = await next(events) else {
        Issue.record("no drag has entered")
        return
      }
      #expect(found == Array(names.prefix(256)))
    }
  }

  @Test func namesWithControlCharactersAreLeftOut() async throws {
    try await receiving(names: ["a\u{1B}[31m", "text/plain", "ü", ""]) { source, window, events in
      try source.send(.enter(source: source.window, version: 5, hasTypeList: true, types: []), to: window)
      guard case .entered(let found)? = await next(events) else {
        Issue.record("no drag has entered")
        return
      }
      #expect(found == ["text/plain"])
    }
  }

  @Test func vanishedSourceLeaves() async throws {
    try await receiving(names: ["text/plain"]) { source, window, events in
      try source.send(.enter(source: source.window, version: 5, hasTypeList: true, types: []), to: window)
      guard case .entered? = await next(events) else {
        Issue.record("no drag has entered")
        return
      }
      try source.display.connection.send(.destroyWindow(source.window))
      guard case .left? = await next(events) else {
        Issue.record("the drag has not left")
        return
      }
    }
  }

  @Test func sourceThatVanishesAfterTheDropIsAnError() async throws {
    try await receiving(names: ["text/plain"]) { source, window, events in
      try await source.dropOn(window)
      while let event = await next(events) {
        guard case .dropped(let session) = event else { continue }
        try source.display.connection.send(.destroyWindow(source.window))
        try await source.display.connection.synchronize()
        await #expect { try await session.finish(.copy) } throws: { ($0 as? DesktopError)?.code == .sourceFailed }
        let item = try await session.items.first
        await #expect(throws: (any Error).self) { try await item?.data(for: .utf8PlainText) }
        return
      }
    }
  }

  @Test func dropIsFinishedOnceEvenIfTheProgramIgnoresIt() async throws {
    try await receiving(names: ["text/plain"]) { source, window, events in
      try await source.dropOn(window)
      while let event = await next(events) {
        guard case .dropped(let session) = event else { continue }
        try await session.finish(.copy)
        await #expect { try await session.finish(.copy) } throws: { ($0 as? DesktopError)?.code == .notAllowed }
        session.refuse(because: "too late")
        break
      }
      #expect(await source.nextMessage() == .finished(target: window, isAccepted: true, action: .copy))
      // The next message belongs to the next drag.
      try await source.dropOn(window)
      while let event = await next(events) { if case .dropped = event { break } }
      #expect(await source.nextMessage() == .finished(target: window, isAccepted: false, action: nil))
    }
  }

  @Test func messagesInTheNameOfAnotherSourceAreIgnored() async throws {
    try await receiving(names: ["text/plain"]) { source, window, events in
      let time = try await source.display.currentTime()
      let other = X11Identifier(0x123)
      try source.send(.enter(source: source.window, version: 5, hasTypeList: true, types: []), to: window)
      try source.send(.position(source: other, x: 320, y: 120, time: time, action: .copy), to: window)
      try source.send(.drop(source: other, time: time), to: window)
      try source.send(.leave(source: other), to: window)
      try source.send(.drop(source: source.window, time: time), to: window)
      // Without an accepted location, the drop is refused.
      #expect(await source.nextMessage() == .finished(target: window, isAccepted: false, action: nil))
    }
  }

  @Test func unreadEventsAreBounded() async throws {
    try await receiving(names: ["text/plain"]) { source, window, events in
      // No event is read, so some of the drops are refused.
      var count = 0
      for _ in 0..<40 { count += try await source.dropOn(window) }
      #expect(count >= 10)
      _ = events
    }
  }
}
