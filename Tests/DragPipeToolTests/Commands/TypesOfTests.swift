// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import DropTransport
import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("types of", .serialized, .limited, .timeLimit(.minutes(5)))
struct TypesOfTests {
  private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52])
  private static let unknownExtension = "dyn.ah62d4rv4ge81n5xpr311s5xftb4a"

  @Test("with --name-only, names suffice; an undeclared type shows its meaning")
  func namesSuffice() async throws {
    let run = try await TypesRun(
      "of", "--name-only", "photo.HEIC", "notes.tar.gz", "Makefile", "x.unknownext", "in/a b.png", "")
    #expect(run.exitCode == 0 && run.errors.isEmpty)
    let rows = run.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    #expect(rows.count == 6)
    #expect(rows[0][1].hasPrefix("public.hei"))
    #expect(rows[1][1].hasPrefix("org.gnu.gnu-zip"))
    #expect(rows[3] == ["x.unknownext", Self.unknownExtension, "extension unknownext"])
    #expect(rows[4] == ["in/a b.png", "public.png"])
  }

  @Test("an empty name is visible in the message")
  func emptyNameIsVisible() async throws {
    let run = try await TypesRun("of", "")
    #expect(run.errors == "dragpipe: \"\": no such file, and its name has no known extension; public.data is assumed\n")
  }

  @Test("a missing file is identified by its name, with one message; JSON has the reason too")
  func missingFileIsIdentifiedByName() async throws {
    let run = try await TypesRun("of", "/missing/photo.JPG", "/missing/x.unknownext")
    #expect(run.exitCode == 0)
    #expect(run.outputLines.count == 2)
    #expect(run.outputLines.first == "/missing/photo.JPG\tpublic.jpeg")
    #expect(run.errorLines.count == 2)
    #expect(run.errorLines.first == "dragpipe: /missing/photo.JPG: no such file; type taken from the name")

    let json = try await TypesRun("of", "--json", "/missing/photo.JPG", "/missing/x.unknownext")
    #expect(json.exitCode == 0)
    let objects = try json.objects()
    try #require(objects.count == 2)
    #expect(objects[0]["file"] as? String == "/missing/photo.JPG")
    #expect(objects[0]["type"] as? String == "public.jpeg")
    #expect(objects[0]["mimeType"] as? String == "image/jpeg")
    #expect(objects[0]["basis"] as? String == "name")
    #expect(objects[0]["isDynamic"] as? Bool == false)
    #expect(objects[0]["error"] as? String == "no such file")
    #expect((objects[0]["conformsTo"] as? [String])?.contains("public.image") == true)
    #expect(objects[1]["type"] as? String == Self.unknownExtension)
    #expect(objects[1]["isDynamic"] as? Bool == true)
    #expect(objects[1]["standsFor"] as? String == "extension unknownext")
    #expect(objects[0]["standsFor"] == nil)
    #expect(objects[1]["conformsTo"] as? [String] == ["public.data", "public.item"])
  }

  @Test("with --content-only, a missing file is a failure; the other files are still identified")
  func contentOnlyNeedsTheFile() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("picture.txt")
      try Self.png.write(to: file)
      let run = try await TypesRun("of", "--content-only", "/missing.png", file.path)
      #expect(run.exitCode == 66)
      #expect(run.output == "\(file.path)\tpublic.png\n")
      #expect(run.errors == "dragpipe: /missing.png: no such file\n")
      let objects = try await TypesRun("of", "--json", "--content-only", "/missing.png", file.path).objects()
      #expect(objects.first?.keys.sorted() == ["error", "file"])
      #expect(objects.last?["basis"] as? String == "content")
    }
  }

  @Test("--mime shows the MIME type instead of the type")
  func mimeReplacesTheType() async throws {
    let run = try await TypesRun("of", "--mime", "--name-only", "a.png", "b.json")
    #expect(run.output == "a.png\timage/png\nb.json\tapplication/json\n")
  }

  @Test("names are escaped in text, and unchanged in JSON")
  func escapesNames() async throws {
    let name = "a\n\t\u{1B}[2J\\\u{202E}\u{E9}.png"
    let run = try await TypesRun("of", "--name-only", name)
    #expect(run.output == #"a\u{a}\u{9}\u{1b}[2J\\\u{202e}é.png"# + "\tpublic.png\n")
    let json = try await TypesRun("of", "--name-only", "--json", name)
    #expect(try json.objects().first?["file"] as? String == name)
    #expect(!json.output.contains("\u{1B}"))
    let long = String(repeating: "n", count: 5000) + ".png"
    #expect(try await TypesRun("of", "--name-only", long).output == "\(long)\tpublic.png\n")
    let missing = try await TypesRun("of", "/missing/\(name)")
    #expect(missing.errorLines.count == 1 && !missing.errors.contains("\u{1B}"))
  }

  @Test("standard input is identified by content, also beside files")
  func identifiesStandardInput() async throws {
    #expect(try await TypesRun("of", "-", input: Self.png).output == "-\tpublic.png\n")
    let long = Self.png + Data(repeating: 1, count: 300_000)
    let run = try await TypesRun("of", "--mime", "--content-only", "-", input: long)
    #expect(run.output == "-\timage/png\n")
    #expect(try await TypesRun("of", "-").exitCode == 0)
  }

  @Test("directories, pipes and empty files are identified by kind, without reading pipes", .timeLimit(.minutes(10)))
  func identifiesKindsWithoutBlocking() async throws {
    try await withTemporaryDirectory { directory in
      let fifo = directory.appendingPathComponent("fifo.png").path
      try #require(mkfifo(fifo, 0o600) == 0)
      let empty = directory.appendingPathComponent("empty").path
      try Data().write(to: URL(fileURLWithPath: empty))
      let run = try await TypesRun("of", "--json", fifo, directory.path, empty)
      #expect(run.exitCode == 0 && run.errors.isEmpty)
      let objects = try run.objects()
      try #require(objects.count == 3)
      #expect(objects[0]["basis"] as? String == "kind")
      #expect(objects[1]["mimeType"] as? String == "inode/directory")
      #expect(objects[2]["type"] is String)
    }
  }

  @Test("an unreadable file is identified by its name, and is a failure", .enabled(if: getuid() != 0))
  func unreadableFileIsIdentifiedByName() async throws {
    try await withTemporaryDirectory { directory in
      // A name without an extension makes the command read the content.
      let file = directory.appendingPathComponent("unknown").path
      try Self.png.write(to: URL(fileURLWithPath: file))
      try #require(chmod(file, 0) == 0)
      let run = try await TypesRun("of", file, "/missing.png")
      #expect(run.exitCode == 66)
      #expect(run.outputLines.last == "/missing.png\tpublic.png")
      #expect(run.errors.contains("Permission denied"))
    }
  }

  @Test("very many files are identified in order")
  func keepsTheOrderOfManyFiles() async throws {
    let names = (0..<1000).map { "picture-\($0).png" }
    let run = try await TypesRun(["of", "--name-only"] + names)
    #expect(run.exitCode == 0)
    #expect(run.output == names.map { "\($0)\tpublic.png\n" }.joined())
    #expect(try await TypesRun(["of", "--name-only", "--json"] + names).objects().count == names.count)
  }

  @Test("waiting for standard input can be cancelled", .timeLimit(.minutes(10)))
  func waitingForInputCanBeCancelled() async throws {
    let (read, write) = try SystemCalls.pipe()
    let input = OwnedDescriptor(read)
    let never = OwnedDescriptor(write)
    let silent = try OwnedDescriptor.open("/dev/null", O_RDWR)
    let environment = ToolEnvironment(input: input.raw, output: silent.raw, errors: silent.raw)
    let task = Task { await Tool.run(["types", "of", "-"], in: environment) }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    #expect(await task.value == 1)
    try never.close()
    try input.close()
    try silent.close()
  }
}
