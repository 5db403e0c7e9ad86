// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The records of a pax header, which replace fields of the next header.
struct PaxAttributes {
  /// An extended attribute of a file.
  struct Extended: Sendable, Hashable {
    let name: String
    let value: [UInt8]
  }

  /// The keys of GNU tar for sparse files, in their three versions.
  struct Sparse {
    var major: Int64 = 0
    var minor: Int64 = 0
    var size: Int64?
    /// The numbers of the map in the order of the records: an offset, a count, and so on.
    var numbers: [Int64] = []
    var name: [UInt8]?

    /// Whether the map is in front of the content.
    var hasMapInContent: Bool { major == 1 && minor == 0 }
  }

  var path: [UInt8]?
  var target: [UInt8]?
  var size: Int64?
  var modified: FileTime?
  var owner: UInt32?
  var group: UInt32?
  var sparse: Sparse?
  /// All values of extended attributes, in the order of the records.
  var extended: [Extended] = []

  static let extendedPrefix = "SCHILY.xattr."

  /// Reads the records of a header.
  ///
  /// Each replaces an earlier record with the same key. Only the parts of a sparse file's map have repeated keys.
  ///
  /// - Parameters:
  ///   - bytes: The content of the header.
  ///   - offset: The offset of the content in the archive, for errors.
  ///   - limits: The limits of the archive.
  /// - Throws: `malformed`, `limitExceeded`.
  mutating func read(
    _ bytes: [UInt8], at offset: Int64, _ limits: FolderArchive.Limits
  ) throws(FolderArchiveError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      func malformed(_ reason: String) -> FolderArchiveError {
        FolderArchiveError(.malformed, "a pax record " + reason, at: offset + Int64(rest.startIndex))
      }
      let digits = rest.prefix { $0 != 0x20 }.prefix(20)
      guard let length = Self.integer(digits), length <= rest.count, length > digits.count + 1,
        rest[rest.startIndex + Int(length) - 1] == 0x0A
      else { throw malformed("has a wrong length") }
      let record = rest[(digits.endIndex + 1)..<(rest.startIndex + Int(length) - 1)]
      guard let equals = record.firstIndex(of: UInt8(ascii: "=")) else { throw malformed("has no value") }
      let key = String(decoding: record[..<equals], as: UTF8.self)
      guard try set(key, record[(equals + 1)...], limits) else {
        throw malformed("has a wrong \(key.escapedForDisplay(limit: 60))")
      }
      rest = rest[(rest.startIndex + Int(length))...]
    }
  }

  /// The extended attributes, each with its last value.
  var lastExtended: [Extended] {
    if extended.count < 2 { return extended }
    var seen: Set<[UInt8]> = []
    return extended.reversed().filter { seen.insert(Array($0.name.utf8)).inserted }.reversed()
  }

  /// Sets the value of a key.
  ///
  /// An empty value removes the value of a global header. Unknown keys are ignored.
  ///
  /// - Returns: False for a value that is not of the key's form.
  private mutating func set(
    _ key: String, _ value: ArraySlice<UInt8>, _ limits: FolderArchive.Limits
  ) throws(FolderArchiveError) -> Bool {
    func number(_ into: inout UInt32?) -> Bool {
      into = Self.integer(value).flatMap { UInt32(exactly: $0) }
      return into != nil || value.isEmpty
    }
    switch key {
    case "path": path = value.isEmpty ? nil : Array(value)
    case "linkpath": target = value.isEmpty ? nil : Array(value)
    case "size":
      size = Self.integer(value)
      return size != nil || value.isEmpty
    case "mtime":
      modified = Self.time(value)
      return modified != nil || value.isEmpty
    case "uid": return number(&owner)
    case "gid": return number(&group)
    case _ where key.hasPrefix(Self.extendedPrefix):
      extended.append(Extended(name: String(key.dropFirst(Self.extendedPrefix.count)), value: Array(value)))
    case _ where key.hasPrefix("GNU.sparse."):
      var map = sparse ?? Sparse()
      guard try map.set(key.dropFirst("GNU.sparse.".count), value, limits) else { return false }
      sparse = map
    default: break
    }
    return true
  }

  /// Returns the number that decimal digits stand for; `nil` for other text, and for a number above 2⁶³ − 1.
  static func integer(_ digits: ArraySlice<UInt8>) -> Int64? {
    var number: Int64 = 0
    for digit in digits {
      let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = tens.addingReportingOverflow(Int64(digit) - 0x30)
      guard (0x30...0x39).contains(digit), !isTooLarge, !overflows else { return nil }
      number = sum
    }
    return digits.isEmpty ? nil : number
  }

  /// Returns the time of decimal seconds, without digits after the nanoseconds; `nil` for other text.
  static func time(_ text: ArraySlice<UInt8>) -> FileTime? {
    let isNegative = text.first == UInt8(ascii: "-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard let seconds = integer(parts[0]) else { return nil }
    var nanoseconds: UInt32 = 0
    if parts.count == 2, !parts[1].isEmpty {
      let digits = parts[1].prefix(9)
      guard let fraction = integer(digits), parts[1].allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
      nanoseconds = UInt32(fraction)
      for _ in digits.count..<9 { nanoseconds *= 10 }
    }
    guard isNegative else { return FileTime(seconds: seconds, nanoseconds: nanoseconds) }
    return nanoseconds == 0
      ? FileTime(seconds: -seconds, nanoseconds: 0)
      : FileTime(seconds: -seconds - 1, nanoseconds: 1_000_000_000 - nanoseconds)
  }

  /// Returns the decimal seconds of a time.
  static func text(_ time: FileTime) -> String {
    let isNegative = time.seconds < 0 && time.nanoseconds > 0
    let seconds = isNegative ? time.seconds + 1 : time.seconds
    let nanoseconds = isNegative ? 1_000_000_000 - time.nanoseconds : time.nanoseconds
    let sign = isNegative && seconds == 0 ? "-" : ""
    guard nanoseconds > 0 else { return "\(seconds)" }
    var digits = String(nanoseconds)
    digits = String(repeating: "0", count: 9 - digits.utf8.count) + digits
    while digits.utf8.last == 0x30 { digits.removeLast() }
    return "\(sign)\(seconds).\(digits)"
  }

  /// Appends a record with its own length in front.
  static func append(_ key: String, _ value: some Collection<UInt8>, to bytes: inout [UInt8]) {
    let count = key.utf8.count + value.count + 3
    var length = count + 1
    while count + String(length).utf8.count != length { length += 1 }
    bytes += "\(length) \(key)=".utf8
    bytes += value
    bytes.append(0x0A)
  }
}

extension PaxAttributes.Sparse {
  fileprivate mutating func set(
    _ key: Substring, _ value: ArraySlice<UInt8>, _ limits: FolderArchive.Limits
  ) throws(FolderArchiveError) -> Bool {
    func add(_ number: Int64?) throws(FolderArchiveError) -> Bool {
      guard let number else { return false }
      guard numbers.count < 2 * limits.segments else { throw FolderArchive.tooManySegments(limits) }
      numbers.append(number)
      return true
    }
    let number = PaxAttributes.integer(value)
    switch key {
    case "name": name = Array(value)
    case "map":
      numbers = []
      for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        guard try add(PaxAttributes.integer(part)) else { return false }
      }
    case "offset", "numbytes":
      guard numbers.count % 2 == (key == "offset" ? 0 : 1) else { return false }
      return try add(number)
    case "size", "realsize":
      size = number
      return number != nil
    case "major", "minor":
      guard let number else { return false }
      if key == "major" { major = number } else { minor = number }
    default: break
    }
    return true
  }
}
