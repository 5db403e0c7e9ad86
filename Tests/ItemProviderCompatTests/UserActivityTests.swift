// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemProviderCompat
import ItemTransfer
import TestSupport
import Testing

/// Activities of Apple's class, encoded and decoded.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct UserActivityTests {
  private func activity(_ userInfo: [AnyHashable: Any]? = nil) -> NSUserActivity {
    let activity = NSUserActivity(activityType: "org.example.show-hero")
    activity.userInfo = userInfo
    return activity
  }

  @Test func roundTripsAllMembers() async throws {
    let uuid = UUID()
    let date = Date(timeIntervalSinceReferenceDate: 817_000_000.5)
    let address = try #require(URL(string: "https://example.org/7"))
    let activity = activity(["heroID": 7, "isFavourite": true, "height": 1.75, "nothing": NSNull()])
    activity.title = "Ajax"
    activity.addUserInfoEntries(from: [
      "id": uuid, "born": date, "page": address, "bytes": Data([1, 2]), "powers": ["strength", 3] as [Any],
      "titles": Set(["king"]), "more": ["largest": UInt64.max] as [AnyHashable: Any],
    ])
    activity.requiredUserInfoKeys = ["heroID"]
    activity.targetContentIdentifier = "hero/7"
    activity.webpageURL = address
    activity.keywords = ["hero"]
    let provider = NSItemProvider()
    provider.registerObject(activity, visibility: .all)
    let other = try await provider.loadObject(ofClass: NSUserActivity.self)

    var expected = UserActivity(
      activityType: "org.example.show-hero", title: "Ajax", targetContentIdentifier: "hero/7")
    expected.userInfo = [
      "heroID": 7, "isFavourite": true, "height": 1.75, "nothing": nil, "id": .uuid(uuid), "born": .date(date),
      "page": .url(address), "bytes": .data(Data([1, 2])), "powers": ["strength", 3], "titles": .set(["king"]),
      "more": ["largest": .unsignedInteger(.max)],
    ]
    expected.requiredUserInfoKeys = ["heroID"]
    expected.webpageURL = address
    expected.keywords = ["hero"]
    #expect(try [activity, other].map { try $0.userActivity() } == [expected, expected])
    let found = try #require(other.userInfo)
    let isFound: [Bool] = [
      found["heroID"] as? Int == 7, found["isFavourite"] as? Bool == true, found["height"] as? Double == 1.75,
      found["nothing"] is NSNull, found["id"] as? UUID == uuid, found["born"] as? Date == date,
      found["page"] as? URL == address, found["bytes"] as? Data == Data([1, 2]),
      (found["powers"] as? [Any])?.first as? String == "strength", (found["powers"] as? [Any])?.last as? Int == 3,
      found["titles"] as? Set<AnyHashable> == ["king"],
      (found["more"] as? [String: Any])?["largest"] as? UInt64 == .max, other.expirationDate == .distantFuture,
    ]
    #expect(isFound == Array(repeating: true, count: isFound.count))
  }

  @Test func onlyWebPagesAreTakenAsWebpageURL() throws {
    let activity = activity([:])
    let page = try #require(URL(string: "HTTPS://example.org/7"))
    activity.webpageURL = page
    for refused in ["file:///etc/passwd", "mailto:ajax@example.org", "saga"] {
      let url = try #require(URL(string: refused))
      activity.webpageURL = url
      #expect(activity.webpageURL == page)
    }
    activity.webpageURL = nil
    #expect(activity.webpageURL == nil)
  }

  @Test func numbersConvertAndSetsKeepCollections() throws {
    let activity = activity([
      "float": Float(1.5), "unsigned": UInt(7), "small": Int8(-3), "width": CGFloat(2.5), "whole": 5,
      "set": NSSet(array: ["z", [1, 2], ["key": "value"], NSNull()]),
    ])
    let other = NSUserActivity(try activity.userActivity())
    let found = try #require(other.userInfo)
    #expect((found["float"] as? Float, found["unsigned"] as? UInt, found["small"] as? Int8) == (1.5, 7, -3))
    #expect([found["width"], found["whole"]].map { $0 as? Double } == [2.5, 5])
    #expect((found["set"] as? Set<AnyHashable>)?.count == 4)
    #expect(try other.userActivity() == activity.userActivity())
  }

  @Test func reportsPathOfInvalidEntry() async throws {
    final class Secret {}
    let error = #expect(throws: NSUserActivity.UnusableEntry.self) {
      try activity(["deep": ["list": [1, Secret()] as [Any]]]).userActivity()
    }
    #expect(error?.path == "userInfo.deep.list[1]" && error?.type == "Secret")
    #expect(throws: NSUserActivity.UnusableEntry.self) { try activity([7: "seven"]).userActivity() }

    let provider = NSItemProvider(object: activity(["thread": Thread()]))
    let loading = try await requireItemError(.itemUnavailableError) {
      try await provider.loadObject(ofClass: NSUserActivity.self)
    }
    let reason = try #require(loading.userInfo[NSUnderlyingErrorKey] as? NSError)
    let isTyped = reason.userInfo[NSItemProvider.swiftErrorKey] is NSUserActivity.UnusableEntry
    #expect(isTyped && reason.localizedDescription.contains("userInfo.thread"))
  }

  @Test func rejectsTooDeepNestingQuickly() throws {
    func nested(_ depth: Int) -> NSUserActivity {
      activity(["deep": (1..<depth).reduce([1] as Any) { inner, _ in [inner] }])
    }
    // The limit is 64 levels. The user info itself is a level, but the innermost number is not.
    #expect(try nested(63).userActivity().coded().isEmpty == false)
    for depth in [64, 2000] {
      #expect(throws: NSUserActivity.UnusableEntry.self) { try nested(depth).userActivity() }
    }
  }

  @Test func delegateUpdatesActivityBeforeSendingOnceForConcurrentLoads() async throws {
    final class Owner: NSUserActivityDelegate, Sendable {
      let count = Counter()
      func userActivityWillSave(_ userActivity: NSUserActivity) {
        userActivity.addUserInfoEntries(from: ["step": count.next()])
      }
    }
    let owner = Owner()
    let activity = activity()
    activity.delegate = owner
    #expect(try activity.userActivity().userInfo.isEmpty)
    for round in 1...20 {
      activity.needsSave = true
      let provider = NSItemProvider(object: activity)
      async let one = provider.loadDataRepresentation(forTypeIdentifier: "org.dragpipe.user-activity")
      async let two = provider.loadDataRepresentation(forTypeIdentifier: "org.dragpipe.user-activity")
      _ = try await (one, two)
      #expect(owner.count.value == round && !activity.needsSave)
      #expect(try activity.userActivity().userInfo == ["step": .integer(Int64(round))])
    }
  }

  @Test func releasedValueMayAccessActivity() {
    final class Witness {
      let activity: NSUserActivity
      init(_ activity: NSUserActivity) { self.activity = activity }
      deinit { _ = activity.title }
    }
    let activity = activity()
    activity.userInfo = ["witness": Witness(activity)]
    activity.userInfo = nil
    #expect(activity.userInfo == nil)
  }
}
