// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Data {
  /// The bytes whose digits `hex` is; there must be two for each.
  init(hex: String) {
    let digits = hex.compactMap(\.hexDigitValue)
    precondition(digits.count == hex.count && digits.count.isMultiple(of: 2), "two hexadecimal digits for each byte")
    self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
  }
}
