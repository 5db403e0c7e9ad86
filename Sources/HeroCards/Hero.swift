// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A character of a comics catalogue.
///
/// The tutorials drag heroes, and a favourites list collects them.
///
/// Decoding is lenient: unknown keys are ignored, and a missing key or a `null` decodes as an empty value. For a value
/// of the wrong type, decoding throws an error with the exact path of the value. For an object in which both `id` and
/// `name` are missing or `null`, it throws as well. An encoded hero decodes to an equal hero.
///
/// ```swift
/// let hero = Hero(id: 7, name: "Night Courier", description: "Delivers at any hour.")
/// let bytes = try JSONEncoder().encode(hero)
/// let same = try JSONDecoder().decode(Hero.self, from: bytes)
/// ```
public struct Hero: Codable, Hashable, Sendable, Identifiable {
  /// The catalogue's number for the hero; 0 if the catalogue has none.
  public var id: Int

  /// The name, which identifies a hero among favourites.
  public var name: String

  /// A few sentences about the hero, often empty.
  public var description: String

  /// The time of the last change, exactly as the catalogue wrote it.
  ///
  /// See ``modifiedDate`` for the parsed date.
  public var modified: String?

  /// The address of a picture.
  public var thumbnail: HeroImage

  /// The address of this entry in the catalogue.
  public var resourceURI: String

  /// The comics in which the hero appears.
  public var comics: HeroReferences

  /// The series in which the hero appears.
  public var series: HeroReferences

  /// The stories in which the hero appears; each reference names its kind of story.
  public var stories: HeroReferences

  /// The events in which the hero takes part.
  public var events: HeroReferences

  /// Web pages about the hero.
  public var urls: [HeroLink]

  /// The downloaded picture; base64 text in JSON, omitted if `nil`.
  public var image: Data?

  /// Creates a hero; omitted values are empty.
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

  /// Decodes a hero, with empty values for missing keys and `null`.
  ///
  /// - Throws: `DecodingError.keyNotFound` for `name` if both `id` and `name` are missing or `null`.
  ///   `DecodingError.typeMismatch` with the exact path for a value of the wrong type.
  ///   `DecodingError.dataCorrupted` for a number that is not an `Int`, and for a string that is not Unicode text or,
  ///   in `image`, not base64.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let id = try container.numberIfPresent(.id)
    let name = try container.textIfPresent(.name)
    guard id != nil || name != nil else {
      throw container.notFound(.name, "an object with neither \"id\" nor \"name\" is not a hero")
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
  /// A placeholder hero without values, which a favourites list can show as a drop target.
  public static let empty = Hero(id: 0, name: "")

  /// Whether this is the ``empty`` hero.
  public var isEmpty: Bool {
    self == Hero.empty
  }

  /// The date in ``modified``, or `nil` if it is missing or is not a date and time with an offset.
  ///
  /// The accepted forms are `2014-04-29T14:18:17-0400`, `2014-04-29T18:18:17Z` and `2014-04-29T23:48:17+05:30`.
  /// Catalogues also contain impossible dates, for example before the year 0; for these, the result is `nil`.
  public var modifiedDate: Date? {
    modified.flatMap(HeroTimestamp.date(from:))
  }
}

/// A page of a hero's comics, series, stories or events, with the total count.
public struct HeroReferences: Codable, Hashable, Sendable {
  /// The total number of entries in the catalogue; ``items`` may have fewer.
  public var available: Int

  /// The address of the complete list.
  public var collectionURI: String

  /// The references in the hero's data, in the catalogue's order.
  public var items: [HeroReference]

  /// The number of references in this page, as the catalogue states it.
  public var returned: Int

  /// Creates a list; omitted values are empty.
  public init(available: Int = 0, collectionURI: String = "", items: [HeroReference] = [], returned: Int = 0) {
    self.available = available
    self.collectionURI = collectionURI
    self.items = items
    self.returned = returned
  }

  /// Decodes a list, with empty values for missing keys and `null`.
  ///
  /// - Throws: `DecodingError.typeMismatch` with the exact path for a value of the wrong type.
  ///   `DecodingError.dataCorrupted` for a number that is not an `Int`, and for a string that is not Unicode text.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    available = try container.numberIfPresent(.available) ?? 0
    collectionURI = try container.text(.collectionURI)
    items = try container.list(.items, HeroReference())
    returned = try container.numberIfPresent(.returned) ?? 0
  }

  private enum CodingKeys: String, CodingKey {
    case available, collectionURI, items, returned
  }
}

/// The name and address of a comic, series, story or event.
public struct HeroReference: Codable, Hashable, Sendable {
  /// The address of the referenced entry.
  public var resourceURI: String

  /// The title of the entry.
  public var name: String

  /// The kind of story, such as `cover`; `nil` for an entry that is not a story.
  public var type: String?

  /// Creates a reference; without arguments, it is empty.
  public init(resourceURI: String = "", name: String = "", type: String? = nil) {
    self.resourceURI = resourceURI
    self.name = name
    self.type = type
  }

  /// Decodes a reference, with empty values for missing keys and `null`.
  ///
  /// - Throws: `DecodingError.typeMismatch` for a value that is not a string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    resourceURI = try container.text(.resourceURI)
    name = try container.text(.name)
    type = try container.textIfPresent(.type)
  }

  private enum CodingKeys: String, CodingKey {
    case resourceURI, name, type
  }
}

/// The address of a picture, which catalogues split into an address without extension and an extension.
public struct HeroImage: Codable, Hashable, Sendable {
  /// The address without the dot and the extension.
  public var path: String

  /// The extension without its dot, such as `jpg`; its key in JSON is `extension`.
  public var fileExtension: String

  /// Creates an image address from its two parts; without them, it is empty.
  public init(path: String = "", fileExtension: String = "") {
    self.path = path
    self.fileExtension = fileExtension
  }

  /// Decodes an image address, with an empty string for a part that is missing or `null`.
  ///
  /// - Throws: `DecodingError.typeMismatch` for a part that is not a string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    path = try container.text(.path)
    fileExtension = try container.text(.fileExtension)
  }

  /// The complete address, or `nil` if a part is missing or the result is not a URL.
  public var url: URL? {
    path.isEmpty || fileExtension.isEmpty ? nil : URL(string: "\(path).\(fileExtension)")
  }

  private enum CodingKeys: String, CodingKey {
    case path
    case fileExtension = "extension"
  }
}

/// The address of a web page about a hero, with the kind of page.
public struct HeroLink: Codable, Hashable, Sendable {
  /// The kind of page, such as `detail` or `wiki`.
  public var type: String

  /// The address, exactly as the catalogue wrote it.
  public var url: String

  /// Creates a link; without arguments, it is empty.
  public init(type: String = "", url: String = "") {
    self.type = type
    self.url = url
  }

  /// Decodes a link, with an empty string for a value that is missing or `null`.
  ///
  /// - Throws: `DecodingError.typeMismatch` for a value that is not a string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    type = try container.text(.type)
    url = try container.text(.url)
  }

  private enum CodingKeys: String, CodingKey {
    case type, url
  }
}
