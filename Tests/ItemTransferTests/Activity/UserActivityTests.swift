// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// Activities as values, and their encoded form.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct UserActivityTests {
  @Test func activityIsOneJSONRepresentationBesideTheItem() {
    let provider = ItemProvider(Hero(name: "Ajax"))
    provider.register(UserActivity(activityType: "org.example.show-hero"))
    #expect(provider.contentTypes == [.hero, .heroList, .utf8PlainText, .userActivity])
    #expect(UTType.userActivity.conforms(to: .json) && UTType.userActivity.identifier == "org.dragpipe.user-activity")
  }

  @Test func encodedFormMatchesTheGoldenFile() async throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Golden/user-activity-1.json")
    let activity = try UserActivity.complete()
    if ProcessInfo.processInfo.environment["DRAGPIPE_WRITE_GOLDEN"] != nil {
      try await (activity.bytes() + Data("\n".utf8)).write(to: file)
    }
    let golden = try Data(contentsOf: file)
    #expect(try await activity.bytes() + Data("\n".utf8) == golden)
    #expect(try await UserActivity(bytes: golden) == activity)
  }

  @Test func randomActivitiesRoundTripAndEqualOnesHaveEqualBytes() async throws {
    var random = RandomActivities(generator: .announced("activities"))
    for _ in 0..<400 {
      let activity = random.activity()
      let bytes = try await activity.bytes()
      let received = try await UserActivity(bytes: bytes)
      // These sets and dictionaries were built in another order, so their order in memory differs.
      let rebuilt = try await received.rebuilt().bytes()
      if received != activity || received.hashValue != activity.hashValue || rebuilt != bytes {
        Issue.record("\(activity)")
      }
    }
  }

  @Test func nestedActivityHasTheSameForm() throws {
    struct Note: Codable, Equatable { var activities: [UserActivity] }
    let note = Note(activities: [try .complete(), UserActivity(activityType: UserActivity.browsingWebType)])
    let copies = [
      try JSONDecoder().decode(Note.self, from: JSONEncoder().encode(note)),
      try PropertyListDecoder().decode(Note.self, from: PropertyListEncoder().encode(note)),
    ]
    #expect(copies == [note, note])
  }

  @Test func addedEntriesReplaceEntriesWithTheSameKey() {
    var activity = UserActivity(activityType: "a", userInfo: ["kept": 1, "replaced": 2])
    activity.addUserInfoEntries(from: ["replaced": "new", "added": nil])
    #expect(activity.userInfo == ["kept": 1, "replaced": "new", "added": .null])
  }

  @Test func entriesThatAreNotRequiredAreSentUnlessTheSourceDropsThem() async throws {
    var activity = UserActivity(activityType: "a", userInfo: ["needed": 1, "nice": 2])
    #expect(activity.withRequiredUserInfoOnly() == activity)
    activity.requiredUserInfoKeys = ["needed", "absent"]
    #expect(try await UserActivity(bytes: activity.bytes()).userInfo.count == 2)
    #expect(activity.withRequiredUserInfoOnly().userInfo == ["needed": 1])
    activity.requiredUserInfoKeys = []
    #expect(activity.withRequiredUserInfoOnly().userInfo.isEmpty)
    #expect(try await UserActivity(bytes: activity.bytes()).requiredUserInfoKeys == [])
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct UserActivityValueTests {
  @Test func literalsCreateTheirKind() {
    for (literal, value) in [
      ("text", .string("text")), ("\(1)", .string("1")), (1, .integer(1)), (1.0, .double(1)), (true, .bool(true)),
      (nil, .null), ([1, "a"], .array([.integer(1), .string("a")])), (UserActivityValue(7), 7),
      (["a": 1, "a": 2], .dictionary(["a": .integer(2)])), (UserActivityValue("abc".dropFirst()), "bc"),
    ] as [(UserActivityValue, UserActivityValue)] {
      #expect(literal == value)
    }
  }

  @Test func valuesAreEqualByKindAndNumber() {
    let kinds: Set<UserActivityValue> = [1, 1.0, true, "1", [1], .set([1]), nil]
    #expect(kinds.count == 7)
    #expect(UserActivityValue.url(URL(fileURLWithPath: "/a")) != "file:///a")
    for (one, two, areEqual) in [
      (3, .unsignedInteger(3), true), (.unsignedInteger(3), 3, true), (.integer(-1), .unsignedInteger(.max), false),
      (.double(.nan), .double(-.nan), true), (.double(.nan), .double(.signalingNaN), true),
      (.double(0), .double(-0.0), false),
    ] as [(UserActivityValue, UserActivityValue, Bool)] {
      #expect((one == two) == areEqual && Set([one, two]).count == (areEqual ? 1 : 2), "\(one) \(two)")
    }
  }

  @Test func accessorsReturnOnlyTheirKindWithoutLoss() {
    let (uuid, url, date) = (UUID(), URL(fileURLWithPath: "/a"), Date(timeIntervalSinceReferenceDate: 1))
    /// The results of all accessors but those for numbers.
    func contents(_ value: UserActivityValue) -> [AnyHashable?] {
      [
        value.arrayValue, value.boolValue, value.dataValue, value.dateValue, value.dictionaryValue, value.setValue,
        value.stringValue, value.urlValue, value.uuidValue, value.isNull ? true : nil,
      ]
    }
    let values: [(UserActivityValue, AnyHashable)] = [
      ([1], [1] as [UserActivityValue]), (true, true), (.data(Data([1])), Data([1])), (.date(date), date),
      (["a": 1], ["a": 1] as [String: UserActivityValue]), (.set([1]), [1] as Set<UserActivityValue>), ("a", "a"),
      (.url(url), url), (.uuid(uuid), uuid), (nil, true),
    ]
    for (index, (value, content)) in values.enumerated() {
      var expected = [AnyHashable?](repeating: nil, count: values.count)
      expected[index] = content
      #expect(contents(value) == expected)
      #expect(value.doubleValue == nil && value.intValue == nil)
    }
    for (value, integer, double) in [
      (1, 1, 1), (1.5, nil, 1.5), (1.0, nil, 1), (.unsignedInteger(2), 2, 2), (.integer(.max), .max, nil),
      (.unsignedInteger(.max), nil, nil),
    ] as [(UserActivityValue, Int?, Double?)] {
      #expect(value.intValue == integer && value.doubleValue == double, "\(value)")
      #expect(contents(value).allSatisfy { $0 == nil })
    }
    #expect((300 as UserActivityValue).integerValue(as: UInt8.self) == nil)
    #expect(UserActivityValue.unsignedInteger(.max).integerValue(as: UInt64.self) == .max)
  }

  @Test func setsAreSortedByKindAndContent() throws {
    let ordered: [UserActivityValue] = [
      nil, false, true, .integer(.min), -1, 0, 2, 10, .unsignedInteger(.max), .double(-.infinity), -2.5, -0.0, 0.0, 1.0,
      .double(.infinity), .double(.nan), "", "A", "a", "a\0", "aa", .data(Data()), .data(Data([0])),
      .data(Data([0, 0])), .data(Data([1])), [], [nil], ["a"], ["a", "b"], ["b"], .set([]), .set(["a", "b"]),
      .set(["b"]), [:], ["a": 1], ["a": 2], ["b": 1],
    ]
    guard case .list(.set, let written) = OrderedActivityValue(.set(Set(ordered)), inSet: false).content,
      case .list(.set, let wrapped) = OrderedActivityValue(.set(Set(ordered.map { [$0] })), inSet: false).content
    else { throw Failure(reason: "no set") }
    #expect(written.map(\.key) == ordered.map { OrderedActivityValue($0, inSet: true).key })
    #expect(Set(written.map(\.key)).count == ordered.count && Set(wrapped.map(\.key)).count == ordered.count)
  }

  @Test func longTextsWithACommonPrefixAreSorted() throws {
    let beginning = String(repeating: "a", count: 1000)
    let texts: Set<UserActivityValue> = Set((0..<200).map { .set([.string("\(beginning)\($0)"), nil]) })
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let bytes = try encoder.encode(UserActivityValue.set(texts))
    for capacity in [200, 1000, 5000] {
      var others = Set<UserActivityValue>(minimumCapacity: capacity)
      for text in texts.reversed() { others.insert(text) }
      #expect(try encoder.encode(UserActivityValue.set(others)) == bytes)
    }
  }

  @Test func valueAloneHasTheSameFormAsInAnActivity() throws {
    let value: UserActivityValue = ["a": [1, 1.0, true, nil, .unsignedInteger(.max)]]
    let data = try JSONEncoder().encode(value)
    let json =
      #"{"dictionary":{"a":{"array":[{"integer":1},{"double":1},{"bool":true},{"null":null},"#
      + #"{"integer":18446744073709551615}]}}}"#
    #expect(String(decoding: data, as: UTF8.self) == json)
    #expect(try JSONDecoder().decode(UserActivityValue.self, from: data) == value)
  }
}
