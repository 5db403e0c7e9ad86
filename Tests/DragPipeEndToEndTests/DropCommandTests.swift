// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import Foundation
import TestSupport
import Testing

/// The window of `drop`, onto which a program that is not of this package drops content.
@Suite(
  .serialized, .limited, .timeLimit(.minutes(30)), .enabled(if: VirtualDisplay.isInstalled, "Xvfb is not installed"))
struct DropCommandTests {
  private let stage: WindowStage

  init() async throws {
    stage = try await WindowStage()
  }

  private static let text = "text/plain;charset=utf-8"

  /// Opens the window, and runs the body while the script does.
  ///
  /// - Returns: The result of the script.
  private func running(
    _ script: String, _ body: @escaping @Sendable (Shell, X11Identifier) async throws -> Void
  ) async throws -> Shell.Result {
    let found = Collector<Shell.Result>()
    try await withShell { shell in
      async let result = shell.run("export DISPLAY=\(stage.display.address); mkdir in\n" + script)
      try await body(shell, try await stage.window(named: "Drop", x: 0))
      found.add(try await result)
    }
    await stage.display.stop()
    return try #require(found.values.first)
  }

  /// Creates a source of a file in the directory of the shell.
  private func source(of name: String, in shell: Shell) async throws -> ForeignSource {
    try shell.write(Data("content of \(name)".utf8), to: name)
    let address = shell.directory.appendingPathComponent(name).absoluteString
    return try await ForeignSource(stage.display.address, [("text/uri-list", Data("\(address)\r\n".utf8))])
  }

  @Test func aDropIsAStreamForAPipe() async throws {
    let result = try await running(
      #"dragpipe drop --once | dragpipe receive in; echo ${PIPESTATUS[@]}; cat in/*"#
    ) { shell, window in
      let isTaken = try await source(of: "a b.txt", in: shell).drop(on: window, x: 200, y: 140)
      #expect(isTaken)
    }
    #expect(result.output == "0 0\ncontent of a b.txt")
  }

  @Test func dropsThatFollowEachOtherAreOneStream() async throws {
    let result = try await running(
      #"dragpipe drop | dragpipe receive in; echo ${PIPESTATUS[@]}; cat in/*"#
    ) { shell, window in
      for name in ["a", "b", "c"] {
        let isTaken = try await source(of: name, in: shell).drop(on: window, x: 200, y: 140)
        #expect(isTaken)
      }
      #expect(try shell.names(in: "in").allSatisfy { $0.hasPrefix(".") })
      try await stage.close(window)
    }
    #expect(result.output == "0 0\ncontent of acontent of bcontent of c")
  }

  @Test func aWindowThatIsClosedWithoutADropLeavesNoStream() async throws {
    let result = try await running(
      #"dragpipe drop --once | dragpipe receive in; echo ${PIPESTATUS[@]}"#
    ) { _, window in try await stage.close(window) }
    #expect(result.output == "0 65\n")
  }

  @Test func aSessionRequestsOnlyWhatItsReceiverAccepts() async throws {
    let result = try await running(
      #""$TOOL" drop --once --to "exec:$TOOL receive --from stdio: -a .txt in"; echo $?; cat in/*"#
    ) { _, window in
      let source = try await ForeignSource(
        stage.display.address, [("image/png", Data("never requested".utf8)), (Self.text, Data("hail".utf8))])
      #expect(try await source.drop(on: window, x: 200, y: 140))
      #expect(source.requested.values == [Self.text])
    }
    #expect(result.output == "0\nhail")
  }

  @Test func theRefusalOfAReceiverReachesTheSource() async throws {
    let result = try await running(
      #""$TOOL" drop --to "exec:$TOOL receive --from stdio: -a .pdf in"; echo $?; ls in"#
    ) { _, window in
      let source = try await ForeignSource(stage.display.address, [(Self.text, Data("hail".utf8))])
      #expect(try await !source.drop(on: window, x: 200, y: 140))
      #expect(source.requested.values.isEmpty)
      // The window accepts other drops.
      #expect(try await !source.drop(on: window, x: 200, y: 140))
      try await stage.close(window)
    }
    #expect(result.output == "0\n")
    #expect(result.errors.contains("no item has the type com.adobe.pdf"))
  }

  @Test func aLoadThatFailsIsRefusedAndTheRestIsSent() async throws {
    let result = try await running(
      #"dragpipe drop --once | dragpipe receive in; echo ${PIPESTATUS[@]}; ls in"#
    ) { _, window in
      let source = try await ForeignSource(
        stage.display.address, [("image/png", nil), (Self.text, Data("hail".utf8))], refusing: ["image/png"])
      let isTaken = try await source.drop(on: window, x: 200, y: 140)
      #expect(!isTaken)
    }
    #expect(result.output == "2 0\nitem-1.txt\n")
  }

  @Test func aWindowThatIsClosedWithoutADropFailsAReceiver() async throws {
    let result = try await running("dragpipe receive --from desktop: in; echo $?") { _, window in
      try await stage.close(window)
    }
    #expect(result.output == "4\n")
    #expect(result.errors == "dragpipe: the window was closed without a drop\n")
  }

  @Test func aListedDropIsRefused() async throws {
    let result = try await running("dragpipe receive --from desktop: --list | cut -f 3; ls in") { _, window in
      let source = try await ForeignSource(stage.display.address, [(Self.text, Data("hail".utf8))])
      let isTaken = try await source.drop(on: window, x: 200, y: 140)
      #expect(!isTaken)
      #expect(source.requested.values.isEmpty)
    }
    #expect(result.output == "public.utf8-plain-text\n")
  }

  @Test func aReaderThatIsGoneEndsTheStream() async throws {
    let result = try await running("dragpipe drop | true; echo ${PIPESTATUS[@]}") { _, window in
      let source = try await ForeignSource(stage.display.address, [(Self.text, Data("hail".utf8))])
      let isTaken = try await source.drop(on: window, x: 200, y: 140)
      #expect(!isTaken)
    }
    #expect(result.output == "69 0\n")
  }

  @Test func theButtonOfARowCancelsItsLoad() async throws {
    let result = try await running(#"dragpipe drop in; echo $?; ls in"#) { _, window in
      // This source never responds to the request for its text.
      let source = try await ForeignSource(stage.display.address, [(Self.text, nil)])
      let outcomes = Collector<Bool>()
      let dropping = Task { outcomes.add(try await source.drop(on: window, x: 200, y: 140)) }
      try await stage.wait(for: "the request of the text") { source.requested.values == [Self.text] }
      // The row is drawn soon, and has the button while its item is loaded.
      while outcomes.values.isEmpty { try await stage.click(at: (378, 225)) }
      try await dropping.value
      #expect(outcomes.values == [false])
      try await stage.close(window)
    }
    #expect(result.output == "0\n")
    #expect(result.errors == "dragpipe: the load of item-1.txt was cancelled\n")
  }

  @Test func addressesArePrintedWithoutALoad() async throws {
    let result = try await running(#"dragpipe drop --once --print path -0 | tr '\0' '|' | sed "s:$PWD/::""#) {
      shell, window in
      try shell.write(Data(), to: "a b")
      let file = shell.directory.appendingPathComponent("a b").absoluteString
      let source = try await ForeignSource(
        stage.display.address,
        [("text/uri-list", Data("\(file)\r\nhttps://example.org/\r\n".utf8)), (Self.text, Data("x".utf8))])
      #expect(try await source.drop(on: window, x: 200, y: 140))
      #expect(source.requested.values == ["text/uri-list"])
    }
    #expect(result.output == "a b|https://example.org/|")
  }
}
