// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Writes the values of an activity; what it writes ``UserActivityReader`` reads.
///
/// Recursion is bounded by ``UserActivityLimits``, which the value has passed before.
enum UserActivityWriter {
  typealias Container = KeyedEncodingContainer<UserActivityReader.Kind>

  /// The numbers that JSON does not have.
  static let nonFinite: [(text: String, number: Double)] = [
    ("nan", .nan), ("infinity", .infinity), ("-infinity", -.infinity),
  ]

  /// Writes in the order of the keys, for coders that keep the order they are given.
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
