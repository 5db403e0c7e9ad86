// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import ItemCoding
public import UniformTypes

/// An activity of a user that another program or window can continue.
///
/// A source offers it beside the item itself. A destination that knows the activity type continues the activity; other
/// destinations use the item's other representations.
///
/// ```swift
/// var activity = UserActivity(activityType: "org.example.show-hero", title: "Ajax")
/// activity.userInfo = ["heroID": 7, "powers": ["strength"]]
///
/// let provider = ItemProvider(hero)
/// provider.register(activity)
/// ```
///
/// See `UTType.userActivity` for the encoded form. Services of Apple's systems (the current activity,
/// Handoff, indexing) are not part of this value.
///
/// Follows Apple's [`NSUserActivity`](https://developer.apple.com/documentation/foundation/nsuseractivity).
public struct UserActivity: Sendable, Hashable {
  /// The activity type for browsing a web page on Apple's systems.
  public static let browsingWebType = "NSUserActivityTypeBrowsingWeb"

  /// The kind of activity, in reverse-DNS form.
  ///
  /// A destination decides by this type whether it can continue the activity.
  ///
  /// The property accepts any string. Encoding requires 1 to ``maximumTypeLength`` ASCII letters, digits, hyphens,
  /// underscores and periods: other programs display the type, log it and use it as a key.
  public let activityType: String

  /// The title of the activity, for display.
  public var title: String?

  /// The data that a destination needs to continue the activity.
  ///
  /// Keys are strings. Apple allows any hashable key, but JSON objects, property lists and most other programs do not.
  public var userInfo: [String: UserActivityValue]

  /// The keys without which a destination cannot continue; `nil` means all keys.
  ///
  /// All entries are encoded nevertheless; see ``withRequiredUserInfoOnly()``.
  public var requiredUserInfoKeys: Set<String>?

  /// The identifier of the content, by which a program can find a window that already shows the content.
  public var targetContentIdentifier: String?

  /// The web page that a destination opens if it does not know the activity type.
  ///
  /// A URL with a scheme other than `http` and `https` is refused, and the property keeps its value: a destination
  /// opens the page without a further look at it. Decoding such a URL throws an error.
  public var webpageURL: URL? {
    didSet { if webpageURL?.isWebPage == false { webpageURL = oldValue } }
  }

  /// The page that led to ``webpageURL``.
  public var referrerURL: URL?

  /// The time after which the activity is of no use.
  public var expirationDate: Date?

  /// The words by which a user may search for the activity.
  public var keywords: Set<String> = []

  /// An identifier by which the owner can replace or delete the activity later.
  public var persistentIdentifier: String?

  /// The maximum length of an encoded activity type, in bytes.
  public static let maximumTypeLength = 255

  /// Creates an activity.
  ///
  /// - Parameters:
  ///   - activityType: The kind of activity, in reverse-DNS form.
  ///   - title: The title, for display.
  ///   - userInfo: The data that a destination needs.
  ///   - targetContentIdentifier: The identifier of the content.
  public init(
    activityType: String, title: String? = nil, userInfo: [String: UserActivityValue] = [:],
    targetContentIdentifier: String? = nil
  ) {
    self.activityType = activityType
    self.title = title
    self.userInfo = userInfo
    self.targetContentIdentifier = targetContentIdentifier
  }

  /// Adds entries to ``userInfo``; a new entry replaces an old entry with the same key.
  public mutating func addUserInfoEntries(from entries: [String: UserActivityValue]) {
    userInfo.merge(entries) { _, new in new }
  }

  /// Returns the activity without the entries that a destination does not require.
  ///
  /// Apple's systems may drop such entries in transit. This package keeps all entries unless you call this method, so
  /// that every transport carries the same entries.
  ///
  /// - Returns: A copy with the entries of ``userInfo`` that ``requiredUserInfoKeys`` names, or with all entries if
  ///   that property is `nil`.
  public func withRequiredUserInfoOnly() -> UserActivity {
    guard let requiredUserInfoKeys else { return self }
    var activity = self
    activity.userInfo = userInfo.filter { requiredUserInfoKeys.contains($0.key) }
    return activity
  }
}

extension UTType {
  /// The type of a ``UserActivity`` that is encoded as a JSON object.
  ///
  /// The keys of this example are in a logical order, not sorted:
  ///
  /// ```json
  /// {"version":1,"activityType":"org.example.show-hero","title":"Ajax",
  ///  "userInfo":{"heroID":{"integer":7},"powers":{"array":[{"string":"strength"}]}},
  ///  "requiredUserInfoKeys":["heroID"],"targetContentIdentifier":"hero/7","webpageURL":"https://example.org/7",
  ///  "referrerURL":"https://example.org","expirationDate":817000000.5,"keywords":["hero"],"persistentIdentifier":"7"}
  /// ```
  ///
  /// Only `version` and `activityType` are required. A reader ignores unknown keys, uses one entry of a repeated key,
  /// and rejects versions other than 1.
  ///
  /// Equal activities have equal bytes: keys, lists of words and sets are sorted, and there is no white space. Strings
  /// that are equal in Swift but have different normal forms keep their form.
  ///
  /// A value is an object with one key, its kind:
  ///
  /// | kind | content |
  /// |---|---|
  /// | `array`, `set` | an array of values; a repeated value of a set is read once |
  /// | `bool` | `true` or `false` |
  /// | `data` | Base64 (RFC 4648, section 4) with padding |
  /// | `date` | seconds since 2001-01-01 00:00:00 UTC, exact; year 1 to 4000 |
  /// | `dictionary` | an object of values |
  /// | `double` | a number, or `"nan"`, `"infinity"`, `"-infinity"`; minus zero is preserved |
  /// | `integer` | an integer from -2⁶³ to 2⁶⁴-1 |
  /// | `null` | `null` |
  /// | `string` | a string |
  /// | `url` | a URL as a string (RFC 3986) |
  /// | `uuid` | a string of 36 characters, in capitals |
  ///
  /// Values may nest up to 64 deep. An activity may have up to 65,536 values, including keywords and required keys. A
  /// reader rejects an activity that exceeds these limits or has another form.
  public static let userActivity = UTType(exportedAs: "org.dragpipe.user-activity", conformingTo: .json)
}

extension UserActivity: Transferable {
  /// The complete activity.
  ///
  /// The title and the URL are not representations: a destination would mistake them for the content of the item.
  public static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .userActivity)
  }

  /// Returns the activity as JSON.
  package func coded() throws -> Data { try jsonEncoder.encode(self) }

  /// Decodes untrusted JSON of an activity.
  package init(coded data: Data) throws { self = try jsonDecoder.decodeForeign(UserActivity.self, from: data) }
}
