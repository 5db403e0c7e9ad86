// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Functions that write the values of an activity in the form that ``UserActivityReader`` reads.
///
/// Recursion is bounded: the caller applies ``UserActivityLimits`` to the value first.
enum UserActivityWriter {
  typealias Container = KeyedEncodingContainer<UserActivityReader.Kind>

  /// The numbers that JSON cannot represent, and the strings that replace them.
  static let nonFinite: [(text: String, number: Double)] = [
    ("nan", .nan), ("infinity", .infinity), ("-infinity", -.infinity),
  ]

  /// Writes entries in the order of their keys, for coders that preserve the order.
  static func write(
    _ entries: [String: UserActivityValue], to container: inout KeyedEncodingContainer<UserActivityEntryKey>
  ) throws {
    try write(OrderedActivityValue.entries(entries, inSet: false), to: &container)
  }

  static func write(_ value: UserActivityValue, to container: inout Container) throws {
    try write(OrderedActivityValue(value, inSet: false), to: &container)
  }

  private static func write(
    _ entries: [OrderedActivityValue.Entry], to container: inout KeyedEncodingContainer<UserActivityEntryKey>
  ) throws {
    for (name, value) in entries {
      let key = UserActivityEntryKey(stringValue: name)
      var nested = container.nestedContainer(keyedBy: UserActivityReader.Kind.self, forKey: key)
      try write(value, to: &nested)
    }
  }

  private static func write(_ value: OrderedActivityValue, to container: inout Container) throws {
    switch value.content {
    case .single(let single): try writeSingle(single, to: &container)
    case .list(let kind, let values):
      var list = container.nestedUnkeyedContainer(forKey: kind)
      for value in values {
        var nested = list.nestedContainer(keyedBy: UserActivityReader.Kind.self)
        try write(value, to: &nested)
      }
    case .entries(let entries):
      var nested = container.nestedContainer(keyedBy: UserActivityEntryKey.self, forKey: .dictionary)
      try write(entries, to: &nested)
    }
  }

  private static func writeSingle(_ value: UserActivityValue, to container: inout Container) throws {
    switch value {
    case .array, .dictionary, .set: break
    case .bool(let flag): try container.encode(flag, forKey: .bool)
    case .data(let data): try container.encode(data, forKey: .data)
    case .date(let date): try container.encode(UserActivityDate(date: date), forKey: .date)
    case .double(let number):
      if number.isFinite {
        try container.encode(number, forKey: .double)
      } else {
        let text = number.isNaN ? "nan" : number < 0 ? "-infinity" : "infinity"
        try container.encode(text, forKey: .double)
      }
    case .integer(let number): try container.encode(number, forKey: .integer)
    case .null: try container.encodeNil(forKey: .null)
    case .string(let text): try container.encode(text, forKey: .string)
    case .unsignedInteger(let number): try container.encode(number, forKey: .integer)
    case .url(let url): try container.encode(UserActivityURL(url: url), forKey: .url)
    case .uuid(let uuid): try container.encode(uuid, forKey: .uuid)
    }
  }
}

/// A value with a canonical order of its sets and dictionaries, so that equal values have equal bytes.
///
/// Each value in a set has a sort key of bytes, created once from the keys of its contents. Comparing values instead
/// would sort nested sets again for each comparison. Recursion is bounded by ``UserActivityLimits``.
struct OrderedActivityValue {
  typealias Entry = (name: String, value: OrderedActivityValue)

  enum Content {
    /// A value that is not an array, a set or a dictionary.
    case single(UserActivityValue)
    case list(UserActivityReader.Kind, [OrderedActivityValue])
    case entries([Entry])
  }

  /// The maximum length of a sort key without a digest, in bytes.
  ///
  /// In a longer key, a digest replaces the rest: a long string in nested sets would otherwise be copied for each set.
  private static let maximumKeyLength = 256

  let content: Content
  /// The sort key: the rank of the kind, then the content or the keys of the elements.
  ///
  /// Empty outside sets.
  private(set) var key: [UInt8] = []

  init(_ value: UserActivityValue, inSet: Bool) {
    switch value {
    case .array(let values): content = .list(.array, values.map { OrderedActivityValue($0, inSet: inSet) })
    case .set(let values):
      let elements = values.map { OrderedActivityValue($0, inSet: true) }
      content = .list(.set, elements.sorted { $0.key.lexicographicallyPrecedes($1.key) })
    case .dictionary(let values): content = .entries(Self.entries(values, inSet: inSet))
    default: content = .single(value)
    }
    if inSet { key = makeKey(rank: value.rank) }
  }

  static func entries(_ values: [String: UserActivityValue], inSet: Bool) -> [Entry] {
    values.sorted { $0.key < $1.key }.map { ($0.key, OrderedActivityValue($0.value, inSet: inSet)) }
  }

  /// Every key starts with a rank, which is never zero, so that a zero can end a list of keys.
  private func makeKey(rank: UInt8) -> [UInt8] {
    var key = [rank]
    switch content {
    case .single(let value): value.appendContent(to: &key)
    case .list(_, let values):
      for value in values { key += value.key }
      key.append(0)
    case .entries(let entries):
      for (name, value) in entries {
        key.append(1)
        key.appendEnded(name.utf8)
        key += value.key
      }
      key.append(0)
    }
    guard key.count > Self.maximumKeyLength else { return key }
    // If two digests collide, the order of the two values is undefined. Nothing else depends on the digests.
    return key.prefix(Self.maximumKeyLength) + key.digest
  }
}

extension UserActivityValue {
  /// The order of the kinds; both kinds of integers have the same rank.
  var rank: UInt8 {
    switch self {
    case .null: 1
    case .bool: 2
    case .integer, .unsignedInteger: 3
    case .double: 4
    case .date: 5
    case .string: 6
    case .url: 7
    case .uuid: 8
    case .data: 9
    case .array: 10
    case .set: 11
    case .dictionary: 12
    }
  }

  fileprivate func appendContent(to key: inout [UInt8]) {
    switch self {
    case .null, .array, .set, .dictionary: break
    case .bool(let flag): key.append(flag ? 1 : 0)
    case .integer(let number):
      key.append(number < 0 ? 0 : 1)
      key.appendBytes(of: UInt64(bitPattern: number))
    case .unsignedInteger(let number):
      key.append(1)
      key.appendBytes(of: number)
    case .double(let number): key.appendBytes(of: number.orderedBits)
    case .date(let date): key.appendBytes(of: (date.timeIntervalSinceReferenceDate + 0).orderedBits)
    case .string(let text): key.appendEnded(text.utf8)
    case .url(let url): key.appendEnded(url.absoluteString.utf8)
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { key.append(contentsOf: $0) }
    case .data(let data): key.appendEnded(data)
    }
  }
}

extension Double {
  /// Bits that sort like the numbers: negative numbers are inverted and sort first.
  fileprivate var orderedBits: UInt64 {
    written >> 63 == 0 ? written | 1 << 63 : ~written
  }
}

extension [UInt8] {
  /// An FNV-1a hash, which is the same in every process.
  ///
  /// Swift's hashes are seeded.
  fileprivate var digest: [UInt8] {
    var digest: [UInt8] = []
    digest.appendBytes(of: reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 })
    return digest
  }

  fileprivate mutating func appendBytes(of number: UInt64) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }

  /// Appends bytes with an unambiguous end: a zero ends them, and 0xFF follows each zero inside them.
  fileprivate mutating func appendEnded(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      append(byte)
      if byte == 0 { append(0xFF) }
    }
    append(0)
  }
}
