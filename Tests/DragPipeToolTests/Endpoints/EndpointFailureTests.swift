// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import DragPipeTool
@testable import DropTransport

/// The messages for unusable endpoints and silent peers, which suggest the next step.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct EndpointFailureTests {
  private let fixture: DropFixture
  private let file: String

  init() throws {
    fixture = try DropFixture(folders: "in")
    file = try fixture.write([1], to: "f")
  }

  @Test func silentPeerEndsWithATimeoutThatNamesThePhase() async throws {
    let offer = ScriptedPeer.offer()
    let receive = ["receive", "--from", "stdio:", fixture.path("in")]
    let rows = [
      ([offer[0]], ["send", "--to", "stdio:", file], "a request: the peer sent nothing for"),
      ([offer[0]], receive, "an offer: the peer sent nothing for"),
      (Array(offer[..<2]), receive, "an offer: the peer sent nothing for"),
      (offer, receive, "content: no byte was transferred within"),
    ]
    // With a shorter timeout, a busy machine could miss the handshake.
    let runs = rows.map { frames, words, _ in Task { try await ScriptedPeer(frames).run(words + ["--timeout", "1"]) } }
    for ((_, _, phase), run) in zip(rows, runs) {
      #expect(try await run.value == .failure(75, "waiting for \(phase) 1.0 seconds"))
    }
    let run = try await tool("send", "--timeout", "0.2", "--to", "exec:cat >/dev/null", file)
    #expect(run == .failure(75, "no handshake from the peer within 0.2 seconds; use --timeout SECONDS to wait longer"))
  }

  @Test(arguments: [["receive", "in"], ["receive", "--list"], ["receive", "--as", "hero", "--into", "-"]])
  func sessionOnStandardInputNamesTheOption(_ arguments: [String]) async throws {
    let run = try await tool(arguments, input: ScriptedPeer([ScriptedPeer.hello]).opening)
    #expect(run == .failure(76, "the sender expects responses; use --from stdio:"))
  }

  @Test func oneWayPeerOfASessionNamesTheOption() async throws {
    let path = try await fixture.drop(("a", ["public.data": [1]]))
    let run = try await tool("receive", "--from", "exec:cat '\(path)'", "--list")
    let message = "the peer writes a one-way stream, not a session; use --to stdio: or --from stdio: for the peer"
    #expect(run == .failure(76, message))
  }

  @Test(arguments: [
    "inspect FILE", "inspect --verify FILE", "inspect --json FILE", "inspect --tree FILE", "extract FILE 1 public.png",
    "receive --from FILE in", "receive --from FILE --list",
  ])
  func errorInAFileNamesIt(_ line: String) async throws {
    let path = try fixture.write("notes\n".utf8, to: "notes.txt.drop")
    let run = try await tool(line.split(separator: " ").map { $0 == "FILE" ? path : String($0) })
    let message = "dragpipe: \(path): not a drop stream: the signature is missing at byte 0\n"
    #expect(run.exitCode == 65 && run.errors == message)
  }

  /// Returns a path that is short enough for a socket.
  private static func socketPath() -> String { "/tmp/dragpipe-\(UUID().uuidString.prefix(8))" }

  @Test func listenerOnATerminalSaysWhere() async throws {
    let path = Self.socketPath()
    let terminal = try PseudoTerminal(columns: 200)
    let environment = terminal.environment
    let sending = Task { [file] in await Tool.run(["send", "--to", "unix:\(path)", file], in: environment) }
    defer { sending.cancel() }
    let line = Array("dragpipe: listening at \(path)\r\n".utf8)
    try await wait(for: "the message of the listener") { try terminal.received() == line }
    #expect(FileManager.default.fileExists(atPath: path))
    sending.cancel()
    _ = try await finishing("the cancelled listener") { await sending.value }
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func listenerElsewhereSaysNothing() async throws {
    let path = Self.socketPath()
    async let sent = tool("send", "--once", "--to", "unix:\(path)", file)
    try await wait(for: "the socket") { FileManager.default.fileExists(atPath: path) }
    #expect(try await tool("receive", "--from", "unix:\(path)", "-o", "-") == ToolOutcome(output: "\u{1}"))
    #expect(try await sent == ToolOutcome())
  }

  // MARK: Confirmation

  private func receive(_ peer: ScriptedPeer, _ options: String..., leaves: Bool = false) async throws -> ToolOutcome {
    try await peer.run(["receive", "--from", "stdio:", fixture.path("in")] + options, leaves: leaves)
  }

  @Test func actionIsCheckedBeforeAnythingIsRequested() async throws {
    for (actions, options, message) in [
      (.move, [], "the sender allows its items to be moved only; see dragpipe receive --move"),
      (.link, [], "the sender does not allow its items to be copied"),
      ([], [], "the sender does not allow its items to be copied"),
      (.copy, ["--move"], "the sender does not allow its files to be moved; see dragpipe send --move"),
      (.link, ["--move"], "the sender does not allow its files to be moved; see dragpipe send --move"),
    ] as [(DropActions, [String], String)] {
      // The peer sends no content, so a receiver that requests some would wait forever.
      var peer = ScriptedPeer(ScriptedPeer.offer(actions: actions))
      peer.respond(to: .finish, with: [.acknowledgement(generation: 1, isKnown: true)])
      let run = try await peer.run(["receive", "--from", "stdio:", fixture.path("in")] + options)
      #expect(run == .failure(77, message))
      // The sender gets the reason too.
      #expect(peer.received.values.contains { Data($0).range(of: Data(message.utf8)) != nil }, "\(message)")
    }
    #expect(try fixture.fileNames(in: "in").isEmpty)
  }

  @Test(arguments: [DropActions.move, .link, []]) func listingNeedsNoAction(_ actions: DropActions) async throws {
    var peer = ScriptedPeer(ScriptedPeer.offer(actions: actions))
    peer.respond(to: .finish, with: [.acknowledgement(generation: 1, isKnown: true)])
    let path = Self.socketPath()
    let socket = try SystemCalls.socket()
    let listener = OwnedDescriptor(socket)
    try SystemCalls.bind(listener.raw, path)
    defer { unlink(path) }
    try SystemCalls.listen(listener.raw, 1)
    async let served: Void = onThread { [peer] in try peer.serve(socket) }
    let run = try await tool("receive", "--from", "unix:\(path)", "--list")
    #expect(run == ToolOutcome(output: "1\tfile 0\tpublic.data\t3\n"))
    try await served
    try listener.close()
  }

  @Test(arguments: [[1, 2], [1, 2, 3, 4]] as [[UInt8]])
  func contentOfAWrongLengthIsMalformed(_ bytes: [UInt8]) async throws {
    var peer = ScriptedPeer(ScriptedPeer.offer())
    peer.respond(to: .request, with: [ScriptedPeer.content(bytes)])
    let message = "corrupt: a representation has \(bytes.count) bytes instead of the promised 3"
    #expect(try await receive(peer, leaves: true) == .failure(65, message))
    #expect(try fixture.fileNames(in: "in").isEmpty)
  }

  /// A way in which the sender ends without a confirmation.
  struct Ending: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var last: [OutgoingFrame] = []
    var leaves = true
    let exitCode: Int32
    let reason: String
  }

  private static let endings = [
    Ending(testDescription: "leaves", exitCode: 69, reason: "the peer closed the connection too early at byte "),
    Ending(testDescription: "says goodbye", last: [.bye], exitCode: 69, reason: "the peer has ended the session"),
    Ending(
      testDescription: "fails", last: [.finalFailure(SenderFailure(kind: .failed, reason: "no power"))], exitCode: 1,
      reason: "the peer failed: no power"),
    Ending(
      testDescription: "cancels", last: [.finalFailure(SenderFailure(kind: .cancelled, reason: ""))], exitCode: 4,
      reason: "the peer cancelled"),
    Ending(
      testDescription: "had withdrawn the offer", last: [.acknowledgement(generation: 1, isKnown: false)],
      exitCode: 4, reason: "the offer was withdrawn"),
    Ending(
      testDescription: "sends a second handshake", last: [ScriptedPeer.hello], leaves: false, exitCode: 65,
      reason: "corrupt: a frame of type 16 out of order at byte "),
    Ending(
      testDescription: "is silent", leaves: false, exitCode: 75,
      reason: "waiting for the acknowledgement: the peer sent nothing for 2.0 seconds"),
  ]

  /// A silent sender takes two seconds, its timeout.
  @Test(arguments: endings) func unconfirmedFilesAreKeptAndTheMessageSaysSo(_ ending: Ending) async throws {
    var peer = ScriptedPeer(ScriptedPeer.offer())
    peer.respond(to: .request, with: [ScriptedPeer.content()])
    peer.respond(to: .finish, with: ending.last)
    let run = try await receive(peer, "--timeout", ending.exitCode == 75 ? "2" : "600", leaves: ending.leaves)
    #expect(run.isFailure(ending.exitCode, "dragpipe: received 1 item; the sender did not confirm: \(ending.reason)"))
    #expect(try fixture.fileNames(in: "in") == ["file 0"])
  }
}
