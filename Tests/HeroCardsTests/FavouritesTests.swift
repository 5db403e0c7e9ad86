// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import HeroCards
internal import TestSupport
internal import Testing

@Suite(.serialized, .limited, .timeLimit(minutes: 5))
struct FavouritesTests {
  @Test func keepsFirstHeroOfEachName() {
    var favourites = Favourites()
    let added = ["B", "B", "A"].enumerated().map { favourites.add(Hero(id: $0 + 1, name: $1)) }
    #expect(added == [true, false, true] && favourites.map(\.id) == [3, 1])
    #expect(favourites.contains(named: "A") && !favourites.contains(named: "a"))
  }

  @Test func sortsByFoldedNameThenNameWithNamelessLast() {
    let unsorted = ["b", "", "Z", "a", "Å", "B", "é", "z", "A", "10", "9", "straße", "STRASSF", "_"]
    let favourites = Favourites(unsorted.map { Hero(id: 0, name: $0) })
    #expect(
      favourites.map(\.name) == ["10", "9", "_", "A", "a", "B", "b", "straße", "STRASSF", "Z", "z", "Å", "é", ""])
  }

  @Test func keepsAtMostOneNamelessHeroLast() {
    var favourites = Favourites([.empty, Hero(id: 1, name: "zz"), .empty])
    #expect(favourites.map(\.name) == ["zz", ""])
    let added = ["", "zzz"].map { favourites.add(Hero(id: 2, name: $0)) }
    #expect(added == [false, true] && favourites.map(\.name) == ["zz", "zzz", ""])
    #expect(favourites.last?.isEmpty == true)
  }

  @Test func addingManyEqualsAddingEach() {
    var generator = SeededGenerator.announced("favourites")
    for _ in 0..<50 {
      let heroes = (0..<60).map { Hero(id: $0, name: String(Int.random(in: 0..<40, using: &generator), radix: 36)) }
      let cut = Int.random(in: 0...60, using: &generator)
      var one = Favourites()
      for hero in heroes { one.add(hero) }
      var many = Favourites(heroes.prefix(cut))
      let before = many.count
      let added = many.add(contentsOf: heroes.dropFirst(cut))
      #expect(one == many && added == many.count - before)
      #expect(Array(one) == one.sorted { $0.name < $1.name })
    }
  }

  @Test func isCollectionWithConstantTimeIndices() {
    let favourites = Favourites((0..<5).reversed().map { Hero(id: $0, name: "\($0)") })
    #expect(favourites.count == 5 && favourites[2].id == 2 && Favourites().isEmpty)
    #expect(favourites.reversed().map(\.id) == [4, 3, 2, 1, 0] && favourites[1..<3].map(\.id) == [1, 2])
  }

  @Test func removedHeroCanBeAddedAgain() {
    var favourites = Favourites([Hero(id: 1, name: "A"), Hero(id: 2, name: "B")])
    let removed = ["A", "A", "C"].map { favourites.remove(named: $0)?.id }
    #expect(removed == [1, nil, nil] && favourites.map(\.name) == ["B"])
    favourites.add(Hero(id: 3, name: "A"))
    #expect(favourites.map(\.id) == [3, 2])
  }

  @Test func encodesAsArrayAndSortsWhenDecoded() throws {
    let favourites = try Fixture.decode(Favourites.self, #"[{"name":"B"},{"name":"A"},{"name":"B","id":5}]"#)
    #expect(favourites.map(\.name) == ["A", "B"])
    let json = try Fixture.json(favourites)
    #expect(try Fixture.decode(Favourites.self, json) == favourites && json == Fixture.json(Array(favourites)))
  }

  @Test func addsTwentyThousandHeroesInWorstOrder() {
    var favourites = Favourites([Hero(id: 0, name: "middle")])
    let heroes = (0..<20_000).reversed().map { Hero(id: $0, name: "\($0)") }
    // The time of the thread does not depend on other processes.
    var (start, end) = (timespec(), timespec())
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
    favourites.add(contentsOf: heroes)
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
    #expect(end.tv_sec - start.tv_sec < 5 && favourites.count == 20_001)
  }
}
