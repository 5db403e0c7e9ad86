// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A point in time as seconds since 2001-01-01 00:00:00 UTC.
///
/// That is what `Date` holds, so that it comes back exactly as it was; no text of decimal places does that. Beyond a
/// few millennia there is no calendar, and some programs trap when they are to show such a date.
struct UserActivityDate: Codable {
  private static let range =
    Date.distantPast.timeIntervalSinceReferenceDate...Date.distantFuture.timeIntervalSinceReferenceDate
  private static let fault = "a date is a number of seconds that leads to year 1 to 4000"

  let date: Date

  init(date: Date) {
    self.date = date
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let seconds = try? container.decode(Double.self), Self.range.contains(seconds) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: Self.fault)
    }
    date = Date(timeIntervalSinceReferenceDate: seconds)
  }

  func encode(to encoder: any Encoder) throws {
    if let fault = Self.fault(of: date) {
      throw EncodingError.invalidValue(date, .init(codingPath: encoder.codingPath, debugDescription: fault))
    }
    var container = encoder.singleValueContainer()
    // Zero and minus zero are one date; adding zero leaves one of them.
    try container.encode(date.timeIntervalSinceReferenceDate + 0)
  }

  /// Why the date cannot travel, `nil` if it can; asks for the number, as not-a-number is no date in any order.
  static func fault(of date: Date) -> String? {
    range.contains(date.timeIntervalSinceReferenceDate) ? nil : fault
  }
}

/// An address as its absolute text, which must be one already: nothing is repaired.
struct UserActivityURL: Codable {
  let url: URL

  init(url: URL) {
    self.url = url
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let url = URL(string: try container.decode(String.self), encodingInvalidCharacters: false) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a URL (RFC 3986)")
    }
    self.url = url
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(url.absoluteString)
  }
}
