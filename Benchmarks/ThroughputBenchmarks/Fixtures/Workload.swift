// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import HeroCards

/// The amount of work of all cases.
///
/// All processes of a run use the same workload.
struct Workload: Sendable, Hashable {
  let heroCount: Int
  let megabytes: Int

  var cardCount: Int { heroCount * 10 }
  var numberCount: Int { heroCount * 50 }
  var streamedItemCount: Int { heroCount * 50 }
  var byteCount: Int { megabytes * 1_000_000 }
  /// The length of one `Data`.
  ///
  /// A longer value would only measure how fast the kernel provides memory.
  var dataLength: Int { min(64, max(1, megabytes / 4)) << 20 }
  /// The number of items in the file from which single items are loaded.
  var fileItemCount: Int { min(100_000, heroCount * 20) }
  /// The length of each item in that file.
  var fileItemLength: Int { max(1, megabytes * 100) }
  /// The number of items in a file that is written in each round, and the number of files in an archive.
  var archivedItemCount: Int { max(1, fileItemCount / 40) }
  /// The length of each item of a file that is written in each round.
  var writtenItemLength: Int { max(1, megabytes * 200) }

  init(heroCount: Int, megabytes: Int) {
    self.heroCount = heroCount
    self.megabytes = megabytes
  }

  init(_ options: RunOptions) {
    self.init(heroCount: options.itemCount, megabytes: options.megabytes)
  }

  /// The arguments that pass the workload to another process.
  var arguments: [String] { ["\(heroCount)", "\(megabytes)"] }

  init?(_ arguments: ArraySlice<String>) {
    let numbers = arguments.compactMap { Int($0) }.filter { (1...10_000_000).contains($0) }
    guard numbers.count == 2, arguments.count == 2 else { return nil }
    self.init(heroCount: numbers[0], megabytes: numbers[1])
  }
}

/// Generated cards, and generated heroes that are as long as real ones.
///
/// They are the same in each run.
enum HeroFixtures {
  static func heroes(_ count: Int) -> [Hero] {
    (0..<count).map(hero)
  }

  static func cards(_ count: Int) -> [Card] {
    (0..<count).map { number in
      Card(
        content: "Feed the cat of house number \(number), and tell the neighbour about it",
        column: number % 3 == 0 ? nil : "To do")
    }
  }

  private static let names = [
    "Odysseus", "Mulan", "Anansi", "Gilgamesh", "Atalanta", "Väinämöinen", "Yennenga", "Māui",
  ]

  private static func hero(_ number: Int) -> Hero {
    let base = "https://heroes.example/v1/characters/\(number)"
    var hero = Hero(id: number, name: "\(names[number % names.count]) \(number)")
    hero.description = "Left home in year \(number), came back late, and sang the story well enough to be believed."
    hero.modified = "2014-04-29T14:18:17-0400"
    hero.thumbnail = HeroImage(path: "https://heroes.example/images/\(number)", fileExtension: "png")
    hero.resourceURI = base
    hero.comics = references("\(base)/comics", of: "poem", count: number % 4)
    hero.series = references("\(base)/series", of: "cycle", count: number % 2)
    hero.stories = references("\(base)/stories", of: "episode", count: number % 5)
    hero.events = references("\(base)/events", of: "war", count: number % 3)
    hero.urls = [HeroLink(type: "detail", url: "https://heroes.example/heroes/\(number)")]
    return hero
  }

  private static func references(_ collection: String, of kind: String, count: Int) -> HeroReferences {
    HeroReferences(
      available: count, collectionURI: collection,
      items: (0..<count).map { HeroReference(resourceURI: "\(collection)/\($0)", name: "The \(kind) of day \($0)") },
      returned: count)
  }
}

/// Generated numbers.
///
/// They are the same in each run.
enum NumberFixtures {
  static func doubles(_ count: Int) -> [Double] {
    (0..<count).map { Double($0) * 1.000123 }
  }

  static func integers(_ count: Int) -> [Int] {
    (0..<count).map { $0 &* 2_654_435_761 % 100_000_000 }
  }
}
