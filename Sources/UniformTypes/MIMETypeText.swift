// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The text of a MIME type taken apart (RFC 2045, section 5.1).
enum MIMETypeText {
  /// The type and subtype, without parameters and white space.
  static func essence(of text: String) -> String {
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: ";")) else { return text.trimmingWhitespace }
    return String(text[..<end]).trimmingWhitespace
  }

  /// The type and subtype in lower case, or a name of X11 (`TARGETS`) as it is.
  ///
  /// - Returns: `nil` for text that is neither.
  static func normalized(_ text: String) -> String? {
    let essence = essence(of: text)
    let halves = essence.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard halves.count <= 2, halves.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isTokenCharacter) }) else { return nil }
    return halves.count == 2 ? essence.asciiLowercased : essence
  }

  /// Whether a byte may be in a token (RFC 2045, section 5.1).
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21...0x7E: !#"()<>@,;:\"/[]?="#.utf8.contains(byte)
    default: false
    }
  }

  /// What may be declared: the type with each of its parameters, then without them.
  static func keys(of text: String) -> [String] {
    guard text.utf8.contains(UInt8(ascii: ";")) else { return [text] }
    let parts = text.filter { !$0.isWhitespace && $0 != "\"" }.split(separator: ";")
    guard let essence = parts.first else { return [] }
    // A hostile text may have very many.
    return parts.dropFirst().prefix(16).map { "\(essence);\($0)" } + [String(essence)]
  }
}

extension String {
  var trimmingWhitespace: String {
    func isWhite(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = utf8.first, let last = utf8.last, isWhite(first) || isWhite(last) else { return self }
    let start = utf8.firstIndex { !isWhite($0) } ?? endIndex
    let end = utf8.lastIndex { !isWhite($0) }.map { utf8.index(after: $0) } ?? start
    return String(self[start..<end])
  }
}
