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

/// `inspect` with hostile files, and with paths that are not files.
@Suite("inspect and hostile files", .serialized, .limited, .timeLimit(.minutes(5)))
struct InspectHostileTests {
  private static let hostileName = "a\u{1B}[2J\n\u{202E}\"\\\u{9B}é\u{7F}水"
  private static let controls = Set("\u{1B}\u{9B}\u{202E}\u{7F}".unicodeScalars)

  private let fixture: DropFixture

  init() throws {
    fixture = try DropFixture()
  }

  private func hasControl(_ text: String) -> Bool {
    text.unicodeScalars.contains { Self.controls.contains($0) }
  }

  @Test("names are escaped in text, and unchanged in JSON", arguments: [[], ["--tree"]])
  func escapesNames(_ form: [String]) async throws {
    let path = try await fixture.drop((Self.hostileName, ["public.plain-text": [0x31]]))
    let run = try await fixture.run(["inspect"] + form + [path])
    #expect(run.exitCode == 0 && run.lines.count == 3)
    #expect(run.text.contains(#""a\u{1b}[2J\u{a}\u{202e}"\\\u{9b}é\u{7f}水""#))
    #expect(!hasControl(run.text))
    let json = try await fixture.run("inspect", "--json", path)
    #expect(!hasControl(json.text))
    #expect((try json.document()["items"] as? [[String: Any]])?.first?["name"] as? String == Self.hostileName)
  }

  @Test("a stream truncated at any byte is shown up to there and ends with 65; JSON stays one document")
  func truncatedStreamIsShownUpToTheEnd() async throws {
    try await fixture.drop(
      (Self.hostileName, ["public.plain-text": [0x31]]), ("b", ["public.json": Array("{\"a\": 1}".utf8)]))
    let bytes = try fixture.bytes()
    for count in stride(from: 0, to: bytes.count, by: 7) {
      let cut = Array(bytes.prefix(count))
      let run = try await fixture.run("inspect", "--content", input: cut)
      #expect(run.exitCode == 65 && run.errorLines.count == 1)
      #expect(!run.text.contains("whole") && !hasControl(run.text))
      let json = try await fixture.run("inspect", "--json", input: cut)
      let document = try json.document()
      #expect(json.exitCode == 65 && document["verified"] as? Bool == false)
      #expect(document["error"] is String && document["totals"] is [String: Any])
    }
  }

  @Test("a stream with a flipped bit is never accepted, and JSON stays valid")
  func flippedBitIsNeverAccepted() async throws {
    try await fixture.drop((Self.hostileName, ["public.json": Array("{\"a\": 1}".utf8)]))
    let bytes = try fixture.bytes()
    for index in stride(from: 0, to: bytes.count, by: 3) {
      var damaged = bytes
      damaged[index] ^= 0x10
      let run = try await fixture.run("inspect", "--content", "--json", input: damaged)
      #expect(run.exitCode != 0, "byte \(index)")
      #expect(try run.document()["verified"] as? Bool == false)
    }
  }

  @Test("noise, pictures, programs and empty input are refused at once", .timeLimit(.minutes(10)))
  func refusesOtherInputAtOnce() async throws {
    var generator = SystemRandomNumberGenerator()
    let noise = (0..<65_536).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for bytes in [noise, Array("\u{89}PNG\r\n\u{1A}\n".utf8), Array("\u{7F}ELF".utf8), []] {
      let run = try await fixture.run("inspect", "--content", input: bytes)
      #expect(run.exitCode == 65 && run.output.isEmpty && run.errorLines.count == 1)
      #expect(!hasControl(run.errors))
    }
    let zeros = try await fixture.run("inspect", "/dev/zero")
    #expect(zeros.exitCode == 65 && zeros.output.isEmpty)
    let directory = try await fixture.run("inspect", fixture.directory.url.path)
    #expect(directory.exitCode == 66 && directory.errors.contains("Is a directory"))
    #expect(try await fixture.run("inspect", "--json", "/dev/zero").document()["verified"] as? Bool == false)
  }

  @Test("inspect waits for the writer of a named pipe, and the wait can be cancelled", .timeLimit(.minutes(10)))
  func waitForAPipeCanBeCancelled() async throws {
    let path = fixture.path("fifo")
    try #require(mkfifo(path, 0o600) == 0)
    for arguments in [["inspect", path], ["inspect", "--verify", path], ["inspect", "--json", path]] {
      let fixture = fixture
      let task = Task { try await fixture.run(arguments) }
      try await Task.sleep(for: .milliseconds(50))
      task.cancel()
      #expect(try await task.value.exitCode != 0)
    }
    // Extraction needs random access, which a named pipe does not support.
    let run = try await fixture.run("extract", path, "1", "public.data")
    #expect(run.exitCode == 66 && run.errorLines.count == 1)
  }

  // MARK: --verify

  @Test("--verify reports by its exit code alone, or as one small document")
  func verifyReportsByExitCodeOrJSON() async throws {
    let path = try await fixture.drop(("a", ["public.plain-text": [0x31]]), ("b", ["public.png": [1]]))
    let bytes = try fixture.bytes()
    let run = try await fixture.run("inspect", "--verify", path)
    #expect(run.exitCode == 0 && run.output.isEmpty && run.errors.isEmpty)
    #expect(try await fixture.run("inspect", "--verify", "-", input: bytes).exitCode == 0)
    let document = try await fixture.run("inspect", "--verify", "--json", path).document()
    #expect(document.keys.sorted() == ["hasIndex", "itemCount", "verified"])
    #expect(document["itemCount"] as? Int == 2 && document["hasIndex"] as? Bool == true)

    let cut = try await fixture.run("inspect", "--verify", input: bytes.dropLast())
    #expect(cut.exitCode == 65 && cut.output.isEmpty && cut.errorLines.count == 1)
    let cutDocument = try await fixture.run("inspect", "--verify", "--json", input: bytes.dropLast())
    #expect(cutDocument.exitCode == 65)
    #expect(try cutDocument.document()["verified"] as? Bool == false)
    #expect(try cutDocument.document()["error"] is String)
    #expect(try await fixture.run("inspect", "--verify", fixture.path("missing")).exitCode == 66)
  }

  @Test("--verify distinguishes a file without an index from a file with a verified index")
  func verifyComparesTheIndex() async throws {
    let indexed = try await fixture.drop(("a", ["public.plain-text": [0x31]]))
    let stream = try OwnedDescriptor.open(fixture.path("stream"), O_WRONLY | O_CREAT | O_EXCL, 0o600)
    try await DropStream.withWriter(to: .descriptor(stream.release())) { writer in
      let item = ItemProvider(suggestedName: "a")
      item.register(.plainText) { _ in Data([0x31]) }
      try await writer.write(item)
    }
    for (path, hasIndex) in [(indexed, true), (fixture.path("stream"), false)] {
      let document = try await fixture.run("inspect", "--verify", "--json", path).document()
      #expect(document["hasIndex"] as? Bool == hasIndex && document["itemCount"] as? Int == 1)
    }
  }

  // MARK: The terminal's width

  @Test("on a terminal no line of a table or a tree exceeds the width", arguments: [60, 80, 100, 200])
  func linesFitTheTerminal(_ width: Int) async throws {
    let path = try await fixture.drop(
      (String(repeating: "水", count: 200), ["public.png": Array("%PDF-1.7\n".utf8)]),
      (Self.hostileName, ["org.example.\(String(repeating: "saga", count: 40))": [1], "public.json": [0x31]]))
    let items = try await fixture.descriptions(of: path)
    var table = InspectionTable(width: width, showsContent: false)
    var tree = InspectionTree(width: width, showsContent: false)
    for text in [items.map { table.add($0) }.joined() + table.end(nil, .all), items.map { tree.add($0) }.joined()] {
      let lines = text.split(separator: "\n")
      #expect(lines.count >= 5 && text.contains("…"))
      // The final line is a sentence instead of a row, so it may be longer.
      for line in lines where !line.contains("verified") { #expect(line.columnCount <= width, "\(line)") }
    }
  }
}
