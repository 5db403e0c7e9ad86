// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import Foundation
import TestSupport
import Testing

/// The window of `drop`, onto which a program that is not of this package drops content.
@Suite(.serialized, .limited, .timeLimit(minutes: 10), .peers("Xvfb")) struct DropCommandTests {
  private let stage: WindowStage

  init() async throws {
    stage = try await WindowStage()
  }

  private static let text = "text/plain;charset=utf-8"

  /// Expects a transcript that opens the window, while the body drops content on it.
  private func expect(
    _ expected: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (Shell, X11Identifier) async throws -> Void
  ) async throws {
    try await withShell(display: "\(stage.display.address)") { shell in
      async let end: Void = shell.expect(expected, sourceLocation)
      try await body(shell, try await stage.window(named: "Drop", x: 0))
      try await end
    }
    await stage.display.stop()
  }

  /// Drops values on the window, and expects the types that are requested.
  private func drop(
    _ values: [(String, Data?)], on window: X11Identifier, isTaken: Bool = true, refusing refused: Set<String> = [],
    requests: [String]? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let source = try await ForeignSource(stage.display.address, values, refusing: refused)
    #expect(try await source.drop(on: window, x: 200, y: 140) == isTaken, sourceLocation: sourceLocation)
    if let requests { #expect(source.requested.values == requests, sourceLocation: sourceLocation) }
  }

  /// Writes a file in the directory of the shell, and returns its address as content for a drop.
  private func file(_ name: String, in shell: Shell, others: String = "") throws -> (String, Data?) {
    try shell.write(Data("content of \(name)\n".utf8), to: name)
    let address = shell.directory.appendingPathComponent(name).absoluteString
    return ("text/uri-list", Data("\(address)\r\n\(others)".utf8))
  }

  @Test func dropsThatFollowEachOtherAreOneStream() async throws {
    try await expect(
      #"""
      $ mkdir in; dragpipe drop | dragpipe receive in; echo ${PIPESTATUS[@]}; cat in/*
      0 0
      content of a
      content of b
      content of c
      """#
    ) { shell, window in
      for name in ["a", "b", "c"] { try await drop([file(name, in: shell)], on: window) }
      let names = try FileManager.default.contentsOfDirectory(
        atPath: shell.directory.appendingPathComponent("in").path)
      #expect(names.allSatisfy { $0.hasPrefix(".") })
      try await stage.close(window)
    }
  }

  @Test func aSessionRequestsOnlyWhatItsReceiverAccepts() async throws {
    try await expect(
      #"""
      $ "$TOOL" drop --once --to "$RECEIVER -a .txt in/" || echo $?; cat in/*
      hail
      """#
    ) { _, window in
      try await drop(
        [("image/png", Data("never requested".utf8)), (Self.text, Data("hail\n".utf8))], on: window,
        requests: [Self.text])
    }
  }

  @Test func theRefusalOfAReceiverReachesTheSource() async throws {
    try await expect(
      #"""
      $ "$TOOL" drop --to "$RECEIVER -a .pdf in/" 2> errors || echo $?; ls -d in; grep -o 'no item has the type com.adobe.pdf' errors | uniq
      ls: cannot access 'in': No such file or directory
      no item has the type com.adobe.pdf
      """#
    ) { _, window in
      // The window accepts other drops after the first.
      for _ in 1...2 { try await drop([(Self.text, Data("hail".utf8))], on: window, isTaken: false, requests: []) }
      try await stage.close(window)
    }
  }

  @Test func aLoadThatFailsIsRefusedAndTheRestIsSent() async throws {
    try await expect(
      #"""
      $ dragpipe drop --once 2> errors | dragpipe receive in/; echo ${PIPESTATUS[@]}; ls in
      2 0
      item-1.txt
      """#
    ) { _, window in
      try await drop(
        [("image/png", nil), (Self.text, Data("hail".utf8))], on: window, isTaken: false, refusing: ["image/png"])
    }
  }

  @Test(arguments: [
    "$ dragpipe drop --once 2> errors | dragpipe receive in/ 2> errors; echo ${PIPESTATUS[@]}\n0 65",
    "$ dragpipe receive --from desktop: in/\ndragpipe: the window was closed without a drop\n[4]\n$ ls -A\n.temporary",
  ])
  func aWindowThatIsClosedWithoutADropLeavesNoStream(_ expected: String) async throws {
    try await expect(expected) { _, window in try await stage.close(window) }
  }

  @Test func aListedDropIsRefused() async throws {
    try await expect(
      #"""
      $ dragpipe receive --from desktop: --list | cut -f 3
      public.utf8-plain-text
      """#
    ) { _, window in try await drop([(Self.text, Data("hail".utf8))], on: window, isTaken: false, requests: []) }
  }

  @Test func aReaderThatIsGoneEndsTheStream() async throws {
    try await expect("$ dragpipe drop 2> errors | true; echo ${PIPESTATUS[@]}\n69 0") { _, window in
      try await drop([(Self.text, Data("hail".utf8))], on: window, isTaken: false)
    }
  }

  @Test func theButtonOfARowCancelsItsLoad() async throws {
    try await expect(
      #"""
      $ dragpipe drop in/ || echo $?; ls -A
      dragpipe: the load of item-1.txt was cancelled
      .temporary
      """#
    ) { _, window in
      // This source never responds to the request for its text.
      let source = try await ForeignSource(stage.display.address, [(Self.text, nil)])
      let outcomes = Collector<Bool>()
      let dropping = Task { outcomes.add(try await source.drop(on: window, x: 200, y: 140)) }
      try await stage.wait(for: "the request of the text") { source.requested.values == [Self.text] }
      // The row is drawn soon, and has the button while its item is loaded.
      try await stage.wait(for: "the end of the drop") {
        try await stage.click(at: (378, 225))
        return !outcomes.values.isEmpty
      }
      try await dropping.value
      #expect(outcomes.values == [false])
      try await stage.close(window)
    }
  }

  @Test func onlyItemThatFailsToLoadGivesItsExitCode() async throws {
    try await expect(
      #"""
      $ dragpipe drop --once > received.drop
      dragpipe: some content failed to load: the representation public.png could not be created: the other program does not send this type, or has failed to create it
      [1]
      """#
    ) { _, window in
      try await drop([("image/png", nil)], on: window, isTaken: false, refusing: ["image/png"])
    }
  }

  @Test(arguments: ["", "--once", "--print uri", "--once --print path"])
  func anOutputThatCannotBeWrittenEndsTheCommand(options: String) async throws {
    try await expect("$ dragpipe drop \(options) > /dev/full\ndragpipe: cannot write: No space left on device\n[74]") {
      shell, window in try await drop([file("a", in: shell)], on: window, isTaken: false)
    }
  }

  @Test func aTerminatedDropLeavesNoSavedFile() async throws {
    try await expect(
      #"""
      $ "$TOOL" drop in/ 2> errors & drop=$!
      $ await 'ls .temporary/*/picture.png'; kill $drop; wait $drop; echo $?; ls -A .temporary
      143
      """#
    ) { _, window in
      let source = try await ForeignSource(stage.display.address, [], savedName: "picture.png")
      #expect(try await source.drop(on: window, x: 200, y: 140) == false)
    }
  }

  @Test func addressesArePrintedWithoutALoad() async throws {
    try await expect(
      #"""
      $ dragpipe drop --once --print path -0 | tr '\0' '\n' | sed "s:$PWD/::"
      a b
      https://example.org/
      """#
    ) { shell, window in
      let addresses = try file("a b", in: shell, others: "https://example.org/\r\n")
      try await drop([addresses, (Self.text, Data("x".utf8))], on: window, requests: ["text/uri-list"])
    }
  }

  @Test func theWholeWindowTakesDropsForItsOnlyArea() async throws {
    try await expect("$ dragpipe drop --once | dragpipe receive -o -\nhail") { _, window in
      let source = try await ForeignSource(stage.display.address, [(Self.text, Data("hail\n".utf8))])
      #expect(try await source.drop(on: window, x: 200, y: 300))
    }
  }

  @Test func aReceivedFileIsOpenedAndDraggedOut() async throws {
    try await expect(
      #"""
      $ mkdir in bin; printf '#!/bin/sh\nprintf %%s "$1" > opened\n' > bin/xdg-open; chmod +x bin/xdg-open
      $ PATH=$PWD/bin:$PATH "$TOOL" drop in
      """#
    ) { shell, window in
      try await drop([file("a", in: shell)], on: window)
      // The first click may come before the row has the path of the file.
      let opened = shell.directory.appendingPathComponent("opened").path
      try await stage.wait(for: "the program that opens the file") {
        try await stage.click(at: (150, 225))
        try await stage.pointer.type(keySymbol: 0xFF0D)
        return (try? String(contentsOfFile: opened, encoding: .utf8))?.hasSuffix("/in/a") == true
      }
      let target = try await SilentTarget(stage.display.address, title: "other", x: 500)
      try await stage.drag(from: (150, 225), to: (550, 50))
      try await stage.wait(for: "the drop on the other window") { !target.drops.values.isEmpty }
      try await stage.close(window)
    }
  }
}
