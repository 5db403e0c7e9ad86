// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
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
/// It crosses processes as a ``/ItemTransfer/UserActivity``. No system service passes it to other machines, indexes it or
/// predicts it: the properties for that are stored, and are not sent.
///
/// Follows Apple's [`NSUserActivity`](https://developer.apple.com/documentation/foundation/nsuseractivity).
// Sendable because all of its state is behind locks; a subclass answers for what it adds.
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

  private let state: Lock<Shared<State>>
  private let owner = Lock(Owner())

  private struct Owner: @unchecked Sendable {
    weak var delegate: (any NSUserActivityDelegate)?
  }

  /// Told when the activity is about to travel, and when another process goes on with it.
  open weak var delegate: (any NSUserActivityDelegate)? {
    get { owner.withLock { Shared($0.delegate) }.value }
    set {
      let delegate = Shared(newValue)
      owner.withLock { $0.delegate = delegate.value }
    }
  }

  /// Describes an activity.
  ///
  /// - Parameter activityType: The kind of activity, in reverse-DNS form.
  public init(activityType: String) {
    state = Lock(Shared(State(activity: UserActivity(activityType: activityType))))
    super.init()
  }

  /// The activity that came from another process, or was made without Apple's class.
  public init(_ activity: UserActivity) {
    let userInfo = Dictionary(uniqueKeysWithValues: activity.userInfo.map { (AnyHashable($0), $1.object) })
    state = Lock(Shared(State(activity: activity, userInfo: userInfo)))
    super.init()
  }

  /// The activity as a value that travels.
  ///
  /// - Throws: `NSUserActivity.UnusableEntry` for an entry of ``userInfo`` that no other process could read.
  public func userActivity() throws -> UserActivity {
    // Once for each time that it was said, however many loads there are.
    if exchange(\.needsSave, false) { delegate?.userActivityWillSave(self) }
    let now = read(\.self)
    var activity = now.activity
    activity.userInfo = try Self.values(now.userInfo ?? [:], at: "userInfo")
    return activity
  }

  // The state crosses threads with the activity, as its dictionary does on Apple's systems.

  func read<Value>(_ path: KeyPath<State, Value>) -> Value {
    // A key path that nobody else has is as good as a function.
    let path = Shared(path)
    return state.withLock { Shared($0.value[keyPath: path.value]) }.value
  }

  /// Puts a value in the place of another, which is let go of outside of the lock: nobody knows what goes with it.
  @discardableResult
  func exchange<Value>(_ path: WritableKeyPath<State, Value>, _ value: Value) -> Value {
    let (path, new) = (Shared(path), Shared(value))
    return state.withLock { state in
      var changed = state.value
      let old = Shared(changed[keyPath: path.value])
      changed[keyPath: path.value] = new.value
      state = Shared(changed)
      return old
    }.value
  }

  // MARK: What it is

  /// The kind of activity.
  open var activityType: String { read(\.activity.activityType) }

  /// What a person calls it.
  open var title: String? {
    get { read(\.activity.title) }
    set { exchange(\.activity.title, newValue) }
  }

  /// What is needed to go on: under strings, arrays, sets and dictionaries of strings, numbers, dates, addresses, data,
  /// universally unique identifiers and null.
  open var userInfo: [AnyHashable: Any]? {
    get { read(\.userInfo) }
    set { exchange(\.userInfo, newValue) }
  }

  /// Adds to what is needed to go on; of two entries with one key the new one stays.
  open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
    userInfo = (userInfo ?? [:]).merging(otherDictionary) { $1 }
  }

  /// The keys without which nobody can go on; `nil` stands for all.
  open var requiredUserInfoKeys: Set<String>? {
    get { read(\.activity.requiredUserInfoKeys) }
    set { exchange(\.activity.requiredUserInfoKeys, newValue) }
  }

  /// What the activity is about, so that a window that shows it already can be found.
  open var targetContentIdentifier: String? {
    get { read(\.activity.targetContentIdentifier) }
    set { exchange(\.activity.targetContentIdentifier, newValue) }
  }

  /// The page on which to go on where nobody knows the activity.
  open var webpageURL: URL? {
    get { read(\.activity.webpageURL) }
    set { exchange(\.activity.webpageURL, newValue) }
  }

  /// The page that led there.
  open var referrerURL: URL? {
    get { read(\.activity.referrerURL) }
    set { exchange(\.activity.referrerURL, newValue) }
  }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// When it stops being of use; a date of the far future, unless somebody says.
  open var expirationDate: Date! {
    get { read(\.activity.expirationDate) ?? .distantFuture }
    set { exchange(\.activity.expirationDate, newValue) }
  }

  /// Words by which a person may look for it.
  open var keywords: Set<String> {
    get { read(\.activity.keywords) }
    set { exchange(\.activity.keywords, newValue) }
  }

  /// What its owner calls this very activity.
  open var persistentIdentifier: NSUserActivityPersistentIdentifier? {
    get { read(\.activity.persistentIdentifier) }
    set { exchange(\.activity.persistentIdentifier, newValue) }
  }

  // MARK: What the system does with it

  /// Says that this is what the person does now; no more than a note here.
  open func becomeCurrent() {
    if !read(\.isInvalid) { exchange(\.isCurrent, true) }
  }

  /// Says that the person does something else now.
  open func resignCurrent() {
    exchange(\.isCurrent, false)
  }

  /// Ends the activity: it cannot become current any more.
  open func invalidate() {
    exchange(\.isInvalid, true)
    exchange(\.isCurrent, false)
  }

  /// Whether ``userInfo`` is to be brought up to date before it travels.
  open var needsSave: Bool {
    get { read(\.needsSave) }
    set { exchange(\.needsSave, newValue) }
  }
}
