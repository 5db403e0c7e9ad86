// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import DragPipeTool

/// Words and MIME wildcards that stand for all types of a kind.
@Suite(.serialized, .limited) struct TypeFamilyTests {
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
