// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Stands for bytes that are not UTF-8: a NUL, then the bytes escaped for display.
///
/// No argument and no file name contains a NUL, so the text is never taken for a name that exists. Repaired, the bytes
/// would name another file.
enum UndecodableName {
  static func marking(_ bytes: some Sequence<UInt8>) -> String { "\0" + String.escapingEachByte(of: bytes) }

  /// Returns the escaped bytes, or `nil` for a name that is UTF-8.
  static func shown(_ text: String) -> String? {
    text.utf8.first == 0 ? String(text.dropFirst()) : nil
  }
}
