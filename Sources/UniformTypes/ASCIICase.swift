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
    guard utf8Span.span.hasASCIICapitals else { return self }
    return String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
  }

  /// Compares bytes, not characters: for `==`, an accent of its own equals one that is part of its letter.
  func isEqualIgnoringASCIICase(to other: String) -> Bool {
    utf8.count == other.utf8.count && utf8Span.span.isEqual(to: other.utf8Span.span, ignoringCase: true)
  }

  /// Feeds the bytes without their case into `hasher`.
  func hashIgnoringASCIICase(into hasher: inout Hasher) {
    utf8Span.span.hash(into: &hasher, ignoringCase: true)
  }
}

extension String {
  func hasASCIIPrefix(_ prefix: StaticString) -> Bool {
    let bytes = utf8Span.span
    guard bytes.count >= prefix.utf8CodeUnitCount else { return false }
    for index in 0..<prefix.utf8CodeUnitCount where bytes[index].asciiLowercased != prefix.utf8Start[index] {
      return false
    }
    return true
  }
}

/// Text as a key of a dictionary in which the case of ASCII letters does not matter.
struct CaselessText: Hashable {
  var text: String

  static func == (lhs: CaselessText, rhs: CaselessText) -> Bool {
    lhs.text.isEqualIgnoringASCIICase(to: rhs.text)
  }

  func hash(into hasher: inout Hasher) {
    text.hashIgnoringASCIICase(into: &hasher)
  }
}
