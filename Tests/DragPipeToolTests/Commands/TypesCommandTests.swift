// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import DragPipeTool

@Suite("The command types", .serialized, .limited, .timeLimit(.minutes(5)))
struct TypesCommandTests {
  @Test(
    "an invalid command line is a usage error, reported in one line",
    arguments: [
      [], ["fly"], ["of"], ["info"], ["import"], ["conforms", "public.png"], ["conforms", "a", "b", "c"],
      ["list", "public.png"], ["of", "--name-only", "--content-only", "a"], ["of", "--name-only", "-"],
      ["of", "-", "-"], ["import", "-", "-"], ["list", "--mime"], ["conforms", "--json", "public.png", "public.image"],
      ["list", "--conforms-to"], ["list", "--conforms-to", "org.example.nobody"],
      ["conforms", "public.png", "org.example.nobody"], ["conforms", "org.example.nobody", "public.png"],
    ])
  func rejectsInvalidCommandLines(_ arguments: [String]) async throws {
    let run = try await TypesRun(arguments)
    #expect(run.exitCode == 64)
    #expect(run.output.isEmpty)
    #expect(run.errorLines.count == 1)
  }

  @Test("the help lists the synopses of subcommands; each subcommand lists its options")
  func helpListsSubcommandsAndOptions() async throws {
    let run = try await TypesRun("--help")
    #expect(run.exitCode == 0)
    for form in ["of [--mime]", "info [--json]", "conforms TYPE TYPE", "list [--json]", "import [--json]"] {
      #expect(run.output.contains("  dragpipe types \(form)"))
    }
    let page = try await TypesRun("list", "-h")
    #expect(page.exitCode == 0)
    #expect(page.output.contains("\n  dragpipe types list [--json] [--conforms-to TYPE]\n"))
    #expect(page.output.contains("\n      --conforms-to TYPE  list only TYPE"))
    #expect(!page.output.contains("--mime"))
  }

  @Test("conformance is reported as a sentence and as an exit code")
  func conformsWritesASentenceAndAnExitCode() async throws {
    for (arguments, code, sentence) in [
      (["public.png", "public.image"], 0, "public.png conforms to public.image\n"),
      (["PUBLIC.PNG", "public.png"], 0, "public.png conforms to public.png\n"),
      ([".png", "image/png"], 0, "public.png conforms to public.png\n"),
      (["public.image", "png"], 1, "public.image does not conform to public.png\n"),
      (["org.dragpipe.hero", "public.json"], 0, "org.dragpipe.hero conforms to public.json\n"),
      (["application/x-nobody-has-it", "public.data"], 0, nil),
    ] as [([String], Int32, String?)] {
      let run = try await TypesRun(["conforms"] + arguments)
      #expect(run.exitCode == code)
      if let sentence { #expect(run.output == sentence) }
      #expect(run.errors.isEmpty)
    }
  }

  @Test("the list has the system's types and the program's own, sorted, in three columns")
  func listHasSystemAndOwnTypes() async throws {
    let run = try await TypesRun("list")
    #expect(run.exitCode == 0 && run.errors.isEmpty)
    let rows = run.outputLines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
    #expect(rows.count > 800)
    #expect(rows.allSatisfy { $0.count == 3 })
    #expect(rows.map { $0[0] } == rows.map { $0[0] }.sorted())
    #expect(Set(rows.map { $0[0] }).count == rows.count)
    #expect(rows.contains(["public.png", "png", "image/png"]))
    #expect(rows.contains { $0[0] == "org.dragpipe.hero" })
  }

  @Test("the list can be limited to types that conform to a type")
  func listCanBeNarrowedToASupertype() async throws {
    let run = try await TypesRun("list", "--conforms-to", "public.image", "--json")
    let types = try run.objects().compactMap { $0["identifier"] as? String }
    #expect(types.contains("public.png") && types.contains("public.image"))
    #expect(!types.contains("public.json") && !types.contains("public.data"))
  }
}

/// A run of `dragpipe types` within this process.
@dynamicMemberLookup
struct TypesRun {
  private let run: ToolRun

  init(_ arguments: String..., input: Data = Data()) async throws {
    try await self.init(arguments, input: input)
  }

  init(_ arguments: [String], input: Data = Data()) async throws {
    run = try await ToolRun(["types"] + arguments, input: input)
  }

  subscript<Value>(dynamicMember member: KeyPath<ToolRun, Value>) -> Value { run[keyPath: member] }

  /// Returns the elements of the JSON array.
  func objects() throws -> [[String: Any]] {
    try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
  }
}

/// Words and MIME wildcards that stand for all types of a kind.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TypeFamilyTests {
  @Test(
    arguments: [
      ("image", "public.image"), ("IMAGE/*", "public.image"), ("text", "public.text"), ("text/*", "public.text"),
      ("audio/*", "public.audio"), ("video", "public.movie"), ("video/*", "public.movie"), ("font/*", "public.font"),
      ("folder", "public.folder"), (".text", "public.plain-text"), ("png", "public.png"),
      ("public.image", "public.image"),
    ])
  func wordStandsForType(_ word: String, _ identifier: String) {
    #expect(UTType(operand: word)?.identifier == identifier)
  }

  @Test(arguments: ["image/*", "image", "image/png"])
  func receiverAcceptsFamily(_ word: String) async throws {
    let fixture = try DropFixture()
    try await fixture.drop((nil, ["public.plain-text": [1], "public.png": [2], "com.adobe.pdf": [3]]))
    let run = try await fixture.run("receive", "--from", fixture.path("a.drop"), "-a", word, "-o", "-")
    #expect(run.exitCode == 0 && run.output == Data([2]), "\(run.errors)")
    let extracted = try await fixture.run("extract", fixture.path("a.drop"), "1", word)
    #expect(extracted.exitCode == 0 && extracted.output == Data([2]), "\(extracted.errors)")
  }

  @Test func wildcardAcceptsUndeclaredSubtype() async throws {
    let fixture = try DropFixture()
    let undeclared = try #require(UTType(mimeType: "image/x-never-declared"))
    try await fixture.drop((nil, ["public.plain-text": [1], undeclared.identifier: [2]]))
    let run = try await fixture.run("receive", "--from", fixture.path("a.drop"), "-a", "image/*", "-o", "-")
    #expect(run.exitCode == 0 && run.output == Data([2]), "\(run.errors)")
  }

  @Test(arguments: [
    ["receive", "-a", "application/*", "in"], ["receive", "-a", "*/*", "in"], ["send", "--type", "image/*=f"],
    ["send", "--lazy", "text/*=true"],
  ])
  func wildcardWithoutTypeIsUsageError(_ arguments: [String]) async throws {
    let run = try await ToolRun(arguments)
    #expect(run.exitCode == 64 && run.errorLines.count == 1, "\(run.errors)")
    #expect(run.errors.contains("/*"), "\(run.errors)")
  }
}
