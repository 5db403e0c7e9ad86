// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Data {
  /// Reads bytes written as pairs of hexadecimal digits; white space between pairs is free.
  ///
  /// - Returns: `nil` when there is anything else, or half a pair.
  public init?(hex: String) {
    let digits = hex.filter { !$0.isWhitespace }
    guard digits.utf8.count.isMultiple(of: 2) else { return nil }
    self.init()
    var rest = digits[...]
    while !rest.isEmpty {
      guard rest.prefix(2).allSatisfy(\.isHexDigit), let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      append(byte)
      rest = rest.dropFirst(2)
    }
  }

  /// The bytes as pairs of lower-case hexadecimal digits, without spaces.
  public var hex: String {
    map { String($0 >> 4, radix: 16) + String($0 & 0x0F, radix: 16) }.joined()
  }
}
