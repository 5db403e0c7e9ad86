// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ExtractCommandTests {
  private static let long = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  /// Three items, two of which have the same name.
  private static let items: [DropFixture.Item] = [
    ("Atalanta", ["public.png": long, "public.utf8-plain-text": Array("runs".utf8), "public.json": [0x31]]),
    ("twin", ["org.example.saga": Array("Castor".utf8)]), ("twin", ["public.plain-text": Array("Pollux".utf8)]),
  ]

  private let fixture: DropFixture

  init() throws {
    fixture = try DropFixture()
  }

  private func drop() async throws -> String {
    try await fixture.drop(Self.items[0], Self.items[1], Self.items[2])
  }

  private func extract(_ arguments: String...) async throws -> ToolOutcome {
    try await tool(["extract"] + arguments)
  }

  // MARK: Selection

  /// A stream that was redirected to a file has no index, and is read in order.
  @Test(arguments: [true, false]) func itemsAndTypesAreFound(isIndexed: Bool) async throws {
    let path =
      isIndexed ? try await drop() : try await fixture.stream(Self.items[0], Self.items[1], Self.items[2])
    for (item, type, content) in [
      ("1", "public.png", Self.long), ("Atalanta", "image/png", Self.long), ("1", ".png", Self.long),
      ("1", "public.image", Self.long), ("1", "public.plain-text", Array("runs".utf8)),
      // JSON is also text, but is listed after the plain text.
      ("1", "public.text", Array("runs".utf8)), ("1", "public.json", [0x31]), ("1", "PUBLIC.JSON", [0x31]),
      ("2", "org.example.saga", Array("Castor".utf8)), ("3", "public.text", Array("Pollux".utf8)),
      ("2", "public.data", Array("Castor".utf8)),
    ] {
      let run = try await extract(path, item, type)
      #expect(run.exitCode == 0 && run.errors.isEmpty && Array(run.bytes) == content, "\(item) \(type)")
    }
    for (item, content) in [("1", Self.long), ("Atalanta", Self.long), ("2", Array("Castor".utf8))] {
      let run = try await extract(path, item)
      #expect(run.exitCode == 0 && run.errors.isEmpty && Array(run.bytes) == content, "\(item)")
    }
    let types = "public.png, public.utf8-plain-text, public.json"
    for (item, type, words) in [
      ("4", "public.png", #"no item 4: \#(path) has 3 items (1 "Atalanta", 2 "twin", 3 "twin")"#),
      ("0", "public.png", "no item 0: "), ("Hector", "public.png", "no item Hector: "), ("+1", ".png", "no item +1"),
      ("twin", "public.png", "items 2 and 3 both have the name twin"),
      ("1", "public.audio", "item 1 has no type public.audio; its types are \(types)"),
      ("3", "public.png", "item 3 has no type public.png; its types are public.plain-text"),
      ("1", "org.example.nobody\u{1B}", #"org.example.nobody\u{1b}"#),
    ] { #expect(try await extract(path, item, type).isFailure(3, words), "\(item) \(type)") }
    let out = fixture.path("out")
    let run = try await extract(path, "Atalanta", ".png", "--output", out)
    #expect(try run == ToolOutcome() && fixture.bytes(of: "out") == Self.long)
    #expect(try await extract(path, "1", ".png", "--output", path, "--overwrite").isFailure(73))
  }

  @Test func exactTypesAndPositionsPrecedeOthers() async throws {
    let path = try await fixture.drop(
      ("2", ["public.utf8-plain-text": [1], "public.plain-text": [2]]), ("7", ["public.data": [3]]))
    for (item, type, byte) in [
      ("1", "public.plain-text", "\u{2}"), ("1", "public.text", "\u{1}"),
      // A number selects by position even if an item has that name; a number out of range may be a name.
      ("2", "public.data", "\u{3}"), ("7", "public.data", "\u{3}"),
    ] { #expect(try await extract(path, item, type) == ToolOutcome(output: byte)) }
  }

  @Test func failureAtTheSourceIsReportedWithItsReason() async throws {
    let path = fixture.path("a.drop")
    try await DropStream.withWriter(to: .file(path)) { writer in
      let item = ItemProvider()
      item.register(.plainText) { _ in Data("a".utf8) }
      item.register(.png) { _ in throw ToolFailure(.failure, "no ink") }
      _ = try await writer.writeAvailable(item)
    }
    let run = try await extract(path, "1", "public.png", "--output", fixture.path("out"))
    #expect(try run.isFailure(1, "no ink") && fixture.fileNames() == ["a.drop"], "\(run)")
  }

  @Test func folderIsWrittenAsItsArchive() async throws {
    let path = try await fixture.drop(("in", ["public.folder": Array("tar".utf8)]))
    let message = "dragpipe: public.folder is a folder; it is written as a tar archive\n"
    #expect(try await extract(path, "1", "public.folder") == ToolOutcome(output: "tar", errors: message))
  }

  @Test func completeItemsAreWrittenAsADrop() async throws {
    let path = try await drop()
    let output = fixture.path("out.drop")
    #expect(try await extract("--items", "2-3", "-o", output, path) == ToolOutcome())
    let file = try await DropFile(path: output)
    let content = try await file.item(at: 1).data(for: .plainText)
    #expect(file.itemCount == 2 && content == Data("Pollux".utf8))
    let piped = try await extract("--items", "1", path)
    #expect(piped.exitCode == 0 && piped.bytes.count > Self.long.count)
    #expect(try await extract("--items=3-4", path).isFailure(3))
  }

  // MARK: Files

  @Test func existingFileIsReplacedWithOverwriteOnly() async throws {
    let path = try await drop()
    let out = try fixture.write([7], to: "out")
    let link = fixture.path("link")
    try #require(symlink(out, link) == 0)
    for (output, words) in [
      ([out], "is there already"), ([link, "--overwrite"], ""), ([fixture.path("no/out"), "--overwrite"], ""),
    ] {
      let run = try await tool(["extract", path, "1", "public.json", "--output"] + output)
      #expect(try run.isFailure(73, words) && fixture.bytes(of: "out") == [7], "\(output): \(run)")
    }
    #expect(try await extract(path, "1", "public.json", "--output", out, "--overwrite") == ToolOutcome())
    #expect(try fixture.bytes(of: "out") == [0x31] && fixture.fileNames() == ["a.drop", "link", "out"])
  }

  @Test func inputFileIsNeverOverwritten() async throws {
    let path = try await drop()
    let bytes = try fixture.bytes()
    try #require(link(path, fixture.path("hard")) == 0)
    try #require(symlink(path, fixture.path("soft")) == 0)
    for out in [path, fixture.path("hard"), fixture.path("soft"), fixture.path("./a.drop")] {
      let run = try await extract(path, "1", "public.png", "--overwrite", "--output", out)
      #expect(run.isFailure(73, "is the input file"))
    }
    #expect(try ["a.drop", "hard"].map { try fixture.bytes(of: $0) } == [bytes, bytes])
    #expect(try fixture.fileNames() == ["a.drop", "hard", "soft"])
  }

  // MARK: Corruption

  @Test func corruptContentIsNotWritten() async throws {
    _ = try await drop()
    let path = try fixture.corrupting(Self.long[200_000..<200_040])
    for output in ["-", fixture.path("out")] {
      #expect(try await extract(path, "1", "public.png", "--output", output).isFailure(65))
    }
    // The other representations are unchanged.
    #expect(try await extract(path, "1", "public.json").output == "1")
    // A stream has no index, so the bytes before an item must be intact.
    _ = try await fixture.stream(Self.items[0], Self.items[1])
    let stream = try fixture.corrupting(Self.long[100_000..<100_040], of: "stream")
    #expect(try await extract(stream, "2", "public.data", "--output", fixture.path("out")).isFailure(65))
    #expect(try fixture.fileNames() == ["a.drop", "damaged.drop", "stream"])
  }

  /// Content of up to 1 MiB is kept in memory until it is verified; larger content is read twice.
  @Test(arguments: [1 << 20, (1 << 20) + 1, 3 << 20])
  func contentOfAnyLengthIsWrittenCompletelyOrNotAtAll(count: Int) async throws {
    let pattern = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
    let end = Data("the very end".utf8)
    var content = Data()
    while content.count < count { content += pattern }
    content = content.prefix(count - end.count) + end
    let path = try await fixture.drop(("a", ["public.data": Array(content)]))
    let run = try await extract(path, "1", "public.data")
    #expect(run.exitCode == 0 && run.bytes == content)
    #expect(try await extract(fixture.corrupting(end), "1", "public.data").isFailure(65))
  }

  @Test func otherInputIsReportedWithItsReason() async throws {
    _ = try await drop()
    let cut = try fixture.write(fixture.bytes().dropLast(10), to: "cut.drop")
    let fifo = fixture.path("fifo")
    try #require(mkfifo(fifo, 0o600) == 0)
    // A pipe does not support random access.
    for (path, code, words) in [
      (cut, 65, "dragpipe inspect"), (try fixture.write([], to: "empty.drop"), 65, ""),
      (try fixture.write("no drop".utf8, to: "none.drop"), 65, ""), (fixture.path("missing"), 66, ""),
      (fixture.directory.url.path, 66, ""), ("/dev/zero", 66, ""), (fifo, 66, ""),
    ] as [(String, Int32, String)] {
      #expect(try await extract(path, "1", "public.png").isFailure(code, words), "\(path)")
    }
  }

  // MARK: URLs

  @Test(.peers("python3", "curl")) func itemsOfURLsAreReadByRanges() async throws {
    let content = try Data(contentsOf: URL(fileURLWithPath: try await drop()))
    try await RangeServer.serving(content) { server async throws in
      let run = try await extract(server.address("good"), "Atalanta", "public.png")
      #expect(run.exitCode == 0 && Array(run.bytes) == Self.long, "\(run.errors)")
      #expect(server.requests.allSatisfy { $0.contains("bytes=") }, "\(server.requests)")

      let address = server.address("whole")
      let reason = "cannot be read by ranges: the server does not support them; --whole reads it in order"
      #expect(try await extract(address, "2", "public.data") == .failure(76, "\(address) \(reason)"))
      #expect(try await extract("--whole", address, "2", "public.data") == ToolOutcome(output: "Castor"))

      for (fault, code) in [
        ("missing", ToolExitCode.noInput), ("secret", .noInput), ("loop", .noInput), ("changed", .failure),
        ("other", .malformed), ("cut", .malformed), ("short", .malformed),
      ] {
        let run = try await extract("-o", fixture.path(fault), server.address(fault), "1", "public.png")
        #expect(run.isFailure(code.rawValue, "dragpipe: "), "\(fault): \(run.errors)")
      }
      #expect(try fixture.fileNames() == ["a.drop"])
    }
  }
}
