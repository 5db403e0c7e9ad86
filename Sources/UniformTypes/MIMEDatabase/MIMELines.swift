// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Walks over the lines of a text file of the database without making strings of them.
struct MIMELines {
  /// Longer lines are skipped: no pattern, type or namespace is this long.
  static let maximumLineLength = 4096

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The bounds of the next line that has something to say: no comment, not empty, and not overlong.
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

  /// Where the first of `byte` in `range` is.
  func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
    Self.first(byte, in: range, of: bytes.span)
  }

  private static func first(_ byte: UInt8, in range: Range<Int>, of span: Span<UInt8>) -> Int? {
    let part = span.extracting(range)
    for index in part.indices where part[unchecked: index] == byte { return range.lowerBound + index }
    return nil
  }

  /// What is before and after the first of `byte`.
  func halves(of range: Range<Int>, at byte: UInt8) -> (Range<Int>, Range<Int>)? {
    first(byte, in: range).map { (range.lowerBound..<$0, $0 + 1..<range.upperBound) }
  }
}

/// The questions asked of names that stand in files anybody may have written.
enum MIMESyntax {
  /// More is no type: the grammar of media types allows 127 characters on each side of the slash.
  static let maximumTypeLength = 255

  /// Whether bytes are a media type, and its two halves are safe as the name of a directory and of a file.
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

  /// Up to nine decimal digits, and nothing else.
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
