// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemProviderCompat
import ItemTransfer
import TestSupport
import Testing

/// Activities of Apple's class, encoded and decoded.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct UserActivityTests {
  @Test func roundTripsAllMembers() async throws {
    let activity = NSUserActivity(activityType: "org.example.show-hero")
    let uuid = UUID()
    let date = Date(timeIntervalSinceReferenceDate: 817_000_000.5)
    let address = try #require(URL(string: "https://example.org/7"))
    activity.title = "Ajax"
    activity.userInfo = ["heroID": 7, "isFavourite": true, "height": 1.75, "nothing": NSNull()]
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
    #expect(other.activityType == "org.example.show-hero")
    #expect(other.title == "Ajax")
    #expect(other.userInfo?["heroID"] as? Int == 7)
    #expect(other.userInfo?["isFavourite"] as? Bool == true)
    #expect(other.userInfo?["height"] as? Double == 1.75)
    #expect(other.userInfo?["nothing"] is NSNull)
    #expect(other.userInfo?["id"] as? UUID == uuid)
    #expect(other.userInfo?["born"] as? Date == date)
    #expect(other.userInfo?["page"] as? URL == address)
    #expect(other.userInfo?["bytes"] as? Data == Data([1, 2]))
    let powers = try #require(other.userInfo?["powers"] as? [Any])
    #expect(powers.first as? String == "strength")
    #expect(powers.last as? Int == 3)
    #expect(other.userInfo?["titles"] as? Set<AnyHashable> == ["king"])
    #expect((other.userInfo?["more"] as? [String: Any])?["largest"] as? UInt64 == .max)
    #expect(other.requiredUserInfoKeys == ["heroID"])
    #expect(other.targetContentIdentifier == "hero/7")
    #expect(other.webpageURL == address)
    #expect(other.keywords == ["hero"])
    #expect(other.expirationDate == .distantFuture)
    #expect(try other.userActivity() == activity.userActivity())
  }

  @Test func reportsPathOfInvalidEntry() throws {
    final class Secret {}
    let activity = NSUserActivity(activityType: "org.example.show-hero")
    activity.userInfo = ["deep": ["list": [1, Secret()] as [Any]]]
    do {
      _ = try activity.userActivity()
      Issue.record("it went")
    } catch let error as NSUserActivity.UnusableEntry {
      #expect(error.path == "userInfo.deep.list[1]")
      #expect(error.type == "Secret")
    }
    activity.userInfo = [7: "seven"]
    #expect(throws: NSUserActivity.UnusableEntry.self) { try activity.userActivity() }
  }

  @Test func delegateUpdatesActivityBeforeSending() throws {
    final class Owner: NSUserActivityDelegate {
      func userActivityWillSave(_ userActivity: NSUserActivity) {
        userActivity.addUserInfoEntries(from: ["step": 2])
      }
    }
    let owner = Owner()
    let activity = NSUserActivity(activityType: "org.example.show-hero")
    activity.delegate = owner
    #expect(try activity.userActivity().userInfo.isEmpty)
    activity.needsSave = true
    #expect(try activity.userActivity().userInfo == ["step": 2])
    #expect(!activity.needsSave)
  }

  @Test func numbersConvertAndSetsKeepCollections() async throws {
    let activity = NSUserActivity(activityType: "org.example.numbers")
    activity.userInfo = [
      "float": Float(1.5), "unsigned": UInt(7), "small": Int8(-3), "width": CGFloat(2.5), "whole": 5,
      "set": NSSet(array: ["z", [1, 2], ["key": "value"], NSNull()]),
    ]
    let other = NSUserActivity(try activity.userActivity())
    #expect(other.userInfo?["float"] as? Float == 1.5)
    #expect(other.userInfo?["unsigned"] as? UInt == 7)
    #expect(other.userInfo?["small"] as? Int8 == -3)
    #expect(other.userInfo?["width"] as? Double == 2.5)
    #expect(other.userInfo?["whole"] as? Double == 5)
    #expect((other.userInfo?["set"] as? Set<AnyHashable>)?.count == 4)
    #expect(try other.userActivity() == activity.userActivity())
  }

  @Test func rejectsTooDeepNestingQuickly() throws {
    let activity = NSUserActivity(activityType: "org.example.deep")
    func nested(_ depth: Int) -> Any { (1..<depth).reduce([1] as Any) { inner, _ in [inner] } }
    // The limit is 64 levels. The user info itself is a level, but the innermost number is not.
    activity.userInfo = ["deep": nested(63)]
    let deepest = try activity.userActivity()
    #expect(try deepest.coded().isEmpty == false)
    activity.userInfo = ["deep": nested(64)]
    #expect(throws: NSUserActivity.UnusableEntry.self) { try activity.userActivity() }
    activity.userInfo = ["deep": nested(2000)]
    #expect(throws: NSUserActivity.UnusableEntry.self) { try activity.userActivity() }
  }

  @Test func releasedValueMayAccessActivity() {
    final class Witness {
      let activity: NSUserActivity
      init(_ activity: NSUserActivity) { self.activity = activity }
      deinit { _ = activity.title }
    }
    let activity = NSUserActivity(activityType: "org.example.witness")
    activity.userInfo = ["witness": Witness(activity)]
    activity.userInfo = nil
    #expect(activity.userInfo == nil)
  }

  @Test func delegateIsCalledOnceForConcurrentLoads() async throws {
    final class Owner: NSUserActivityDelegate, Sendable {
      let count = Counter()
      func userActivityWillSave(_ userActivity: NSUserActivity) { _ = count.next() }
    }
    let owner = Owner()
    for round in 1...20 {
      let activity = NSUserActivity(activityType: "org.example.show-hero")
      activity.delegate = owner
      activity.needsSave = true
      let provider = NSItemProvider(object: activity)
      async let one = provider.loadDataRepresentation(forTypeIdentifier: "org.dragpipe.user-activity")
      async let two = provider.loadDataRepresentation(forTypeIdentifier: "org.dragpipe.user-activity")
      _ = try await (one, two)
      #expect(owner.count.value == round)
    }
  }

  @Test func loadReportsPathOfInvalidEntry() async throws {
    let activity = NSUserActivity(activityType: "org.example.show-hero")
    activity.userInfo = ["thread": Thread()]
    do {
      _ = try await NSItemProvider(object: activity).loadObject(ofClass: NSUserActivity.self)
      Issue.record("it went")
    } catch let error as NSError {
      let reason = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
      #expect(reason.localizedDescription.contains("userInfo.thread"))
      #expect(reason.userInfo[NSItemProvider.swiftErrorKey] is NSUserActivity.UnusableEntry)
    }
  }

  @Test func unsupportedMembersAreStoredOrReportError() async throws {
    let activity = NSUserActivity(activityType: NSUserActivityTypeBrowsingWeb)
    #expect(activity.isEligibleForHandoff)
    for (isEligible, path) in [
      (true, \NSUserActivity.isEligibleForSearch), (true, \.isEligibleForPublicIndexing),
      (true, \.isEligibleForPrediction),
      (false, \.isEligibleForHandoff), (true, \.supportsContinuationStreams),
    ] {
      activity[keyPath: path] = isEligible
      #expect(activity[keyPath: path] == isEligible)
    }
    activity.becomeCurrent()
    activity.resignCurrent()
    activity.invalidate()
    let error: NSError? = await withCheckedContinuation { continuation in
      activity.getContinuationStreams { _, _, error in continuation.resume(returning: error as NSError?) }
    }
    #expect(error?.code == CocoaError.featureUnsupported.rawValue)
    await withCheckedContinuation { continuation in
      NSUserActivity.deleteAllSavedUserActivities { continuation.resume() }
    }
  }
}
