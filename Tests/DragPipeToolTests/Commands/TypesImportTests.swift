// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("types import", .serialized, .limited, .timeLimit(.minutes(5)))
struct TypesImportTests {
  /// A property list that exports types, given as pairs of an identifier and a parent.
  private static func propertyList(_ types: (String, String)..., key: String = "UTExportedTypeDeclarations") -> Data {
    let entries = types.map { identifier, parent in
      """
      <dict><key>UTTypeIdentifier</key><string>\(identifier)</string>
      <key>UTTypeConformsTo</key><array><string>\(parent)</string></array>
      <key>UTTypeTagSpecification</key><dict>
      <key>public.filename-extension</key><array><string>x\(identifier.count)a</string><string>x1</string></array>
      <key>public.mime-type</key><string>text/x-\(identifier)</string></dict></dict>
      """
    }
    return Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict><key>\(key)</key><array>\(entries.joined())</array></dict></plist>
      """.utf8)
  }

  @Test("each declared type has a line, with its file, origin, supertypes and tags")
  func listsDeclaredTypes() async throws {
    try await withTemporaryDirectory { directory in
      let exported = directory.appendingPathComponent("a.plist")
      let imported = directory.appendingPathComponent("b.plist")
      try Self.propertyList(("org.example.tool-a", "public.plain-text")).write(to: exported)
      try Self.propertyList(("org.example.tool-b", "org.example.tool-a"), key: "UTImportedTypeDeclarations")
        .write(to: imported)
      let run = try await TypesRun("import", exported.path, imported.path)
      #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run.errors)")
      #expect(
        run.output == """
          \(exported.path)\torg.example.tool-a\texported\tpublic.plain-text\tx18a,x1\ttext/x-org.example.tool-a
          \(imported.path)\torg.example.tool-b\timported\torg.example.tool-a\tx18a,x1\ttext/x-org.example.tool-b

          """)
    }
  }

  @Test("invalid declarations are reported with their key path; valid ones are still listed")
  func reportsRefusedDeclarations() async throws {
    let list = Self.propertyList(
      ("org.example.tool-c", "public.data"), ("org.example.tool-loop", "org.example.tool-loop"),
      ("public.png", "public.data"), ("org.example.tool-d", "org.example.tool-c"), ("", "public.data"))
    let run = try await TypesRun("import", "-", input: list)
    #expect(run.exitCode == 65)
    let columns = run.outputLines.map { $0.split(separator: "\t").map(String.init) }
    #expect(columns.map { $0[1] } == ["org.example.tool-c", "org.example.tool-loop", "org.example.tool-d"])
    #expect(run.errorLines.count == 3)
    #expect(
      run.errorLines.first == """
        dragpipe: standard input: UTExportedTypeDeclarations[1].UTTypeConformsTo[0] (org.example.tool-loop): \
        "org.example.tool-loop" is ignored: the type would conform to itself
        """)
  }

  @Test func remarksAloneAreNoFailure() async throws {
    let list = Self.propertyList(("org.example.tool-g", "public.mpeg-4-audio "), ("public.tool-h", "public.data"))
    let run = try await TypesRun("import", "-", input: list)
    #expect(run.exitCode == 0 && run.outputLines.count == 2)
    #expect(run.errorLines.count == 2)
    #expect(run.errors.contains(#""public.mpeg-4-audio " is ignored"#))
  }

  @Test("JSON has an object for each file, with declared and refused types")
  func jsonHasDeclaredAndRefused() async throws {
    let list = Self.propertyList(("org.example.tool-e", "public.data"), ("public.png", "public.data"))
    let run = try await TypesRun("import", "--json", "-", "/missing.plist", input: list)
    #expect(run.exitCode == 65)
    let objects = try run.objects()
    try #require(objects.count == 2)
    let declared = try #require((objects[0]["declared"] as? [[String: Any]])?.first)
    #expect(declared["identifier"] as? String == "org.example.tool-e")
    #expect(declared["origin"] as? String == "exported")
    #expect((declared["tags"] as? [String: [String]])?["public.mime-type"] == ["text/x-org.example.tool-e"])
    let refused = try #require((objects[0]["refused"] as? [[String: Any]])?.first)
    #expect((refused["keyPath"] as? String)?.hasPrefix("UTExportedTypeDeclarations[1]") == true)
    #expect(refused["reason"] as? String == "the system declares this type")
    #expect(objects[1]["error"] as? String == "No such file or directory")
  }

  @Test("unreadable files and files that are not property lists are reported; the others are listed")
  func reportsUnreadableFiles() async throws {
    try await withTemporaryDirectory { directory in
      let good = directory.appendingPathComponent("good.plist")
      try Self.propertyList(("org.example.tool-f", "public.data")).write(to: good)
      let bad = directory.appendingPathComponent("bad\u{1B}.plist")
      try Data("<plist><dict>".utf8).write(to: bad)
      let run = try await TypesRun("import", "/missing.plist", bad.path, directory.path, good.path)
      #expect(run.exitCode == 66)
      #expect(run.outputLines.count == 1)
      #expect(run.errorLines.count == 3)
      #expect(!run.errors.contains("\u{1B}"))
      #expect(try await TypesRun("import", bad.path).exitCode == 65)
      #expect(try await TypesRun("import", "-", input: Data()).exitCode == 65)
    }
  }

  /// Returns a list with an illegal identifier and an illegal extension.
  ///
  /// Both contain control characters.
  private static func faultyNames(_ identifier: String) throws -> Data {
    let entries: [[String: Any]] = [
      ["UTTypeIdentifier": "org.example.\u{1B}\"\\b"],
      [
        "UTTypeIdentifier": identifier,
        "UTTypeTagSpecification": ["public.filename-extension": ["a/\u{1B}\"\\"]],
      ],
    ]
    return try PropertyListSerialization.data(
      fromPropertyList: ["UTExportedTypeDeclarations": entries], format: .binary, options: 0)
  }

  @Test func escapesRefusedNamesOnceOnTheTerminal() async throws {
    let run = try await TypesRun("import", "-", input: try Self.faultyNames("org.example.tool-i"))
    #expect(run.exitCode == 65)
    let list = "dragpipe: standard input: UTExportedTypeDeclarations"
    let reason = "the identifier's character at byte 12 is not a letter, a digit, a hyphen or a period"
    try #require(run.errorLines.count == 2, "\(run.errors)")
    #expect(run.errorLines[0] == #"\#(list)[0].UTTypeIdentifier (org.example.\u{1b}"\\b): \#(reason)"#)
    #expect(
      run.errorLines[1] == #"""
        \#(list)[1].UTTypeTagSpecification.public.filename-extension[0] (org.example.tool-i): \#
        "a/\u{1b}"\\" is ignored: the tag is not valid for its class
        """#)
  }

  @Test func escapesRefusedNamesOnceInJSON() async throws {
    let run = try await TypesRun("import", "--json", "-", input: try Self.faultyNames("org.example.tool-j"))
    #expect(!run.output.contains("\u{1B}"))
    let refused = try #require(run.objects().first?["refused"] as? [[String: Any]])
    try #require(refused.count == 2)
    #expect(refused[0]["identifier"] as? String == "org.example.\u{1B}\"\\b")
    #expect(refused[0]["isRemark"] as? Bool == false)
    #expect(refused[1]["value"] as? String == "a/\u{1B}\"\\")
    #expect(refused[1]["isRemark"] as? Bool == true)
  }

  @Test func escapesQuotedMarkupOnce() async throws {
    let list = Data("<plist><di\u{1B}\"\\ct></plist>".utf8)
    for arguments in [["import", "-"], ["import", "--json", "-"]] {
      let run = try await TypesRun(arguments, input: list)
      #expect(run.exitCode == 65)
      #expect(run.errors.contains(#"di\u{1b}"\\ct"#) && !run.errors.contains("\u{1B}"), "\(run.errors)")
      #expect(!run.output.contains("\u{1B}"))
    }
  }

  @Test("input beyond the size limit is not read, and is refused")
  func refusesInputBeyondTheLimit() async throws {
    let run = try await TypesRun("import", "/dev/zero")
    #expect(run.exitCode == 77)
    #expect(run.errors.contains("bytes"))
  }
}
