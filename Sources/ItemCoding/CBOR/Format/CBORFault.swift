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
  private let reason: Reason

  /// The reason in words.
  ///
  /// Programs often catch a mismatch, so its texts are literals, which allocate nothing.
  private enum Reason {
    case text(String)
    case mismatch(expected: StaticString, found: StaticString)
  }

  init(_ kind: Kind = .malformed, at offset: Int, _ text: String) {
    self.kind = kind
    self.offset = offset
    reason = .text(text)
  }

  /// Creates a fault for an item `found` where an item `expected` was requested.
  init(_ kind: Kind, at offset: Int, expected: StaticString, found: StaticString) {
    self.kind = kind
    self.offset = offset
    reason = .mismatch(expected: expected, found: found)
  }

  var text: String {
    switch reason {
    case .text(let text): text
    case .mismatch(let expected, let found): "expected \(expected), found \(found)"
    }
  }

  /// Returns the text with the position, which is the offset plus `origin`.
  func located(from origin: Int) -> String {
    guard case .mismatch(let expected, let found) = reason else { return "at byte \(origin + offset): \(text)" }
    // Interpolation would take several times as long, and a program often catches this error.
    let capacity = 64 + expected.utf8CodeUnitCount + found.utf8CodeUnitCount
    return String(unsafeUninitializedCapacity: capacity) { text in
      guard let start = text.baseAddress else { return 0 }
      var end = start
      Self.append("at byte ", &end)
      // The digits are written backwards from the end of 20 bytes, room for the longest number, and moved to the start.
      let digitsEnd = end + 20
      var digits = digitsEnd
      var number = UInt(bitPattern: origin + offset)
      repeat {
        digits -= 1
        digits.initialize(to: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
        number /= 10
      } while number > 0
      end.update(from: digits, count: digitsEnd - digits)
      end += digitsEnd - digits
      Self.append(": expected ", &end)
      Self.append(expected, &end)
      Self.append(", found ", &end)
      Self.append(found, &end)
      return end - start
    }
  }

  @inline(__always)
  private static func append(_ part: StaticString, _ end: inout UnsafeMutablePointer<UInt8>) {
    end.initialize(from: part.utf8Start, count: part.utf8CodeUnitCount)
    end += part.utf8CodeUnitCount
  }

  /// Returns the fault of an item at `offset` that lacks `missing` bytes.
  @inline(never)
  static func truncated(at offset: Int, missing: UInt64) -> CBORFault {
    CBORFault(.truncated, at: offset, "the input ends \(missing) byte\(missing == 1 ? "" : "s") too early")
  }
}
