// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import Foundation
public import ItemTransfer
internal import Synchronization

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The activity type of viewing a web page.
public let NSUserActivityTypeBrowsingWeb = UserActivity.browsingWebType

/// The owner's identifier for an activity.
public typealias NSUserActivityPersistentIdentifier = String

/// An activity of a user, which another window, process or machine can continue.
///
/// ```swift
/// let activity = NSUserActivity(activityType: "org.example.show-hero")
/// activity.userInfo = ["heroID": 7]
/// provider.registerObject(activity, visibility: .all)
/// ```
///
/// The activity is sent to other processes as a ``/ItemTransfer/UserActivity``. No system service passes activities to
/// other machines, indexes or predicts them: the properties for these services are stored, and are not sent.
///
/// Follows Apple's [`NSUserActivity`](https://developer.apple.com/documentation/foundation/nsuseractivity).
// Sendable because locks protect all of its state. A subclass must protect its own state.
open class NSUserActivity: NSObject, @unchecked Sendable {
  struct State {
    var activity: UserActivity
    /// The entries as the program has set them.
    ///
    /// They are validated when the activity is sent.
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

  /// The delegate, which is called before the activity is sent if ``needsSave`` is set.
  open weak var delegate: (any NSUserActivityDelegate)? {
    get { owner.withLock { Shared($0.delegate) }.value }
    set {
      let delegate = Shared(newValue)
      owner.withLock { $0.delegate = delegate.value }
    }
  }

  /// Creates an activity.
  ///
  /// - Parameter activityType: The type of activity, in reverse-DNS form.
  public init(activityType: String) {
    state = Lock(Shared(State(activity: UserActivity(activityType: activityType))))
    super.init()
  }

  /// Creates an activity from a value, for example from a received value.
  public init(_ activity: UserActivity) {
    let userInfo = Dictionary(uniqueKeysWithValues: activity.userInfo.map { (AnyHashable($0), $1.object) })
    state = Lock(Shared(State(activity: activity, userInfo: userInfo)))
    super.init()
  }

  /// Returns the activity as a value that can be sent.
  ///
  /// - Throws: `NSUserActivity.UnusableEntry` for an entry of ``userInfo`` that cannot be sent.
  public func userActivity() throws -> UserActivity {
    // The delegate is called once after `needsSave` was set, even if several loads follow.
    if exchange(\.needsSave, false) { delegate?.userActivityWillSave(self) }
    let now = read(\.self)
    var activity = now.activity
    activity.userInfo = try Self.values(now.userInfo ?? [:], at: "userInfo")
    return activity
  }

  // The state crosses threads with the activity, as its dictionary does on Apple's systems.

  func read<Value>(_ path: KeyPath<State, Value>) -> Value {
    // This key path is not shared, so it is as safe as a function.
    let path = Shared(path)
    return state.withLock { Shared($0.value[keyPath: path.value]) }.value
  }

  /// Exchanges a value, and releases the old value outside the lock, since its deinitializer may run any code.
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

  // MARK: Properties

  /// The type of activity.
  open var activityType: String { read(\.activity.activityType) }

  /// The title for display.
  open var title: String? {
    get { read(\.activity.title) }
    set { exchange(\.activity.title, newValue) }
  }

  /// The data needed to continue.
  ///
  /// Its values are strings, booleans, numbers, dates, URLs, data, UUIDs and null, and arrays, sets and dictionaries of
  /// such values.
  open var userInfo: [AnyHashable: Any]? {
    get { read(\.userInfo) }
    set { exchange(\.userInfo, newValue) }
  }

  /// Merges entries into the user info; a new entry replaces an old entry with the same key.
  open func addUserInfoEntries(from otherDictionary: [AnyHashable: Any]) {
    userInfo = (userInfo ?? [:]).merging(otherDictionary) { $1 }
  }

  /// The keys that are required to continue; `nil` means all keys.
  open var requiredUserInfoKeys: Set<String>? {
    get { read(\.activity.requiredUserInfoKeys) }
    set { exchange(\.activity.requiredUserInfoKeys, newValue) }
  }

  /// The identifier of the activity's content.
  ///
  /// An app finds a window that shows the content by this identifier.
  open var targetContentIdentifier: String? {
    get { read(\.activity.targetContentIdentifier) }
    set { exchange(\.activity.targetContentIdentifier, newValue) }
  }

  /// The page on which to continue if no app supports the activity.
  ///
  /// A URL with a scheme other than `http` and `https` is refused: the property keeps its value. Apple's class throws an
  /// exception.
  open var webpageURL: URL? {
    get { read(\.activity.webpageURL) }
    set { exchange(\.activity.webpageURL, newValue) }
  }

  /// The page that led to ``webpageURL``.
  open var referrerURL: URL? {
    get { read(\.activity.referrerURL) }
    set { exchange(\.activity.referrerURL, newValue) }
  }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The expiration date, a date in the distant future by default.
  open var expirationDate: Date! {
    get { read(\.activity.expirationDate) ?? .distantFuture }
    set { exchange(\.activity.expirationDate, newValue) }
  }

  /// Keywords by which a user may search for the activity.
  open var keywords: Set<String> {
    get { read(\.activity.keywords) }
    set { exchange(\.activity.keywords, newValue) }
  }

  /// The owner's identifier for the activity.
  open var persistentIdentifier: NSUserActivityPersistentIdentifier? {
    get { read(\.activity.persistentIdentifier) }
    set { exchange(\.activity.persistentIdentifier, newValue) }
  }

  // MARK: Lifecycle

  /// Marks the activity as current, unless it has been invalidated.
  ///
  /// This has no further effect on Linux.
  open func becomeCurrent() {
    if !read(\.isInvalid) { exchange(\.isCurrent, true) }
  }

  /// Marks the activity as not current.
  open func resignCurrent() {
    exchange(\.isCurrent, false)
  }

  /// Ends the activity; it cannot become current again.
  open func invalidate() {
    exchange(\.isInvalid, true)
    exchange(\.isCurrent, false)
  }

  /// Whether ``userInfo`` must be updated before the activity is sent.
  open var needsSave: Bool {
    get { read(\.needsSave) }
    set { exchange(\.needsSave, newValue) }
  }
}
