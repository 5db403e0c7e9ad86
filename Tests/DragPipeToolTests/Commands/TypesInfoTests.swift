// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("types info", .serialized, .limited, .timeLimit(.minutes(5)))
struct TypesInfoTests {
  @Test("a declared type is shown with its properties, nearest supertype first")
  func showsADeclaredType() async throws {
    let run = try await TypesRun("info", "public.png")
    #expect(run.exitCode == 0 && run.errors.isEmpty)
    #expect(run.outputLines.first == "public.png")
    for line in [
      "  description   PNG image", "  status        declared, public", "  extensions    png",
      "  MIME types    image/png",
    ] { #expect(run.outputLines.contains { $0 == line }, "\(run.output)") }
    #expect(run.outputLines.last?.hasPrefix("  conforms to   public.image, ") == true)
    #expect(run.outputLines.last?.hasSuffix("public.item") == true)
  }

  @Test(
    "a type can be named by its identifier, a MIME type, or an extension",
    arguments: [
      ("PUBLIC.PNG", "public.png"), ("image/png", "public.png"), (".png", "public.png"), ("png", "public.png"),
      ("text/plain; charset=utf-8", "public.utf8-plain-text"), (".app", "com.apple.application-bundle"),
    ])
  func acceptsEveryFormOfOperand(_ operand: String, _ identifier: String) async throws {
    #expect(try await TypesRun("info", operand).outputLines.first ?? "" == identifier)
  }

  @Test(
    "a word that is not a type is unknown, and is shown as it was given",
    arguments: [
      ("", "\"\""), ("image/", "image/"), ("/png", "/png"), ("/", "/"), ("a/b/c.png", "a/b/c.png"), ("/;q=1", "/;q=1"),
    ])
  func reportsUnknownWords(_ operand: String, _ shown: String) async throws {
    let run = try await TypesRun("info", operand)
    #expect(run.exitCode == 1 && run.output.isEmpty)
    #expect(run.errors == "dragpipe: unknown type \(shown); for known types, see dragpipe types list\n")
    let other = try await TypesRun("conforms", operand, "public.data")
    #expect(other.exitCode == 64)
    #expect(other.errors.hasPrefix("dragpipe: unknown type \(shown); for known types, see dragpipe types list (see "))
  }

  @Test("an empty line separates blocks; an unknown type is reported, and the command fails at the end")
  func separatesBlocks() async throws {
    let run = try await TypesRun("info", "public.png", "org.example.\u{1B}nobody", "public.jpeg", ".")
    #expect(run.exitCode == 1)
    let blocks = run.output.split(separator: "\n\n")
    #expect(blocks.count == 2)
    #expect(blocks.first?.hasPrefix("public.png\n") == true && blocks.last?.hasPrefix("public.jpeg\n") == true)
    let message = "dragpipe: unknown type org.example.\\u{1b}nobody; for known types, see dragpipe types list"
    #expect(run.errorLines.first.map(String.init) == message)
    let json = try await TypesRun("info", "--json", "org.example.nobody")
    #expect(json.exitCode == 1 && json.output == "[]\n")
  }

  @Test("a dynamic type shows its meaning")
  func dynamicTypeShowsItsMeaning() async throws {
    let run = try await TypesRun("info", ".unknown\u{1B}ext")
    #expect(run.exitCode == 0)
    #expect(run.outputLines.contains("  status        dynamic"))
    #expect(run.outputLines.contains("  stands for    extension unknown\\u{1b}ext"))
    let mime = try await TypesRun("info", "application/x-nobody-has-it")
    #expect(mime.outputLines.contains("  stands for    MIME type application/x-nobody-has-it"))
  }

  @Test("JSON has one object for each type")
  func jsonHasAnObjectPerType() async throws {
    let objects = try await TypesRun("info", "--json", "public.png", "org.dragpipe.hero").objects()
    try #require(objects.count == 2)
    let png = objects[0]
    #expect(png["identifier"] as? String == "public.png")
    #expect(["isDeclared", "isDynamic", "isPublic"].map { png[$0] as? Bool } == [true, false, true])
    #expect((png["tags"] as? [String: [String]])?["public.mime-type"] == ["image/png"])
    #expect((png["conformsTo"] as? [String])?.sorted() == png["conformsTo"] as? [String])
    #expect(objects[1]["isPublic"] as? Bool == false)
  }
}
