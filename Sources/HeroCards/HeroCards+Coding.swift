// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
public import ItemCoding

// For speed, CBOR coders write and read these fields directly: programs transfer hundreds of thousands of heroes and
// cards. The fields, names and leniency are the same as in the `Codable` conformances; tests compare both.

extension Hero: CBORFieldCodable {
  /// Encodes the same fields as the `Codable` conformance.
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

  /// Decodes the same fields as the `Codable` conformance.
  ///
  /// - Throws: `DecodingError`, like the `Codable` conformance.
  public init(fields: inout CBORFieldDecoder) throws {
    let id = try fields.decodeIfPresent(Int.self, forKey: "id")
    let name = try fields.decodeIfPresent(String.self, forKey: "name")
    guard id != nil || name != nil else {
      throw fields.notFound("name", "an object with neither \"id\" nor \"name\" is not a hero")
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
  /// Encodes the same fields as the `Codable` conformance.
  ///
  /// - Throws: The errors of `fields`.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(path, forKey: "path")
    try fields.encode(fileExtension, forKey: "extension")
  }

  /// Decodes the same fields as the `Codable` conformance.
  ///
  /// - Throws: `DecodingError`, like the `Codable` conformance.
  public init(fields: inout CBORFieldDecoder) throws {
    path = try fields.decodeIfPresent(String.self, forKey: "path") ?? ""
    fileExtension = try fields.decodeIfPresent(String.self, forKey: "extension") ?? ""
  }
}

extension HeroReferences: CBORFieldCodable {
  /// Encodes the same fields as the `Codable` conformance.
  ///
  /// - Throws: The errors of `fields`.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(available, forKey: "available")
    try fields.encode(collectionURI, forKey: "collectionURI")
    try fields.encode(items, forKey: "items")
    try fields.encode(returned, forKey: "returned")
  }

  /// Decodes the same fields as the `Codable` conformance.
  ///
  /// - Throws: `DecodingError`, like the `Codable` conformance.
  public init(fields: inout CBORFieldDecoder) throws {
    available = try fields.decodeIfPresent(Int.self, forKey: "available") ?? 0
    collectionURI = try fields.decodeIfPresent(String.self, forKey: "collectionURI") ?? ""
    items = try fields.decodeIfPresent([HeroReference].self, forKey: "items", nullAs: HeroReference()) ?? []
    returned = try fields.decodeIfPresent(Int.self, forKey: "returned") ?? 0
  }
}

extension HeroReference: CBORFieldCodable {
  /// Encodes the same fields as the `Codable` conformance.
  ///
  /// - Throws: The errors of `fields`.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(resourceURI, forKey: "resourceURI")
    try fields.encode(name, forKey: "name")
    try fields.encodeIfPresent(type, forKey: "type")
  }

  /// Decodes the same fields as the `Codable` conformance.
  ///
  /// - Throws: `DecodingError`, like the `Codable` conformance.
  public init(fields: inout CBORFieldDecoder) throws {
    resourceURI = try fields.decodeIfPresent(String.self, forKey: "resourceURI") ?? ""
    name = try fields.decodeIfPresent(String.self, forKey: "name") ?? ""
    type = try fields.decodeIfPresent(String.self, forKey: "type")
  }
}

extension HeroLink: CBORFieldCodable {
  /// Encodes the same fields as the `Codable` conformance.
  ///
  /// - Throws: The errors of `fields`.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(type, forKey: "type")
    try fields.encode(url, forKey: "url")
  }

  /// Decodes the same fields as the `Codable` conformance.
  ///
  /// - Throws: `DecodingError`, like the `Codable` conformance.
  public init(fields: inout CBORFieldDecoder) throws {
    type = try fields.decodeIfPresent(String.self, forKey: "type") ?? ""
    url = try fields.decodeIfPresent(String.self, forKey: "url") ?? ""
  }
}

extension Card: CBORFieldCodable {
  /// Encodes the same fields as the `Codable` conformance.
  ///
  /// - Throws: The errors of `fields`.
  public func encodeFields(to fields: inout CBORFieldEncoder) throws {
    try fields.encode(content, forKey: "content")
    try fields.encodeIfPresent(column, forKey: "column")
  }

  /// Decodes the same fields as the `Codable` conformance.
  ///
  /// - Throws: `DecodingError`, like the `Codable` conformance.
  public init(fields: inout CBORFieldDecoder) throws {
    guard let content = try fields.decodeIfPresent(String.self, forKey: "content") else {
      throw fields.notFound("content", "an object without \"content\" is not a card")
    }
    self.init(content: content, column: try fields.decodeIfPresent(String.self, forKey: "column"))
  }
}

/// Methods for lenient decoding: any key may be missing, but a present value must have the right type.
extension KeyedDecodingContainer {
  /// Returns the string for `key`, or an empty string if it is missing or `null`.
  func text(_ key: Key) throws -> String {
    try textIfPresent(key) ?? ""
  }

  /// Returns the string for `key`, or `nil` if it is missing or `null`.
  func textIfPresent(_ key: Key) throws -> String? {
    try located(key, "a string that is not Unicode text") { try decodeIfPresent(String.self, forKey: key) }
  }

  /// Returns the number for `key`, or `nil` if it is missing or `null`.
  func numberIfPresent(_ key: Key) throws -> Int? {
    try located(key, "a number with a fraction, or out of range") { try decodeIfPresent(Int.self, forKey: key) }
  }

  /// Returns the array for `key`, empty if it is missing or `null`; `fallback` replaces each `null` element.
  func list<Item: Decodable>(_ key: Key, _ fallback: @autoclosure () -> Item) throws -> [Item] {
    guard contains(key), try !decodeNil(forKey: key) else { return [] }
    var container = try nestedUnkeyedContainer(forKey: key)
    var items: [Item] = []
    while !container.isAtEnd {
      items.append(try container.decodeNil() ? fallback() : container.decode(Item.self))
    }
    return items
  }

  /// Returns the error for an object that lacks a required key; `reason` is its description.
  func notFound(_ key: Key, _ reason: String) -> DecodingError {
    .keyNotFound(key, DecodingError.Context(codingPath: codingPath, debugDescription: reason))
  }

  /// Calls `decode`, and adds the path to an error without a path.
  ///
  /// `JSONDecoder` throws such an error for bytes that it cannot convert, and later reports it as a fault of the entire
  /// text.
  private func located<Value>(_ key: Key, _ reason: String, _ decode: () throws -> Value) throws -> Value {
    do {
      return try decode()
    } catch let error as DecodingError {
      throw error
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: codingPath + [key], debugDescription: reason, underlyingError: error))
    }
  }
}
