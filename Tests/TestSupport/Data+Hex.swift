// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Data {
  /// Creates data from pairs of hexadecimal digits, with optional white space.
  ///
  /// - Precondition: The string contains no other characters, and an even number of digits.
  public init(hex: String) {
    let digits = hex.filter { !$0.isWhitespace }.map(\.hexDigitValue)
    precondition(!digits.contains(nil) && digits.count.isMultiple(of: 2), "two hexadecimal digits for each byte")
    self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)) })
  }

  /// The bytes as pairs of lower-case hexadecimal digits, without spaces.
  public var hex: String {
    map { String($0 >> 4, radix: 16) + String($0 & 0x0F, radix: 16) }.joined()
  }
}
