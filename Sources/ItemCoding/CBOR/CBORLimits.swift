// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a coder gives up at, so that bytes from a stranger cost no more than they are worth.
///
/// Independent of any limit, memory is reserved only for what the bytes at hand can hold: see ``CBORDecoder``.
public struct CBORLimits: Sendable, Hashable {
  /// How many maps and arrays may be within one another; 512 unless it is said otherwise, as in `JSONDecoder`.
  ///
  /// Each takes some of the calling thread's stack while its values code themselves, so a much higher limit is for
  /// data of your own, and threads with the stack for it.
  public var depth: Int

  /// How long a single string may be in bytes, and an array or map in elements or entries; 1 073 741 824 unless it is
  /// said otherwise.
  public var length: Int

  /// How many values may be visited for each byte of the input, 64 unless it is said otherwise; a million visits are
  /// allowed in any case.
  ///
  /// Each value takes one byte at least, so one visit for each byte would do for values that read their keys in the
  /// order they were written in, and forty for values that try every type. A value that is tried as several types in
  /// turn, at each of many depths, makes more than that, and more than anybody would wait for. Other work is counted
  /// along: an attempt that fails counts as four visits, 16 items that are gone over or 512 bytes of a value as one.
  public var visitsPerByte: Int

  /// Takes limits other than the default ones.
  public init(depth: Int = 512, length: Int = 1 << 30, visitsPerByte: Int = 64) {
    self.depth = depth
    self.length = length
    self.visitsPerByte = visitsPerByte
  }

  /// No limit at all, for data of your own: bytes from elsewhere can then exhaust the stack.
  public static let unlimited = CBORLimits(depth: .max, length: .max, visitsPerByte: .max)

  /// How many visits `byteCount` bytes are worth.
  func visits(byteCount: Int) -> Int {
    let (product, overflow) = byteCount.multipliedReportingOverflow(by: visitsPerByte)
    // Counted in parts.
    return overflow ? .max / CBORDecodingSession.visit : min(max(1_000_000, product), .max / CBORDecodingSession.visit)
  }
}
