// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing

extension UserActivity {
  /// Returns an activity with a value of every kind and with every property.
  static func complete() throws -> UserActivity {
    let page = try #require(URL(string: "https://example.org/heroes/7?from=board#powers"))
    let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    var activity = UserActivity(
      activityType: "org.example.show-hero", title: "Ajax / Αἴας", targetContentIdentifier: "hero/7")
    activity.userInfo = [
      "array": ["strength", 1, nil], "bool": true, "data": .data(Data([0, 1, 0xFE, 0xFF])),
      "date": .date(Date(timeIntervalSinceReferenceDate: 785_962_571.123456)),
      "dictionary": ["": "an empty key", "a\"b\n": "escapes"], "double": 0.1, "doubleMinusZero": -0.0,
      "doubleNaN": .double(.nan), "doubleNegativeInfinity": .double(-.infinity), "doubleOne": 1.0, "integer": 7,
      "integerMaximum": .unsignedInteger(.max), "integerMinimum": .integer(.min), "null": nil,
      "set": .set(["b", "a", 2, 10, -1, 1.0, false, true, nil, ["a"], .set(["y", "x"]), ["k": "v"], .uuid(uuid)]),
      "string": "text", "url": .url(page), "uuid": .uuid(uuid),
    ]
    activity.requiredUserInfoKeys = ["uuid", "integer"]
    activity.webpageURL = page
    activity.referrerURL = URL(string: "https://example.org")
    activity.expirationDate = Date(timeIntervalSinceReferenceDate: 817_000_000.5)
    activity.keywords = ["iliad", "Salamis", "hero"]
    activity.persistentIdentifier = "hero-7"
    return activity
  }

  /// Returns the encoded form.
  func bytes() async throws -> Data {
    try await ItemProvider(self).data(for: .userActivity)
  }

  /// Decodes an activity.
  init(bytes: Data) async throws {
    let provider = ItemProvider()
    provider.register(.userActivity) { _ in bytes }
    self = try await provider.value()
  }

  /// Decodes an activity whose `userInfo` is the given JSON.
  init(userInfoJSON json: String) async throws {
    self = try await UserActivity(bytes: Data(#"{"version":1,"activityType":"a","userInfo":\#(json)}"#.utf8))
  }
}

/// A generator of random activities with values of all kinds, within the limits.
struct RandomActivities {
  var generator: SeededGenerator

  mutating func activity() -> UserActivity {
    var activity = UserActivity(activityType: "org.example.random-\(Int.random(in: 0...9, using: &generator))")
    if chance() { activity.title = text() }
    for _ in 0..<Int.random(in: 0...6, using: &generator) { activity.userInfo[text()] = value(depth: 1) }
    if chance() { activity.requiredUserInfoKeys = Set(activity.userInfo.keys.prefix(2)) }
    if chance() { activity.targetContentIdentifier = text() }
    if chance() { activity.webpageURL = URL(string: "https://example.org/a%20b?c=d#e") }
    if chance() { activity.referrerURL = url() }
    if chance() { activity.expirationDate = date() }
    if chance() { activity.keywords = [text(), text(), text()] }
    if chance() { activity.persistentIdentifier = text() }
    return activity
  }

  mutating func value(depth: Int) -> UserActivityValue {
    let isLeaf = depth >= 5
    let count = Int.random(in: 0...4, using: &generator)
    switch Int.random(in: 0...(isLeaf ? 9 : 12), using: &generator) {
    case 0: return .null
    case 1: return .bool(chance())
    case 2: return .integer(Int64.random(in: .min...(.max), using: &generator))
    case 3: return .integer(Int64.random(in: -3...3, using: &generator))
    case 4: return .unsignedInteger(chance() ? UInt64.random(in: 0...(.max), using: &generator) : 3)
    case 5: return .double(double())
    case 6: return .date(date())
    case 7: return .string(text())
    case 8: return .url(url())
    case 9:
      return chance()
        ? .uuid(uuid()) : .data(Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    case 10: return .array((0..<count).map { _ in value(depth: depth + 1) })
    case 11: return .set(Set((0..<count).map { _ in value(depth: depth + 1) }))
    default:
      return .dictionary(Dictionary((0..<count).map { _ in (text(), value(depth: depth + 1)) }) { first, _ in first })
    }
  }

  private mutating func chance() -> Bool { Bool.random(using: &generator) }

  private mutating func double() -> Double {
    let special: [Double] = [0, -0.0, 1, -1, 0.1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1e300]
    // Uses any bit pattern, including NaN with a payload.
    return chance()
      ? Double(bitPattern: generator.next()) : special[Int.random(in: 0..<special.count, using: &generator)]
  }

  private mutating func date() -> Date {
    let range = Date.distantPast.timeIntervalSinceReferenceDate...Date.distantFuture.timeIntervalSinceReferenceDate
    return Date(timeIntervalSinceReferenceDate: chance() ? Double.random(in: range, using: &generator) : -0.0)
  }

  private mutating func text() -> String {
    let scalars: [Unicode.Scalar] = ["a", "b", "B", "/", "\"", "\\", "\0", "\u{1F}", "é", "😀", "\u{2028}", "\u{FEFF}"]
    let length = Int.random(in: 0...5, using: &generator)
    return String(
      String.UnicodeScalarView((0..<length).map { _ in scalars[Int.random(in: 0..<scalars.count, using: &generator)] }))
  }

  private mutating func url() -> URL {
    let urls = ["https://example.org/a%20b?c=d#e", "mailto:ajax@example.org", "urn:isbn:0", "http://[::1]:80/"]
    let url = URL(string: urls[Int.random(in: 0..<urls.count, using: &generator)])
    return url ?? URL(fileURLWithPath: "/a b/\(Int.random(in: 0...9, using: &generator))")
  }

  private mutating func uuid() -> UUID {
    let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

extension UserActivity {
  /// Returns an equal activity that was built in a different order.
  func rebuilt() -> UserActivity {
    var activity = self
    activity.userInfo = [:]
    for (key, value) in userInfo.sorted(by: { $0.key > $1.key }) { activity.userInfo[key] = value.rebuilt() }
    activity.keywords = Set(keywords.sorted().reversed())
    return activity
  }
}

extension UserActivityValue {
  func rebuilt() -> UserActivityValue {
    switch self {
    case .array(let values): return .array(values.map { $0.rebuilt() })
    case .set(let values):
      var set = Set<UserActivityValue>(minimumCapacity: values.count * 4 + 7)
      for value in values.reversed() { set.insert(value.rebuilt()) }
      return .set(set)
    case .dictionary(let values):
      var dictionary = [String: UserActivityValue](minimumCapacity: values.count * 4 + 7)
      for (key, value) in values.reversed() { dictionary[key] = value.rebuilt() }
      return .dictionary(dictionary)
    case .integer(let number) where number >= 0: return .unsignedInteger(UInt64(number))
    case .date(let date) where date.timeIntervalSinceReferenceDate == 0:
      return .date(Date(timeIntervalSinceReferenceDate: 0))
    case .double(let number) where number.isNaN: return .double(-Double.nan)
    default: return self
    }
  }
}
