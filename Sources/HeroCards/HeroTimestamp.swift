// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A strict parser for catalogue timestamps, independent of the machine's calendar and locale.
enum HeroTimestamp {
  /// Returns the date of a string `YYYY-MM-DDThh:mm:ss` followed by `Z`, `±hhmm` or `±hh:mm`.
  ///
  /// Returns `nil` for any other string, and for a date or time that does not exist.
  static func date(from text: String) -> Date? {
    var digits = Digits(rest: text.utf8[...])
    guard
      let year = digits.number(of: 4), digits.skip("-"),
      let month = digits.number(of: 2, in: 1...12), digits.skip("-"),
      let day = digits.number(of: 2, in: 1...daysIn(month: month, of: year)), digits.skip("T"),
      let hour = digits.number(of: 2, in: 0...23), digits.skip(":"),
      let minute = digits.number(of: 2, in: 0...59), digits.skip(":"),
      let second = digits.number(of: 2, in: 0...59),
      let offset = digits.offset(), digits.rest.isEmpty
    else { return nil }
    let days = daysSince1970(year: year, month: month, day: day)
    return Date(timeIntervalSince1970: Double(((days * 24 + hour) * 60 + minute) * 60 + second - offset))
  }

  private static func daysIn(month: Int, of year: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
    default: 31
    }
  }

  /// Returns the days since 1970-01-01 in the proleptic Gregorian calendar.
  ///
  /// In the calculation, years begin in March, so that the leap day is the last day of its year.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let marchYear = (month > 2 ? year : year - 1) + 400
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    let from400YearsBeforeYear0 = marchYear * 365 + leapDays + dayOfYear
    return from400YearsBeforeYear0 - 719_468 - 146_097
  }
}

/// A cursor over the characters of a timestamp.
private struct Digits {
  var rest: Substring.UTF8View

  /// Reads exactly `count` decimal digits as a number within `range`.
  mutating func number(of count: Int, in range: ClosedRange<Int> = 0...9999) -> Int? {
    guard rest.count >= count else { return nil }
    var number = 0
    for byte in rest.prefix(count) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    rest = rest.dropFirst(count)
    return range.contains(number) ? number : nil
  }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Reads the offset from UTC in seconds, positive east of Greenwich.
  mutating func offset() -> Int? {
    if skip("Z") { return 0 }
    let isWest = skip("-")
    guard isWest || skip("+"), let hours = number(of: 2, in: 0...23) else { return nil }
    _ = skip(":")
    guard let minutes = number(of: 2, in: 0...59) else { return nil }
    return (hours * 60 + minutes) * (isWest ? -60 : 60)
  }
}
