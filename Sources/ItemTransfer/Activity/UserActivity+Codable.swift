// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

extension UserActivity: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, activityType, title, userInfo, requiredUserInfoKeys, targetContentIdentifier, webpageURL, referrerURL
    case expirationDate, keywords, persistentIdentifier
  }

  /// The version that this code writes.
  ///
  /// A reader rejects other versions.
  private static let version = 1

  /// Reads the object described at `UTType.userActivity`.
  ///
  /// - Throws: `DecodingError` with the coding path.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version == Self.version else {
      throw DecodingError.dataCorruptedError(
        forKey: .version, in: container,
        debugDescription: "unknown version \(version); this reader supports version \(Self.version)")
    }
    activityType = try container.decode(String.self, forKey: .activityType)
    if let fault = Self.fault(ofType: activityType) {
      throw DecodingError.dataCorruptedError(forKey: .activityType, in: container, debugDescription: fault)
    }
    func path(_ key: CodingKeys) -> [any CodingKey] { container.codingPath + [key] }

    var reader = UserActivityReader()
    userInfo = [:]
    if container.contains(.userInfo), try !container.decodeNil(forKey: .userInfo) {
      let entries = try container.nestedContainer(keyedBy: UserActivityEntryKey.self, forKey: .userInfo)
      userInfo = try reader.entries(in: entries, depth: 1)
    }
    requiredUserInfoKeys = try reader.words(
      in: container.decodeIfPresent([String].self, forKey: .requiredUserInfoKeys), path: path(.requiredUserInfoKeys))
    keywords =
      try reader.words(in: container.decodeIfPresent([String].self, forKey: .keywords), path: path(.keywords)) ?? []

    title = try container.decodeIfPresent(String.self, forKey: .title)
    targetContentIdentifier = try container.decodeIfPresent(String.self, forKey: .targetContentIdentifier)
    webpageURL = try container.decodeIfPresent(UserActivityURL.self, forKey: .webpageURL)?.url
    if webpageURL?.isWebPage == false {
      throw DecodingError.dataCorruptedError(
        forKey: .webpageURL, in: container, debugDescription: "not the URL of a web page (http or https)")
    }
    referrerURL = try container.decodeIfPresent(UserActivityURL.self, forKey: .referrerURL)?.url
    expirationDate = try container.decodeIfPresent(UserActivityDate.self, forKey: .expirationDate)?.date
    persistentIdentifier = try container.decodeIfPresent(String.self, forKey: .persistentIdentifier)
  }

  /// Writes the object described at `UTType.userActivity`.
  ///
  /// Properties that are `nil`, an empty ``userInfo`` and empty ``keywords`` are omitted.
  ///
  /// - Throws: `EncodingError` for an invalid activity type, a date out of range, or values beyond the limits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    func path(_ key: CodingKeys) -> [any CodingKey] { encoder.codingPath + [key] }
    if let fault = Self.fault(ofType: activityType) {
      throw EncodingError.invalidValue(
        activityType, .init(codingPath: path(.activityType), debugDescription: fault))
    }
    try checkLimits(path: path)

    try container.encode(Self.version, forKey: .version)
    try container.encode(activityType, forKey: .activityType)
    try container.encodeIfPresent(title, forKey: .title)
    if !userInfo.isEmpty {
      var entries = container.nestedContainer(keyedBy: UserActivityEntryKey.self, forKey: .userInfo)
      try UserActivityWriter.write(userInfo, to: &entries)
    }
    try container.encodeIfPresent(requiredUserInfoKeys?.sorted(), forKey: .requiredUserInfoKeys)
    try container.encodeIfPresent(targetContentIdentifier, forKey: .targetContentIdentifier)
    try container.encodeIfPresent(webpageURL.map(UserActivityURL.init), forKey: .webpageURL)
    try container.encodeIfPresent(referrerURL.map(UserActivityURL.init), forKey: .referrerURL)
    try container.encodeIfPresent(expirationDate.map(UserActivityDate.init), forKey: .expirationDate)
    if !keywords.isEmpty { try container.encode(keywords.sorted(), forKey: .keywords) }
    try container.encodeIfPresent(persistentIdentifier, forKey: .persistentIdentifier)
  }

  private func checkLimits(path: (CodingKeys) -> [any CodingKey]) throws {
    var limits = UserActivityLimits()
    for (name, value) in userInfo {
      try limits.spend(value, path: path(.userInfo) + [UserActivityEntryKey(stringValue: name)])
    }
    for (key, words) in [(CodingKeys.requiredUserInfoKeys, requiredUserInfoKeys ?? []), (.keywords, keywords)] {
      guard let excess = limits.spend(words.count, depth: 1) else { continue }
      throw EncodingError.invalidValue(words, .init(codingPath: path(key), debugDescription: excess))
    }
  }

  private static func fault(ofType type: String) -> String? {
    guard (1...maximumTypeLength).contains(type.utf8.count) else {
      return "an activity type must have 1 to \(maximumTypeLength) bytes"
    }
    let isPlain = type.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
      default: false
      }
    }
    return isPlain ? nil : "an activity type may contain only ASCII letters, digits, hyphens, underscores and periods"
  }
}

extension UserActivityValue: Codable {
  /// Reads an object whose key is the kind and whose value is the content: `{"uuid": "…"}`.
  ///
  /// - Throws: `DecodingError` with the coding path, also for a value beyond the limits of `UTType.userActivity`.
  public init(from decoder: any Decoder) throws {
    var reader = UserActivityReader()
    self = try reader.value(in: decoder.container(keyedBy: UserActivityReader.Kind.self), depth: 1)
  }

  /// Writes an object whose key is the kind and whose value is the content.
  ///
  /// - Throws: `EncodingError` for values beyond the limits and for a date out of range.
  public func encode(to encoder: any Encoder) throws {
    var limits = UserActivityLimits()
    try limits.spend(self, path: encoder.codingPath)
    var container = encoder.container(keyedBy: UserActivityReader.Kind.self)
    try UserActivityWriter.write(self, to: &container)
  }
}

/// The budget of values while an activity is read or written.
///
/// Writing has the same limits as reading, so a destination can read every activity that a source can write.
package struct UserActivityLimits {
  /// The maximum depth of nested values.
  ///
  /// The reader recurses, and unoptimized code may run on a thread with a stack of 512 KB.
  package static let maximumDepth = 64
  /// The maximum number of values at all depths, including keywords and required keys.
  static let maximumCount = 65_536

  private var countLeft = Self.maximumCount

  /// Deducts a number of values at a depth from the budget.
  ///
  /// - Returns: A description of the exceeded limit; `nil` if no limit is exceeded.
  mutating func spend(_ count: Int, depth: Int) -> String? {
    guard count > 0 else { return nil }
    guard depth <= Self.maximumDepth else { return "values nested more than \(Self.maximumDepth) deep" }
    guard count <= countLeft else { return "more than \(Self.maximumCount) values" }
    countLeft -= count
    return nil
  }

  /// Deducts a value that will be written, and its nested values, from the budget.
  ///
  /// - Throws: `EncodingError` if the value exceeds a limit.
  mutating func spend(_ value: UserActivityValue, path: [any CodingKey]) throws {
    guard let excess = spend(1, depth: 1) ?? spendContents(of: value, depth: 1) else { return }
    throw EncodingError.invalidValue(value, .init(codingPath: path, debugDescription: excess))
  }

  /// Deducts the nested values of a value from the budget, and checks that its dates can be encoded.
  ///
  /// The depth limit ends the recursion before the stack overflows.
  private mutating func spendContents(of value: UserActivityValue, depth: Int) -> String? {
    switch value {
    case .array(let values): spend(values, depth: depth + 1)
    // Encoders lose the path of nested containers, so a date is checked here, where the path is known.
    case .date(let date): UserActivityDate.fault(of: date)
    case .dictionary(let values): spend(values.values, depth: depth + 1)
    case .set(let values): spend(values, depth: depth + 1)
    default: nil
    }
  }

  private mutating func spend(_ values: some Collection<UserActivityValue>, depth: Int) -> String? {
    if let excess = spend(values.count, depth: depth) { return excess }
    for value in values {
      if let excess = spendContents(of: value, depth: depth) { return excess }
    }
    return nil
  }
}
