// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
public import ItemCoding

// Heroes and cards are what crosses by the hundred thousand, so CBOR coders have them write and read their fields
// directly: the fields, names and leniency of their `Codable` conformances, which the tests compare.

extension Hero: CBORFieldCodable {
  /// Writes the fields as the `Codable` conformance does.
  ///
  /// - Throws: What `fields` throws.
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

  /// Reads the fields as the `Codable` conformance does.
  ///
  /// - Throws: `DecodingError` where that does.
  public init(fields: inout CBORFieldDecoder) throws {
    let id = try fields.decodeIfPresent(Int.self, forKey: "id")
    let name = try fields.decodeIfPresent(String.self, forKey: "name")
    guard id != nil || name != nil else {
      throw fields.notFound("name", "an object with neither \"id\" nor \"name\" is no hero")
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
}

extension HeroImage: CBORFieldCodable {
  /// Writes the fields as the `Codable` conformance does.
  ///
  /// - Throws: What `fields` throws.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(path, forKey: "path")
    try fields.encode(fileExtension, forKey: "extension")
  }

  /// Reads the fields as the `Codable` conformance does.
  ///
  /// - Throws: `DecodingError` where that does.
  public init(fields: inout CBORFieldDecoder) throws {
    path = try fields.decodeIfPresent(String.self, forKey: "path") ?? ""
    fileExtension = try fields.decodeIfPresent(String.self, forKey: "extension") ?? ""
  }
}

extension HeroReferences: CBORFieldCodable {
  /// Writes the fields as the `Codable` conformance does.
  ///
  /// - Throws: What `fields` throws.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(available, forKey: "available")
    try fields.encode(collectionURI, forKey: "collectionURI")
    try fields.encode(items, forKey: "items")
    try fields.encode(returned, forKey: "returned")
  }

  /// Reads the fields as the `Codable` conformance does.
  ///
  /// - Throws: `DecodingError` where that does.
  public init(fields: inout CBORFieldDecoder) throws {
    available = try fields.decodeIfPresent(Int.self, forKey: "available") ?? 0
    collectionURI = try fields.decodeIfPresent(String.self, forKey: "collectionURI") ?? ""
    items = try fields.decodeIfPresent([HeroReference].self, forKey: "items", nullAs: HeroReference()) ?? []
    returned = try fields.decodeIfPresent(Int.self, forKey: "returned") ?? 0
  }
}

extension HeroReference: CBORFieldCodable {
  /// Writes the fields as the `Codable` conformance does.
  ///
  /// - Throws: What `fields` throws.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(resourceURI, forKey: "resourceURI")
    try fields.encode(name, forKey: "name")
    try fields.encodeIfPresent(type, forKey: "type")
  }

  /// Reads the fields as the `Codable` conformance does.
  ///
  /// - Throws: `DecodingError` where that does.
  public init(fields: inout CBORFieldDecoder) throws {
    resourceURI = try fields.decodeIfPresent(String.self, forKey: "resourceURI") ?? ""
    name = try fields.decodeIfPresent(String.self, forKey: "name") ?? ""
    type = try fields.decodeIfPresent(String.self, forKey: "type")
  }
}

extension HeroLink: CBORFieldCodable {
  /// Writes the fields as the `Codable` conformance does.
  ///
  /// - Throws: What `fields` throws.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(type, forKey: "type")
    try fields.encode(url, forKey: "url")
  }

  /// Reads the fields as the `Codable` conformance does.
  ///
  /// - Throws: `DecodingError` where that does.
  public init(fields: inout CBORFieldDecoder) throws {
    type = try fields.decodeIfPresent(String.self, forKey: "type") ?? ""
    url = try fields.decodeIfPresent(String.self, forKey: "url") ?? ""
  }
}

extension Card: CBORFieldCodable {
  /// Writes the fields as the `Codable` conformance does.
  ///
  /// - Throws: What `fields` throws.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(content, forKey: "content")
    try fields.encodeIfPresent(column, forKey: "column")
  }

  /// Reads the fields as the `Codable` conformance does.
  ///
  /// - Throws: `DecodingError` where that does.
  public init(fields: inout CBORFieldDecoder) throws {
    guard let content = try fields.decodeIfPresent(String.self, forKey: "content") else {
      throw fields.notFound("content", "an object without \"content\" is no card")
    }
    self.init(content: content, column: try fields.decodeIfPresent(String.self, forKey: "column"))
  }
}
