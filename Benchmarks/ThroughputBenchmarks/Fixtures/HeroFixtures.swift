// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import HeroCards

/// Heroes made up by a rule, as long as real ones: the same in each run.
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
    hero.description = "Left home in year \(number), came back late, and told the story well enough to be believed."
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
