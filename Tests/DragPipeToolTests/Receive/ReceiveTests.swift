// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import HeroCards
import TestSupport
import Testing

@testable import DragPipeTool
@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ReceiveTests {
  private let fixture: DropFixture

  init() throws { fixture = try DropFixture() }

  @Test func commandDoesNotRunForANameWithANUL() async throws {
    let drop = try await fixture.drop(("good", ["public.png": [1]]), ("x\0.png", ["public.png": [2]]))
    let run = try await tool("receive", "--from", drop, "--exec", "echo ran >> \(fixture.path("log"))")
    let message = "the name \"x\\u{0}.png\" contains U+0, which an environment variable cannot hold; no command was run"
    #expect(run == .failure(77, message))
    #expect(try fixture.fileNames() == ["a.drop"])
  }

  @Test func listingAsJSONIsCompleteWhereTheStreamIsTruncated() async throws {
    try await fixture.drop(("a", ["public.png": [1]]), ("b", ["public.png": [2]]), ("c", ["public.png": [3]]))
    let whole = try fixture.bytes()
    var counts: Set<Int> = []
    for length in sampled(0..<whole.count + 1, 30, "truncated listing") {
      let run = try await tool("receive", "--list", "--json", input: whole.prefix(length))
      #expect(length == whole.count ? run.exitCode == 0 : run.exitCode == 65 && run.errorLines.count == 1)
      let items = try #require(try run.document()["items"] as? [[String: Any]])
      #expect(items.compactMap { $0["name"] as? String } == Array(["a", "b", "c"].prefix(items.count)))
      counts.insert(items.count)
    }
    #expect(counts.isSuperset(of: [0, 3]))
  }

  @Test func listingAsJSONIsCompleteWhereNothingCanBeRead() async throws {
    for endpoint in ["/nonexistent.drop", "unix:/nonexistent", "exec:exit 3"] {
      let run = try await tool("receive", "--list", "--json", "--from", endpoint)
      #expect(run.exitCode != 0 && run.errorLines.count == 1)
      #expect((try run.document()["items"] as? [Any])?.isEmpty == true)
    }
    #expect(try await tool("receive", "--list", "--json").document().count == 1)
  }

  @Test func itemsUpToTheLimitAreListed() async throws {
    let option = ReceiveCommand.options.first { $0.name == "max-items" }
    #expect(option?.summary.contains("default 100000") == true)
    let drop = try await fixture.drop(("a", ["public.png": [1]]), ("b", ["public.png": [2]]))
    #expect(try await tool("receive", "--from", drop, "--list", "--max-items", "2").exitCode == 0)
    let run = try await tool("receive", "--from", drop, "--list", "--max-items", "1")
    #expect(run.exitCode == 77 && run.lines.count == 1 && run.errors.contains("--max-items"))
  }
}

@Suite(.limited, .timeLimit(minutes: 5)) struct FavouritesTextTests {
  private static func text(_ heroes: some Sequence<Hero>) throws -> FavouritesText {
    var text = FavouritesText()
    for hero in heroes { try text.add(hero) }
    return text
  }

  /// Returns the text that the library writes for a list.
  private static func written(_ favourites: Favourites) throws -> Data {
    var writer = HeroWriter()
    for hero in favourites { try writer.append(hero) }
    writer.finish()
    return writer.takeBytes()
  }

  @Test func textIsThatOfTheWriter() throws {
    for names in [[], [""], ["b", "", "Z", "a", "Å", "B", "straße", "STRASSF", "b", "\"\n\u{1F9B8}"]] {
      let heroes = names.enumerated().map { Hero(id: $0, name: $1) }
      #expect(try Self.text(heroes).json() == Self.written(Favourites(heroes)))
    }
  }

  @Test func addedListsHaveTheTextOfAddedFavourites() throws {
    var generator = SeededGenerator.announced("favourites as text")
    for _ in 0..<50 {
      let heroes = (0..<60).map { Hero(id: $0, name: String(Int.random(in: 0..<40, using: &generator), radix: 36)) }
      let cut = Int.random(in: 0...60, using: &generator)
      var favourites = Favourites(heroes.prefix(cut))
      var text = try Self.text(heroes.prefix(cut))
      favourites.add(contentsOf: heroes.dropFirst(cut))
      text.add(contentsOf: try Self.text(heroes.dropFirst(cut)))
      #expect(try text.count == favourites.count && text.json() == Self.written(favourites))
    }
  }
}
