// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ProgressModeTests {
  @Test func optionSelectsAModeAndQuietMeansNever() throws {
    for mode in ProgressMode.allCases + [nil] {
      let modes = try [false, true].map { try ProgressMode(option: mode?.rawValue, isQuiet: $0) }
      #expect(modes == [mode ?? .auto, .never])
    }
    for option in ["", "Auto", "yes", "\u{1B}[2J"] {
      for isQuiet in [false, true] {
        let failure = #expect(throws: ToolFailure.self) { try ProgressMode(option: option, isQuiet: isQuiet) }
        #expect(failure?.exitCode == .usage && failure?.message.contains("\u{1B}") == false)
      }
    }
  }

  private func style(
    _ mode: ProgressMode, _ variables: [String: String] = [:], isTerminal: Bool = true, isShared: Bool = false
  ) -> ProgressStyle {
    ProgressStyle(mode, isTerminal: isTerminal, isShared: isShared) { variables[$0] }
  }

  @Test func autoDrawsOnlyOnAnUnsharedTerminalThatCanErase() {
    #expect([style(.auto), style(.auto, ["NO_COLOR": "", "TERM": "xterm"])] == [.line, .line])
    let others = [
      style(.auto, isTerminal: false), style(.auto, isShared: true), style(.auto, ["NO_COLOR": "1"]),
      style(.auto, ["TERM": "dumb"]),
    ]
    #expect(others == Array(repeating: .hidden, count: 4))
  }

  @Test(arguments: [false, true]) func requestedProgressIsShownOnAnyOutput(isShared: Bool) {
    let always = [
      style(.always, isShared: isShared), style(.always, isTerminal: false, isShared: isShared),
      style(.always, ["NO_COLOR": "0"], isShared: isShared), style(.always, ["TERM": "dumb"], isShared: isShared),
    ]
    #expect(always == [.line, .plainLines, .plainLines, .plainLines])
    for isTerminal in [false, true] {
      let json = style(.json, ["TERM": "dumb"], isTerminal: isTerminal, isShared: isShared)
      #expect([json, style(.never, isTerminal: isTerminal, isShared: isShared)] == [.records, .hidden])
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ProgressRecordTests {
  private static let hostileNames = [
    "", "\"}\n{\"", "a\\b/c", "\u{0}\u{1B}[2J\u{7}\r\u{7F}\u{9B}", "\u{202E}gnp.exe\u{2066}\u{200F}\u{61C}",
    "\u{2028}\u{2029}\u{FEFF}", "木蘭 Scáthach 🐉", "\u{E0001}\u{E0041}\u{10FFFF}",
    String(repeating: "\u{E0041}", count: 10_000), String(repeating: "\u{1B}", count: 10_000),
  ]

  private func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test func recordHasAllKnownValuesAndNoOthers() {
    var rate = TransferRate()
    rate.add(0, at: .zero)
    rate.add(300, at: .seconds(3))
    let snapshot = TransferSnapshot(
      phase: .transferring, item: 2, name: "Gilgamesh/Enkidu", totalItems: 2, bytes: 300, totalBytes: 1050)
    let records = [
      ProgressRecord(TransferSnapshot(), rate: TransferRate()), ProgressRecord(snapshot, rate: rate),
    ]
    #expect(
      records.map(\.line).joined() == """
        {"bytes":0,"items":0,"phase":"preparing"}
        {"bytes":300,"bytesPerSecond":100,"item":2,"items":1,"name":"Gilgamesh/Enkidu","phase":"transferring",\
        "secondsRemaining":8,"totalBytes":1050,"totalItems":2}

        """)
  }

  @Test func lastRecordHasTheEndingAndCountsTheLastItemOnlyAfterSuccess() {
    let snapshot = TransferSnapshot(phase: .verifying, item: 2, bytes: 7, totalBytes: 5)
    for (ending, word, items) in [(.finished, "finished", 2), (.failed, "failed", 1), (.cancelled, "cancelled", 1)]
      as [(ItemProgress.Ending, String, Int)]
    {
      #expect(
        ProgressRecord(snapshot, rate: TransferRate(), ending: ending).line
          == #"{"bytes":7,"ending":"\#(word)","item":2,"items":\#(items),"phase":"verifying","#
          + #""secondsRemaining":0,"totalBytes":7}"# + "\n")
    }
  }

  @Test func hostileNameIsEscapedAndTruncatedInOneShortLine() throws {
    for name in Self.hostileNames {
      let line = ProgressRecord(
        TransferSnapshot(item: .max, name: name, totalItems: .max, bytes: .max, totalBytes: .max), rate: TransferRate(),
        ending: .cancelled
      ).line
      let unsafe = line.unicodeScalars.dropLast().filter {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
      }
      #expect(line.utf8.count <= ProgressRecord.byteLimit && line.hasSuffix("}\n") && unsafe.isEmpty, "\(line)")
      let shown = try #require(try object(line)["name"] as? String)
      #expect(Array(shown.unicodeScalars) == Array(name.unicodeScalars.prefix(255)))
    }
  }

  @Test(.peers("python3")) func anotherParserReadsEveryRecord() async throws {
    let lines = Self.hostileNames.map { ProgressRecord(TransferSnapshot(item: 1, name: $0), rate: TransferRate()).line }
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(lines.joined().utf8), to: "records")
    let script = """
      import json, sys
      for line in open(sys.argv[1], "rb"): print(len(json.loads(line.decode())["name"]))
      """
    let run = try await ProgramRun("python3", ["-c", script, file.path])
    let counts = Self.hostileNames.map { min(255, $0.unicodeScalars.count) }
    #expect(run.exitCode == 0 && run.outputLines.map { Int($0) } == counts, "\(run)")
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ProgressPresenterTests {
  private func present(_ presenter: inout ProgressPresenter, _ tenth: Int, bytes: Int? = nil) -> String? {
    presenter.present(Self.snapshot(bytes ?? tenth), at: .milliseconds(tenth * 100), columns: 80)
  }

  /// Returns a state with 1000 bytes for each step.
  private static func snapshot(_ step: Int) -> TransferSnapshot {
    TransferSnapshot(phase: .transferring, bytes: UInt64(step) * 1000, totalBytes: 100_000)
  }

  @Test func lineAppearsAfterTheDelayAndThenEachTime() {
    var presenter = ProgressPresenter(style: .line, action: "sending")
    let isShown = (0...30).map { present(&presenter, $0)?.hasPrefix("sending  ") }
    let end = presenter.presentEnd(Self.snapshot(30), .finished, at: .seconds(3))
    #expect(isShown == Array(repeating: nil, count: 5) + Array(repeating: true, count: 26) && end == nil)
    presenter = ProgressPresenter(style: .line, action: "sending", delay: .zero)
    #expect(presenter.present(TransferSnapshot(), at: .zero, columns: 80) == "preparing")
  }

  @Test func plainLinesAppearOnceASecondAfterChanges() {
    var presenter = ProgressPresenter(style: .plainLines, action: "sending")
    let shown = (0...39).map { (tenth: $0, text: present(&presenter, $0)) }.filter { $0.text != nil }
    let first = "sending    5%  5.0 of 100.0 kB  10.0 kB/s  0:10 left\n"
    #expect(shown.map(\.tenth) == [5, 15, 25, 35] && shown[0].text == first)
    presenter = ProgressPresenter(style: .plainLines, action: "sending")
    let still = TransferSnapshot(phase: .transferring)
    let standing = (0...100).compactMap { presenter.present(still, at: .milliseconds($0 * 100), columns: 80) }
    let end = presenter.presentEnd(still, .failed, at: .seconds(11))
    #expect(standing == ["sending\n"] && end == nil)
  }

  @Test func recordsAppearTenTimesASecondAndForEachPhaseChange() {
    var presenter = ProgressPresenter(style: .records, action: "sending")
    let lines = (0..<100).compactMap {
      presenter.present(Self.snapshot($0), at: .milliseconds($0 * 10), columns: 80)
    }
    #expect(lines.joined().split(separator: "\n").count == 10)
    let changes = ItemProgress.Phase.allCases.map { TransferSnapshot(phase: $0, item: 1, bytes: 100_000) }
    let changed = presenter.present(changes[2], after: changes, at: .milliseconds(991), columns: 80)
    let end = presenter.presentEnd(changes[2], .finished, after: [changes[0]], at: .seconds(1)) ?? ""
    #expect([changed, end].map { $0?.split(separator: "\n").count } == [3, 2])
    #expect(end.contains("\"ending\":\"finished\"") && end.hasSuffix("}\n"))
    // A stalled transfer has one record per second.
    presenter = ProgressPresenter(style: .records, action: "sending")
    #expect((0...30).filter { present(&presenter, $0, bytes: 7) != nil } == [0, 10, 20, 30])
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TransferProgressTests {
  private struct Fault: Error {}

  private func progress(
    _ mode: ProgressMode, _ environment: ToolEnvironment, delay: Duration = .zero
  ) -> TransferProgress {
    TransferProgress("sending", mode: mode, environment: environment, isShared: false, delay: delay) { _ in nil }
  }

  @Test func barMovesInOneLineAndIsErased() async throws {
    let terminal = try PseudoTerminal(columns: 120)
    let progress = progress(.auto, terminal.environment)
    progress.setTotal(bytes: 2_000_000, items: 2)
    progress.begin(item: "木蘭\u{1B}[2J.png", byteCount: 2_000_000)
    progress.enter(.transferring)
    progress.advance(by: 200_000)
    let start = ContinuousClock.now
    try await progress.showing {
      try await wait(for: "five bars") {
        progress.advance(by: 300)
        return TerminalModel(columns: 120, try terminal.received()).drawn.count >= 5
      }
    }
    let time = ContinuousClock.now - start
    let model = TerminalModel(columns: 120, try await terminal.receivedAll())
    #expect(model.isUnderstood && !model.hasWrapped && model.text == [""])
    let bars = model.drawn.dropLast()
    #expect(Double(bars.count) <= time / .milliseconds(100) + 1 && Set(bars).count == bars.count)
    for bar in bars {
      #expect(bar.hasPrefix("sending  ") && bar.contains("%  [##") && bar.contains("1 of 2: 木\0蘭\0\\u{1"))
    }
  }

  @Test(arguments: [ProgressMode.auto, .always, .never])
  func quickTransferShowsNoProgress(_ mode: ProgressMode) async throws {
    let terminal = try PseudoTerminal(columns: 80)
    let progress = progress(mode, terminal.environment, delay: ProgressPresenter.usualDelay)
    let start = ContinuousClock.now
    let result = try await progress.showing {
      progress.advance(by: 7)
      return 7
    }
    let time = ContinuousClock.now - start
    #expect(result == 7)
    // On a busy machine, the work may take longer than half a second, after which progress is shown.
    #expect(try await terminal.receivedAll().isEmpty || time > .milliseconds(500))
  }

  @Test func messageHasItsOwnLineAndAnErrorLeavesNoProgressLine() async throws {
    let terminal = try PseudoTerminal(columns: 40)
    let progress = progress(.always, terminal.environment)
    progress.begin(item: "Anansi", byteCount: nil)
    await #expect(throws: Fault.self) {
      try await progress.showing {
        try await wait(for: "the line") { try !terminal.received().isEmpty }
        progress.note("half of it")
        try await wait(for: "the line after the message") {
          let model = TerminalModel(columns: 40, try terminal.received())
          return model.drawn.count { $0 == "preparing  item 1: Anansi" } >= 2
        }
        throw Fault()
      }
    }
    progress.note("none of it")
    let model = TerminalModel(columns: 40, try await terminal.receivedAll())
    #expect(model.text == ["dragpipe: half of it", "dragpipe: none of it", ""])
  }

  @Test func lineFollowsTheWidthOfTheTerminal() async throws {
    let terminal = try PseudoTerminal(columns: 100)
    let progress = progress(.auto, terminal.environment)
    progress.setTotal(bytes: 1000, items: 3)
    progress.advance(by: 500)
    try await progress.showing {
      try await wait(for: "a wide line") { try terminal.received().count { $0 == UInt8(ascii: "#") } >= 12 }
      let count = try terminal.received().count
      try terminal.setColumns(10)
      try await wait(for: "a narrow line") {
        TerminalModel(columns: 10, try Array(terminal.received().dropFirst(count))).text == ["50%"]
      }
    }
  }

  @Test func stoppedTerminalDelaysNeitherTheTransferNorItsEnd() async throws {
    let terminal = try PseudoTerminal(columns: 80)
    try terminal.fill()
    let progress = progress(.auto, terminal.environment)
    try await finishing("a transfer on a stopped terminal") {
      try await progress.showing {
        for _ in 0..<4 {
          progress.advance(by: 1)
          try await Task.sleep(for: .milliseconds(100))
        }
      }
    }
    // The output after the pause must not contain a partial line.
    let note = Task.detached { progress.note("all of it") }
    let end = Array("dragpipe: all of it\r\n".utf8)
    try await wait(for: "the message") { try terminal.received().suffix(end.count) == end }
    await note.value
    let received = try terminal.received().drop { $0 == UInt8(ascii: "x") }
    #expect(TerminalModel(columns: 80, Array(received)).isUnderstood)
  }

  @Test func fileGetsPlainLinesOnlyOnRequest() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(), to: "errors")
    let output = try OwnedDescriptor.open(file.path, O_WRONLY | O_APPEND)
    let text = { String(decoding: try Data(contentsOf: file), as: UTF8.self) }
    for mode in [ProgressMode.auto, .always] {
      let progress = progress(mode, ToolEnvironment(errors: output.raw))
      // The first line may be drawn before the body runs.
      progress.advance(by: 1)
      try await progress.showing {
        guard mode == .auto else { return try await wait(for: "a line") { try text().contains("preparing") } }
        // In this time, a line would be written.
        try await Task.sleep(for: .milliseconds(200))
      }
      progress.note("done with \(mode.rawValue)")
    }
    let lines = try text().split(separator: "\n")
    #expect([lines.first, lines.last] == ["dragpipe: done with auto", "dragpipe: done with always"])
    #expect(lines.count >= 3 && lines.dropFirst().dropLast().allSatisfy { $0.hasPrefix("preparing  1 B") })
    #expect(!lines.joined().contains { $0 == "\u{1B}" || $0 == "\r" })
  }

  @Test func recordsShowEveryPhaseTheEndingAndFollowedBytes() async throws {
    let endings: [((any Error)?, String)] = [
      (nil, "finished"), (Fault(), "failed"), (DropStreamError(.damaged, "damaged"), "failed"),
      (CancellationError(), "cancelled"), (DropStreamError(.cancelled, "cancelled"), "cancelled"),
      (ToolFailure(.cancelledByPeer, "cancelled"), "cancelled"), (OutputClosed(), "cancelled"),
    ]
    for (error, ending) in endings {
      let pipe = try SystemCalls.pipe()
      let output = OwnedDescriptor(pipe.write)
      let progress = progress(.json, ToolEnvironment(errors: output.raw))
      progress.setTotal(bytes: 12, items: nil)
      try? await progress.showing {
        progress.begin(item: "Kaguya", byteCount: nil)
        let first = ItemProgress()
        progress.follow(first)
        first.advance(by: 5)
        progress.begin(item: nil, byteCount: 7)
        progress.enter(.transferring)
        let second = ItemProgress(total: 7)
        progress.follow(second)
        second.finish()
        progress.enter(.verifying)
        if let error { throw error }
      }
      try output.close()
      let lines = try await readAll(pipe.read).split(separator: UInt8(ascii: "\n"))
      let objects = try lines.map { try #require(try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]) }
      #expect(objects.map { $0["ending"] as? String } == objects.dropLast().map { _ in nil } + [ending])
      let last = try #require(objects.last)
      #expect(last["bytes"] as? Int == 12 && last["item"] as? Int == 2)
      #expect(Set(objects.compactMap { $0["phase"] as? String }).isSuperset(of: ["transferring", "verifying"]))
    }
  }

  @Test func cancelledTaskEndsAsCancelledWhateverItsBodyThrows() async throws {
    let terminal = try PseudoTerminal(columns: 80)
    let progress = progress(.json, terminal.environment)
    let task = Task {
      try await progress.showing {
        try? await Task.sleep(for: .seconds(60))
        throw Fault()
      }
    }
    task.cancel()
    await #expect(throws: Fault.self) { try await task.value }
    let text = String(decoding: try await terminal.receivedAll(), as: UTF8.self)
    #expect(text.contains("\"ending\":\"cancelled\""))
  }

  /// Takes a second, the time that the last record waits for a reader.
  @Test func pipeWithoutAReaderDoesNotDelayTheEnd() async throws {
    let pipe = try SystemCalls.pipe()
    let input = OwnedDescriptor(pipe.read)
    let output = OwnedDescriptor(pipe.write)
    try SystemCalls.setNonBlocking(output.raw)
    while Glibc.write(output.raw, "x", 1) == 1 {}
    try SystemCalls.setNonBlocking(output.raw, false)
    let progress = progress(.json, ToolEnvironment(errors: output.raw))
    try await finishing("a transfer with a pipe that is not read") {
      try await progress.showing { progress.advance(by: 1) }
    }
    try input.close()
  }
}
