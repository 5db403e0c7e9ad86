// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// Sessions with programs that are started for them, and programs that do not speak the protocol.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ProcessCarrierTests {
  private static func hold(_ command: [String], idleTimeout: Duration? = nil) async throws {
    var options = DropStreamOptions()
    options.idleTimeout = idleTimeout
    try await DropStream.withSession(over: .process(command), options: options) { session in
      for try await _ in session.drops {}
    }
  }

  @Test("a program that does not exist is reported as missing")
  func missingProgramIsReported() async throws {
    #expect(await failureCode { try await Self.hold(["/no/such/program"]) } == .sourceUnavailable)
    #expect(await failureCode { try await Self.hold(["no-such-program-anywhere"]) } == .sourceUnavailable)
  }

  @Test("a program that exits without output is reported with its status")
  func programThatExitsWithoutOutputIsReportedWithItsStatus() async throws {
    do {
      try await Self.hold(["sh", "-c", "exit 3"])
      Issue.record("it said nothing")
    } catch let error as DropStreamError {
      #expect(error.code == .peerGone)
      #expect(error.reason.contains("status 3"), "\(error.reason)")
    }
  }

  @Test("a program with another output format is refused")
  func programWithAnotherOutputFormatIsRefused() async throws {
    #expect(await failureCode { try await Self.hold(["echo", "hello, I am a login banner"]) } == .notADropStream)
  }

  @Test("a silent program times out and is stopped")
  func silentProgramTimesOutAndIsStopped() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = directory.file("pid").path
    let command = ["sh", "-c", "echo $$ > \(file); trap '' TERM; exec sleep 600"]
    #expect(await failureCode { try await Self.hold(command, idleTimeout: .milliseconds(500)) } == .timedOut)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let process = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(process, 0) == -1)
  }
}
