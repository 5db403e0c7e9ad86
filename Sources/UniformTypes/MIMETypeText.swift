// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A namespace for functions that parse MIME types (RFC 2045, section 5.1).
enum MIMETypeText {
  /// Returns the type and subtype, without parameters and without the white space at both ends.
  static func essence(of text: String) -> String {
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: ";")) else { return text.trimmingWhitespace }
    return String(text[..<end]).trimmingWhitespace
  }

  /// Returns the type and subtype in lower case, or a name without a slash, such as X11's `TARGETS`, unchanged.
  ///
  /// Returns `nil` if the string is neither.
  static func normalized(_ text: String) -> String? {
    let essence = essence(of: text)
    let halves = essence.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard halves.count <= 2, halves.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isTokenCharacter) }) else { return nil }
    return halves.count == 2 ? essence.asciiLowercased : essence
  }

  /// Returns whether a token may contain the byte (RFC 2045, section 5.1).
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21...0x7E: !#"()<>@,;:\"/[]?="#.utf8.contains(byte)
    default: false
    }
  }

  /// Returns the tags that a declared type may have for a MIME type: with each one of the first 16 parameters, then
  /// without parameters.
  static func keys(of text: String) -> [String] {
    guard text.utf8.contains(UInt8(ascii: ";")) else { return [text] }
    let parts = text.filter { !$0.isWhitespace && $0 != "\"" }.split(separator: ";")
    guard let essence = parts.first else { return [] }
    // The limit bounds the work for a hostile string with many parameters.
    return parts.dropFirst().prefix(16).map { "\(essence);\($0)" } + [String(essence)]
  }
}

/// The names that X11 programs use for types of text.
///
/// Names of requests in the X11 protocol, such as `TARGETS`, are not in the table, because they name no type of data.
enum X11Names {
  static let types: [String: UTType] = [
    "UTF8_STRING": .utf8PlainText, "STRING": .plainText, "TEXT": .plainText, "COMPOUND_TEXT": .plainText,
  ]
}

/// The top-level type of a MIME type, the word before the slash.
struct MediaKind {
  /// The uniform type to which all types of the kind conform; `nil` for `application` and unknown words.
  let parent: UTType?

  init(of mimeType: String) {
    let word = mimeType.utf8.prefix { $0 != UInt8(ascii: "/") }
    switch String(decoding: word.map(\.asciiLowercased), as: UTF8.self) {
    case "text": parent = .text
    case "image": parent = .image
    case "audio": parent = .audio
    case "video": parent = .movie
    case "font": parent = .font
    case "model": parent = .threeDContent
    default: parent = nil
    }
  }
}

extension String {
  /// The string without the spaces and tabs at its ends.
  var trimmingWhitespace: String {
    func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = utf8.first, let last = utf8.last, isWhite(first) || isWhite(last) else { return self }
    let start = utf8.firstIndex { !isWhite($0) } ?? endIndex
    let end = utf8.lastIndex { !isWhite($0) }.map { utf8.index(after: $0) } ?? start
    return String(self[start..<end])
  }
}
