// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing

@testable import DropTransport

/// Sessions with programs that are started for them, and programs that do not speak the protocol.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ProcessCarrierTests {
  private static func failure(of command: [String], idleTimeout: Duration? = nil) async -> DropStreamError? {
    let options = DropStreamOptions.setting { $0.idleTimeout = idleTimeout }
    return await #expect(throws: DropStreamError.self) {
      try await DropStream.withSession(over: .process(command), options: options) { session in
        for try await _ in session.drops {}
      }
    }
  }

  @Test func missingFailedOrForeignProgramIsReported() async throws {
    for (command, code, reason) in [
      (["/no/such/program"], .sourceUnavailable, ""), (["no-such-program-anywhere"], .sourceUnavailable, ""),
      (["sh", "-c", "exit 3"], .peerGone, "status 3"), (["echo", "hello, I am a login banner"], .notADropStream, ""),
    ] as [([String], DropStreamError.Code, String)] {
      let error = await Self.failure(of: command)
      #expect(error?.code == code && (reason.isEmpty || error?.reason.contains(reason) == true), "\(command)")
    }
  }

  @Test func silentProgramTimesOutAndIsStopped() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("pid")
    let command = ["sh", "-c", "echo $$ > \(file.path); trap '' TERM; exec sleep 600"]
    // On a busy machine, the program may be stopped before it has written its number.
    try await wait(for: "a program that starts in time") {
      let error = await Self.failure(of: command, idleTimeout: .milliseconds(500))
      #expect(error?.code == .timedOut && error?.description == "no handshake from the peer within 0.5 seconds")
      return (try? String(contentsOf: file, encoding: .utf8))?.hasSuffix("\n") == true
    }
    let text = try String(contentsOf: file, encoding: .utf8)
    let process = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(process, 0) == -1)
  }

  @Test func idleTimeoutReplacesTheHandshakeTimeoutOfThirtySeconds() async throws {
    var options = DropStreamOptions()
    for (idleTimeout, expected) in [(nil, 30), (60, 60), (3600, 3600)] as [(Int?, Int)] {
      options.idleTimeout = idleTimeout.map { .seconds($0) }
      // The program returns all its input, so that this side receives its own handshake.
      let limit = try await DropStream.withSession(over: .process(["cat"]), options: options) { $0.handshakeTimeout }
      #expect(limit == .seconds(expected))
    }
  }
}
