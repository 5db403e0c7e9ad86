// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import ItemCoding
public import UniformTypes

/// What a user was doing, so that another program or window can go on with it.
///
/// A source offers it beside the item itself. A destination that knows the activity type opens what the activity
/// speaks of; the others use the item's other representations.
///
/// ```swift
/// var activity = UserActivity(activityType: "org.example.show-hero", title: "Ajax")
/// activity.userInfo = ["heroID": 7, "powers": ["strength"]]
///
/// let provider = ItemProvider(hero)
/// provider.register(activity)
/// ```
///
/// The bytes under way are described at ``UniformTypes/UTType/userActivity``. What the system does with an activity
/// (becoming current, hand-off, indexing) is no part of this value.
///
/// Follows Apple's [`NSUserActivity`](https://developer.apple.com/documentation/foundation/nsuseractivity).
public struct UserActivity: Sendable, Hashable {
  /// The activity type of looking at a web page, as Apple's systems name it.
  public static let browsingWebType = "NSUserActivityTypeBrowsingWeb"

  /// The kind of activity, in reverse-DNS form: by it a destination knows whether it can go on.
  ///
  /// Any text makes a value, but only 1 to ``maximumTypeLength`` ASCII letters, digits, hyphens, underscores and
  /// periods can travel: the type is shown, logged and used as a key by programs that never saw its owner.
  public let activityType: String

  /// What a person calls the activity.
  public var title: String?

  /// What is needed to go on with the activity.
  ///
  /// Keys are strings, where Apple allows anything hashable: a JSON object, a property list and most other programs
  /// have no other keys, and Apple's own examples use no other.
  public var userInfo: [String: UserActivityValue]

  /// The keys without which a destination cannot go on; `nil` stands for all.
  ///
  /// All entries travel all the same; see ``withRequiredUserInfoOnly()``.
  public var requiredUserInfoKeys: Set<String>?

  /// What the activity is about, so that a window that shows it already can be found.
  public var targetContentIdentifier: String?

  /// The page on which to go on where no program knows the activity type.
  public var webpageURL: URL?

  /// The page that led to ``webpageURL``.
  public var referrerURL: URL?

  /// When the activity stops being of use.
  public var expirationDate: Date?

  /// Words by which a person may look for the activity.
  public var keywords: Set<String> = []

  /// What the owner calls this very activity, to replace or delete it later.
  public var persistentIdentifier: String?

  /// The most bytes an activity type may have to travel.
  public static let maximumTypeLength = 255

  /// Describes an activity.
  ///
  /// - Parameters:
  ///   - activityType: The kind of activity, in reverse-DNS form.
  ///   - title: What a person calls it.
  ///   - userInfo: What is needed to go on with it.
  ///   - targetContentIdentifier: What it is about.
  public init(
    activityType: String, title: String? = nil, userInfo: [String: UserActivityValue] = [:],
    targetContentIdentifier: String? = nil
  ) {
    self.activityType = activityType
    self.title = title
    self.userInfo = userInfo
    self.targetContentIdentifier = targetContentIdentifier
  }

  /// Adds entries to ``userInfo``; of two with one key the new one stays.
  public mutating func addUserInfoEntries(from entries: [String: UserActivityValue]) {
    userInfo.merge(entries) { _, new in new }
  }

  /// The activity without the entries that a destination can do without.
  ///
  /// Apple's systems may drop them under way. Here nothing goes that the source did not drop itself: an entry that
  /// arrives on one carrier and not on the other would be a fault that is hard to find.
  ///
  /// - Returns: A copy with those entries of ``userInfo`` that ``requiredUserInfoKeys`` names, all of them if it is
  ///   `nil`.
  public func withRequiredUserInfoOnly() -> UserActivity {
    guard let requiredUserInfoKeys else { return self }
    var activity = self
    activity.userInfo = userInfo.filter { requiredUserInfoKeys.contains($0.key) }
    return activity
  }
}

extension UTType {
  /// A ``UserActivity`` as a JSON object, here in an order for reading.
  ///
  /// ```json
  /// {"version":1,"activityType":"org.example.show-hero","title":"Ajax",
  ///  "userInfo":{"heroID":{"integer":7},"powers":{"array":[{"string":"strength"}]}},
  ///  "requiredUserInfoKeys":["heroID"],"targetContentIdentifier":"hero/7","webpageURL":"https://example.org/7",
  ///  "referrerURL":"https://example.org","expirationDate":817000000.5,"keywords":["hero"],"persistentIdentifier":"7"}
  /// ```
  ///
  /// Only `version` and `activityType` must be there. Keys that are not known are ignored, of a repeated key one entry
  /// is taken, and another version than 1 is refused. Equal activities give equal bytes: keys and lists of words are
  /// sorted, sets have one order, there is no space. (Strings that Swift holds equal but that are spelled in different
  /// normal forms keep their spelling.)
  ///
  /// A value is an object with one key, its kind:
  ///
  /// | kind | content |
  /// |---|---|
  /// | `array`, `set` | an array of values; in a set, the same value twice counts once |
  /// | `bool` | `true` or `false` |
  /// | `data` | Base64 (RFC 4648, section 4) with padding |
  /// | `date` | seconds since 2001-01-01 00:00:00 UTC, exact; year 1 to 4000 |
  /// | `dictionary` | an object of values |
  /// | `double` | a number, or `"nan"`, `"infinity"`, `"-infinity"`; minus zero is kept |
  /// | `integer` | a whole number from -2⁶³ to 2⁶⁴-1 |
  /// | `null` | `null` |
  /// | `string` | a string |
  /// | `url` | a URL as a string (RFC 3986) |
  /// | `uuid` | a string of 36 characters, in capitals |
  ///
  /// Values may nest 64 deep; there may be 65,536 of them, keywords and required keys included. Whoever sends more, or
  /// anything else that is not described here, gets an error.
  public static let userActivity = UTType(exportedAs: "org.dragpipe.user-activity", conformingTo: .json)
}

extension UserActivity: Transferable {
  /// The activity whole.
  ///
  /// Its title and its address are no representations: beside those of the item they would be taken for the item.
  public static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .userActivity)
  }

  /// The bytes of that representation.
  package func coded() throws -> Data { try jsonEncoder.encode(self) }

  /// Reads those bytes, which anybody may have written.
  package init(coded data: Data) throws { self = try jsonDecoder.decodeForeign(UserActivity.self, from: data) }
}
