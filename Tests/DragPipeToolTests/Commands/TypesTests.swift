// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TypesTests {
  @Test func conformsWritesASentenceAndAnExitCode() async throws {
    for (arguments, code, sentence) in [
      ("public.png public.image", 0, "public.png conforms to public.image\n"),
      ("PUBLIC.PNG public.png", 0, "public.png conforms to public.png\n"),
      (".png image/png", 0, "public.png conforms to public.png\n"),
      ("public.image png", 1, "public.image does not conform to public.png\n"),
      ("org.dragpipe.hero public.json", 0, "org.dragpipe.hero conforms to public.json\n"),
      ("application/x-nobody-has-it public.data", 0, nil),
    ] as [(String, Int32, String?)] {
      let run = try await tool(["types", "conforms"] + arguments.split(separator: " ").map(String.init))
      #expect(run == ToolOutcome(exitCode: code, output: sentence ?? run.output))
    }
  }

  @Test func listHasSystemAndOwnTypes() async throws {
    let run = try await tool("types", "list")
    let rows = run.lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    #expect(run.exitCode == 0 && run.errors.isEmpty && rows.count > 800 && rows.allSatisfy { $0.count == 3 })
    #expect(rows.map { $0[0] } == Set(rows.map { $0[0] }).sorted())
    #expect(rows.contains(["public.png", "png", "image/png"]) && rows.contains { $0[0] == "org.dragpipe.hero" })
    let images = try await tool("types", "list", "--conforms-to", "public.image", "--json").json(
      as: [[String: Any]].self)
    let types = Set(images.compactMap { $0["identifier"] as? String })
    let some = types.intersection(["public.png", "public.image", "public.json", "public.data"])
    #expect(some == ["public.png", "public.image"])
  }

  // MARK: types info

  @Test func infoShowsADeclaredType() async throws {
    // The nearest supertype is first.
    let text = """
      public.png
        description   PNG image
        status        declared, public
        extensions    png
        MIME types    image/png
        other tags    com.apple.nspboard-type: Apple PNG pasteboard type
        other tags    com.apple.ostype: PNGf
        conforms to   public.image, public.data, public.content, public.item

      """
    #expect(try await tool("types", "info", "public.png") == ToolOutcome(output: text))
    let objects = try await tool("types", "info", "--json", "public.png", "org.dragpipe.hero")
      .json(as: [[String: Any]].self)
    #expect(objects.map { $0["identifier"] as? String } == ["public.png", "org.dragpipe.hero"])
    let flags = ["isPublic", "isDeclared", "isDynamic"].map { key in objects.map { $0[key] as? Bool } }
    #expect(flags == [[true, false], [true, true], [false, false]])
    #expect((objects[0]["tags"] as? [String: [String]])?["public.mime-type"] == ["image/png"])
    let supertypes = ["public.content", "public.data", "public.image", "public.item"]
    #expect(objects[0]["conformsTo"] as? [String] == supertypes)
  }

  @Test func infoSeparatesBlocksAndReportsUnknownTypes() async throws {
    let run = try await tool("types", "info", "public.png", "org.example.\u{1B}nobody", "public.jpeg", ".")
    let blocks = run.output.split(separator: "\n\n").map { $0.prefix { $0 != "\n" } }
    #expect(run.exitCode == 1 && blocks == ["public.png", "public.jpeg"])
    let message = "dragpipe: unknown type org.example.\\u{1b}nobody; for known types, see dragpipe types list"
    let json = try await tool("types", "info", "--json", "org.example.nobody")
    #expect(run.errorLines.first == message[...] && json.exitCode == 1 && json.output == "[]\n")
  }

  @Test func infoShowsTheMeaningOfADynamicType() async throws {
    let run = try await tool("types", "info", ".unknown\u{1B}ext", "application/x-nobody-has-it")
    let lines = [
      "  status        dynamic", "  stands for    extension unknown\\u{1b}ext",
      "  stands for    MIME type application/x-nobody-has-it",
    ]
    #expect(run.exitCode == 0 && Set(lines).isSubset(of: run.lines.map(String.init)), "\(run)")
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TypesOfTests {
  private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52])
  private static let unknownExtension = "dyn.ah62d4rv4ge81n5xpr311s5xftb4a"

  /// The most important keys of a file in JSON.
  private struct Record: Decodable, Equatable {
    var file: String
    var type, mimeType, basis: String?
    var isDynamic: Bool?
    var standsFor, error: String?
  }

  private func of(_ arguments: String..., input: Data = Data()) async throws -> ToolOutcome {
    try await tool(["types", "of"] + arguments, input: input)
  }

  private func records(_ run: ToolOutcome) throws -> [Record] {
    try JSONDecoder().decode([Record].self, from: run.bytes)
  }

  @Test func namesSuffice() async throws {
    let run = try await of("--name-only", "photo.HEIC", "notes.tar.gz", "Makefile", "x.unknownext", "in/a b.png", "")
    let rows = run.lines.map { $0.split(separator: "\t").map(String.init) }
    try #require(run.exitCode == 0 && run.errors.isEmpty && rows.count == 6)
    #expect(rows[0][1].hasPrefix("public.hei") && rows[1][1].hasPrefix("org.gnu.gnu-zip"))
    let others = [["x.unknownext", Self.unknownExtension, "extension unknownext"], ["in/a b.png", "public.png"]]
    #expect(Array(rows[3...4]) == others)
    let types = try await of("--mime", "--name-only", "a.png", "b.json")
    #expect(types == ToolOutcome(output: "a.png\timage/png\nb.json\tapplication/json\n"))
    #expect(
      try await of("").errors
        == "dragpipe: \"\": no such file, and its name has no known extension; public.data is assumed\n")
  }

  @Test func missingFileIsIdentifiedByName() async throws {
    let run = try await of("/missing/photo.JPG", "/missing/x.unknownext")
    #expect(run.exitCode == 0 && run.lines.count == 2 && run.errorLines.count == 2)
    let firstLines = [run.lines.first, run.errorLines.first]
    let message = "dragpipe: /missing/photo.JPG: no such file; type taken from the name"
    #expect(firstLines == ["/missing/photo.JPG\tpublic.jpeg", message[...]])

    let json = try await of("--json", "/missing/photo.JPG", "/missing/x.unknownext")
    let found = try records(json)
    try #require(json.exitCode == 0 && found.count == 2)
    let photo = Record(
      file: "/missing/photo.JPG", type: "public.jpeg", mimeType: "image/jpeg", basis: "name", isDynamic: false,
      error: "no such file")
    #expect(found[0] == photo && found[1].isDynamic == true)
    #expect([found[1].type, found[1].standsFor] == [Self.unknownExtension, "extension unknownext"])
    let supertypes = try json.json(as: [[String: Any]].self).map { $0["conformsTo"] as? [String] ?? [] }
    #expect(supertypes[0].contains("public.image") && supertypes[1] == ["public.data", "public.item"])
  }

  @Test func contentOnlyNeedsTheFile() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Self.png, to: "picture.txt").path
    let expected = ToolOutcome(
      exitCode: 66, output: "\(file)\tpublic.png\n", errors: "dragpipe: /missing.png: no such file\n")
    #expect(try await of("--content-only", "/missing.png", file) == expected)
    let json = try await of("--json", "--content-only", "/missing.png", file)
    #expect(
      try records(json) == [
        Record(file: "/missing.png", error: "no such file"),
        Record(file: file, type: "public.png", mimeType: "image/png", basis: "content", isDynamic: false),
      ])
    #expect(try json.json(as: [[String: Any]].self).first?.keys.sorted() == ["error", "file"])
  }

  @Test func namesAreEscapedInTextOnly() async throws {
    let name = "a\n\t\u{1B}[2J\\\u{202E}\u{E9}.png"
    let long = String(repeating: "n", count: 5000) + ".png"
    let shown = #"a\u{a}\u{9}\u{1b}[2J\\\u{202e}é.png"#
    #expect(try await of("--name-only", name, long).output == "\(shown)\tpublic.png\n\(long)\tpublic.png\n")
    let json = try await of("--name-only", "--json", name)
    #expect(try records(json).map(\.file) == [name] && !json.output.contains("\u{1B}"))
    let missing = try await of("/missing/\(name)")
    #expect(missing.errorLines.count == 1 && !missing.errors.contains("\u{1B}"))
  }

  @Test func standardInputIsIdentifiedByContent() async throws {
    let long = Self.png + Data(repeating: 1, count: 300_000)
    let runs = try await [of("-", input: Self.png), of("--mime", "--content-only", "-", input: long)]
    #expect(runs == [ToolOutcome(output: "-\tpublic.png\n"), ToolOutcome(output: "-\timage/png\n")])
    #expect(try await of("-").exitCode == 0)
  }

  @Test func directoriesPipesAndEmptyFilesAreIdentifiedByKind() async throws {
    let directory = try TemporaryDirectory()
    let fifo = directory.file("fifo.png").path
    try #require(mkfifo(fifo, 0o600) == 0)
    let run = try await of("--json", fifo, directory.url.path, directory.write(Data(), to: "empty").path)
    let records = try records(run)
    try #require(run.exitCode == 0 && run.errors.isEmpty && records.count == 3)
    #expect(records[0].basis == "kind" && records[1].mimeType == "inode/directory" && records[2].type != nil)
  }

  @Test(.enabled(if: getuid() != 0)) func unreadableFileIsAFailure() async throws {
    let directory = try TemporaryDirectory()
    // A name without an extension makes the command read the content.
    let file = try directory.write(Self.png, to: "unknown").path
    try #require(chmod(file, 0) == 0)
    let run = try await of(file, "/missing.png")
    let isDenied = run.errors.contains("Permission denied")
    #expect(run.exitCode == 66 && run.lines.last == "/missing.png\tpublic.png" && isDenied, "\(run)")
  }

  /// Each file is a hop to another thread and back, which waits for the other tests of a busy machine.
  @Test func manyFilesKeepTheirOrder() async throws {
    let names = (0..<(isFullRun ? 300 : 40)).map { "picture-\($0).png" }
    let run = try await tool(["types", "of", "--name-only"] + names)
    #expect(run == ToolOutcome(output: names.map { "\($0)\tpublic.png\n" }.joined()))
    #expect(try await records(tool(["types", "of", "--name-only", "--json"] + names)).map(\.file) == names)
  }

  @Test(arguments: [["of", "-"], ["import", "-"], ["import", "PIPE"]])
  func waitingForInputCanBeCancelled(_ arguments: [String]) async throws {
    let pipe = try SystemCalls.pipe()
    let input = OwnedDescriptor(pipe.read)
    let never = OwnedDescriptor(pipe.write)
    let silent = try OwnedDescriptor.open("/dev/null", O_RDWR)
    let environment = ToolEnvironment(input: input.raw, output: silent.raw, errors: silent.raw)
    let path = "/proc/self/fd/\(input.raw)"
    let words = arguments.map { $0.replacing("PIPE", with: path) }
    let task = Task { await Tool.run(["types"] + words, in: environment) }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    #expect(try await finishing("the cancelled wait for input") { await task.value } == 1)
    try never.close()
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TypesImportTests {
  /// A property list that exports types, given as pairs of an identifier and a parent.
  private static func propertyList(
    _ types: (String, String)..., key: String = "UTExportedTypeDeclarations"
  ) throws -> Data {
    let entries = types.map { identifier, parent in
      [
        "UTTypeIdentifier": identifier, "UTTypeConformsTo": [parent],
        "UTTypeTagSpecification": ["public.filename-extension": ["x2", "x1"], "public.mime-type": "text/x-tool"],
      ] as [String: Any]
    }
    return try PropertyListSerialization.data(fromPropertyList: [key: entries], format: .binary, options: 0)
  }

  private func declare(_ arguments: String..., input: Data = Data()) async throws -> ToolOutcome {
    try await tool(["types", "import"] + arguments, input: input)
  }

  @Test func declaredTypesHaveALineEach() async throws {
    let directory = try TemporaryDirectory()
    let exported = try Self.propertyList(("org.example.tool-a", "public.plain-text"))
    let imported = try Self.propertyList(
      ("org.example.tool-b", "org.example.tool-a"), key: "UTImportedTypeDeclarations")
    let a = try directory.write(exported, to: "a.plist").path
    let b = try directory.write(imported, to: "b.plist").path
    let lines = """
      \(a)\torg.example.tool-a\texported\tpublic.plain-text\tx2,x1\ttext/x-tool
      \(b)\torg.example.tool-b\timported\torg.example.tool-a\tx2,x1\ttext/x-tool

      """
    #expect(try await declare(a, b) == ToolOutcome(output: lines))
  }

  @Test func remarksAloneAreNoFailure() async throws {
    let list = try Self.propertyList(("org.example.tool-g", "public.mpeg-4-audio "), ("public.tool-h", "public.data"))
    let run = try await declare("-", input: list)
    let hasRemark = run.errors.contains(#""public.mpeg-4-audio " is ignored"#)
    #expect(run.exitCode == 0 && run.lines.count == 2 && run.errorLines.count == 2 && hasRemark, "\(run)")
  }

  @Test func refusedDeclarationsAreReportedBesideValidOnesAndEscapedOnce() async throws {
    func list(_ prefix: String) throws -> Data {
      try Self.propertyList(
        ("\(prefix)-c", "public.data"), ("\(prefix)-loop", "\(prefix)-loop"), ("public.png", "public.data"),
        ("\(prefix)-d", "\(prefix)-c"), ("", "public.data"), ("org.example.\u{1B}\"\\b", "public.data"),
        ("\(prefix)-e", "a\u{1B}\"\\"))
    }
    let run = try await declare("-", input: list("org.example.text"))
    let names = run.lines.map { $0.split(separator: "\t")[1].suffix(6) }
    #expect(run.exitCode == 65 && names == ["text-c", "t-loop", "text-d", "text-e"])
    let key = "dragpipe: standard input: UTExportedTypeDeclarations"
    #expect(
      run.errors == #"""
        \#(key)[1].UTTypeConformsTo[0] (org.example.text-loop): "org.example.text-loop" is ignored: \#
        the type would conform to itself
        \#(key)[2].UTTypeIdentifier (public.png): the system declares this type
        \#(key)[4].UTTypeIdentifier (): the identifier is empty
        \#(key)[5].UTTypeIdentifier (org.example.\u{1b}"\\b): the identifier's character at byte 12 is not a letter, \#
        a digit, a hyphen or a period
        \#(key)[6].UTTypeConformsTo[0] (org.example.text-e): "a\u{1b}"\\" is ignored: the identifier's character at \#
        byte 1 is not a letter, a digit, a hyphen or a period

        """#)

    let json = try await declare("--json", "-", "/missing.plist", input: list("org.example.json"))
    try #require(json.exitCode == 65 && json.lines.count == 4)
    let tags = #""tags":{"public.filename-extension":["x2","x1"],"public.mime-type":["text/x-tool"]}"#
    let declared = #"{"conformsTo":["public.data"],"identifier":"org.example.json-c","origin":"exported",\#(tags)}"#
    #expect(json.lines[1].hasPrefix(#"{"declared":[\#(declared),"#))
    let keyPath = #""keyPath":"UTExportedTypeDeclarations"#
    let reason = "is not a letter, a digit, a hyphen or a period"
    for refused in [
      #"{"identifier":"public.png","isRemark":false,\#(keyPath)[2].UTTypeIdentifier","reason":"the system declares"#,
      #"{"identifier":"org.example.\u001b\"\\b","isRemark":false,\#(keyPath)[5].UTTypeIdentifier","reason":"the"#,
      #"{"identifier":"org.example.json-e","isRemark":true,\#(keyPath)[6].UTTypeConformsTo[0]","reason":"the"#,
      #"\#(reason)","value":"a\u001b\"\\"}"#,
    ] { #expect(json.lines[1].contains(refused)) }
    #expect(
      json.lines[2] == #"{"declared":[],"error":"No such file or directory","file":"/missing.plist","refused":[]}"#)
  }

  @Test func unreadableFilesAreReportedBesideReadableOnes() async throws {
    let directory = try TemporaryDirectory()
    let good = try directory.write(Self.propertyList(("org.example.tool-f", "public.data")), to: "good.plist").path
    let bad = try directory.write(Data("<plist><di\u{1B}\"\\ct>".utf8), to: "bad\u{1B}.plist").path
    for options in [[], ["--json"]] {
      let run = try await tool(["types", "import"] + options + ["/missing.plist", bad, directory.url.path, good])
      #expect(run.exitCode == 66 && run.errorLines.count >= 3 && run.output.contains("org.example.tool-f"))
      if options.isEmpty { #expect(run.lines.count == 1 && run.errorLines.count == 3, "\(run)") }
      #expect(run.errors.contains(#"di\u{1b}"\\ct"#) && !(run.errors + run.output).contains("\u{1B}"))
    }
    #expect(try await [declare(bad), declare("-")].map(\.exitCode) == [65, 65])
    // No more than the limit of a list is read.
    #expect(try await declare("/dev/zero").isFailure(77, "bytes"))
  }
}

/// Words and MIME wildcards that stand for all types of a kind.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TypeFamilyTests {
  @Test func wordsStandForTypes() {
    for (word, identifier) in [
      ("image", "public.image"), ("IMAGE/*", "public.image"), ("text", "public.text"), ("text/*", "public.text"),
      ("audio/*", "public.audio"), ("video", "public.movie"), ("video/*", "public.movie"), ("font/*", "public.font"),
      ("folder", "public.folder"), (".text", "public.plain-text"), ("png", "public.png"),
      ("public.image", "public.image"), ("PUBLIC.PNG", "public.png"), ("image/png", "public.png"),
      (".png", "public.png"), ("text/plain; charset=utf-8", "public.utf8-plain-text"),
      (".app", "com.apple.application-bundle"), ("", nil), ("image/", nil), ("/png", nil), ("/", nil),
      ("a/b/c.png", nil), ("/;q=1", nil),
    ] as [(String, String?)] { #expect(UTType(operand: word)?.identifier == identifier, "\(word)") }
    // An unknown word is shown as it was given.
    let messages = ["\"\"", "/;q=1"].map { "unknown type \($0); for known types, see dragpipe types list" }
    #expect(["", "/;q=1"].map { UTType.unknown($0) } == messages)
  }

  @Test func receiverAndExtractorAcceptFamilies() async throws {
    let fixture = try DropFixture()
    let path = try await fixture.drop((nil, ["public.plain-text": [1], "public.png": [2], "com.adobe.pdf": [3]]))
    let undeclared = try #require(UTType(mimeType: "image/x-never-declared"))
    let other = try await fixture.drop(
      (nil, ["public.plain-text": [1], undeclared.identifier: [2]]), to: "undeclared.drop")
    for (path, word) in [(path, "image/*"), (path, "image"), (path, "image/png"), (other, "image/*")] {
      for arguments in [["receive", "--from", path, "-a", word, "-o", "-"], ["extract", path, "1", word]] {
        #expect(try await tool(arguments) == ToolOutcome(output: "\u{2}"), "\(arguments)")
      }
    }
  }
}
