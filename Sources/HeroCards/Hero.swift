// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// One character of a comics catalogue: what is dragged in the tutorials, and what a favourites list collects.
///
/// Decoding forgives what catalogues leave out: a missing key, a `null` and an unknown extra key are no errors, an
/// empty value stands in. A value of the wrong type is one, with the exact path to it. An object that has neither
/// `id` nor `name` is no hero at all. What is encoded decodes to an equal hero.
///
/// ```swift
/// let hero = Hero(id: 7, name: "Night Courier", description: "Delivers at any hour.")
/// let bytes = try JSONEncoder().encode(hero)
/// let same = try JSONDecoder().decode(Hero.self, from: bytes)
/// ```
public struct Hero: Codable, Hashable, Sendable, Identifiable {
  /// The number the catalogue knows the hero by; 0 where it gave none.
  public var id: Int

  /// The name, by which favourites tell heroes apart.
  public var name: String

  /// A few sentences about the hero, often empty.
  public var description: String

  /// When the entry last changed, in the words of the catalogue and never reformatted.
  ///
  /// See ``modifiedDate`` for the moment it means.
  public var modified: String?

  /// Where a picture can be fetched.
  public var thumbnail: HeroImage

  /// The address of this very entry.
  public var resourceURI: String

  /// Comics the hero appears in.
  public var comics: HeroReferences

  /// Series the hero appears in.
  public var series: HeroReferences

  /// Stories the hero appears in; their references say which kind of story each is.
  public var stories: HeroReferences

  /// Events the hero takes part in.
  public var events: HeroReferences

  /// Pages to read on.
  public var urls: [HeroLink]

  /// The picture itself where it has been downloaded; base64 text in JSON, and left out where there is none.
  public var image: Data?

  /// Makes a hero; whatever is not given is empty.
  public init(
    id: Int,
    name: String,
    description: String = "",
    modified: String? = nil,
    thumbnail: HeroImage = HeroImage(),
    resourceURI: String = "",
    comics: HeroReferences = HeroReferences(),
    series: HeroReferences = HeroReferences(),
    stories: HeroReferences = HeroReferences(),
    events: HeroReferences = HeroReferences(),
    urls: [HeroLink] = [],
    image: Data? = nil
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.modified = modified
    self.thumbnail = thumbnail
    self.resourceURI = resourceURI
    self.comics = comics
    self.series = series
    self.stories = stories
    self.events = events
    self.urls = urls
    self.image = image
  }

  /// Reads a hero, with empty values for whatever is missing or `null`.
  ///
  /// - Throws: `DecodingError.keyNotFound` for `name` where both `id` and `name` are missing, and
  ///   `DecodingError.typeMismatch` with the exact path where a value has the wrong type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let id = try container.numberIfPresent(.id)
    let name = try container.textIfPresent(.name)
    guard id != nil || name != nil else {
      throw container.notFound(.name, "an object with neither \"id\" nor \"name\" is no hero")
    }
    self.id = id ?? 0
    self.name = name ?? ""
    description = try container.text(.description)
    modified = try container.textIfPresent(.modified)
    thumbnail = try container.decodeIfPresent(HeroImage.self, forKey: .thumbnail) ?? HeroImage()
    resourceURI = try container.text(.resourceURI)
    comics = try container.decodeIfPresent(HeroReferences.self, forKey: .comics) ?? HeroReferences()
    series = try container.decodeIfPresent(HeroReferences.self, forKey: .series) ?? HeroReferences()
    stories = try container.decodeIfPresent(HeroReferences.self, forKey: .stories) ?? HeroReferences()
    events = try container.decodeIfPresent(HeroReferences.self, forKey: .events) ?? HeroReferences()
    urls = try container.list(.urls, HeroLink())
    image = try container.decodeIfPresent(Data.self, forKey: .image)
  }

  private enum CodingKeys: String, CodingKey {
    case id, name, description, modified, thumbnail, resourceURI, comics, series, stories, events, urls, image
  }
}

extension Hero {
  /// The hero that stands for none: what a favourites list shows where something may still be dropped.
  public static let empty = Hero(id: 0, name: "")

  /// Whether this is the ``empty`` hero, without a single value of its own.
  public var isEmpty: Bool {
    self == Hero.empty
  }

  /// The moment ``modified`` means, or `nil` where that is missing or no date and time with an offset.
  ///
  /// Read strictly: `2014-04-29T14:18:17-0400`, `2014-04-29T18:18:17Z` and `2014-04-29T23:48:17+05:30` are the
  /// forms. Catalogues also hold dates which never were, such as those before the year 0; they give `nil`.
  public var modifiedDate: Date? {
    modified.flatMap(HeroTimestamp.date(from:))
  }
}
