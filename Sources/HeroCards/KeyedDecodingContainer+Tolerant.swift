// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Decoding in which nothing has to be there, but what is there has to be of the right type.
extension KeyedDecodingContainer {
  /// The text under `key`, empty where it is missing or `null`.
  func text(_ key: Key) throws -> String {
    try textIfPresent(key) ?? ""
  }

  /// The text under `key`, `nil` where it is missing or `null`.
  func textIfPresent(_ key: Key) throws -> String? {
    try located(key, "a string that is no Unicode text") { try decodeIfPresent(String.self, forKey: key) }
  }

  /// The number under `key`, `nil` where it is missing or `null`.
  func numberIfPresent(_ key: Key) throws -> Int? {
    try located(key, "a number with a fraction, or out of range") { try decodeIfPresent(Int.self, forKey: key) }
  }

  /// The array under `key`, empty where it is missing or `null`; `fallback` stands in for each `null` inside.
  func list<Item: Decodable>(_ key: Key, _ fallback: @autoclosure () -> Item) throws -> [Item] {
    guard contains(key), try !decodeNil(forKey: key) else { return [] }
    var container = try nestedUnkeyedContainer(forKey: key)
    var items: [Item] = []
    while !container.isAtEnd {
      items.append(try container.decodeNil() ? fallback() : container.decode(Item.self))
    }
    return items
  }

  /// The error for an object which, without `key`, is not what was asked for; `reason` says so in words.
  func notFound(_ key: Key, _ reason: String) -> DecodingError {
    .keyNotFound(key, DecodingError.Context(codingPath: codingPath, debugDescription: reason))
  }

  /// Gives an error its path where the decoder gave it none, as `JSONDecoder` does for bytes it cannot convert: inside
  /// it throws errors of its own, which it later takes for a fault of the whole text.
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
