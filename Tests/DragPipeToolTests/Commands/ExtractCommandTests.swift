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

@Suite("The command extract", .serialized, .limited, .timeLimit(.minutes(5)))
struct ExtractCommandTests {
  private static let long = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  private let fixture: DropFixture

  init() throws {
    fixture = try DropFixture()
  }

  /// Writes a file of three items, two of which have the same name.
  @discardableResult
  private func drop() async throws -> String {
    try await fixture.drop(
      ("Atalanta", ["public.png": Self.long, "public.utf8-plain-text": Array("runs".utf8), "public.json": [0x31]]),
      ("twin", ["org.example.saga": Array("Castor".utf8)]), ("twin", ["public.plain-text": Array("Pollux".utf8)]))
  }

  private func extract(_ arguments: String...) async throws -> DropFixture.Run {
    try await fixture.run(["extract"] + arguments)
  }

  // MARK: Selection

  @Test("an item is found by number or name, a type by identifier, MIME type, extension or supertype")
  func findsItemsAndTypes() async throws {
    let path = try await drop()
    for (item, type, content) in [
      ("1", "public.png", Self.long), ("Atalanta", "image/png", Self.long), ("1", ".png", Self.long),
      ("1", "public.image", Self.long), ("1", "public.plain-text", Array("runs".utf8)),
      // JSON is also text, but is listed after the plain text.
      ("1", "public.text", Array("runs".utf8)), ("1", "public.json", [0x31]), ("1", "PUBLIC.JSON", [0x31]),
      ("2", "org.example.saga", Array("Castor".utf8)), ("3", "public.text", Array("Pollux".utf8)),
      ("2", "public.data", Array("Castor".utf8)),
    ] {
      let run = try await extract(path, item, type)
      #expect(run.exitCode == 0 && run.errors.isEmpty, "\(item) \(type): \(run.errors)")
      #expect(Array(run.output) == content, "\(item) \(type)")
    }
  }

  @Test("the exact type wins over an earlier type that conforms to it")
  func prefersTheExactType() async throws {
    let path = try await fixture.drop(("a", ["public.utf8-plain-text": [1], "public.plain-text": [2]]))
    #expect(Array(try await extract(path, "1", "public.plain-text").output) == [2])
    #expect(Array(try await extract(path, "1", "public.text").output) == [1])
  }

  @Test("a missing item or type ends with 3, and one line that lists the alternatives")
  func missingItemOrTypeExitsWith3() async throws {
    let path = try await drop()
    for (item, type, words) in [
      ("4", "public.png", #"has 3 items (1 "Atalanta", 2 "twin", 3 "twin")"#), ("0", "public.png", "no item 0: "),
      ("Hector", "public.png", "no item Hector: "), ("twin", "public.png", "items 2 and 3 both have the name twin"),
      (
        "1", "public.audio",
        "item 1 has no type public.audio; its types are public.png, public.utf8-plain-text, public.json"
      ),
      ("1", "org.example.nobody\u{1B}", #"org.example.nobody\u{1b}"#), ("+1", "public.png", "no item +1"),
    ] {
      let run = try await extract(path, item, type)
      #expect(run.exitCode == 3 && run.output.isEmpty && run.errorLines.count == 1)
      #expect(run.errors.contains(words), "\(run.errors)")
    }
  }

  @Test("a number selects by position even if an item has that name; a number out of range may be a name")
  func numbersAsNames() async throws {
    let path = try await fixture.drop(("2", ["public.data": [1]]), ("7", ["public.data": [2]]))
    #expect(Array(try await extract(path, "2", "public.data").output) == [2])
    #expect(Array(try await extract(path, "7", "public.data").output) == [2])
  }

  @Test("a representation that failed at the source is reported with the source's reason")
  func reportsTheSourceReason() async throws {
    struct Reason: Error, CustomStringConvertible {
      let description = "no ink"
    }
    let path = fixture.path("a.drop")
    try await DropStream.withWriter(to: .file(path)) { writer in
      let item = ItemProvider()
      item.register(.plainText) { _ in Data("a".utf8) }
      item.register(.png) { _ in throw Reason() }
      _ = try await writer.writeAvailable(item)
    }
    let run = try await extract(path, "1", "public.png", "--output", fixture.path("out"))
    #expect(run.exitCode == 1 && run.errors.contains("no ink"))
    #expect(try fixture.names == ["a.drop"])
  }

  @Test("a folder is written as its archive, with a message")
  func writesAFolderAsItsArchive() async throws {
    let path = try await fixture.drop(("in", ["public.folder": Array("tar".utf8)]))
    let run = try await extract(path, "1", "public.folder")
    #expect(run.exitCode == 0 && run.text == "tar")
    #expect(run.errors == "dragpipe: public.folder is a folder; it is written as a tar archive\n")
  }

  // MARK: Files

  @Test("an existing regular file is replaced with --overwrite only")
  func replacesOnlyWithOverwrite() async throws {
    let path = try await drop()
    let out = fixture.path("out")
    #expect(try await extract(path, "1", "public.png", "--output", out).exitCode == 0)
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: out))) == Self.long)
    let again = try await extract(path, "1", "public.json", "--output", out)
    #expect(again.exitCode == 73 && again.errors.contains("is there already"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: out)).count == Self.long.count)
    #expect(try await extract(path, "1", "public.json", "--output", out, "--overwrite").exitCode == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: out)) == Data([0x31]))
    let link = fixture.path("link")
    try #require(symlink(out, link) == 0)
    #expect(try await extract(path, "1", "public.json", "--output", link, "--overwrite").exitCode == 73)
    #expect(try await extract(path, "1", "public.png", "--output", fixture.path("no/out")).exitCode == 73)
    #expect(try fixture.names == ["a.drop", "link", "out"])
  }

  @Test("the input file is never overwritten, under any name")
  func neverWritesTheInputFile() async throws {
    let path = try await drop()
    let bytes = try fixture.bytes()
    try #require(link(path, fixture.path("hard")) == 0)
    try #require(symlink(path, fixture.path("soft")) == 0)
    for out in [path, fixture.path("hard"), fixture.path("soft"), fixture.path("./a.drop")] {
      let run = try await extract(path, "1", "public.png", "--overwrite", "--output", out)
      #expect(run.exitCode == 73 && run.errors.contains("is the input file"), "\(run.errors)")
    }
    #expect(try fixture.bytes() == bytes && fixture.bytes(of: "hard") == bytes)
    #expect(try fixture.names == ["a.drop", "hard", "soft"])
  }

  // MARK: Corruption

  @Test("corrupt content ends with 65: no file remains, and no byte is written")
  func corruptContentWritesNothing() async throws {
    try await drop()
    var bytes = try fixture.bytes()
    let needle = Self.long[200_000..<200_040]
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: needle) })
    bytes[place] ^= 1
    try fixture.directory.write(Data(bytes), to: "damaged.drop")
    let path = fixture.path("damaged.drop")
    let run = try await extract(path, "1", "public.png")
    #expect(run.exitCode == 65 && run.output.isEmpty && run.errorLines.count == 1)
    #expect(try await extract(path, "1", "public.png", "--output", fixture.path("out")).exitCode == 65)
    #expect(try fixture.names == ["a.drop", "damaged.drop"])
    // The other representations are unchanged.
    #expect(try await extract(path, "1", "public.json").text == "1")
  }

  @Test(
    "content of any length is written completely, or not at all if its last byte is corrupt",
    arguments: [(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20])
  func writesContentOfAnyLengthOrNothing(count: Int) async throws {
    let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    let path = try await fixture.drop(("a", ["public.data": content + Array("the very end".utf8)]))
    let run = try await extract(path, "1", "public.data")
    #expect(run.exitCode == 0 && Array(run.output.prefix(count)) == content && run.output.count == count + 12)
    var bytes = try fixture.bytes()
    let end = try #require(Data(bytes).range(of: Data("the very end".utf8), options: .backwards))
    bytes[end.upperBound - 1] ^= 1
    try fixture.directory.write(Data(bytes), to: "damaged.drop")
    let damaged = try await extract(fixture.path("damaged.drop"), "1", "public.data")
    #expect(damaged.exitCode == 65 && damaged.output.isEmpty)
  }

  @Test("a truncated file and a file without an index are reported, with the command that reads them")
  func reportsTruncatedAndUnindexedFiles() async throws {
    try await drop()
    let bytes = try fixture.bytes()
    try fixture.directory.write(Data(bytes.dropLast(10)), to: "cut.drop")
    let run = try await extract(fixture.path("cut.drop"), "1", "public.png")
    #expect(run.exitCode == 65 && run.errors.contains("dragpipe inspect"))
    for bytes in [[], Array("no drop".utf8)] as [[UInt8]] {
      try fixture.directory.write(Data(bytes), to: "none.drop")
      #expect(try await extract(fixture.path("none.drop"), "1", "public.png").exitCode == 65)
    }
    #expect(try await extract(fixture.path("missing"), "1", "public.png").exitCode == 66)
    #expect(try await extract(fixture.directory.url.path, "1", "public.png").exitCode == 66)
    #expect(try await extract("/dev/zero", "1", "public.png").exitCode == 66)
  }

  @Test("a stream that was redirected to a file is read in order, as far as needed")
  func readsAStreamInOrder() async throws {
    let file = try OwnedDescriptor.open(fixture.path("stream"), O_WRONLY | O_CREAT | O_EXCL, 0o600)
    try await DropStream.withWriter(to: .descriptor(file.release())) { writer in
      for (name, type, bytes) in [
        ("Atalanta", UTType.png, Self.long), ("twin", .plainText, [1]), ("twin", .plainText, [2]), ("last", .json, [3]),
      ] {
        let item = ItemProvider(suggestedName: name)
        item.register(type) { _ in Data(bytes) }
        try await writer.write(item)
      }
    }
    let path = fixture.path("stream")
    #expect(Array(try await extract(path, "1", ".png").output) == Self.long)
    #expect(Array(try await extract(path, "3", "public.text").output) == [2])
    #expect(Array(try await extract(path, "last", "public.json").output) == [3])
    #expect(try await extract(path, "Atalanta", ".png", "--output", fixture.path("out")).exitCode == 0)
    #expect(Array(try Data(contentsOf: URL(fileURLWithPath: fixture.path("out")))) == Self.long)
    for (item, type, words) in [
      ("twin", "public.text", "items 2 and 3 both have the name twin"),
      ("5", "public.text", "has 4 items (1 \"Atalanta\", "),
      ("3", "public.png", "item 3 has no type public.png; its types are public.plain-text"),
    ] {
      let run = try await extract(path, item, type)
      #expect(run.exitCode == 3 && run.errors.contains(words), "\(run.errors)")
    }
    // A stream has no index, so the bytes before an item must be intact.
    var bytes = try fixture.bytes(of: "stream")
    let needle = Self.long[100_000..<100_040]
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: needle) })
    bytes[place] ^= 1
    try fixture.directory.write(Data(bytes), to: "damaged")
    let run = try await extract(fixture.path("damaged"), "2", "public.text", "--output", fixture.path("none"))
    #expect(run.exitCode == 65 && run.errorLines.count == 1)
    #expect(try await extract(path, "1", ".png", "--output", path, "--overwrite").exitCode == 73)
    #expect(try fixture.names == ["damaged", "out", "stream"])
  }

  // MARK: Usage and terminals

  @Test(
    "an invalid command line is a usage error",
    arguments: [
      [], ["a"], ["a", "1"], ["a", "1", "b", "c"], ["-", "1", "public.png"], ["a", "1", "b", "--fast"],
      ["a", "1", "b", "--overwrite"], ["a", "1", "b", "--overwrite", "--output", "-"],
    ])
  func rejectsInvalidCommandLines(_ arguments: [String]) async throws {
    let run = try await fixture.run(["extract"] + arguments)
    #expect(run.exitCode == 64 && run.output.isEmpty && run.errorLines.count == 1)
  }

  // MARK: URLs

  @Test("an item of a URL is read by ranges", .enabled(if: RangeServer.isInstalled))
  func readsRanges() async throws {
    let content = try Data(contentsOf: URL(fileURLWithPath: try await drop()))
    try await RangeServer.serving(content) { server async throws in
      let run = try await extract(server.address("good"), "Atalanta", "public.png")
      #expect(run.exitCode == 0 && Array(run.output) == Self.long, "\(run.errors)")
      #expect(server.requests.allSatisfy { $0.contains("bytes=") }, "\(server.requests)")
    }
  }

  @Test("a server without ranges needs --whole", .enabled(if: RangeServer.isInstalled))
  func readsWholeObjects() async throws {
    let content = try Data(contentsOf: URL(fileURLWithPath: try await drop()))
    try await RangeServer.serving(content) { server async throws in
      let address = server.address("whole")
      let refused = try await extract(address, "2", "public.data")
      #expect(refused.exitCode == ToolExitCode.unsupported.rawValue)
      #expect(
        refused.errors
          == "dragpipe: \(address) cannot be read by ranges: the server does not support them; --whole reads it in order\n"
      )
      let run = try await extract("--whole", address, "2", "public.data")
      #expect(run.exitCode == 0 && Array(run.output) == Array("Castor".utf8), "\(run.errors)")
    }
  }

  @Test("errors of a server have their exit codes", .enabled(if: RangeServer.isInstalled))
  func reportsServerErrors() async throws {
    let content = try Data(contentsOf: URL(fileURLWithPath: try await drop()))
    try await RangeServer.serving(content) { server async throws in
      for (fault, code) in [
        ("missing", ToolExitCode.noInput), ("secret", .noInput), ("loop", .noInput), ("changed", .failure),
        ("other", .malformed), ("cut", .malformed), ("short", .malformed),
      ] {
        let run = try await extract("-o", fixture.path(fault), server.address(fault), "1", "public.png")
        #expect(run.exitCode == code.rawValue, "\(fault): \(run.errors)")
        #expect(run.errors.hasPrefix("dragpipe: ") && run.errors.count { $0 == "\n" } == 1, "\(run.errors)")
        #expect(!FileManager.default.fileExists(atPath: fixture.path(fault)))
      }
    }
  }

  // MARK: Complete items

  @Test("items are written as a drop of their own")
  func writesItems() async throws {
    let path = try await drop()
    let output = fixture.path("out.drop")
    let run = try await extract("--items", "2-3", "-o", output, path)
    #expect(run.exitCode == 0, "\(run.errors)")
    let file = try await DropFile(path: output)
    #expect(file.itemCount == 2)
    #expect(try await file.item(at: 1).data(for: .plainText) == Data("Pollux".utf8))
    let piped = try await extract("--items", "1", path)
    #expect(piped.exitCode == 0 && piped.output.count > Self.long.count)
  }

  @Test(
    "a range of items is checked", arguments: [("0", 64), ("3-2", 64), ("x", 64), ("1-", 64), ("-3", 64), ("3-4", 3)])
  func checksRangesOfItems(_ items: String, _ code: Int32) async throws {
    let run = try await extract("--items=\(items)", try await drop())
    #expect(run.exitCode == code, "\(run.errors)")
  }
}
