// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What is wrong with some bytes, and where; users see it as a `DecodingError`.
struct CBORFault: Error {
  enum Kind {
    /// The bytes end too early; more of them may make the item whole.
    case truncated
    /// No bytes behind these make it well-formed, or it is not valid.
    case malformed
    /// A limit of the decoder.
    case limit
    /// Another kind of item than was asked for.
    case mismatch
    /// Null where a value was asked for.
    case null
    /// A map without the key that was asked for.
    case missing
  }

  let kind: Kind
  /// How far from the start of the input, in bytes.
  let offset: Int
  let text: String

  init(_ kind: Kind = .malformed, at offset: Int, _ text: String) {
    self.kind = kind
    self.offset = offset
    self.text = text
  }

  /// The input ends `missing` bytes before what begins at `offset` does.
  @inline(never)
  static func truncated(at offset: Int, missing: UInt64) -> CBORFault {
    CBORFault(.truncated, at: offset, "the input ends \(missing) byte\(missing == 1 ? "" : "s") too early")
  }
}
