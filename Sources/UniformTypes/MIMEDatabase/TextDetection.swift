// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Decides whether bytes are text.
enum TextDetection {
  /// What the shared MIME database's readers look at when nothing else speaks for a type.
  static let traditionalLength = 128

  /// How text is encoded, as far as its bytes show.
  enum Encoding: Sendable, Hashable {
    case utf8
    case utf16
    case utf32
    /// Without control characters, but not UTF-8: one of the older encodings.
    case other
  }

  /// The encoding of text.
  ///
  /// - Parameter content: Leading bytes, which may end within a character. Empty content is text.
  /// - Returns: Nothing when the bytes are no text.
  static func encoding(of content: Span<UInt8>) -> Encoding? {
    if starts(content, with: [0xFF, 0xFE, 0, 0]) || starts(content, with: [0, 0, 0xFE, 0xFF]) { return .utf32 }
    if starts(content, with: [0xFF, 0xFE]) || starts(content, with: [0xFE, 0xFF]) { return .utf16 }
    for index in content.indices where isControl(content[index]) { return nil }
    return isUTF8(content) ? .utf8 : .other
  }

  static func looksLikeText(_ content: Span<UInt8>) -> Bool {
    encoding(of: content) != nil
  }

  /// Where the first character is that is neither a byte order mark nor white space.
  static func endOfLeadingSpace(_ content: Span<UInt8>) -> Int {
    var index = starts(content, with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while index < content.count, isSpace(content[index]) { index += 1 }
    return index
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  static func starts(_ content: Span<UInt8>, at offset: Int = 0, with bytes: [UInt8]) -> Bool {
    guard bytes.count <= content.count - offset else { return false }
    for index in bytes.indices where content[offset + index] != bytes[index] { return false }
    return true
  }

  /// Characters that no text has: those below the space, but for white space, backspaces of old manuals and escapes.
  private static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && !isSpace(byte) && byte != 0x1B && byte != 0x08
  }

  private static func isUTF8(_ content: Span<UInt8>) -> Bool {
    var end = content.count
    // A character that was cut off: at most three of its bytes are there.
    for back in 1...3 where back <= content.count {
      let byte = content[content.count - back]
      if byte & 0xC0 == 0x80 { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      if length > back { end = content.count - back }
      break
    }
    return (try? UTF8Span(validating: content.extracting(first: end))) != nil
  }
}
