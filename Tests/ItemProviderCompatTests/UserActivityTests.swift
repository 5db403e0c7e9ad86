// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemProviderCompat
import ItemTransfer
import Testing

/// Activities by the name of Apple's class, in and out of the wire form.
@Suite(.timeLimit(.minutes(2))) struct UserActivityTests {
  @Test("an activity crosses with everything that Apple lets it carry")
  func roundTrip() async throws {
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

  @Test("an entry that cannot travel is named")
  func unusableEntries() throws {
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

  @Test("the owner is asked to bring an activity up to date before it travels")
  func saving() throws {
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

  @Test("what has no meaning here is kept or says so")
  func systemMembers() async throws {
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
