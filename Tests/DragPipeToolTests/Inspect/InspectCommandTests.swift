// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct InspectCommandTests {
  private static let pdf = Array("%PDF-1.7\nhero".utf8)
  private static let check = Array("123456789".utf8)

  private let fixture: DropFixture

  init() throws {
    fixture = try DropFixture()
  }

  private func inspect(_ arguments: String..., input: [UInt8] = []) async throws -> ToolOutcome {
    try await tool(["inspect"] + arguments, input: input)
  }

  /// Returns the representations of each item in JSON.
  private func representations(_ run: ToolOutcome) throws -> [[[String: Any]]] {
    let items = try #require(try run.document()["items"] as? [[String: Any]])
    return items.map { $0["representations"] as? [[String: Any]] ?? [] }
  }

  // MARK: URLs

  @Test(.peers("python3", "curl")) func itemsOfAURLAreListedFromItsIndex() async throws {
    let path = try await fixture.drop(
      ("Atalanta", ["public.plain-text": Self.check]), (nil, ["public.data": [UInt8](repeating: 1, count: 200_000)]))
    try await RangeServer.serving(Data(contentsOf: URL(fileURLWithPath: path))) { server async throws in
      let run = try await inspect(server.address("good"))
      let last = "2 items, 2 representations, 200009 bytes: index and offers verified, content not read"
      #expect(run.exitCode == 0 && run.lines.last == last[...], "\(run)")
      #expect(run.lines[1].hasSuffix("public.plain-text       9  -"), "\(run)")
      #expect(server.requests.allSatisfy { $0.contains("bytes=") }, "\(server.requests)")
      let json = try await inspect("--json", server.address("good")).document()
      #expect(json["verified"] as? Bool == false && json["error"] == nil)
      #expect(try await inspect("--verify", server.address("good")) == ToolOutcome())
      let whole = try await inspect("--whole", server.address("whole"))
      #expect(whole.output.contains("complete and verified"), "\(whole.errors)")
    }
  }

  // MARK: Forms

  @Test func tableAndJSONListTheItems() async throws {
    let path = try await fixture.drop(
      ("Atalanta", ["public.plain-text": Self.check, "public.data": [UInt8](repeating: 0x78, count: 1000)]),
      (nil, ["org.example.saga": []]))
    let crc = try await fixture.descriptions(of: path)[0].representations[1].crc32cDigits ?? "-"
    let table = ToolOutcome(
      output: """
        ITEM  NAME        TYPE               BYTES  CRC32C    REMARKS
           1  "Atalanta"  public.plain-text      9  e3069283
                          public.data         1000  \(crc)
           2  (no name)   org.example.saga       0  00000000
        2 items, 3 representations, 1009 bytes: complete and verified

        """)
    let bytes = try fixture.bytes()
    #expect(try await [inspect(path), inspect("-", input: bytes), inspect(input: bytes)] == [table, table, table])
    let json = """
      {"items": [
      {"name":"Atalanta","representations":[{"bytes":9,"crc32c":"e3069283","type":"public.plain-text"},\
      {"bytes":1000,"crc32c":"\(crc)","type":"public.data"}]},
      {"representations":[{"bytes":0,"crc32c":"00000000","type":"org.example.saga"}]}
      ], "totals": {"bytes":1009,"items":2,"missing":0,"representations":3}, "verified": true}

      """
    #expect(try await inspect("--json", path) == ToolOutcome(output: json))
  }

  private struct NoInk: Error, CustomStringConvertible {
    let description = "no ink\u{1B}[2J"
  }

  @Test func aliasesAndFailuresAreMarked() async throws {
    let path = fixture.path("a.drop")
    try await DropStream.withWriter(to: .file(path)) { writer in
      let item = ItemProvider(suggestedName: "Atalanta")
      item.register(.plainText) { _ in Data(Self.check) }
      item.registerAlias(.utf8PlainText, of: .plainText)
      item.register(.png) { _ in throw NoInk() }
      _ = try await writer.writeAvailable(item)
    }
    let tree = """
      1  "Atalanta"
      ├─ public.plain-text  9 bytes  crc32c e3069283
      ├─ public.utf8-plain-text  9 bytes  crc32c e3069283  alias of an earlier representation
      └─ public.png  missing: failed: the representation public.png could not be created: no ink\\u{1b}[2J
      1 item, 3 representations, 9 bytes: complete and verified; the sender failed to load 1 representation

      """
    #expect(try await inspect("--tree", path) == ToolOutcome(output: tree))
    let row = "public.png                  -  -         missing: failed: the repre"
    #expect(try await inspect(path).output.contains(row))
    let json = try await inspect("--json", path)
    let representations = try representations(json)[0]
    #expect((try json.document()["totals"] as? [String: Int])?["missing"] == 1)
    #expect(representations.map { $0["alias"] as? Bool } == [nil, true, nil])
    #expect((representations[2]["failure"] as? String)?.hasSuffix("could not be created: no ink\\u{1b}[2J") == true)
    #expect(representations[2].keys.sorted() == ["failure", "type"])
  }

  @Test func remarksReportContentThatDiffersFromItsTypeAndTheMeaningOfDynamicTypes() async throws {
    let dynamic = try #require(UTType(filenameExtension: "unknownext"))
    let path = try await fixture.drop(
      ("a", ["public.png": Self.pdf, "com.adobe.pdf": Self.pdf, "public.data": Self.pdf]),
      ("b", ["public.jpeg": Array("plain words".utf8), "public.plain-text": [0, 1, 2, 3, 0, 1]]),
      ("c", ["public.json": Array("{}".utf8), "public.plain-text": Array("words".utf8), "public.png": []]),
      ("x", [dynamic.identifier: [7]]))
    let representations = try await representations(inspect("--json", path))
    #expect(
      representations.map { $0.map { $0["sniffed"] as? String } }
        == [
          ["com.adobe.pdf", nil, "com.adobe.pdf"], ["public.utf8-plain-text", "public.data"], [nil, nil, nil], [nil],
        ])
    // The declared types are shown unchanged.
    let texts = [representations[3][0]["standsFor"], representations[0][0]["type"]].map { $0 as? String }
    #expect(texts == ["extension unknownext", "public.png"])
    let table = try await inspect(path)
    let isMarked = table.lines[1].hasSuffix("  looks like com.adobe.pdf") && !table.lines[2].contains("looks like")
    #expect(isMarked && table.output.contains("means extension unknownext"), "\(table)")
  }

  // MARK: Content

  @Test func contentShowsCBORBelowItsRow() async throws {
    let path = try await fixture.drop(
      ("a", ["org.example.saga.cbor": [0x82, 1, 0xF5], "public.json": Array("secret".utf8)]))
    #expect(try await inspect(path).lines.count == 4)
    let run = try await inspect("--content", path)
    #expect(run.lines.count == 5 && run.lines[2] == "      [1, true]" && !run.output.contains("secret"))
    #expect(try await inspect("--diagnostic", path) == run)
    let tree = try await inspect("--content", "--tree", path).output
    #expect(tree.contains("├─ org.example.saga.cbor") && tree.contains("\n│    [1, true]\n"))
    let representations = try await representations(inspect("--content", "--json", path))[0]
    #expect(representations.map { $0["diagnostic"] as? String } == ["[1, true]", nil])
  }

  @Test func malformedAndLongContentIsMarked() async throws {
    let long = [UInt8](repeating: 1, count: 9000)
    let text = [0x78, 0xC8] + [UInt8](repeating: 0x1B, count: 200)
    let path = try await fixture.drop(("a", ["x.cbor": [0x82, 1], "y.cbor": long, "z.cbor": text]))
    let run = try await inspect("--content", path)
    #expect(run.exitCode == 0 && run.output.contains("\n      not CBOR: at byte 0: "), "\(run)")
    #expect(run.lines.count { $0 == "      1," } == 64 && run.lines.contains("      …") && !hasControl(run.output))
    let representations = try await representations(inspect("--content", "--json", path))[0]
    #expect(representations[0]["diagnosticError"] is String)
    #expect((representations[1]["diagnostic"] as? String)?.unicodeScalars.count ?? 0 <= 2001)
  }

  // MARK: --verify

  @Test func verifyReportsByExitCodeOrJSON() async throws {
    let item: DropFixture.Item = ("a", ["public.plain-text": [0x31]])
    let path = try await fixture.drop(item, item)
    let bytes = try fixture.bytes()
    let runs = try await [inspect("--verify", path), inspect("--verify", "-", input: bytes)]
    #expect(runs == [ToolOutcome(), ToolOutcome()])
    for (path, hasIndex) in [(path, true), (try await fixture.stream(item, item), false)] {
      let report = "{\"hasIndex\":\(hasIndex),\"itemCount\":2,\"verified\":true}\n"
      #expect(try await inspect("--verify", "--json", path) == ToolOutcome(output: report))
    }
    #expect(try await inspect("--verify", input: bytes.dropLast()).isFailure(65))
    let cut = try await inspect("--verify", "--json", input: bytes.dropLast())
    let document = try cut.document()
    #expect(cut.exitCode == 65 && document["verified"] as? Bool == false && document["error"] is String)
    #expect(try await inspect("--verify", fixture.path("missing")).isFailure(66))
  }

  // MARK: Hostile input

  private static let hostileName = "a\u{1B}[2J\n\u{202E}\"\\\u{9B}é\u{7F}水"

  private func hasControl(_ text: String) -> Bool {
    text.unicodeScalars.contains { "\u{1B}\u{9B}\u{202E}\u{7F}".unicodeScalars.contains($0) }
  }

  @Test func namesAreEscapedInTextAndUnchangedInJSON() async throws {
    let path = try await fixture.drop((Self.hostileName, ["public.plain-text": [0x31]]))
    for run in [try await inspect(path), try await inspect("--tree", path)] {
      let name = #""a\u{1b}[2J\u{a}\u{202e}"\\\u{9b}é\u{7f}水""#
      #expect(run.exitCode == 0 && run.lines.count == 3 && !hasControl(run.output) && run.output.contains(name))
    }
    let json = try await inspect("--json", path)
    let items = try json.document()["items"] as? [[String: Any]]
    #expect(!hasControl(json.output) && items?.first?["name"] as? String == Self.hostileName)
  }

  @Test func truncatedAndCorruptStreamsAreShownUpToTheErrorAndNeverAccepted() async throws {
    try await fixture.drop(
      (Self.hostileName, ["public.plain-text": [0x31]]), ("b", ["public.json": Array("{\"a\": 1}".utf8)]))
    let bytes = try fixture.bytes()
    for count in sampled(0..<bytes.count, 20, "truncated stream") {
      let run = try await inspect("--content", input: Array(bytes.prefix(count)))
      let isSafe = !run.output.contains("verified") && !hasControl(run.output)
      #expect(run.exitCode == 65 && run.errorLines.count == 1 && isSafe, "\(run)")
      let json = try await inspect("--json", input: Array(bytes.prefix(count)))
      let document = try json.document()
      let hasError = document["error"] is String && document["totals"] is [String: Any]
      #expect(json.exitCode == 65 && document["verified"] as? Bool == false && hasError, "\(json)")
    }
    for index in sampled(0..<bytes.count, 20, "flipped bit") {
      var damaged = bytes
      damaged[index] ^= 0x10
      let run = try await inspect("--content", "--json", input: damaged)
      #expect(try run.exitCode != 0 && run.document()["verified"] as? Bool == false, "byte \(index)")
    }
  }

  @Test func otherInputIsRefusedAtOnce() async throws {
    var generator = SeededGenerator.announced("noise")
    let noise = (0..<65_536).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for bytes in [noise, Array("\u{89}PNG\r\n\u{1A}\n".utf8), Array("\u{7F}ELF".utf8), []] {
      let run = try await inspect("--content", input: bytes)
      #expect(run.isFailure(65) && !hasControl(run.errors))
    }
    #expect(try await inspect("/dev/zero").isFailure(65))
    #expect(try await inspect(fixture.directory.url.path).isFailure(66, "Is a directory"))
  }

  @Test func waitForAPipeCanBeCancelled() async throws {
    let path = fixture.path("fifo")
    try #require(mkfifo(path, 0o600) == 0)
    for arguments in [["inspect", path], ["inspect", "--verify", path], ["inspect", "--json", path]] {
      let task = Task { try await tool(arguments) }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      #expect(try await task.value.exitCode != 0)
    }
  }

  // MARK: The terminal's width

  @Test func linesFitTheTerminal() async throws {
    let path = try await fixture.drop(
      (String(repeating: "水", count: 200), ["public.png": Array("%PDF-1.7\n".utf8)]),
      (Self.hostileName, ["org.example.\(String(repeating: "saga", count: 40))": [1], "public.json": [0x31]]))
    let items = try await fixture.descriptions(of: path)
    for width in [60, 80, 100, 200] {
      var table = InspectionTable(width: width, showsContent: false)
      var tree = InspectionTree(width: width, showsContent: false)
      for text in [items.map { table.add($0) }.joined() + table.end(nil, .all), items.map { tree.add($0) }.joined()] {
        let lines = text.split(separator: "\n")
        // The final line is a sentence instead of a row, so it may be longer.
        let long = lines.filter { !$0.contains("verified") && $0.columnCount > width }
        #expect(lines.count >= 5 && text.contains("…") && long == [])
      }
    }
  }
}
