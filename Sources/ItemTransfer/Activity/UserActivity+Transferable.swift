// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
internal import ItemCoding
public import UniformTypes

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
