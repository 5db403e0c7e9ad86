// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import TestSupport
import Testing

/// The commands `drag` and `drop` in a terminal of their own.
///
/// A comment names the section of the specification, the file `docs/dnd-protocol.rst` of kitty.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TerminalCommandTests {
  /// A command whose controlling terminal is a pseudo-terminal.
  private final class Command: Sendable {
    let window: FakeTerminal
    let process: ChildProcess
    private let terminal: OwnedDescriptor
    private let before: [UInt32]

    init(_ arguments: [String], answer: String? = "\u{1B}]72;t=q\u{1B}\\") throws {
      var ends: (window: CInt, program: CInt) = (-1, -1)
      try #require(openpty(&ends.window, &ends.program, nil, nil, nil) == 0)
      for end in [ends.window, ends.program] { try SystemCalls.setClosesOnExec(end) }
      window = try FakeTerminal(OwnedDescriptor(ends.window), answer: answer)
      terminal = OwnedDescriptor(ends.program)
      before = Self.modes(ends.program)
      process = try ChildProcess(
        "setsid", ["--ctty", "--wait", Shell.tool] + arguments, input: ends.program, output: ends.program,
        errors: ends.program)
    }

    /// Waits for the end, and expects the former modes of the terminal.
    func end() async throws -> CInt? {
      let process = process
      let ending = try await finishing("the end of the command") { await process.waitForEnd() }
      #expect(Self.modes(terminal.raw) == before)
      await window.close()
      return ending.exitCode.map { CInt($0) }
    }

    private static func modes(_ terminal: CInt) -> [UInt32] {
      var modes = termios()
      tcgetattr(terminal, &modes)
      return [modes.c_iflag, modes.c_oflag, modes.c_lflag]
    }
  }

  // Section "Reading remote directories".
  @Test func dropSavesFolderOfTheTerminal() async throws {
    let directory = try TemporaryDirectory()
    let command = try Command(["drop", "--via", "terminal", "--once", directory.url.path])
    let window = command.window
    #expect(try await window.next(kind: "a").number("x") == 0)
    window.send("t=m:x=1:y=1:o=3", "text/uri-list")
    #expect(try await window.next(kind: "m").number("o") == 1)
    window.send("t=M:x=1:y=1:o=3", "text/uri-list")
    _ = try await window.next(kind: "r")
    try await window.send("t=r:x=1:X=1", data: Data("file:///Troy\r\n".utf8))
    _ = try await window.next(kind: "r")
    try await window.send("t=r:x=1:y=1:X=2", data: Data("horse".utf8))
    _ = try await window.next(kind: "r")
    try await window.send("t=r:x=1:Y=2", data: Data("wood".utf8))
    #expect(try await window.next(kind: "r").number("Y") == 2)
    #expect(try await window.next(kind: "r").number("o") == 1)
    #expect(try await window.next(kind: "A").kind == "A")
    #expect(try await command.end() == 0)
    #expect(try Data(contentsOf: directory.file("Troy/horse")) == Data("wood".utf8))
  }

  // Section "Starting drags".
  @Test func dragOffersTheItemOfItsLine() async throws {
    let directory = try TemporaryDirectory()
    let files = try ["Castor", "Pollux"].map { try directory.write(Data($0.utf8), to: "\($0).txt") }
    let command = try Command(["drag", "--via", "terminal", "--once"] + files.map(\.path))
    let window = command.window
    #expect(try await window.next(kind: "o").number("x") == 1)
    try await wait(for: "the lines") { window.shownText.contains("Pollux.txt") }
    window.send("t=o:x=1:y=4")
    let offer = try await window.next(kind: "o")
    let names = try await window.text(of: offer).split(separator: " ")
    let index = try #require(names.firstIndex(of: "text/uri-list"))
    let presented = try await window.data(of: try await window.next(kind: "p"))
    #expect(presented == Data("\(files[1].absoluteString)\r\n".utf8))
    _ = try await window.next(kind: "P")
    window.send("t=E", "OK")
    window.send("t=e:x=3")
    // Section "Dragging to remote machines".
    window.send("t=k:x=1")
    let content = try await window.data(of: try await window.next(kind: "k"))
    #expect(content == Data("Pollux".utf8))
    window.send("t=e:x=5:y=\(index)")
    let list = try await window.data(of: try await window.next(kind: "e"))
    #expect(list == presented)
    window.send("t=e:x=4:y=0")
    #expect(try await command.end() == 0)
  }

  @Test(arguments: ["\u{1B}", "q"]) func keyEndsTheCommand(key: String) async throws {
    let directory = try TemporaryDirectory()
    let command = try Command(["drop", "--via", "terminal", directory.url.path])
    _ = try await command.window.next(kind: "a")
    command.window.write(key)
    _ = try await command.window.next(kind: "A")
    #expect(try await command.end() == 0)
  }

  @Test func interruptEndsTheCommand() async throws {
    let directory = try TemporaryDirectory()
    let command = try Command(["drop", "--via", "terminal", directory.url.path])
    _ = try await command.window.next(kind: "a")
    // The terminal sends a signal to the process for this key.
    command.window.write("\u{3}")
    _ = try await command.window.next(kind: "A")
    #expect(try await command.end() != 0)
  }

  @Test func copyStoresTextOnTheClipboardOfTheTerminal() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("Iris".utf8), to: "Iris.txt")
    let command = try Command(["copy", "--via", "terminal", "--type", ".txt=\(file.path)"], answer: nil)
    #expect(try await command.window.next(kind: "52").text == "c;SXJpcw==")
    #expect(try await command.end() == 0)
  }

  @Test func pasteReadsTheClipboardOfTheTerminal() async throws {
    let directory = try TemporaryDirectory()
    let command = try Command(["paste", "--via", "terminal", directory.url.path], answer: nil)
    #expect(try await command.window.next(kind: "52").text == "c;?")
    command.window.write("\u{1B}]52;c;SXJpcw==\u{7}")
    #expect(try await command.end() == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path)
    #expect(try names.map { try Data(contentsOf: directory.file($0)) } == [Data("Iris".utf8)])
  }

  // Section "Detecting support for this protocol".
  @Test func terminalWithoutTheProtocolIsAFailure() async throws {
    let directory = try TemporaryDirectory()
    let command = try Command(["drop", "--via", "terminal", directory.url.path], answer: "\u{1B}[?62;c")
    #expect(try await command.end() == 69)
  }
}
