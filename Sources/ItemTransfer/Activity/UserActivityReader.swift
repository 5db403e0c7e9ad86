// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A reader of the values of an untrusted activity.
///
/// It applies the limits of depth and number before it creates a value.
struct UserActivityReader {
  /// The kind of a value: the only known key of the value's JSON object.
  enum Kind: String, CodingKey {
    case array, bool, data, date, dictionary, double, integer, null, set, string, url, uuid
  }

  typealias Container = KeyedDecodingContainer<Kind>

  private(set) var limits = UserActivityLimits()

  mutating func entries(
    in container: KeyedDecodingContainer<UserActivityEntryKey>, depth: Int
  ) throws -> [String: UserActivityValue] {
    let keys = container.allKeys
    try spend(keys.count, depth: depth, path: container.codingPath)
    var entries: [String: UserActivityValue] = [:]
    entries.reserveCapacity(keys.count)
    for key in keys {
      entries[key.stringValue] = try value(in: container.nestedContainer(keyedBy: Kind.self, forKey: key), depth: depth)
    }
    return entries
  }

  /// Reads words.
  ///
  /// Each word is deducted from the budget like a value.
  mutating func words(in words: [String]?, path: [any CodingKey]) throws -> Set<String>? {
    try spend(words?.count ?? 0, depth: 1, path: path)
    return words.map { Set($0) }
  }

  /// Reads a value.
  ///
  /// The depth limit bounds the recursion.
  mutating func value(in container: Container, depth: Int) throws -> UserActivityValue {
    // Unknown keys are reserved for later versions.
    let kinds = container.allKeys
    guard let kind = kinds.first, kinds.count == 1 else {
      let problem = kinds.isEmpty ? "a value without a known kind" : "a value with several kinds"
      throw DecodingError.dataCorrupted(.init(codingPath: container.codingPath, debugDescription: problem))
    }
    switch kind {
    case .array: return .array(try elements(in: container, forKey: kind, depth: depth))
    case .bool: return .bool(try container.decode(Bool.self, forKey: kind))
    case .data: return .data(try container.decode(Data.self, forKey: kind))
    case .date: return .date(try container.decode(UserActivityDate.self, forKey: kind).date)
    case .dictionary:
      let nested = try container.nestedContainer(keyedBy: UserActivityEntryKey.self, forKey: kind)
      return .dictionary(try entries(in: nested, depth: depth + 1))
    case .double: return .double(try double(in: container))
    case .integer: return try integer(in: container)
    case .null:
      guard try container.decodeNil(forKey: kind) else {
        throw DecodingError.dataCorruptedError(forKey: kind, in: container, debugDescription: "null with content")
      }
      return .null
    case .set: return .set(Set(try elements(in: container, forKey: kind, depth: depth)))
    case .string: return .string(try container.decode(String.self, forKey: kind))
    case .url: return .url(try container.decode(UserActivityURL.self, forKey: kind).url)
    case .uuid: return .uuid(try container.decode(UUID.self, forKey: kind))
    }
  }

  private mutating func elements(
    in container: Container, forKey kind: Kind, depth: Int
  ) throws -> [UserActivityValue] {
    var list = try container.nestedUnkeyedContainer(forKey: kind)
    var elements: [UserActivityValue] = []
    while !list.isAtEnd {
      try spend(1, depth: depth + 1, path: list.codingPath)
      elements.append(try value(in: list.nestedContainer(keyedBy: Kind.self), depth: depth + 1))
    }
    return elements
  }

  /// Reads a floating-point number.
  ///
  /// Decoders report a number out of range in different ways and without its path. This function throws one error with
  /// the path.
  private func double(in container: Container) throws -> Double {
    if let number = try? container.decode(Double.self, forKey: .double) { return number }
    let text = try? container.decode(String.self, forKey: .double)
    guard let number = UserActivityWriter.nonFinite.first(where: { $0.text == text })?.number else {
      throw DecodingError.dataCorruptedError(forKey: .double, in: container, debugDescription: "not a number")
    }
    return number
  }

  private func integer(in container: Container) throws -> UserActivityValue {
    if let number = try? container.decode(Int64.self, forKey: .integer) { return .integer(number) }
    guard let number = try? container.decode(UInt64.self, forKey: .integer) else {
      throw DecodingError.dataCorruptedError(
        forKey: .integer, in: container, debugDescription: "not an integer from -2^63 to 2^64-1")
    }
    return .unsignedInteger(number)
  }

  /// The path is created only for an error, because its length grows with the depth.
  private mutating func spend(_ count: Int, depth: Int, path: @autoclosure () -> [any CodingKey]) throws {
    guard let excess = limits.spend(count, depth: depth) else { return }
    throw DecodingError.dataCorrupted(.init(codingPath: path(), debugDescription: excess))
  }
}

/// The key of an entry: any string.
struct UserActivityEntryKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init?(intValue: Int) {
    return nil
  }
}

/// A point in time as seconds since 2001-01-01 00:00:00 UTC.
///
/// `Date` stores the same number, so a date round-trips exactly; a formatted date would not. Dates outside the years 1
/// to 4000 are rejected, because some programs trap when they display such a date.
struct UserActivityDate: Codable {
  private static let range =
    Date.distantPast.timeIntervalSinceReferenceDate...Date.distantFuture.timeIntervalSinceReferenceDate
  private static let fault = "a date must be a number of seconds in the years 1 to 4000"

  let date: Date

  init(date: Date) {
    self.date = date
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let seconds = try? container.decode(Double.self), Self.range.contains(seconds) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.fault)
    }
    date = Date(timeIntervalSinceReferenceDate: seconds)
  }

  func encode(to encoder: any Encoder) throws {
    if let fault = Self.fault(of: date) {
      throw EncodingError.invalidValue(date, .init(codingPath: encoder.codingPath, debugDescription: fault))
    }
    var container = encoder.singleValueContainer()
    // Adding zero turns minus zero into zero: both are the same date.
    try container.encode(date.timeIntervalSinceReferenceDate + 0)
  }

  /// Returns the reason why a date cannot be encoded, `nil` if it can.
  ///
  /// The check by range also rejects NaN.
  static func fault(of date: Date) -> String? {
    range.contains(date.timeIntervalSinceReferenceDate) ? nil : fault
  }
}

/// A URL as its absolute string.
///
/// An invalid string is rejected, not repaired.
struct UserActivityURL: Codable {
  let url: URL

  init(url: URL) {
    self.url = url
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let url = URL(string: try container.decode(String.self), encodingInvalidCharacters: false) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a URL (RFC 3986)")
    }
    self.url = url
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(url.absoluteString)
  }
}

extension URL {
  /// Whether the URL has the scheme of web pages.
  var isWebPage: Bool { ["http", "https"].contains(scheme?.lowercased()) }
}
