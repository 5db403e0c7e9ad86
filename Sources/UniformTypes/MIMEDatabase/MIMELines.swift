// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// An iterator over the lines of a text file of the database, which creates no strings.
struct MIMELines {
  /// The maximum length of a line in bytes.
  ///
  /// Longer lines are skipped, because no valid pattern, type or namespace is longer.
  static let maximumLineLength = 4096

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns the bounds of the next line; skips comments, empty lines and overlong lines.
  mutating func next() -> Range<Int>? {
    let bytes = bytes
    let span = bytes.span
    while position < span.count {
      let start = position
      let end = Self.first(UInt8(ascii: "\n"), in: start..<span.count, of: span) ?? span.count
      let line = start..<end
      position = end + 1
      if !line.isEmpty, line.count <= Self.maximumLineLength, span[start] != UInt8(ascii: "#") { return line }
    }
    return nil
  }

  /// Returns the index of the first `byte` in `range`.
  func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
    Self.first(byte, in: range, of: bytes.span)
  }

  private static func first(_ byte: UInt8, in range: Range<Int>, of span: Span<UInt8>) -> Int? {
    let part = span.extracting(range)
    for index in part.indices where part[unchecked: index] == byte { return range.lowerBound + index }
    return nil
  }

  /// Returns the ranges before and after the first `byte` in `range`; `nil` if the range does not contain it.
  func halves(of range: Range<Int>, at byte: UInt8) -> (Range<Int>, Range<Int>)? {
    first(byte, in: range).map { (range.lowerBound..<$0, $0 + 1..<range.upperBound) }
  }
}

/// The syntax checks for text in files of the database, which are untrusted.
enum MIMESyntax {
  /// The maximum length of a type: the grammar of media types allows 127 characters on each side of the slash.
  static let maximumTypeLength = 255

  /// Returns whether bytes are a media type whose halves are safe as the name of a directory and of a file.
  static func isType(_ bytes: Span<UInt8>) -> Bool {
    guard (3...maximumTypeLength).contains(bytes.count) else { return false }
    var slash: Int?
    for index in bytes.indices {
      let byte = bytes[unchecked: index]
      guard byte > 0x20, byte < 0x7F else { return false }
      if byte == UInt8(ascii: "/") {
        guard slash == nil else { return false }
        slash = index
      }
    }
    guard let slash, slash > 0, slash + 1 < bytes.count else { return false }
    return bytes[0] != UInt8(ascii: ".") && bytes[slash + 1] != UInt8(ascii: ".")
  }

  /// Returns the value of one to nine decimal digits; `nil` for other bytes.
  static func number(_ bytes: Span<UInt8>) -> Int? {
    guard (1...9).contains(bytes.count) else { return nil }
    var value = 0
    for index in bytes.indices {
      let byte = bytes[index]
      guard UInt8(ascii: "0") <= byte, byte <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return value
  }

  static func isEqual(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { other in bytes.indices.allSatisfy { bytes[$0] == other[$0] } }
  }
}
