// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Stands for bytes that are not UTF-8: a NUL, then the bytes escaped for display.
///
/// No argument and no file name contains a NUL, so the text is never taken for a name that exists. Repaired, the bytes
/// would name another file.
enum UndecodableName {
  static func marking(_ bytes: some Sequence<UInt8>) -> String {
    var text = "\0"
    for byte in bytes {
      if (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "\\") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += (digits.count == 1 ? "\\x0" : "\\x") + digits
      }
    }
    return text
  }

  /// Returns the escaped bytes, or `nil` for a name that is UTF-8.
  static func shown(_ text: String) -> String? {
    text.utf8.first == 0 ? String(text.dropFirst()) : nil
  }
}
