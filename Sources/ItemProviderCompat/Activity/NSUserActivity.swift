// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
internal import ItemCoding
public import ItemTransfer
internal import Synchronization

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The activity type of looking at a web page.
public let NSUserActivityTypeBrowsingWeb = UserActivity.browsingWebType

/// What an owner calls one of its activities.
public typealias NSUserActivityPersistentIdentifier = String

/// What a person is doing, so that another window, process or machine can go on with it.
///
/// ```swift
/// let activity = NSUserActivity(activityType: "org.example.show-hero")
/// activity.userInfo = ["heroID": 7]
/// provider.registerObject(activity, visibility: .all)
/// ```
///
/// It travels as ``ItemTransfer/UserActivity`` does. There is no system here that would hand it to other machines, index
/// it or foretell it: what says whether it may is kept and travels nowhere.
///
/// Follows Apple's [`NSUserActivity`](https://developer.apple.com/documentation/foundation/nsuseractivity).
open class NSUserActivity: NSObject, @unchecked Sendable {
  struct State {
    var activity: UserActivity
    /// As it was set; what of it can travel is found out when it does.
    var userInfo: [AnyHashable: Any]?
    var needsSave = false
    var isCurrent = false
    var isInvalid = false
    var supportsContinuationStreams = false
    var eligibility: Set<Eligibility> = [.handoff]
  }

  enum Eligibility {
    case handoff
    case search
    case publicIndexing
    case prediction
  }

  let state: Lock<SharedState>
  /// Told when the activity is about to travel, and when another process goes on with it.
  open weak var delegate: (any NSUserActivityDelegate)?

  /// The state crosses threads with the activity, as its dictionary does on Apple's systems.
  struct SharedState: @unchecked Sendable {
    var value: State
  }

  /// Describes an activity.
  ///
  /// - Parameter activityType: The kind of activity, in reverse-DNS form.
  public init(activityType: String) {
    state = Lock(SharedState(value: State(activity: UserActivity(activityType: activityType))))
    super.init()
  }

  /// The activity that came from another process, or was made without Apple's class.
  public init(_ activity: UserActivity) {
    let userInfo = Dictionary(uniqueKeysWithValues: activity.userInfo.map { (AnyHashable($0), $1.object) })
    state = Lock(SharedState(value: State(activity: activity, userInfo: userInfo)))
    super.init()
  }

  /// The activity as a value that travels.
  ///
  /// - Throws: `NSUserActivity.UnusableEntry` for an entry of ``userInfo`` that no other process could read.
  public func userActivity() throws -> UserActivity {
    if needsSave {
      delegate?.userActivityWillSave(self)
      needsSave = false
    }
    let now = state.withLock { $0 }.value
    var activity = now.activity
    activity.userInfo = try Self.values(now.userInfo ?? [:], at: "userInfo")
    return activity
  }

  func with<Value>(_ body: (inout State) -> Value) -> Value {
    // What is put in and taken out is its owner's to share.
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var result: Value?
    state.withLock { result = body(&$0.value) }
    return result.unsafelyUnwrapped
  }

  // MARK: What it is

  /// The kind of activity.
  open var activityType: String { with { $0.activity.activityType } }

  /// What a person calls it.
  open var title: String? {
    get { with { $0.activity.title } }
    set { with { $0.activity.title = newValue } }
  }

  /// What is needed to go on: under strings, arrays, sets and dictionaries of strings, numbers, dates, addresses, data,
  /// universally unique identifiers and null.
  open var userInfo: [AnyHashable: Any]? {
    get { with { $0.userInfo } }
    set { with { $0.userInfo = newValue } }
  }

  /// Adds to what is needed to go on; of two entries with one key the new one stays.
  open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
    with { $0.userInfo = ($0.userInfo ?? [:]).merging(otherDictionary) { $1 } }
  }

  /// The keys without which nobody can go on; `nil` stands for all.
  open var requiredUserInfoKeys: Set<String>? {
    get { with { $0.activity.requiredUserInfoKeys } }
    set { with { $0.activity.requiredUserInfoKeys = newValue } }
  }

  /// What the activity is about, so that a window that shows it already can be found.
  open var targetContentIdentifier: String? {
    get { with { $0.activity.targetContentIdentifier } }
    set { with { $0.activity.targetContentIdentifier = newValue } }
  }

  /// The page on which to go on where nobody knows the activity.
  open var webpageURL: URL? {
    get { with { $0.activity.webpageURL } }
    set { with { $0.activity.webpageURL = newValue } }
  }

  /// The page that led there.
  open var referrerURL: URL? {
    get { with { $0.activity.referrerURL } }
    set { with { $0.activity.referrerURL = newValue } }
  }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// When it stops being of use; a date of the far future, unless somebody says.
  open var expirationDate: Date! {
    get { with { $0.activity.expirationDate } ?? .distantFuture }
    set { with { $0.activity.expirationDate = newValue } }
  }

  /// Words by which a person may look for it.
  open var keywords: Set<String> {
    get { with { $0.activity.keywords } }
    set { with { $0.activity.keywords = newValue } }
  }

  /// What its owner calls this very activity.
  open var persistentIdentifier: NSUserActivityPersistentIdentifier? {
    get { with { $0.activity.persistentIdentifier } }
    set { with { $0.activity.persistentIdentifier = newValue } }
  }

  /// Whether ``userInfo`` is to be brought up to date before it travels.
  open var needsSave: Bool {
    get { with { $0.needsSave } }
    set { with { $0.needsSave = newValue } }
  }
}
