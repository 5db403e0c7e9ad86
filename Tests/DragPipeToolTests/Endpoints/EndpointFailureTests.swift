// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool
@testable import DropTransport

/// The messages for unusable endpoints, which suggest the next step.
@Suite(.serialized, .limited, .timeLimit(.minutes(2))) struct EndpointFailureTests {
  @Test func silentPeerEndsWithTimeoutAndOneLine() async throws {
    let fixture = try DropFixture()
    try fixture.directory.write(Data([1]), to: "f")
    let run = try await fixture.run("send", "--timeout", "0.2", "--to", "exec:cat >/dev/null", fixture.path("f"))
    #expect(run.exitCode == 75)
    #expect(
      run.errors
        == "dragpipe: no handshake from the peer within 0.2 seconds; use --timeout SECONDS to wait longer\n")
  }

  @Test func silentReceiverEndsWithTimeoutAndItsPhase() async throws {
    let fixture = try DropFixture()
    try fixture.directory.write(Data([1]), to: "f")
    var peer = ScriptedPeer(fixture)
    try peer.send([ScriptedPeer.hello])
    let run = try await fixture.run("send", "--timeout", "0.5", "--to", peer.endpoint(), fixture.path("f"))
    #expect(run.exitCode == 75)
    #expect(run.errors == "dragpipe: waiting for a request: the peer sent nothing for 0.5 seconds\n")
  }

  @Test func silentSenderEndsWithTimeoutAndItsPhase() async throws {
    let fixture = try DropFixture()
    try FileManager.default.createDirectory(atPath: fixture.path("in"), withIntermediateDirectories: false)
    for (count, phase) in [
      (1, "an offer: the peer sent nothing for"), (2, "an offer: the peer sent nothing for"),
      (3, "content: no byte was transferred within"),
    ] {
      var peer = ScriptedPeer(fixture)
      try peer.send(Array(ScriptedPeer.offer().prefix(count)))
      let run = try await fixture.run("receive", "--timeout", "0.5", "--from", peer.endpoint(), fixture.path("in"))
      #expect(run.exitCode == 75)
      #expect(run.errors == "dragpipe: waiting for \(phase) 0.5 seconds\n")
    }
  }

  @Test(arguments: [["receive", "in"], ["receive", "--list"], ["receive", "--as", "hero", "--into", "-"]])
  func sessionOnStandardInputNamesTheOption(_ arguments: [String]) async throws {
    var frame = OutgoingFrame.hello(SessionHello())
    var digest = StreamDigest(preambleCheck: Preamble.check)
    frame.seal(sequence: 0, digest: &digest)
    let run = try await ToolRun(arguments, input: Data(Preamble.bytes + frame.bytes))
    #expect(run.exitCode == 76)
    #expect(run.errors == "dragpipe: the sender expects responses; use --from stdio:\n")
  }

  @Test func oneWayPeerOfASessionNamesTheOption() async throws {
    let fixture = try DropFixture()
    let path = try await fixture.drop(("a", ["public.data": [1]]))
    let run = try await fixture.run("receive", "--from", "exec:cat '\(path)'", "--list")
    #expect(run.exitCode == 76)
    #expect(
      run.errors
        == "dragpipe: the peer writes a one-way stream, not a session; use --to stdio: or --from stdio: for the peer\n"
    )
  }

  @Test(arguments: [["send", "--to", "unix:", "f"], ["receive", "--from=unix:", "in"]])
  func socketWithoutPathIsUsageError(_ arguments: [String]) async throws {
    let run = try await ToolRun(arguments)
    #expect(run.exitCode == 64)
    #expect(run.errors.contains("unix: needs a path; is a variable after unix: empty?"), "\(run.errors)")
  }

  @Test(arguments: [
    ["inspect", "FILE"], ["inspect", "--verify", "FILE"], ["inspect", "--json", "FILE"], ["inspect", "--tree", "FILE"],
    ["extract", "FILE", "1", "public.png"], ["receive", "--from", "FILE", "in"],
    ["receive", "--from", "FILE", "--list"],
  ])
  func errorNamesTheFile(_ arguments: [String]) async throws {
    let fixture = try DropFixture()
    try fixture.directory.write(Data("notes\n".utf8), to: "notes.txt.drop")
    let path = fixture.path("notes.txt.drop")
    let run = try await fixture.run(arguments.map { $0 == "FILE" ? path : $0 })
    #expect(run.exitCode == 65)
    #expect(run.errors == "dragpipe: \(path): not a drop stream: the signature is missing at byte 0\n")
  }

  @Test func listenerOnATerminalSaysWhere() async throws {
    let fixture = try DropFixture()
    try fixture.directory.write(Data([1]), to: "f")
    let path = "/tmp/dragpipe-\(UUID().uuidString.prefix(8))"
    let terminal = try PseudoTerminal(columns: 200)
    let file = fixture.path("f")
    let environment = terminal.environment
    let sending = Task { await Tool.run(["send", "--to", "unix:\(path)", file], in: environment) }
    let line = Array("dragpipe: listening at \(path)\r\n".utf8)
    #expect(try await eventually { try terminal.received() == line })
    #expect(FileManager.default.fileExists(atPath: path))
    sending.cancel()
    _ = await sending.value
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func listenerElsewhereSaysNothing() async throws {
    let fixture = try DropFixture()
    try fixture.directory.write(Data([1]), to: "f")
    let path = "/tmp/dragpipe-\(UUID().uuidString.prefix(8))"
    let arguments = ["send", "--once", "--to", "unix:\(path)", fixture.path("f")]
    async let sent = fixture.run(arguments)
    #expect(try await eventually { FileManager.default.fileExists(atPath: path) })
    let received = try await fixture.run("receive", "--from", "unix:\(path)", "-o", "-")
    #expect(received.output == Data([1]))
    #expect(try await sent.errors.isEmpty)
  }
}
