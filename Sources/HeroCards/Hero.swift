// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
public import ItemCoding
public import ItemTransfer
public import UniformTypes

/// A character of a comics catalogue.
///
/// The tutorials drag heroes, and a favourites list collects them.
///
/// Decoding is lenient: unknown keys are ignored, and a missing key or a `null` decodes as an empty value. For a value
/// of the wrong type, decoding throws an error with the exact path of the value. It also throws for an object that is not
/// a hero. Without `name`, an object needs an `id`, and must have neither the `title` of a comic nor the `fullName` of a
/// creator. An encoded hero decodes to an equal hero.
///
/// ```swift
/// let hero = Hero(id: 7, name: "Night Courier", description: "Delivers at any hour.")
/// let bytes = try JSONEncoder().encode(hero)
/// let same = try JSONDecoder().decode(Hero.self, from: bytes)
/// ```
public struct Hero: CBORFieldCodable, Hashable, Sendable, Identifiable {
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
  /// - Throws: `DecodingError.keyNotFound` for `name` if an object without `name` has no `id`, or has a `title` or a
  ///   `fullName`. `DecodingError.typeMismatch` with the exact path for a value of the wrong type.
  ///   `DecodingError.dataCorrupted` for a number that is not an `Int`, and for a string that is not Unicode text or,
  ///   in `image`, not base64.
  public init(fields: inout CBORFieldDecoder) throws {
    let id = try fields.decodeIfPresent(Int.self, forKey: "id")
    let name = try fields.decodeIfPresent(String.self, forKey: "name")
    guard id != nil || name != nil else {
      throw fields.notFound("name", "an object with neither \"id\" nor \"name\" is not a hero")
    }
    // Catalogues return comics, series and creators in the same envelope.
    for other in ["title", "fullName"] as [StaticString] where name == nil {
      guard try fields.decodeIfPresent(AnyValue.self, forKey: other) != nil else { continue }
      throw fields.notFound("name", "an object with \"\(other)\" and without \"name\" is not a hero")
    }
    self.init(
      id: id ?? 0,
      name: name ?? "",
      description: try fields.decodeIfPresent(String.self, forKey: "description") ?? "",
      modified: try fields.decodeIfPresent(String.self, forKey: "modified"),
      thumbnail: try fields.decodeIfPresent(HeroImage.self, forKey: "thumbnail") ?? HeroImage(),
      resourceURI: try fields.decodeIfPresent(String.self, forKey: "resourceURI") ?? "",
      comics: try fields.decodeIfPresent(HeroReferences.self, forKey: "comics") ?? HeroReferences(),
      series: try fields.decodeIfPresent(HeroReferences.self, forKey: "series") ?? HeroReferences(),
      stories: try fields.decodeIfPresent(HeroReferences.self, forKey: "stories") ?? HeroReferences(),
      events: try fields.decodeIfPresent(HeroReferences.self, forKey: "events") ?? HeroReferences(),
      urls: try fields.decodeIfPresent([HeroLink].self, forKey: "urls", nullAs: HeroLink()) ?? [],
      image: try fields.decodeIfPresent(Data.self, forKey: "image"))
  }

  /// Encodes all fields.
  ///
  /// - Throws: The errors of `fields`.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(id, forKey: "id")
    try fields.encode(name, forKey: "name")
    try fields.encode(description, forKey: "description")
    try fields.encodeIfPresent(modified, forKey: "modified")
    try fields.encode(thumbnail, forKey: "thumbnail")
    try fields.encode(resourceURI, forKey: "resourceURI")
    try fields.encode(comics, forKey: "comics")
    try fields.encode(series, forKey: "series")
    try fields.encode(stories, forKey: "stories")
    try fields.encode(events, forKey: "events")
    try fields.encode(urls, forKey: "urls")
    try fields.encodeIfPresent(image, forKey: "image")
  }
}

/// A value of any type, for a test of its presence.
private struct AnyValue: Decodable {
  init(from decoder: any Decoder) {}
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
    // RFC 3339 also has fractions, leap seconds and small letters, but no offset without a colon.
    guard let text = modified, !text.contains(where: "tz.".contains), !text.dropFirst(17).hasPrefix("60") else {
      return nil
    }
    let offset = text.suffix(5)
    let isWithoutColon = offset.first == "+" || offset.first == "-"
    return CBORDateText.date(from: isWithoutColon ? "\(text.dropLast(2)):\(text.suffix(2))" : text)
  }
}

/// A page of a hero's comics, series, stories or events, with the total count.
public struct HeroReferences: CBORFieldCodable, Hashable, Sendable {
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
  public init(fields: inout CBORFieldDecoder) throws {
    available = try fields.decodeIfPresent(Int.self, forKey: "available") ?? 0
    collectionURI = try fields.decodeIfPresent(String.self, forKey: "collectionURI") ?? ""
    items = try fields.decodeIfPresent([HeroReference].self, forKey: "items", nullAs: HeroReference()) ?? []
    returned = try fields.decodeIfPresent(Int.self, forKey: "returned") ?? 0
  }

  /// Encodes all fields.
  ///
  /// - Throws: The errors of `fields`.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(available, forKey: "available")
    try fields.encode(collectionURI, forKey: "collectionURI")
    try fields.encode(items, forKey: "items")
    try fields.encode(returned, forKey: "returned")
  }
}

/// The name and address of a comic, series, story or event.
public struct HeroReference: CBORFieldCodable, Hashable, Sendable {
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
  public init(fields: inout CBORFieldDecoder) throws {
    resourceURI = try fields.decodeIfPresent(String.self, forKey: "resourceURI") ?? ""
    name = try fields.decodeIfPresent(String.self, forKey: "name") ?? ""
    type = try fields.decodeIfPresent(String.self, forKey: "type")
  }

  /// Encodes all fields.
  ///
  /// - Throws: The errors of `fields`.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(resourceURI, forKey: "resourceURI")
    try fields.encode(name, forKey: "name")
    try fields.encodeIfPresent(type, forKey: "type")
  }
}

/// The address of a picture, which catalogues split into an address without extension and an extension.
public struct HeroImage: CBORFieldCodable, Hashable, Sendable {
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
  public init(fields: inout CBORFieldDecoder) throws {
    path = try fields.decodeIfPresent(String.self, forKey: "path") ?? ""
    fileExtension = try fields.decodeIfPresent(String.self, forKey: "extension") ?? ""
  }

  /// Encodes all fields.
  ///
  /// - Throws: The errors of `fields`.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(path, forKey: "path")
    try fields.encode(fileExtension, forKey: "extension")
  }

  /// The complete address, or `nil` if a part is missing or the result is not a URL.
  public var url: URL? {
    path.isEmpty || fileExtension.isEmpty ? nil : URL(string: "\(path).\(fileExtension)")
  }
}

/// The address of a web page about a hero, with the kind of page.
public struct HeroLink: CBORFieldCodable, Hashable, Sendable {
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
  public init(fields: inout CBORFieldDecoder) throws {
    type = try fields.decodeIfPresent(String.self, forKey: "type") ?? ""
    url = try fields.decodeIfPresent(String.self, forKey: "url") ?? ""
  }

  /// Encodes all fields.
  ///
  /// - Throws: The errors of `fields`.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(type, forKey: "type")
    try fields.encode(url, forKey: "url")
  }
}

extension UTType {
  /// A hero as CBOR: the keys and values of the JSON object, with the picture as a byte string.
  public static let heroCBOR = UTType(exportedAs: "org.dragpipe.hero.cbor", conformingTo: .data)
  /// A card as CBOR: the keys and values of the JSON object.
  public static let cardCBOR = UTType(exportedAs: "org.dragpipe.card.cbor", conformingTo: .data)
  /// A hero as a JSON object.
  public static let hero = UTType(exportedAs: "org.dragpipe.hero", conformingTo: .json)
  /// A card as a JSON object.
  public static let card = UTType(exportedAs: "org.dragpipe.card", conformingTo: .json)
}

extension Hero: Transferable {
  /// The representations of a hero: all of its data, plain text, the address of its page, and the picture.
  ///
  /// The address is offered only if it is not empty, and the picture only if it is a PNG or JPEG image.
  public static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .heroCBOR, encoder: CBOREncoder(), decoder: CBORDecoder())
    CodableRepresentation(contentType: .hero, encoder: JSONValueCoder.shared, decoder: JSONValueCoder.shared)
    DataRepresentation(exportedContentType: .utf8PlainText) { hero in Data(hero.plainText.utf8) }
    DataRepresentation(exportedContentType: .url) { hero in Data(hero.address.utf8) }
      .exportingCondition { hero in !hero.address.isEmpty }
    DataRepresentation(exportedContentType: .png) { hero in hero.image ?? Data() }
      .exportingCondition { hero in hero.hasImage(startingWith: [0x89, 0x50, 0x4E, 0x47]) }
    DataRepresentation(exportedContentType: .jpeg) { hero in hero.image ?? Data() }
      .exportingCondition { hero in hero.hasImage(startingWith: [0xFF, 0xD8, 0xFF]) }
  }

  /// Returns whether the hero has a picture whose bytes start with a signature.
  private func hasImage(startingWith signature: [UInt8]) -> Bool {
    image?.starts(with: signature) ?? false
  }

  private var plainText: String {
    description.isEmpty ? name : "\(name)\n\n\(description)"
  }

  /// The address of the hero's web page, or else the address of the catalogue entry.
  private var address: String {
    urls.first { $0.type == "detail" && !$0.url.isEmpty }?.url ?? resourceURI
  }

  /// A file name for the hero: its name, with unsafe characters replaced, and the extension `json`.
  ///
  /// A hero without a name has the file name `hero ID.json`. A name is truncated to 200 bytes.
  public var suggestedName: String {
    fileName(from: name.isEmpty ? "hero \(id)" : name)
  }
}

extension Card: Transferable {
  /// The representations of a card: all of its data, and plain text.
  public static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .cardCBOR, encoder: CBOREncoder(), decoder: CBORDecoder())
    CodableRepresentation(contentType: .card, encoder: JSONValueCoder.shared, decoder: JSONValueCoder.shared)
    DataRepresentation(exportedContentType: .utf8PlainText) { card in Data(card.content.utf8) }
  }
}

/// Returns a file name from a string: one path component, without invisible characters and with the extension `json`.
///
/// At most 200 bytes of the string are used.
private func fileName(from text: String) -> String {
  var stem = ""
  for scalar in text.unicodeScalars {
    let isHidden = stem.isEmpty && scalar == "."
    let fitting: Unicode.Scalar = scalar.isInvisibleControl || isHidden ? "_" : scalar == "/" ? "-" : scalar
    // The limit leaves room for the extension and for a suffix that the receiver may add.
    guard stem.utf8.count + String(fitting).utf8.count <= 200 else { break }
    stem.unicodeScalars.append(fitting)
  }
  return stem + ".json"
}
