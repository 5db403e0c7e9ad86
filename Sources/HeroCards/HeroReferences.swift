// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The first few of a hero's comics, series, stories or events, and how many there are in all.
public struct HeroReferences: Codable, Hashable, Sendable {
  /// How many the catalogue has; ``items`` may hold fewer.
  public var available: Int

  /// The address of the whole list.
  public var collectionURI: String

  /// Those which came along with the hero, in the order of the catalogue.
  public var items: [HeroReference]

  /// How many came along, as the catalogue counted them.
  public var returned: Int

  /// Makes a list; whatever is not given is empty.
  public init(available: Int = 0, collectionURI: String = "", items: [HeroReference] = [], returned: Int = 0) {
    self.available = available
    self.collectionURI = collectionURI
    self.items = items
    self.returned = returned
  }

  /// Reads a list, with empty values for what is missing or `null`.
  ///
  /// - Throws: `DecodingError.typeMismatch` with the exact path where a value has the wrong type.
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

/// The name and address of one comic, series, story or event.
public struct HeroReference: Codable, Hashable, Sendable {
  /// The address of its own entry.
  public var resourceURI: String

  /// What it is called.
  public var name: String

  /// What part of a book a story is, such as `cover`; only stories have one.
  public var type: String?

  /// Points to an entry; without arguments, to none.
  public init(resourceURI: String = "", name: String = "", type: String? = nil) {
    self.resourceURI = resourceURI
    self.name = name
    self.type = type
  }

  /// Reads a reference, with empty values for what is missing or `null`.
  ///
  /// - Throws: `DecodingError.typeMismatch` where a value is anything but text.
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
