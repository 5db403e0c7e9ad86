// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// Activities as values, and their encoded form.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct UserActivityTests {
  @Test func activityRoundTrips() async throws {
    let activity = try UserActivity.complete()
    #expect(try await ItemProvider(activity).value(as: UserActivity.self) == activity)
    let least = UserActivity(activityType: "a")
    #expect(try await ItemProvider(least).value(as: UserActivity.self) == least)
  }

  @Test func activityIsOneJSONRepresentationBesideTheItem() {
    let provider = ItemProvider(Hero(name: "Ajax"))
    provider.register(UserActivity(activityType: "org.example.show-hero"))
    #expect(provider.contentTypes == [.hero, .heroList, .utf8PlainText, .userActivity])
    #expect(UTType.userActivity.conforms(to: .json))
    #expect(UTType.userActivity.identifier == "org.dragpipe.user-activity")
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

  @Test func documentedExampleRoundTrips() async throws {
    let json = """
      {"version":1,"activityType":"org.example.show-hero","title":"Ajax",
       "userInfo":{"heroID":{"integer":7},"powers":{"array":[{"string":"strength"}]}},
       "requiredUserInfoKeys":["heroID"],"targetContentIdentifier":"hero/7","webpageURL":"https://example.org/7",
       "referrerURL":"https://example.org","expirationDate":817000000.5,"keywords":["hero"],"persistentIdentifier":"7"}
      """
    let activity = try await UserActivity(bytes: Data(json.utf8))
    #expect(activity.userInfo == ["heroID": 7, "powers": ["strength"]])
    #expect(activity.requiredUserInfoKeys == ["heroID"])
    #expect(activity.expirationDate == Date(timeIntervalSinceReferenceDate: 817_000_000.5))
    #expect(activity.webpageURL?.absoluteString == "https://example.org/7")
    #expect(activity.persistentIdentifier == "7")
    #expect(try await UserActivity(bytes: activity.bytes()) == activity)
  }

  @Test func randomActivitiesRoundTripAndEqualOnesHaveEqualBytes() async throws {
    var random = RandomActivities(generator: .announced("activities"))
    for _ in 0..<400 {
      let activity = random.activity()
      let bytes = try await activity.bytes()
      let received = try await UserActivity(bytes: bytes)
      #expect(received == activity)
      #expect(received.hashValue == activity.hashValue)
      // These sets and dictionaries were built in another order, so their order in memory differs.
      #expect(try await received.rebuilt().bytes() == bytes)
    }
  }

  @Test func nestedActivityHasTheSameForm() throws {
    struct Note: Codable, Equatable { var activities: [UserActivity] }
    let note = Note(activities: [try .complete(), UserActivity(activityType: "a")])
    #expect(try JSONDecoder().decode(Note.self, from: JSONEncoder().encode(note)) == note)
    let list = try PropertyListEncoder().encode(note)
    #expect(try PropertyListDecoder().decode(Note.self, from: list) == note)
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

  @Test func webPageMayUseApplesActivityType() async throws {
    let activity = UserActivity(activityType: UserActivity.browsingWebType)
    #expect(try await UserActivity(bytes: activity.bytes()) == activity)
  }
}

extension UserActivity {
  /// Returns an equal activity that was built in a different order.
  fileprivate func rebuilt() -> UserActivity {
    var activity = self
    activity.userInfo = [:]
    for (key, value) in userInfo.sorted(by: { $0.key > $1.key }) { activity.userInfo[key] = value.rebuilt() }
    activity.keywords = Set(keywords.sorted().reversed())
    return activity
  }
}

extension UserActivityValue {
  fileprivate func rebuilt() -> UserActivityValue {
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
