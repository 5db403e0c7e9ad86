// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ListingTests {
  private let fixture: DropFixture

  init() throws { fixture = try DropFixture() }

  @Test func jsonIsCompleteWhereTheStreamIsTruncated() async throws {
    try await fixture.drop(
      ("a", ["public.png": [1]]), ("b", ["public.png": [2]]), ("c", ["public.png": [3]]), to: "whole.drop")
    let whole = try fixture.bytes(of: "whole.drop")
    var counts: Set<Int> = []
    for length in sampled(0..<whole.count, 60, "truncated listing") {
      let run = try await fixture.run("receive", "--list", "--json", input: Array(whole.prefix(length)))
      #expect(run.exitCode == 65 && run.errorLines.count == 1)
      let document = try run.document()
      let items = try #require(document["items"] as? [[String: Any]])
      #expect(items.compactMap { $0["name"] as? String } == ["a", "b", "c"].prefix(items.count).map(\.self))
      counts.insert(items.count)
    }
    #expect(counts.count > 1)
    let run = try await fixture.run("receive", "--list", "--json", input: whole)
    #expect(run.exitCode == 0)
    #expect((try run.document()["items"] as? [Any])?.count == 3)
  }

  @Test func jsonIsCompleteWhereNothingCanBeRead() async throws {
    for arguments in [["--from", "/nonexistent.drop"], ["--from", "unix:/nonexistent"], ["--from", "exec:exit 3"]] {
      let run = try await fixture.run(["receive", "--list", "--json"] + arguments)
      #expect(run.exitCode != 0 && run.errorLines.count == 1)
      #expect((try run.document()["items"] as? [Any])?.count == 0)
    }
    #expect(try await fixture.run("receive", "--list", "--json", input: []).document().count == 1)
  }

  @Test func moreItemsThanTheDefaultAreRefused() {
    #expect(ReceiveCommand.defaultItemLimit == 1_000_000)
    let option = ReceiveCommand.options.first { $0.name == "max-items" }
    #expect(option?.summary.contains("by default, 1000000") == true)
  }

  @Test func itemsAtTheLimitAreListed() async throws {
    let drop = try await fixture.drop(("a", ["public.png": [1]]), ("b", ["public.png": [2]]))
    #expect(try await fixture.run("receive", "--from", drop, "--list", "--max-items", "2").exitCode == 0)
    let run = try await fixture.run("receive", "--from", drop, "--list", "--max-items", "1")
    #expect(run.exitCode == 77 && run.lines.count == 1)
  }
}
