// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The detection of text in leading bytes.
enum TextDetection {
  /// The number of leading bytes that implementations of shared-mime-info examine to tell text from binary data.
  static let traditionalLength = 128

  /// An encoding of text that the bytes can indicate.
  enum Encoding: Sendable, Hashable {
    case utf8
    case utf16
    case utf32
    /// An older encoding: the bytes have no control characters and are not UTF-8.
    case other
  }

  /// Returns the encoding of text.
  ///
  /// - Parameter content: The leading bytes, which may end within a character. Empty content is text.
  /// - Returns: The encoding; `nil` if the bytes are not text.
  static func encoding(of content: Span<UInt8>) -> Encoding? {
    if starts(content, with: [0xFF, 0xFE, 0, 0]) || starts(content, with: [0, 0, 0xFE, 0xFF]) { return .utf32 }
    if starts(content, with: [0xFF, 0xFE]) || starts(content, with: [0xFE, 0xFF]) { return .utf16 }
    for index in content.indices where isControl(content[index]) {
      // The end of a text of DOS.
      guard content[index] == 0x1A, index > 0, index == content.count - 1 else { return nil }
    }
    return isUTF8(content) ? .utf8 : .other
  }

  /// Returns whether the bytes are text.
  static func looksLikeText(_ content: Span<UInt8>) -> Bool {
    encoding(of: content) != nil
  }

  /// Returns the offset of the first character that is neither a byte order mark nor white space.
  static func endOfLeadingSpace(_ content: Span<UInt8>) -> Int {
    var index = starts(content, with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while index < content.count, isSpace(content[index]) { index += 1 }
    return index
  }

  /// Returns whether a byte is ASCII white space.
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  /// Returns whether the content has certain bytes at an offset.
  static func starts(_ content: Span<UInt8>, at offset: Int = 0, with bytes: [UInt8]) -> Bool {
    guard bytes.count <= content.count - offset else { return false }
    for index in bytes.indices where content[offset + index] != bytes[index] { return false }
    return true
  }

  /// Returns whether a byte is a control character that text does not contain.
  ///
  /// Text may contain white space, the backspaces of old manual pages and the escape character.
  private static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && !isSpace(byte) && byte != 0x1B && byte != 0x08
  }

  private static func isUTF8(_ content: Span<UInt8>) -> Bool {
    var end = content.count
    // A truncated character of one to three bytes at the end is ignored, unless the content is so short that it is
    // probably complete.
    for back in 1...3 where content.count > Self.traditionalLength {
      let byte = content[content.count - back]
      if byte & 0xC0 == 0x80 { continue }
      if byte >= 0xF8 { return false }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      if length > back { end = content.count - back }
      break
    }
    return (try? UTF8Span(validating: content.extracting(first: end))) != nil
  }
}
