// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("Modes of progress", .serialized, .limited, .timeLimit(.minutes(5)))
struct ProgressModeTests {
  @Test("the option selects a mode; the default is auto, and --quiet means never")
  func parsesProgressAndQuiet() throws {
    #expect(try ProgressMode(option: nil, isQuiet: false) == .auto)
    #expect(try ProgressMode(option: nil, isQuiet: true) == .never)
    for mode in ProgressMode.allCases {
      #expect(try ProgressMode(option: mode.rawValue, isQuiet: false) == mode)
      #expect(try ProgressMode(option: mode.rawValue, isQuiet: true) == .never)
    }
  }

  @Test("an unknown mode is a usage error, with the value escaped", arguments: [false, true])
  func rejectsUnknownModes(isQuiet: Bool) throws {
    for option in ["", "Auto", "yes", "\u{1B}[2J"] {
      let failure = #expect(throws: ToolFailure.self) { try ProgressMode(option: option, isQuiet: isQuiet) }
      #expect(failure?.exitCode == .usage)
      #expect(failure?.message.contains("\u{1B}") == false)
    }
  }

  @Test("auto draws on an unshared terminal that can erase, and nowhere else")
  func autoDrawsOnAnUnsharedTerminal() {
    #expect(style(.auto) == .line)
    #expect(style(.auto, ["NO_COLOR": "", "TERM": "xterm"]) == .line)
    #expect(style(.auto, isTerminal: false) == .hidden)
    #expect(style(.auto, isShared: true) == .hidden)
    #expect(style(.auto, ["NO_COLOR": "1"]) == .hidden)
    #expect(style(.auto, ["TERM": "dumb"]) == .hidden)
  }

  @Test("requested progress is shown on any output, without escape sequences where they are unwanted")
  func alwaysShowsProgress() {
    for isShared in [false, true] {
      #expect(style(.always, isShared: isShared) == .line)
      #expect(style(.always, isTerminal: false, isShared: isShared) == .plainLines)
      #expect(style(.always, ["NO_COLOR": "0"], isShared: isShared) == .plainLines)
      #expect(style(.always, ["TERM": "dumb"], isShared: isShared) == .plainLines)
      for isTerminal in [false, true] {
        #expect(style(.json, ["TERM": "dumb"], isTerminal: isTerminal, isShared: isShared) == .records)
        #expect(style(.never, isTerminal: isTerminal, isShared: isShared) == .hidden)
      }
    }
  }

  private func style(
    _ mode: ProgressMode, _ variables: [String: String] = [:], isTerminal: Bool = true, isShared: Bool = false
  ) -> ProgressStyle {
    ProgressStyle(mode, isTerminal: isTerminal, isShared: isShared) { variables[$0] }
  }
}

@Suite("Progress as JSON Lines", .serialized, .limited, .timeLimit(.minutes(5)))
struct ProgressRecordTests {
  private static let hostileNames = [
    "", "\"}\n{\"", "a\\b/c", "\u{0}\u{1B}[2J\u{7}\r\u{7F}\u{9B}", "\u{202E}gnp.exe\u{2066}\u{200F}\u{61C}",
    "\u{2028}\u{2029}\u{FEFF}",
    "木蘭 Scáthach 🐉", "\u{E0001}\u{E0041}\u{10FFFF}", String(repeating: "\u{E0041}", count: 10_000),
    String(repeating: "\u{1B}", count: 10_000),
  ]

  @Test("a record contains all known values, and no unknown values")
  func recordHasOnlyKnownValues() {
    #expect(
      ProgressRecord(TransferSnapshot(), rate: TransferRate()).line
        == #"{"bytes":0,"items":0,"phase":"preparing"}"# + "\n")
    var rate = TransferRate()
    rate.add(0, at: .zero)
    rate.add(300, at: .seconds(3))
    let snapshot = TransferSnapshot(
      phase: .transferring, item: 2, name: "Gilgamesh/Enkidu", totalItems: 2, bytes: 300, totalBytes: 1050)
    #expect(
      ProgressRecord(snapshot, rate: rate).line
        == #"{"bytes":300,"bytesPerSecond":100,"item":2,"items":1,"name":"Gilgamesh/Enkidu","phase":"transferring","#
        + #""secondsRemaining":8,"totalBytes":1050,"totalItems":2}"# + "\n")
  }

  @Test("the last record has the ending, and counts the last item only after success")
  func lastRecordHasTheEnding() throws {
    let snapshot = TransferSnapshot(phase: .verifying, item: 2, bytes: 7, totalBytes: 5)
    for (ending, word, items) in [(.finished, "finished", 2), (.failed, "failed", 1), (.cancelled, "cancelled", 1)]
      as [(ItemProgress.Ending, String, Int)]
    {
      let object = try object(ProgressRecord(snapshot, rate: TransferRate(), ending: ending).line)
      #expect(object["ending"] as? String == word)
      #expect(object["items"] as? Int == items)
      #expect(object["totalBytes"] as? Int == 7)
      #expect(object["phase"] as? String == "verifying")
    }
  }

  @Test(
    "a hostile name is complete, escaped and in one short line", arguments: Self.hostileNames.indices)
  func recordIsBoundedAndEscaped(_ index: Int) throws {
    let name = Self.hostileNames[index]
    let line = ProgressRecord(
      TransferSnapshot(item: .max, name: name, totalItems: .max, bytes: .max, totalBytes: .max), rate: TransferRate(),
      ending: .cancelled
    ).line
    #expect(line.utf8.count <= ProgressRecord.byteLimit)
    #expect(line.hasSuffix("}\n") && line.unicodeScalars.count { $0 == "\n" } == 1)
    for scalar in line.unicodeScalars.dropLast() {
      #expect(![.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory))
    }
    let shown = try #require(try object(line)["name"] as? String)
    #expect(Array(shown.unicodeScalars) == Array(name.unicodeScalars.prefix(255)))
  }

  @Test("another JSON parser reads every line", .enabled(if: installedProgram("python3") != nil))
  func recordsAreValidJSON() throws {
    let lines = Self.hostileNames.map {
      ProgressRecord(TransferSnapshot(item: 1, name: $0), rate: TransferRate()).line
    }
    let reader = Process()
    reader.executableURL = URL(fileURLWithPath: try #require(installedProgram("python3")))
    reader.arguments = [
      "-c", "import json, sys\nfor line in sys.stdin.buffer: print(len(json.loads(line.decode())['name']))",
    ]
    let (input, output) = (Pipe(), Pipe())
    reader.standardInput = input
    reader.standardOutput = output
    try reader.run()
    try input.fileHandleForWriting.write(contentsOf: Data(lines.joined().utf8))
    try input.fileHandleForWriting.close()
    let answer = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    reader.waitUntilExit()
    #expect(reader.terminationStatus == 0)
    #expect(
      answer.split(separator: "\n").map { Int($0) } == Self.hostileNames.map { min(255, $0.unicodeScalars.count) })
  }

  private func object(_ line: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }
}
