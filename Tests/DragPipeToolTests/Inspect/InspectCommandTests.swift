// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DragPipeTool

@Suite("The command inspect", .serialized, .limited, .timeLimit(.minutes(5)))
struct InspectCommandTests {
  private static let pdf = Array("%PDF-1.7\nhero".utf8)
  private static let check = Array("123456789".utf8)

  private let fixture: DropFixture

  init() throws {
    fixture = try DropFixture()
  }

  // MARK: URLs

  @Test("the items of a URL are listed from its index", .enabled(if: RangeServer.isInstalled))
  func listsURLs() async throws {
    let path = try await fixture.drop(
      ("Atalanta", ["public.plain-text": Self.check]), (nil, ["public.data": [UInt8](repeating: 1, count: 200_000)]))
    try await RangeServer.serving(Data(contentsOf: URL(fileURLWithPath: path))) { server async throws in
      let run = try await fixture.run(["inspect", server.address("good")])
      #expect(run.exitCode == 0, "\(run.errors)")
      #expect(
        run.lines.last
          == "2 items, 2 representations, 200009 bytes: index and offers verified, content not read")
      #expect(run.lines[1].hasSuffix("public.plain-text       9  -"), "\(run.text)")
      #expect(server.requests.allSatisfy { $0.contains("bytes=") }, "\(server.requests)")
      let json = try await fixture.run(["inspect", "--json", server.address("good")]).document()
      #expect(json["verified"] as? Bool == false && json["error"] == nil)
      let verified = try await fixture.run(["inspect", "--verify", server.address("good")])
      #expect(verified.exitCode == 0 && verified.errors.isEmpty)
      let whole = try await fixture.run(["inspect", "--whole", server.address("whole")])
      #expect(whole.text.contains("complete and verified"), "\(whole.errors)")
    }
  }

  // MARK: Forms

  @Test("a table has a header, aligned columns, each name once, and totals")
  func tableIsAligned() async throws {
    let path = try await fixture.drop(
      ("Atalanta", ["public.plain-text": Self.check, "public.data": [UInt8](repeating: 0x78, count: 1000)]),
      (nil, ["org.example.saga": []]))
    let run = try await fixture.run("inspect", path)
    #expect(run.exitCode == 0 && run.errors.isEmpty)
    #expect(
      run.text == """
        ITEM  NAME        TYPE               BYTES  CRC32C    REMARKS
           1  "Atalanta"  public.plain-text      9  e3069283
                          public.data         1000  \(try await crc(of: path, 0, 1))
           2  (no name)   org.example.saga       0  00000000
        2 items, 3 representations, 1009 bytes: complete and verified

        """, "\(run.text)")
    #expect(try await fixture.run("inspect", "-", input: try fixture.bytes()).text == run.text)
    #expect(try await fixture.run("inspect", input: try fixture.bytes()).text == run.text)
  }

  private func crc(of path: String, _ item: Int, _ representation: Int) async throws -> String {
    try await fixture.descriptions(of: path)[item].representations[representation].crc32cDigits ?? "-"
  }

  @Test("a tree shows representations below their item, with aliases and failures marked")
  func treeMarksAliasesAndFailures() async throws {
    let path = fixture.path("a.drop")
    try await DropStream.withWriter(to: .file(path)) { writer in
      let item = ItemProvider(suggestedName: "Atalanta")
      item.register(.plainText) { _ in Data(Self.check) }
      item.registerAlias(.utf8PlainText, of: .plainText)
      item.register(.png) { _ in throw TestFailure() }
      _ = try await writer.writeAvailable(item)
    }
    let run = try await fixture.run("inspect", "--tree", path)
    #expect(run.exitCode == 0)
    #expect(
      run.text == """
        1  "Atalanta"
        ├─ public.plain-text  9 bytes  crc32c e3069283
        ├─ public.utf8-plain-text  9 bytes  crc32c e3069283  alias of an earlier representation
        └─ public.png  missing: failed: the representation public.png could not be created: no ink\\u{1b}[2J
        1 item, 3 representations, 9 bytes: complete and verified; the sender failed to load 1 representation

        """)
    #expect(
      try await fixture.run("inspect", path).text.contains(
        "public.png                  -  -         missing: failed: the repre"))
    let document = try await fixture.run("inspect", "--json", path).document()
    #expect((document["totals"] as? [String: Int])?["missing"] == 1)
    let representations = try #require(Self.representations(document).first)
    #expect(representations[1]["alias"] as? Bool == true && representations[0]["alias"] == nil)
    #expect((representations[2]["failure"] as? String)?.hasSuffix("could not be created: no ink\\u{1b}[2J") == true)
    #expect(representations[2]["bytes"] == nil && representations[2]["sniffed"] == nil)
  }

  private struct TestFailure: Error, CustomStringConvertible {
    let description = "no ink\u{1B}[2J"
  }

  private static func representations(_ document: [String: Any]) -> [[[String: Any]]] {
    let items = document["items"] as? [[String: Any]] ?? []
    return items.map { $0["representations"] as? [[String: Any]] ?? [] }
  }

  @Test("JSON has each item, the totals and the verdict under stable keys")
  func jsonHasStableKeys() async throws {
    let path = try await fixture.drop(("Atalanta", ["public.plain-text": Self.check]), (nil, ["x.unknown": [1]]))
    let run = try await fixture.run("inspect", "--json", path)
    #expect(run.exitCode == 0 && run.errors.isEmpty)
    let document = try run.document()
    #expect(document.keys.sorted() == ["items", "totals", "verified"])
    #expect(document["verified"] as? Bool == true)
    #expect(
      document["totals"] as? [String: Int] == ["items": 2, "representations": 2, "bytes": 10, "missing": 0])
    let items = try #require(document["items"] as? [[String: Any]])
    #expect(items.map { $0["name"] as? String } == ["Atalanta", nil])
    let first = try #require(Self.representations(document).first?.first)
    #expect(first.keys.sorted() == ["bytes", "crc32c", "type"])
    #expect(first["type"] as? String == "public.plain-text" && first["bytes"] as? Int == 9)
    #expect(first["crc32c"] as? String == "e3069283")
  }

  @Test("a dynamic type shows its meaning")
  func dynamicTypeShowsItsMeaning() async throws {
    let dynamic = try #require(UTType(filenameExtension: "unknownext"))
    let path = try await fixture.drop(("x", [dynamic.identifier: [7]]))
    #expect(try await fixture.run("inspect", path).text.contains("means extension unknownext"))
    let document = try await fixture.run("inspect", "--json", path).document()
    #expect(Self.representations(document).first?.first?["standsFor"] as? String == "extension unknownext")
  }

  // MARK: Sniffing

  @Test("bytes that differ from their declared type, or are more specific, are reported; others are not")
  func reportsContentThatDiffersFromItsType() async throws {
    let path = try await fixture.drop(
      ("a", ["public.png": Self.pdf, "com.adobe.pdf": Self.pdf, "public.data": Self.pdf]),
      ("b", ["public.jpeg": Array("plain words".utf8), "public.plain-text": [0, 1, 2, 3, 0, 1]]),
      ("c", ["public.json": Array("{}".utf8), "public.plain-text": Array("words".utf8), "public.png": []]))
    let document = try await fixture.run("inspect", "--json", path).document()
    let sniffed = Self.representations(document).map { $0.map { $0["sniffed"] as? String } }
    #expect(
      sniffed == [["com.adobe.pdf", nil, "com.adobe.pdf"], ["public.plain-text", "public.data"], [nil, nil, nil]])
    // The declared types are shown unchanged.
    #expect(Self.representations(document).first?.first?["type"] as? String == "public.png")
    let table = try await fixture.run("inspect", path)
    #expect(table.lines[1].hasSuffix("  looks like com.adobe.pdf") && !table.lines[2].contains("looks like"))
  }

  // MARK: Content

  @Test("--content and --diagnostic show CBOR, JSON and property lists below their row")
  func contentShowsPreviews() async throws {
    let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
    let path = try await fixture.drop(
      (
        "a",
        [
          "org.example.saga.cbor": [0x82, 1, 0xF5], "public.json": Array(#"{"b":[]}"#.utf8),
          "com.apple.property-list": Array(list), "public.plain-text": Array("secret".utf8),
        ]
      ))
    let plain = try await fixture.run("inspect", path)
    #expect(plain.lines.count == 6)
    let run = try await fixture.run("inspect", "--content", path)
    #expect(
      run.lines.filter { $0.hasPrefix("      ") && $0.utf8.dropFirst(6).first != 0x20 } == [
        "      [1, true]", "      {", "      }", "      {", "      }",
      ])
    #expect(run.text.contains("\n        \"b\": []\n") && run.text.contains("\n        \"a\": 1\n"))
    #expect(!run.text.contains("secret"))
    #expect(try await fixture.run("inspect", "--diagnostic", path).text == run.text)
    #expect(try await fixture.run("inspect", "--content", "--tree", path).text.contains("├─ public.json"))
    #expect(try await fixture.run("inspect", "--content", "--tree", path).text.contains("\n│      \"b\": []\n"))

    let document = try await fixture.run("inspect", "--content", "--json", path).document()
    let representations = try #require(Self.representations(document).first)
    #expect(representations.map { $0["diagnostic"] as? String } == ["[1, true]", nil, nil, nil])
    #expect(
      representations.map { $0["preview"] as? String } == [nil, "{\n  \"b\": []\n}", "{\n  \"a\": 1\n}", nil])
  }

  @Test("content of the wrong form is reported, and the stream is still valid")
  func reportsContentOfTheWrongForm() async throws {
    let path = try await fixture.drop(
      ("a", ["x.cbor": [0x82, 1], "public.json": Array("<a>".utf8), "com.apple.property-list": Array("no".utf8)]))
    let run = try await fixture.run("inspect", "--content", path)
    #expect(run.exitCode == 0)
    #expect(run.text.contains("\n      not CBOR: at byte 0: "))
    #expect(run.text.contains("\n      not JSON: at byte 0: expected a value\n"))
    #expect(run.text.contains("\n      property list: "))
    let document = try await fixture.run("inspect", "--content", "--json", path).document()
    let representations = try #require(Self.representations(document).first)
    #expect(representations[0]["diagnosticError"] is String && representations[1]["previewError"] is String)
  }

  @Test("incomplete JSON is marked, and a property list that is too long is not shown")
  func truncatesLongPreviews() async throws {
    let json = Array(("[" + String(repeating: " ", count: 20_000) + "1]").utf8)
    let path = try await fixture.drop(
      ("a", ["public.json": json, "com.apple.property-list": [UInt8](repeating: 0x20, count: 300_000)]))
    let run = try await fixture.run("inspect", "--content", path)
    #expect(run.text.contains("\n      (truncated: the text has 20003 bytes)\n"))
    #expect(run.text.contains("\n      property list: too few bytes were kept for a preview\n"))
    let document = try await fixture.run("inspect", "--content", "--json", path).document()
    #expect(Self.representations(document).first?.first?["previewIsCut"] as? Bool == true)
  }

  // MARK: Usage

  @Test(
    "an invalid command line is a usage error, reported in one line",
    arguments: [["a", "b"], ["--tree", "--json"], ["--verify", "--tree"], ["--verify", "--content"], ["--fast"]])
  func rejectsInvalidCommandLines(_ arguments: [String]) async throws {
    let run = try await fixture.run(["inspect"] + arguments)
    #expect(run.exitCode == 64 && run.output.isEmpty && run.errorLines.count == 1)
  }

  @Test("the help names every option and key, in lines that fit")
  func helpNamesEveryOptionAndKey() async throws {
    let run = try await fixture.run("inspect", "--help")
    for word in ["--tree", "--json", "--content", "--diagnostic", "--verify", "sniffed", "totals", "hasIndex"] {
      #expect(run.text.contains(word))
    }
    #expect(run.lines.allSatisfy { $0.count <= 120 })
  }
}
