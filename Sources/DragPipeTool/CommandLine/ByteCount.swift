// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A number of bytes as people write it.
struct ByteCount: Sendable {
  let value: UInt64

  /// - Parameter text: A number, and behind it K, M, G or T for so many times 1024.
  /// - Throws: `usage`.
  init(argument text: String) throws(ToolFailure) {
    let factors: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    let factor = text.last.flatMap { factors[Character($0.uppercased())] }
    let digits = factor == nil ? text[...] : text.dropLast()
    guard let number = UInt64(digits),
      case (let value, let overflow) = number.multipliedReportingOverflow(by: factor ?? 1),
      !overflow
    else { throw ToolFailure(.usage, "\(text.escapedForDisplay()) is no size; try 500M or 2G") }
    self.value = value
  }
}
