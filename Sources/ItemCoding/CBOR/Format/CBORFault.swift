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
  private let reason: Reason

  /// Literals where one item is there instead of another: such a fault is often caught, and costs no memory.
  private enum Reason {
    case text(String)
    case mismatch(expected: StaticString, found: StaticString)
  }

  init(_ kind: Kind = .malformed, at offset: Int, _ text: String) {
    self.kind = kind
    self.offset = offset
    reason = .text(text)
  }

  /// The item `found` is there instead of `expected`.
  init(_ kind: Kind, at offset: Int, expected: StaticString, found: StaticString) {
    self.kind = kind
    self.offset = offset
    reason = .mismatch(expected: expected, found: found)
  }

  var text: String {
    switch reason {
    case .text(let text): text
    case .mismatch(let expected, let found): "\(expected) was asked for, \(found) is there"
    }
  }

  /// The text behind the place, which is `origin` bytes further on than the offset says.
  func located(from origin: Int) -> String {
    guard case .mismatch(let expected, let found) = reason else { return "at byte \(origin + offset): \(text)" }
    // In one piece: interpolation would take several times as long, and most of these errors are only caught.
    let capacity = 64 + expected.utf8CodeUnitCount + found.utf8CodeUnitCount
    return String(unsafeUninitializedCapacity: capacity) { text in
      guard let start = text.baseAddress else { return 0 }
      var end = start
      Self.append("at byte ", &end)
      // At the end of the room for the longest number, then moved to its start.
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
      Self.append(": ", &end)
      Self.append(expected, &end)
      Self.append(" was asked for, ", &end)
      Self.append(found, &end)
      Self.append(" is there", &end)
      return end - start
    }
  }

  @inline(__always)
  private static func append(_ part: StaticString, _ end: inout UnsafeMutablePointer<UInt8>) {
    end.initialize(from: part.utf8Start, count: part.utf8CodeUnitCount)
    end += part.utf8CodeUnitCount
  }

  /// The input ends `missing` bytes before what begins at `offset` does.
  @inline(never)
  static func truncated(at offset: Int, missing: UInt64) -> CBORFault {
    CBORFault(.truncated, at: offset, "the input ends \(missing) byte\(missing == 1 ? "" : "s") too early")
  }
}
