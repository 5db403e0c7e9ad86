// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreTransferable

/// The members of `NSUserActivity` and its delegate, each used as in a program for Apple's systems.
enum ActivityMembers {
  static var all: [Member] {
    var list = MemberList()
    addContent(to: &list)
    addLifecycle(to: &list)
    addServices(to: &list)
    addDelegate(to: &list)
    return list.members
  }

  private static var activity: NSUserActivity { NSUserActivity(activityType: "org.example.show") }

  /// Returns the activity as another process receives it.
  private static func sent(_ activity: NSUserActivity) async throws -> NSUserActivity {
    try await NSItemProvider(object: activity).loadObject(ofClass: NSUserActivity.self)
  }

  /// Changes an activity and returns whether the receiver of the activity gets the change.
  private static func arrives(
    _ change: (NSUserActivity) -> Void, _ check: (NSUserActivity) -> Bool
  ) async throws -> Bool {
    let activity = activity
    change(activity)
    return check(try await sent(activity))
  }

  private static func addContent(to list: inout MemberList) {
    list.of("NSUserActivity")
    list.has("init(activityType:)", "activityType") { try await sent(activity).activityType == "org.example.show" }
    list.lacks("init()", "Deprecated: the type of activity came from an `Info.plist`.")
    list.has("title") { try await arrives({ $0.title = "Ajax" }, { $0.title == "Ajax" }) }
    list.has("userInfo") { try await arrives({ $0.userInfo = ["hero": 7] }, { $0.userInfo?["hero"] as? Int == 7 }) }
    list.has("addUserInfoEntries(from:)") {
      try await arrives(
        {
          $0.userInfo = ["hero": 7]
          $0.addUserInfoEntries(from: ["home": "Salamis"])
        }, { $0.userInfo?.count == 2 })
    }
    list.has("requiredUserInfoKeys") {
      try await arrives({ $0.requiredUserInfoKeys = ["hero"] }, { $0.requiredUserInfoKeys == ["hero"] })
    }
    list.has("targetContentIdentifier") {
      try await arrives({ $0.targetContentIdentifier = "hero/7" }, { $0.targetContentIdentifier == "hero/7" })
    }
    list.has("webpageURL", "referrerURL") {
      let page = URL(string: "https://example.org/7")
      return try await arrives(
        {
          $0.webpageURL = page
          $0.referrerURL = page
        }, { $0.webpageURL == page && $0.referrerURL == page })
    }
    list.has("expirationDate") {
      let date = Date(timeIntervalSince1970: 1)
      return try await arrives({ $0.expirationDate = date }, { $0.expirationDate == date })
    }
    list.has("keywords") { try await arrives({ $0.keywords = ["saga"] }, { $0.keywords == ["saga"] }) }
    list.has("persistentIdentifier", "NSUserActivityPersistentIdentifier") {
      let identifier: NSUserActivityPersistentIdentifier = "7"
      return try await arrives({ $0.persistentIdentifier = identifier }, { $0.persistentIdentifier == "7" })
    }
    list.has("NSUserActivityTypeBrowsingWeb") { NSUserActivityTypeBrowsingWeb == "NSUserActivityTypeBrowsingWeb" }
  }

  private static func addLifecycle(to list: inout MemberList) {
    list.has("needsSave", "delegate") {
      let (activity, delegate) = (activity, Chronicler())
      activity.delegate = delegate
      activity.needsSave = true
      return try await sent(activity).title == "saved" && !activity.needsSave
    }
    let alone = "It is recorded, without another effect: no system service continues activities."
    for name in ["becomeCurrent()", "resignCurrent()", "invalidate()"] {
      list.differs(name, alone) {
        let activity = activity
        activity.becomeCurrent()
        activity.resignCurrent()
        activity.invalidate()
        return try await sent(activity).activityType == activity.activityType
      }
    }
  }

  private static func addServices(to list: inout MemberList) {
    let stored = "It is stored, and has no effect: no system service indexes activities or continues them elsewhere."
    for (name, member, initial) in [
      ("supportsContinuationStreams", \NSUserActivity.supportsContinuationStreams, false),
      ("isEligibleForHandoff", \.isEligibleForHandoff, true), ("isEligibleForSearch", \.isEligibleForSearch, false),
      ("isEligibleForPublicIndexing", \.isEligibleForPublicIndexing, false),
      ("isEligibleForPrediction", \.isEligibleForPrediction, false),
    ] as [(String, ReferenceWritableKeyPath<NSUserActivity, Bool> & Sendable, Bool)] {
      list.differs(name, stored) {
        let activity = activity
        guard activity[keyPath: member] == initial else { return false }
        activity[keyPath: member] = !initial
        return activity[keyPath: member] != initial
      }
    }
    list.differs(
      "getContinuationStreams(completionHandler:)",
      "It reports `featureUnsupported`: use a session between the processes instead of streams."
    ) {
      let code: Int? = await answer { completion in
        activity.getContinuationStreams { _, _, error in completion((error as NSError?)?.code) }
      }
      return code == CocoaError.featureUnsupported.rawValue
    }
    let none = "It calls the handler: there are no saved activities."
    list.differs("deleteSavedUserActivities(withPersistentIdentifiers:completionHandler:)", none) {
      await answer { completion in
        NSUserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["7"]) { completion(true) }
      } == true
    }
    list.differs("deleteAllSavedUserActivities(completionHandler:)", none) {
      await answer { completion in
        NSUserActivity.deleteAllSavedUserActivities { completion(true) }
      } == true
    }
  }

  private static func addDelegate(to list: inout MemberList) {
    list.of("NSUserActivityDelegate")
    list.has("userActivityWillSave(_:)") {
      let (activity, delegate) = (activity, Chronicler())
      activity.delegate = delegate
      activity.needsSave = true
      return try await sent(activity).title == "saved"
    }
    let never = "It is never called: no process reports that it continues an activity."
    list.differs("userActivityWasContinued(_:)", never) { Chronicler().continuedCount == 0 }
    list.differs("userActivity(_:didReceive:outputStream:)", never) { Chronicler().continuedCount == 0 }
  }
}

/// A delegate that gives an activity its title when the activity is sent.
private final class Chronicler: NSObject, NSUserActivityDelegate {
  private(set) var continuedCount = 0

  func userActivityWillSave(_ userActivity: NSUserActivity) { userActivity.title = "saved" }

  func userActivityWasContinued(_ userActivity: NSUserActivity) { continuedCount += 1 }
}
