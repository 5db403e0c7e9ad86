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

@Suite("Progress of a transfer", .serialized, .limited, .timeLimit(.minutes(5)))
struct TransferProgressTests {
  private struct Fault: Error {}

  @Test("on a terminal the bar moves in one line, and is erased at the end")
  func barMovesAndIsErased() async throws {
    let terminal = try PseudoTerminal(columns: 120)
    let progress = progress(.auto, terminal.environment)
    progress.setTotal(bytes: 2_000_000, items: 2)
    let start = ContinuousClock.now
    try await progress.showing {
      progress.begin(item: "木蘭\u{1B}[2J.png", byteCount: 2_000_000)
      progress.enter(.transferring)
      progress.advance(by: 200_000)
      let isMoving = try await eventually {
        progress.advance(by: 300)
        return TerminalModel(columns: 120, try terminal.received()).drawn.count == 5
      }
      #expect(isMoving)
    }
    let time = ContinuousClock.now - start
    let model = TerminalModel(columns: 120, try await terminal.receivedAll())
    #expect(model.isUnderstood && !model.hasWrapped)
    #expect(model.text == [""])
    let bars = model.drawn.dropLast()
    #expect(Double(bars.count) <= (time - .milliseconds(500)) / .milliseconds(100) + 1)
    #expect(Set(bars).count == bars.count)
    for bar in bars {
      #expect(bar.hasPrefix("sending  ") && bar.contains("%  [##") && bar.contains("1 of 2: 木\0蘭\0\\u{1"))
    }
  }

  @Test("a quick transfer shows no progress")
  func quickTransferShowsNoProgress() async throws {
    for mode in [ProgressMode.auto, .always, .never] {
      let terminal = try PseudoTerminal(columns: 80)
      let progress = progress(mode, terminal.environment)
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
  }

  @Test("a message has its own line, and an error leaves no progress line")
  func messageReplacesTheLine() async throws {
    let terminal = try PseudoTerminal(columns: 40)
    let progress = progress(.always, terminal.environment)
    await #expect(throws: Fault.self) {
      try await progress.showing {
        progress.begin(item: "Anansi", byteCount: nil)
        #expect(try await eventually { try !terminal.received().isEmpty })
        progress.note("half of it")
        #expect(
          try await eventually {
            let model = TerminalModel(columns: 40, try terminal.received())
            return model.drawn.count { $0 == "preparing  item 1: Anansi" } == 2
          })
        throw Fault()
      }
    }
    progress.note("none of it")
    let model = TerminalModel(columns: 40, try await terminal.receivedAll())
    #expect(model.text == ["dragpipe: half of it", "dragpipe: none of it", ""])
  }

  @Test("the line follows the width of the terminal")
  func lineFollowsTheWidth() async throws {
    let terminal = try PseudoTerminal(columns: 100)
    let progress = progress(.auto, terminal.environment)
    progress.setTotal(bytes: 1000, items: 3)
    try await progress.showing {
      progress.advance(by: 500)
      #expect(try await eventually { try terminal.received().count { $0 == UInt8(ascii: "#") } == 12 })
      let count = try terminal.received().count
      try terminal.setColumns(10)
      #expect(
        try await eventually {
          TerminalModel(columns: 10, try Array(terminal.received().dropFirst(count))).text == ["50%"]
        })
    }
  }

  @Test("a stopped terminal delays neither the transfer nor its end", .timeLimit(.minutes(10)))
  func stoppedTerminalDelaysNothing() async throws {
    let terminal = try PseudoTerminal(columns: 80)
    try terminal.fill()
    let progress = progress(.auto, terminal.environment)
    try await progress.showing {
      for _ in 0..<10 {
        progress.advance(by: 1)
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    // The output after the pause must not contain a partial line.
    let note = Task.detached { progress.note("all of it") }
    let end = Array("dragpipe: all of it\r\n".utf8)
    #expect(try await eventually { try terminal.received().suffix(end.count) == end })
    await note.value
    let received = try terminal.received().drop { $0 == UInt8(ascii: "x") }
    #expect(TerminalModel(columns: 80, Array(received)).isUnderstood)
  }

  @Test("a file gets plain lines only on request, without escape sequences")
  func fileGetsPlainLinesOnRequest() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(), to: "errors")
    let output = try FileHandle(forWritingTo: file)
    let environment = ToolEnvironment(errors: output.fileDescriptor)
    for mode in [ProgressMode.auto, .always] {
      let progress = progress(mode, environment)
      try await progress.showing {
        progress.advance(by: 1)
        try await Task.sleep(for: .milliseconds(600))
        let isShown = try await eventually {
          try mode == .auto || String(contentsOf: file, encoding: .utf8).contains("preparing")
        }
        #expect(isShown)
      }
      progress.note("done with \(mode.rawValue)")
    }
    let lines = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
    #expect(lines.first == "dragpipe: done with auto" && lines.last == "dragpipe: done with always")
    #expect(lines.count >= 3)
    #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasPrefix("preparing  1 B") })
    #expect(!lines.joined().contains { $0 == "\u{1B}" || $0 == "\r" })
  }

  @Test("records show every phase and the ending, and count a followed progress")
  func recordsHaveEveryPhase() async throws {
    let endings: [((any Error)?, String)] = [
      (nil, "finished"), (Fault(), "failed"), (DropStreamError(.damaged, "damaged"), "failed"),
      (CancellationError(), "cancelled"), (DropStreamError(.cancelled, "cancelled"), "cancelled"),
      (ToolFailure(.cancelledByPeer, "cancelled"), "cancelled"), (OutputClosed(), "cancelled"),
    ]
    for (error, ending) in endings {
      let (read, write) = try SystemCalls.pipe()
      let input = FileHandle(fileDescriptor: read, closeOnDealloc: true)
      let output = FileHandle(fileDescriptor: write, closeOnDealloc: true)
      let progress = progress(.json, ToolEnvironment(errors: output.fileDescriptor))
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
      let lines = (try input.readToEnd() ?? Data()).split(separator: UInt8(ascii: "\n"))
      let objects = try lines.map { try #require(try JSONSerialization.jsonObject(with: $0) as? [String: Any]) }
      #expect(objects.compactMap { $0["ending"] as? String } == [ending])
      let last = try #require(objects.last)
      #expect(last["ending"] != nil)
      #expect(last["bytes"] as? Int == 12)
      #expect(last["item"] as? Int == 2)
      let phases = Set(objects.compactMap { $0["phase"] as? String })
      #expect(phases.isSuperset(of: ["transferring", "verifying"]))
    }
  }

  @Test("a cancelled task ends as cancelled, whatever its body throws")
  func cancelledTaskEndsAsCancelled() async throws {
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

  @Test("a pipe without a reader does not delay the end", .timeLimit(.minutes(10)))
  func unreadPipeDoesNotDelayTheEnd() async throws {
    let (read, write) = try SystemCalls.pipe()
    let input = FileHandle(fileDescriptor: read, closeOnDealloc: true)
    let output = FileHandle(fileDescriptor: write, closeOnDealloc: true)
    let flags = fcntl(output.fileDescriptor, F_GETFL)
    _ = fcntl(output.fileDescriptor, F_SETFL, flags | O_NONBLOCK)
    while Glibc.write(output.fileDescriptor, "x", 1) == 1 {}
    _ = fcntl(output.fileDescriptor, F_SETFL, flags)
    let progress = progress(.json, ToolEnvironment(errors: output.fileDescriptor))
    try await progress.showing { progress.advance(by: 1) }
    try input.close()
  }

  private func progress(_ mode: ProgressMode, _ environment: ToolEnvironment) -> TransferProgress {
    TransferProgress("sending", mode: mode, environment: environment, isShared: false) { _ in nil }
  }
}
