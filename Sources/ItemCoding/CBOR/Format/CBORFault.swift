// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A problem of the input at an offset, reported as a `DecodingError`.
struct CBORFault: Error {
  enum Kind {
    /// The input ends too early; with more bytes, the item may be complete.
    case truncated
    /// The item is malformed, invalid or out of range, regardless of the bytes that follow.
    case malformed
    /// The input exceeds a limit of the decoder.
    case limit
    /// The item is not of the requested kind.
    case mismatch
    /// The item is null, but a value was requested.
    case null
    /// The map does not have the requested key.
    case missing
  }

  let kind: Kind
  /// The offset from the start of the input, in bytes.
  let offset: Int
  /// The reason in words.
  let text: String

  init(_ kind: Kind = .malformed, at offset: Int, _ text: String) {
    self.kind = kind
    self.offset = offset
    self.text = text
  }

  /// Returns the text with the position, which is the offset plus `origin`.
  func located(from origin: Int) -> String { "at byte \(origin + offset): \(text)" }

  /// Returns the fault of an item at `offset` that lacks `missing` bytes.
  @inline(never)
  static func truncated(at offset: Int, missing: UInt64) -> CBORFault {
    CBORFault(.truncated, at: offset, "the input ends \(missing) byte\(missing == 1 ? "" : "s") too early")
  }
}
