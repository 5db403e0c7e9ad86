// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A time as a file system has it, which is finer than a `Date`.
package struct FileTime: Hashable, Sendable {
  /// Since 1970, without leap seconds.
  package let seconds: Int64
  /// Behind them; less than a second's.
  package let nanoseconds: UInt32

  /// - Returns: `nil` for nanoseconds that are a second or more.
  package init?(seconds: Int64, nanoseconds: UInt32) {
    guard nanoseconds < 1_000_000_000 else { return nil }
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// - Returns: `nil` for a time that no file has.
  package init?(_ date: Date) {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    guard let whole = Int64(exactly: seconds) else { return nil }
    let rest = (date.timeIntervalSince1970 - seconds) * 1e9
    self.init(seconds: whole, nanoseconds: UInt32(min(999_999_999, max(0, rest))))
  }

  package var date: Date { Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9) }
}
