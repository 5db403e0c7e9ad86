// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import FoundationEssentials
internal import ItemCoding
internal import Synchronization

/// A printer of XML and binary property lists, as text in a notation like JSON.
///
/// The decoder validates the list before it creates values, so nesting and shared references are bounded.
struct PropertyListPreview: Decodable {
  /// The maximum size of a list in bytes.
  ///
  /// The preview needs the complete list, since the structure of the binary format is stored at its end.
  static let maximumByteCount = 256 << 10

  private static let outputKey = CodingUserInfoKey(rawValue: "org.dragpipe.preview")

  /// Returns the text of a complete list.
  ///
  /// - Throws: `DecodingError` if the list is invalid.
  static func text(of data: Data) throws -> PreviewText {
    let output = Output()
    let decoder = PropertyListDecoder()
    if let outputKey { decoder.userInfo[outputKey] = output }
    _ = try decoder.decodeForeign(Self.self, from: data)
    return output.edit { $0 }
  }

  /// The text to which each decoded value is added.
  private final class Output: Sendable {
    private let text = Lock(PreviewText())

    func edit<Result: Sendable>(_ body: (inout PreviewText) -> Result) -> Result {
      text.withLock { body(&$0) }
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
      self.stringValue = stringValue
    }

    init?(intValue: Int) {
      nil
    }
  }

  /// Prints the decoded value and does not keep it.
  init(from decoder: any Decoder) throws {
    guard let outputKey = Self.outputKey, let output = decoder.userInfo[outputKey] as? Output else { return }
    let level = decoder.codingPath.count
    if let dictionary = try? decoder.container(keyedBy: Key.self) {
      try Self.print(dictionary, level: level, output)
    } else if let array = try? decoder.unkeyedContainer() {
      try Self.print(array, level: level, output)
    } else {
      let value = Value(try decoder.singleValueContainer())
      output.edit { value.write(to: &$0) }
    }
  }

  private static func print(
    _ dictionary: KeyedDecodingContainer<Key>, level: Int, _ output: Output
  ) throws {
    let keys = dictionary.allKeys.sorted { $0.stringValue < $1.stringValue }
    output.edit { $0.write(keys.isEmpty ? "{}" : "{") }
    for (index, key) in keys.enumerated() {
      let isTruncated = output.edit { text in
        if index > 0 { text.write(",") }
        text.beginLine(level: level + 1)
        text.writeQuoted(key.stringValue)
        text.write(": ")
        return text.isTruncated
      }
      if isTruncated { return }
      _ = try dictionary.decode(Self.self, forKey: key)
    }
    if !keys.isEmpty { end("}", level: level, output) }
  }

  private static func print(
    _ array: any UnkeyedDecodingContainer, level: Int, _ output: Output
  ) throws {
    var array = array
    let isEmpty = array.isAtEnd
    output.edit { $0.write(isEmpty ? "[]" : "[") }
    while !array.isAtEnd {
      let isTruncated = output.edit { text in
        if array.currentIndex > 0 { text.write(",") }
        text.beginLine(level: level + 1)
        return text.isTruncated
      }
      if isTruncated { return }
      _ = try array.decode(Self.self)
    }
    if !isEmpty { end("]", level: level, output) }
  }

  private static func end(_ closing: String, level: Int, _ output: Output) {
    output.edit { text in
      text.beginLine(level: level)
      text.write(closing)
    }
  }
}

/// A scalar value of a property list.
///
/// A decoder does not report the kind of a value, so the initializer tries one kind after the other.
private enum Value {
  case string(String)
  case verbatim(String)

  /// The range of dates that a calendar can format, in seconds since 2001.
  private static let sensibleSeconds = -6e10...2.5e11

  init(_ value: any SingleValueDecodingContainer) {
    if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let flag = try? value.decode(Bool.self) {
      self = .verbatim("\(flag)")
    } else if let number = try? value.decode(Int64.self) {
      self = .verbatim("\(number)")
    } else if let number = try? value.decode(UInt64.self) {
      self = .verbatim("\(number)")
    } else if let number = try? value.decode(Double.self) {
      self = .verbatim("\(number)")
    } else if let date = try? value.decode(Date.self) {
      let seconds = date.timeIntervalSinceReferenceDate
      self = .verbatim(Self.sensibleSeconds.contains(seconds) ? "\(date)" : "a date \(seconds) seconds after 2001")
    } else if let data = try? value.decode(Data.self) {
      let digits = data.prefix(16).map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }
      let count = ToolHelp.count(data.count, "byte")
      self = .verbatim("<\(count)\(data.isEmpty ? "" : ": ")\(digits.joined())\(data.count > 16 ? "…" : "")>")
    } else {
      self = .verbatim("<unknown value>")
    }
  }

  func write(to text: inout PreviewText) {
    switch self {
    case .string(let string): text.writeQuoted(string)
    case .verbatim(let words): text.write(words)
    }
  }
}
