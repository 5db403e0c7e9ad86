// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import HeroCards

/// A hero as a program would usually declare it, with the coding that the compiler generates.
struct PlainHero: Codable, Equatable {
  struct Image: Codable, Equatable {
    var path: String
    var fileExtension: String

    private enum CodingKeys: String, CodingKey {
      case path
      case fileExtension = "extension"
    }
  }

  struct Reference: Codable, Equatable {
    var resourceURI: String
    var name: String
    var type: String?
  }

  struct References: Codable, Equatable {
    var available: Int
    var collectionURI: String
    var items: [Reference]
    var returned: Int
  }

  struct Link: Codable, Equatable {
    var type: String
    var url: String
  }

  var id: Int
  var name: String
  var description: String
  var modified: String?
  var thumbnail: Image
  var resourceURI: String
  var comics: References
  var series: References
  var stories: References
  var events: References
  var urls: [Link]

  init(_ hero: Hero) {
    id = hero.id
    name = hero.name
    description = hero.description
    modified = hero.modified
    thumbnail = Image(path: hero.thumbnail.path, fileExtension: hero.thumbnail.fileExtension)
    resourceURI = hero.resourceURI
    comics = References(hero.comics)
    series = References(hero.series)
    stories = References(hero.stories)
    events = References(hero.events)
    urls = hero.urls.map { Link(type: $0.type, url: $0.url) }
  }
}

extension PlainHero.References {
  init(_ references: HeroReferences) {
    self.init(
      available: references.available, collectionURI: references.collectionURI,
      items: references.items.map { PlainHero.Reference(resourceURI: $0.resourceURI, name: $0.name, type: $0.type) },
      returned: references.returned)
  }
}

/// A card as a program would usually declare it.
struct PlainCard: Codable, Equatable {
  var content: String
  var column: String?

  init(_ card: Card) {
    content = card.content
    column = card.column
  }
}
