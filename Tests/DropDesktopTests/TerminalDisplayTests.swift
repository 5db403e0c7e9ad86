// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Foundation
import Glibc
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// The connection of a program to its terminal.
///
/// A comment names the section of the specification, the file `docs/dnd-protocol.rst` of kitty.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TerminalDisplayTests {
  private func code(_ body: () async throws -> Void) async -> DesktopError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? DesktopError)?.code
    }
  }

  // Section "Detecting support for this protocol".
  @Test(arguments: [nil, "\u{1B}[?62;c", "what\u{1B}]72;;;\u{7}\u{1B}]72;t=Q\u{1B}\\\u{1B}]52;c;!!\u{7}"])
  func terminalWithoutTheProtocolIsNoDisplay(answer: String?) async throws {
    let (window, device) = try FakeTerminal.pair(answer: answer)
    let found = await code { try await TerminalDragTests.program(device).whileRouting { _ in } }
    #expect(found == .noDisplay)
    await window.close()
  }

  /// A shell would show the response.
  @Test func lateResponseIsAwaitedBeforeTheEnd() async throws {
    let ends = try SystemCalls.socketPair()
    let window = SharedEnd(OwnedDescriptor(ends.0))
    let program = try TerminalDragTests.program(TerminalDevice(OwnedDescriptor(ends.1)))
    let ended = Lock(false)
    let task = Task {
      defer { ended.withLock { $0 = true } }
      return await code { try await program.whileRouting { _ in } }
    }
    _ = try await onThread { try window.read() }
    // Longer than the wait for the query.
    try await Task.sleep(for: .milliseconds(400))
    #expect(!ended.withLock { $0 })
    window.write("\u{1B}[?62;c")
    #expect(await task.value == .noDisplay)
  }

  @Test func closedTerminalIsNoDisplay() async throws {
    let (window, device) = try FakeTerminal.pair()
    window.hangUp()
    let found = await code { try await TerminalDragTests.program(device).whileRouting { _ in } }
    #expect(found == .displayGone || found == .noDisplay)
  }

  @Test func keysArriveBesideMessages() async throws {
    let (window, device) = try FakeTerminal.pair()
    try await TerminalDragTests.program(device).whileRouting { terminal in
      window.write("q\u{1B}]72;t=m:x=1:y=1:o=1;text/plain\u{1B}\\\u{1B}[A")
      var keys: [UInt8] = []
      while keys.count < 4 { keys += try #require(await terminal.nextKeys()) }
      #expect(keys == Array("q\u{1B}[A".utf8))
      window.write("\u{1B}")
      #expect(await terminal.nextKeys() == [0x1B])
      window.hangUp()
      #expect(await terminal.nextKeys() == nil)
    }
  }

  @Test func textIsWrittenBetweenMessages() async throws {
    let (window, device) = try FakeTerminal.pair()
    try await TerminalDragTests.program(device).whileRouting { terminal in
      try await terminal.write("Drag Iris\r\n")
      try await wait(for: "the text") { window.shownText == "Drag Iris\r\n" }
    }
  }

  /// The signals arrive after a stop, and when the size changes.
  @Test func signalsDrawAgain() async throws {
    let (window, device) = try FakeTerminal.pair()
    let display = try TerminalDisplay(device, .patient, environment: [:], machine: "1:00ff")
    try await DesktopTerminal(display).whileRouting { terminal in
      display.receive(SIGWINCH)
      #expect(await terminal.awaitRedraw())
      try await terminal.withGestures { _ in
        let first = try await window.next(kind: "o")
        display.receive(SIGCONT)
        let again = try await window.next(kind: "o")
        #expect([first, again].map { $0.number("x") } == [1, 1])
        #expect(await terminal.awaitRedraw())
      }
    }
  }

  @Test func terminalInsideTmuxMayBeAnother() throws {
    for (name, isInside) in [("tmux-256color", true), ("screen", true), ("xterm-kitty", false)] {
      let (_, device) = try FakeTerminal.pair()
      let display = try TerminalDisplay(
        device, .patient, environment: ["TMUX": "/tmp/tmux,1,0", "TERM": name], machine: "")
      #expect(display.encoder.isInsideTmux == isInside)
    }
  }

  // Section "Starting drags": the program withdraws its offer.
  @Test func gesturesEndWithTheRegistration() async throws {
    let (window, device) = try FakeTerminal.pair()
    try await TerminalDragTests.program(device).whileRouting { terminal in
      try await terminal.withGestures { gestures in
        let offer = try await window.next()
        #expect((offer.kind, offer.number("x"), offer.text) == ("o", 1, "1:00ff"))
        window.send("t=o:x=4:y=5")
        #expect(await gestures.next() == TerminalGesture(column: 4, row: 5))
      }
      let end = try await window.next()
      #expect((end.kind, end.number("x")) == ("o", 2))
    }
  }

  @Test func withdrawalEndsInterruptedSequence() async throws {
    let (window, device) = try FakeTerminal.pair()
    let program = try TerminalDragTests.program(device)
    try await program.whileRouting { terminal in
      try await terminal.withGestures { _ in
        let offer = try await window.next()
        #expect(offer.number("x") == 1)
        try await terminal.write("\u{1B}]72;t=e:y=0;AAAA")
        device.restore()
        #expect(try await window.next().kind == "e")
        let end = try await window.next()
        #expect((end.kind, end.number("x")) == ("o", 2))
      }
    }
  }

  @Test func fullTerminalGetsTheWithdrawalLater() async throws {
    let ends = try SystemCalls.socketPair()
    let window = OwnedDescriptor(ends.0)
    let device = try TerminalDevice(OwnedDescriptor(ends.1))
    let interrupt = try Interrupt()
    #expect(throws: SystemError.self) { try device.write([UInt8](repeating: 65, count: 8 << 20), within: 0, interrupt) }
    device.setWithdrawal(Array("\u{1B}]72;t=A\u{1B}\\".utf8))
    device.restore()
    let terminal = try FakeTerminal(window)
    try await wait(for: "the text") { !terminal.shownText.isEmpty }
    device.restore()
    #expect(try await terminal.next().kind == "A")
  }

  @Test func processThatEndsWithdrawsItsRegistrations() async throws {
    let (window, device) = try FakeTerminal.pair()
    device.setWithdrawal(Array("\u{1B}]72;t=A\u{1B}\\".utf8))
    device.restore()
    device.restore()
    #expect(try await window.next().kind == "A")
    await window.close()
    #expect(window.messages.count == 0)
  }

  @Test func terminalThatReadsNothingTimesOut() async throws {
    let ends = try SystemCalls.socketPair()
    let window = OwnedDescriptor(ends.0)
    let display = try TerminalDisplay(
      TerminalDevice(OwnedDescriptor(ends.1)), .timingOut(after: .milliseconds(100)), environment: [:], machine: "")
    let found = await code { try await display.write([UInt8](repeating: 65, count: 8 << 20)) }
    #expect(found == .timedOut)
    withExtendedLifetime(window.raw) {}
  }

  // Section "Multiplexers".
  @Test func messagesPassThroughTmux() async throws {
    let ends = try SystemCalls.socketPair()
    let window = SharedEnd(OwnedDescriptor(ends.0))
    let display = try TerminalDisplay(
      TerminalDevice(OwnedDescriptor(ends.1)), .patient, environment: ["TMUX": "/tmp/tmux,1,0"], machine: "")
    let client = SystemCalls.processIdentifier
    let query = "\u{1B}Ptmux;\u{1B}\u{1B}]72;t=q:i=\(client)\u{1B}\u{1B}\\\u{1B}\\"
    try await DesktopTerminal(display).whileAnswered(window, query, client) { terminal in
      try await terminal.withGestures { gestures in
        // The messages of other clients are ignored.
        window.write("\u{1B}]72;t=o:x=1:i=1\u{1B}\\\u{1B}]72;t=o:x=2:i=\(client)\u{1B}\\")
        #expect(await gestures.next() == TerminalGesture(column: 2, row: 0))
      }
    }
  }

  /// Uses the clipboard of a terminal that does not support drags.
  private func clipboard(
    _ selection: Clipboard.Selection = .clipboard, _ options: DesktopOptions = .patient,
    _ body: (FakeTerminal, Clipboard) async throws -> Void
  ) async throws {
    let (window, device) = try FakeTerminal.pair(answer: "\u{1B}[?62;c")
    let display = try TerminalDisplay(device, options, environment: [:], machine: "", needsDrags: false)
    try await DesktopTerminal(display).whileRouting { try await body(window, Clipboard($0.display, selection)) }
  }

  @Test(arguments: [(Clipboard.Selection.clipboard, "c"), (.primary, "p")])
  func textIsStoredOnTheClipboard(selection: Clipboard.Selection, name: String) async throws {
    try await clipboard(selection) { window, clipboard in
      let item = ItemProvider()
      item.register(.utf8PlainText) { _ in Data("Iris".utf8) }
      try await clipboard.offer([item])
      #expect(try await window.next().text == "\(name);SXJpcw==")
    }
  }

  @Test func onlyTextIsStoredOnTheClipboard() async throws {
    try await clipboard { _, clipboard in
      let item = ItemProvider()
      item.register(.png) { _ in Data() }
      await #expect(throws: DesktopError.self) { try await clipboard.offer([item]) }
    }
  }

  @Test func textOfTheClipboardIsRead() async throws {
    try await clipboard { window, clipboard in
      async let text = try await clipboard.withItems { try await $0.first?.data(for: .utf8PlainText) }
      #expect(try await window.next().text == "c;?")
      window.write("\u{1B}]52;c;SXJpcw==\u{7}")
      #expect(try await text == Data("Iris".utf8))
    }
  }

  @Test(arguments: ["", "\u{1B}]52;c;\u{7}", "\u{1B}]52;c;!\u{7}"])
  func missingClipboardIsReported(answer: String) async throws {
    try await clipboard(.clipboard, .timingOut(after: .milliseconds(100))) { window, clipboard in
      async let found = code { try await clipboard.withItems { _ in } }
      _ = try await window.next()
      window.write(answer)
      #expect(await found == .nothingOffered)
    }
  }

  @Test(arguments: [false, true]) func modesOfTheTerminalAreRestored(fails: Bool) async throws {
    var ends: (terminal: CInt, program: CInt) = (-1, -1)
    try #require(openpty(&ends.terminal, &ends.program, nil, nil, nil) == 0)
    let window = try FakeTerminal(OwnedDescriptor(ends.terminal))
    let observed = OwnedDescriptor(try SystemCalls.duplicate(ends.program))
    let before = Self.modes(observed.raw)
    let program = try TerminalDragTests.program(TerminalDevice(OwnedDescriptor(ends.program)))
    let found = await code {
      try await program.whileRouting { terminal in
        let raw = Self.modes(observed.raw)
        #expect(raw != before)
        #expect(raw[3] & UInt32(ICANON | ECHO) == 0)
        #expect(raw[3] & UInt32(ISIG) != 0)
        window.write("\u{1B}")
        #expect(await terminal.nextKeys() == [0x1B])
        if fails { throw DesktopError(.malformed, "failed") }
      }
    }
    #expect(found == (fails ? .malformed : nil))
    #expect(Self.modes(observed.raw) == before)
    await window.close()
  }

  @Test func cancelledTaskRestoresTheTerminal() async throws {
    var ends: (terminal: CInt, program: CInt) = (-1, -1)
    try #require(openpty(&ends.terminal, &ends.program, nil, nil, nil) == 0)
    let window = try FakeTerminal(OwnedDescriptor(ends.terminal))
    let observed = OwnedDescriptor(try SystemCalls.duplicate(ends.program))
    let before = Self.modes(observed.raw)
    let program = try TerminalDragTests.program(TerminalDevice(OwnedDescriptor(ends.program)))
    let task = Task {
      try await program.whileRouting { terminal in
        try await terminal.withGestures { gestures in _ = await gestures.next() }
      }
    }
    let offer = try await window.next()
    #expect(offer.number("x") == 1)
    task.cancel()
    let end = try await window.next()
    #expect(end.number("x") == 2)
    try await task.value
    #expect(Self.modes(observed.raw) == before)
    await window.close()
  }

  /// A pseudo-terminal has a short buffer, so this covers partial reads and writes.
  @Test func dataArrivesThroughPseudoTerminal() async throws {
    var ends: (terminal: CInt, program: CInt) = (-1, -1)
    try #require(openpty(&ends.terminal, &ends.program, nil, nil, nil) == 0)
    let window = try FakeTerminal(OwnedDescriptor(ends.terminal))
    let program = try TerminalDragTests.program(TerminalDevice(OwnedDescriptor(ends.program)))
    let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })
    let (received, sent) = try await program.whileRouting { terminal in
      let received = try await DesktopDrop(terminal.display, window: 0).withEvents { events in
        window.send("t=M:x=1:y=1:o=1", "image/png")
        let session = try await events.nextDrop()
        let loading = Task { try await session.items.first?.data(for: .png) }
        _ = try await window.next(kind: "r")
        try await window.send("t=r:x=1", data: bytes)
        return try await loading.value
      }
      let item = ItemProvider()
      item.register(.png) { _ in bytes }
      async let outcome = try await DesktopDrag(terminal.display, [item]).run()
      let first = try await window.next(kind: "o")
      let names = try await window.text(of: first).split(separator: " ")
      _ = try await window.next(kind: "P")
      window.send("t=E", "OK")
      window.send("t=e:x=5:y=\(try #require(names.firstIndex(of: "image/png")))")
      let sent = try await window.data(of: try await window.next(kind: "e"))
      window.send("t=e:x=4:y=1")
      _ = try await outcome
      return (received, sent)
    }
    #expect(received == bytes)
    #expect(sent == bytes)
    await window.close()
  }

  /// The modes that a program changes.
  private static func modes(_ terminal: CInt) -> [UInt32] {
    var modes = termios()
    tcgetattr(terminal, &modes)
    let characters = withUnsafeBytes(of: modes.c_cc) { $0.map { UInt32($0) } }
    return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag] + characters
  }
}

/// The end of a terminal that the test reads itself.
private final class SharedEnd: Sendable {
  private let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
  }

  func read() throws -> String { String(decoding: try readSome(descriptor.raw), as: UTF8.self) }

  func write(_ text: String) { try? SystemCalls.writeAll(descriptor.raw, Array(text.utf8)) }
}

extension DesktopTerminal {
  /// Uses the terminal once `window` has answered the query.
  fileprivate func whileAnswered(
    _ window: SharedEnd, _ query: String, _ client: Int32, _ body: (DesktopTerminal) async throws -> Void
  ) async throws {
    let answering = Task {
      try await onThread {
        let text = try window.read()
        window.write("\u{1B}]72;t=q:i=\(client)\u{1B}\\")
        return text
      }
    }
    try await whileRouting(body)
    #expect(try await answering.value.hasPrefix(query))
  }
}
