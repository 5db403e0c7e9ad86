// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The time of a zip entry: MS-DOS date and time in steps of two seconds, from 1980 to 2107.
///
/// The format does not define the time zone. This code uses UTC, so that a tree gives the same archive everywhere. An
/// extra field has the exact time if it is in range.
struct ZipTime: Sendable, Hashable {
  var time: UInt16
  var date: UInt16

  init(time: UInt16, date: UInt16) {
    self.time = time
    self.date = date
  }

  /// Creates the nearest time to `seconds` since 1970.
  init(secondsSince1970 seconds: Int64) {
    let clamped = min(max(seconds, Self.earliest), Self.latest)
    let (days, second) = clamped.quotientAndRemainder(dividingBy: 86_400)
    var year: Int64 = 1980
    var rest = days - Self.days(to: 1980)
    while rest >= Self.length(of: year) {
      rest -= Self.length(of: year)
      year += 1
    }
    var month = 1
    while rest >= Self.length(of: month, year) {
      rest -= Self.length(of: month, year)
      month += 1
    }
    date = UInt16(year - 1980) << 9 | UInt16(month) << 5 | UInt16(rest + 1)
    time = UInt16(second / 3600) << 11 | UInt16(second / 60 % 60) << 5 | UInt16(second % 60 / 2)
  }

  /// Seconds since 1970; `nil` for an invalid date, such as all zeros.
  var secondsSince1970: Int64? {
    let year = 1980 + Int64(date >> 9)
    let month = Int(date >> 5 & 15)
    let day = Int64(date & 31)
    let hour = Int64(time >> 11)
    let minute = Int64(time >> 5 & 63)
    let second = Int64(time & 31) * 2
    guard (1...12).contains(month), day >= 1, day <= Self.length(of: month, year), hour < 24, minute < 60, second < 60
    else { return nil }
    let days = Self.days(to: year) + (1..<month).reduce(0) { $0 + Self.length(of: $1, year) } + day - 1
    return days * 86_400 + hour * 3600 + minute * 60 + second
  }

  private static let earliest = days(to: 1980) * 86_400
  private static let latest = days(to: 2108) * 86_400 - 2

  /// Returns the number of days from the start of 1970 to the start of `year`.
  private static func days(to year: Int64) -> Int64 {
    (1970..<year).reduce(0) { $0 + length(of: $1) }
  }

  private static func isLeap(_ year: Int64) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func length(of year: Int64) -> Int64 {
    isLeap(year) ? 366 : 365
  }

  private static func length(of month: Int, _ year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
