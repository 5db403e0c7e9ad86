// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool
@testable import DropTransport

/// The received items, and the responses that the sender gets.
@Suite(.serialized, .limited, .timeLimit(.minutes(30))) struct ReceiveConfirmationTests {
  private static func fixture() throws -> DropFixture {
    let fixture = try DropFixture()
    try FileManager.default.createDirectory(atPath: fixture.path("in"), withIntermediateDirectories: false)
    return fixture
  }

  private static func files(in fixture: DropFixture) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: fixture.path("in")).sorted()
  }

  @Test(
    arguments: [
      (DropActions.move, [], "the sender allows its items to be moved only; see dragpipe receive --move"),
      (.link, [], "the sender does not allow its items to be copied"),
      ([], [], "the sender does not allow its items to be copied"),
      (.copy, ["--move"], "the sender does not allow its files to be moved; see dragpipe send --move"),
      (.link, ["--move"], "the sender does not allow its files to be moved; see dragpipe send --move"),
    ] as [(DropActions, [String], String)])
  func actionIsCheckedBeforeAnythingIsRequested(
    _ actions: DropActions, _ options: [String], _ message: String
  ) async throws {
    let fixture = try Self.fixture()
    var peer = ScriptedPeer(fixture)
    // The peer sends no content, so a receiver that requests some would wait forever.
    try peer.send(ScriptedPeer.offer(actions: actions))
    try peer.read(ScriptedPeer.handshake + 45 + message.utf8.count)
    try peer.send([.acknowledgement(generation: 1, isKnown: true)])
    let run = try await fixture.run(["receive", "--from", peer.endpoint(), fixture.path("in")] + options)
    #expect(run.exitCode == 77)
    #expect(run.errors == "dragpipe: \(message)\n")
    #expect(try Self.files(in: fixture).isEmpty)
  }

  @Test(arguments: [DropActions.move, .link, []])
  func listingNeedsNoAction(_ actions: DropActions) async throws {
    let fixture = try Self.fixture()
    var peer = ScriptedPeer(fixture)
    try peer.send(ScriptedPeer.offer(actions: actions))
    // Waits for the finish or the refusal.
    try peer.read(ScriptedPeer.handshake + 29)
    try peer.send([.acknowledgement(generation: 1, isKnown: true)])
    let run = try await fixture.run("receive", "--from", peer.endpoint(), "--list")
    #expect(run.exitCode == 0)
    #expect(run.errors == "")
    #expect(run.text == "1\tfile 0\tpublic.data\t3\n")
  }

  @Test(arguments: [[1, 2], [1, 2, 3, 4]] as [[UInt8]])
  func contentOfAWrongLengthIsMalformed(_ bytes: [UInt8]) async throws {
    let fixture = try Self.fixture()
    var peer = ScriptedPeer(fixture)
    try peer.send(ScriptedPeer.offer())
    try peer.read(ScriptedPeer.firstRequest)
    try peer.send([ScriptedPeer.content(1, bytes)])
    let run = try await fixture.run("receive", "--from", peer.endpoint(leaves: true), fixture.path("in"))
    #expect(run.exitCode == 65)
    #expect(
      run.errors == "dragpipe: corrupt: a representation has \(bytes.count) bytes instead of the promised 3\n")
    #expect(try Self.files(in: fixture).isEmpty)
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
    Ending(
      testDescription: "says goodbye", last: [.bye], exitCode: 69, reason: "the peer has ended the session"),
    Ending(
      testDescription: "fails", last: [.lastWords(SenderFailure(kind: .failed, reason: "no power"))], exitCode: 1,
      reason: "the peer failed: no power"),
    Ending(
      testDescription: "cancels", last: [.lastWords(SenderFailure(kind: .cancelled, reason: ""))], exitCode: 4,
      reason: "the peer cancelled"),
    Ending(
      testDescription: "had withdrawn the offer", last: [.acknowledgement(generation: 1, isKnown: false)],
      exitCode: 4, reason: "the offer was withdrawn"),
    Ending(
      testDescription: "sends a second handshake", last: [ScriptedPeer.hello], leaves: false, exitCode: 65,
      reason: "corrupt: a frame of type 16 out of order at byte "),
    Ending(
      testDescription: "is silent", leaves: false, exitCode: 75,
      reason: "waiting for the acknowledgement: the peer sent nothing for 5.0 seconds"),
  ]

  @Test(arguments: endings) func unconfirmedFilesAreKeptAndTheMessageSaysSo(_ ending: Ending) async throws {
    let fixture = try Self.fixture()
    var peer = ScriptedPeer(fixture)
    try peer.send(ScriptedPeer.offer())
    try peer.read(ScriptedPeer.firstRequest)
    try peer.send([ScriptedPeer.content(1)])
    try peer.read(ScriptedPeer.finish)
    if !ending.last.isEmpty { try peer.send(ending.last) }
    let run = try await fixture.run(
      "receive", "--timeout", ending.exitCode == 75 ? "5" : "600", "--from", peer.endpoint(leaves: ending.leaves),
      fixture.path("in"))
    #expect(run.exitCode == ending.exitCode)
    #expect(
      run.errors.hasPrefix("dragpipe: received 1 item; the sender did not confirm: \(ending.reason)"), "\(run.errors)")
    #expect(try Self.files(in: fixture) == ["file 0"])
  }
}

/// Items that are received for a command or a terminal.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ReceivedFilesTests {
  @Test func commandDoesNotRunForANameWithANUL() async throws {
    let fixture = try DropFixture()
    let drop = try await fixture.drop(("good", ["public.png": [1]]), ("x\0.png", ["public.png": [2]]))
    let run = try await fixture.run("receive", "--from", drop, "--exec", "echo ran >> \(fixture.path("log"))")
    #expect(run.exitCode == 77)
    #expect(
      run.errors == """
        dragpipe: the name "x\\u{0}.png" contains U+0, which an environment variable cannot hold; no command was run

        """)
    #expect(try fixture.names == ["a.drop"])
  }
}

@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ListingTests {
  private let fixture: DropFixture

  init() throws { fixture = try DropFixture() }

  @Test func jsonIsCompleteWhereTheStreamIsTruncated() async throws {
    try await fixture.drop(
      ("a", ["public.png": [1]]), ("b", ["public.png": [2]]), ("c", ["public.png": [3]]), to: "whole.drop")
    let whole = try fixture.bytes(of: "whole.drop")
    var counts: Set<Int> = []
    for length in sampled(0..<whole.count, 60, "truncated listing") {
      let run = try await fixture.run("receive", "--list", "--json", input: Array(whole.prefix(length)))
      #expect(run.exitCode == 65 && run.errorLines.count == 1)
      let document = try run.document()
      let items = try #require(document["items"] as? [[String: Any]])
      #expect(items.compactMap { $0["name"] as? String } == ["a", "b", "c"].prefix(items.count).map(\.self))
      counts.insert(items.count)
    }
    #expect(counts.count > 1)
    let run = try await fixture.run("receive", "--list", "--json", input: whole)
    #expect(run.exitCode == 0)
    #expect((try run.document()["items"] as? [Any])?.count == 3)
  }

  @Test func jsonIsCompleteWhereNothingCanBeRead() async throws {
    for arguments in [["--from", "/nonexistent.drop"], ["--from", "unix:/nonexistent"], ["--from", "exec:exit 3"]] {
      let run = try await fixture.run(["receive", "--list", "--json"] + arguments)
      #expect(run.exitCode != 0 && run.errorLines.count == 1)
      #expect((try run.document()["items"] as? [Any])?.count == 0)
    }
    #expect(try await fixture.run("receive", "--list", "--json", input: []).document().count == 1)
  }

  @Test func moreItemsThanTheDefaultAreRefused() {
    #expect(ReceiveCommand.defaultItemLimit == 1_000_000)
    let option = ReceiveCommand.options.first { $0.name == "max-items" }
    #expect(option?.summary.contains("default 1000000") == true)
  }

  @Test func itemsAtTheLimitAreListed() async throws {
    let drop = try await fixture.drop(("a", ["public.png": [1]]), ("b", ["public.png": [2]]))
    #expect(try await fixture.run("receive", "--from", drop, "--list", "--max-items", "2").exitCode == 0)
    let run = try await fixture.run("receive", "--from", drop, "--list", "--max-items", "1")
    #expect(run.exitCode == 77 && run.lines.count == 1)
    #expect(run.errorLines.first?.contains("--max-items") == true)
  }
}
