// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A namespace for functions that format and parse dates as in RFC 3339, for tag 0 and for heroes.
package enum CBORDateText {
  private static let secondsOfDay = 86_400

  /// The seconds from 1970 to 2001, the year from which `Date` counts.
  private static let referenceSecond = Int(Date.timeIntervalBetween1970AndReferenceDate)

  /// Returns text such as `2013-03-21T20:04:00Z`, from which ``date(from:)`` restores exactly the same date.
  ///
  /// A fraction has as few digits as that needs, but at least three. Returns `nil` outside the years 0 to 9999, because
  /// a year has four digits.
  static func text(of date: Date) -> String? {
    // The decimal description of the seconds is exact. Seconds since 1970 would be rounded.
    let seconds = date.timeIntervalSinceReferenceDate
    guard seconds.magnitude < 1e12 else { return nil }
    var whole = Int(seconds) + referenceSecond
    var fraction = fractionDigits(of: seconds)
    if seconds < 0, !fraction.isEmpty {
      whole -= 1
      fraction = complement(of: fraction)
    }
    guard (earliest..<end).contains(whole) else { return nil }
    let day = whole >= 0 ? whole / secondsOfDay : -((secondsOfDay - 1 - whole) / secondsOfDay)
    let second = whole - day * secondsOfDay
    let date = civilDate(day)
    var text = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
    text += "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    if !fraction.isEmpty { text += "." + fraction + String(repeating: "0", count: max(0, 3 - fraction.count)) }
    return text + "Z"
  }

  /// The starts of the years 0 and 10000, in seconds since 1970.
  private static let earliest = -62_167_219_200
  private static let end = 253_402_300_800

  /// Returns the digits after the decimal point of the shortest description, without trailing zeros.
  private static func fractionDigits(of seconds: Double) -> String {
    // A number below 0.0001 has an exponent, as in `1.5e-05`.
    let parts = seconds.magnitude.description.split(separator: "e")
    let digits = parts[0].split(separator: ".")
    var fraction = String(digits[digits.count - 1])
    if parts.count > 1, let exponent = Int(parts[1]) {
      fraction = String(repeating: "0", count: -exponent - 1) + digits.joined()
    }
    return withoutTrailingZeros(fraction)
  }

  private static func withoutTrailingZeros(_ digits: String) -> String {
    guard let last = digits.utf8.lastIndex(where: { $0 != UInt8(ascii: "0") }) else { return "" }
    return String(digits[...last])
  }

  /// Returns the digits of 1 - 0.`fraction`, which does not end with a zero.
  private static func complement(of fraction: String) -> String {
    let digits = fraction.utf8.map { UInt8(ascii: "9") - ($0 - UInt8(ascii: "0")) }
    return String(decoding: digits.dropLast() + digits.suffix(1).map { $0 + 1 }, as: UTF8.self)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }

  /// Returns the date and time in `text`, with any offset from UTC; `nil` if `text` has another format, or if there is
  /// no such date.
  package static func date(from text: some StringProtocol) -> Date? {
    var rest = Array(text.utf8)[...]
    func number(_ length: Int) -> Int? {
      guard rest.count >= length else { return nil }
      var number = 0
      for byte in rest.prefix(length) {
        guard (0x30...0x39).contains(byte) else { return nil }
        number = number * 10 + Int(byte - 0x30)
      }
      rest.removeFirst(length)
      return number
    }
    func take(_ characters: String) -> Bool {
      guard let first = rest.first, characters.utf8.contains(first) else { return false }
      rest.removeFirst()
      return true
    }
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2), take("Tt"),
      let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2),
      (1...12).contains(month), day >= 1, day <= length(ofMonth: month, year), hour < 24, minute < 60, second <= 60
    else { return nil }
    var fraction = ""
    if take(".") {
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard !digits.isEmpty else { return nil }
      fraction = withoutTrailingZeros(String(decoding: digits, as: UTF8.self))
      rest.removeFirst(digits.count)
    }
    var offset = 0
    if !take("Zz") {
      let isWest = rest.first == 0x2D
      guard take("+-"), let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60 else {
        return nil
      }
      offset = (hours * 60 + minutes) * (isWest ? -60 : 60)
    }
    guard rest.isEmpty else { return nil }
    let whole = dayNumber(year, month, day) * secondsOfDay + hour * 3600 + minute * 60 + second - offset
    return Date(timeIntervalSinceReferenceDate: seconds(whole - referenceSecond, fraction))
  }

  /// Returns the number nearest to `whole` plus 0.`fraction`, which does not end with a zero.
  private static func seconds(_ whole: Int, _ fraction: String) -> Double {
    guard !fraction.isEmpty else { return Double(whole) }
    if whole >= 0 { return Double("\(whole).\(fraction)") ?? Double(whole) }
    return -(Double("\(-1 - whole).\(complement(of: fraction))") ?? Double(-whole))
  }

  // MARK: The Gregorian calendar, with years that begin in March so that the leap day is the last

  private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func length(ofMonth month: Int, _ year: Int) -> Int {
    month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Returns the number of days since January 1st, 1970, for years from 0 on.
  private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // The calculation is shifted by 400 years, or 146 097 days, so that all numbers are positive.
    let year = (month > 2 ? year : year - 1) + 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468 - 146_097
  }

  private static func civilDate(_ dayNumber: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = dayNumber + 719_468 + 146_097
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 - 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
