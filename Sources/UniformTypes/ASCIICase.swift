// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
  /// The lower-case letter for an ASCII capital, anything else unchanged: no locale has a say in identifiers.
  var asciiLowercased: UInt8 {
    UInt8(ascii: "A") <= self && self <= UInt8(ascii: "Z") ? self | 0x20 : self
  }
}

extension String {
  var asciiLowercased: String {
    guard utf8.contains(where: { $0 != $0.asciiLowercased }) else { return self }
    return String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
  }

  func isEqualIgnoringASCIICase(to other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
  }
}
