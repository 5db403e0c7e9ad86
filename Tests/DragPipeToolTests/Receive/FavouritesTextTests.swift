// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeroCards
import TestSupport
import Testing

@testable import DragPipeTool

@Suite(.limited, .timeLimit(.minutes(5))) struct FavouritesTextTests {
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

  @Test(arguments: [[], [""], ["b", "", "Z", "a", "Å", "B", "straße", "STRASSF", "b", "\"\n\u{1F9B8}"]])
  func textIsThatOfTheWriter(names: [String]) throws {
    let heroes = names.enumerated().map { Hero(id: $0, name: $1) }
    #expect(try Self.text(heroes).json() == Self.written(Favourites(heroes)))
  }

  @Test func addedListsHaveTheTextOfAddedFavourites() throws {
    var generator = SeededGenerator.announced("favourites as text")
    for _ in 0..<50 {
      let heroes = (0..<60).map { Hero(id: $0, name: String(Int.random(in: 0..<40, using: &generator), radix: 36)) }
      let cut = Int.random(in: 0...60, using: &generator)
      var favourites = Favourites(heroes.prefix(cut))
      var text = try Self.text(heroes.prefix(cut))
      #expect(text.count == favourites.count)
      favourites.add(contentsOf: heroes.dropFirst(cut))
      text.add(contentsOf: try Self.text(heroes.dropFirst(cut)))
      #expect(text.count == favourites.count)
      #expect(try text.json() == Self.written(favourites))
    }
  }
}
