// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
  /// Whether the scalar is invisible and acts on a terminal or on the text around it.
  ///
  /// These are control characters, line and paragraph separators, direction marks, other format characters, and
  /// noncharacters.
  package var isInvisibleControl: Bool {
    // The general category is a search in a table; most text is plain ASCII.
    if isASCII { return value < 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    // Noncharacters stay unassigned for ever.
    case .unassigned: value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(value)
    default: false
    }
  }

  /// Whether the scalar is invisible but not a control, such as a filler, a variation selector or an empty Braille
  /// cell.
  var isBlank: Bool {
    value >= 0x34F && (value == 0x2800 || properties.isDefaultIgnorableCodePoint) && !isInvisibleControl
  }
}

extension Character {
  /// Whether the character ends a line of a text: LF, CR LF, CR, or a line or paragraph separator.
  package var isLineEnd: Bool {
    switch self {
    case "\n", "\r\n", "\r", "\u{2028}", "\u{2029}": true
    default: false
    }
  }
}

extension String {
  /// An equivalent JSON text in which every invisible control except line feeds is written as one or two `\uXXXX`.
  package var escapedInJSON: String {
    guard unicodeScalars.contains(where: { $0.isInvisibleControl && $0 != "\n" }) else { return self }
    var escaped = ""
    for scalar in unicodeScalars {
      // The line feed is the only control character that this package writes outside the strings of JSON.
      guard scalar.isInvisibleControl, scalar != "\n" else {
        escaped.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return escaped
  }
}

extension String.UnicodeScalarView {
  /// Whether the scalar at `index` is invisible: a control or a blank that does not alter a visible scalar before it.
  ///
  /// A variation selector is a blank that may alter the scalar before it. A joiner may alter the scalars beside it.
  fileprivate func isUnseen(at index: Index) -> Bool {
    let scalar = self[index]
    if scalar.isInvisibleControl { return !isJoining(at: index) }
    guard scalar.isBlank else { return false }
    guard index > startIndex, scalar.properties.generalCategory == .nonspacingMark else { return true }
    let base = self[self.index(before: index)]
    let next = self.index(after: index)
    // Among ASCII scalars, only the digits and signs of keycaps can be emoji.
    if base.isASCII { return next == endIndex || self[next] != "\u{20E3}" }
    return base.isInvisibleControl || base.isBlank || base.properties.isWhitespace
  }

  /// Whether the scalar at `index` is a joiner that changes how its neighbours are drawn.
  ///
  /// The rule follows UAX 31, section 2.3: both joiners after the virama of an Indic letter, and the non-joiner between
  /// Arabic letters. In addition, the joiner connects emoji, and in Bengali a letter with the virama after it. Elsewhere,
  /// a joiner would only make two names look alike.
  private func isJoining(at index: Index) -> Bool {
    guard self[index].isJoiner, index > startIndex, case let next = self.index(after: index), next < endIndex else {
      return false
    }
    let (base, following) = (self[self.index(before: index)], self[next])
    let isBeforeLetter = following.properties.generalCategory == .otherLetter
    if base.isVirama { return isBeforeLetter }
    if self[index] == "\u{200C}" { return base.isArabic && following.isArabic && isBeforeLetter }
    if following.isVirama { return base.properties.generalCategory == .otherLetter }
    let isEmoji = base == "\u{FE0F}" || base.properties.isEmojiModifier || base.isPictograph
    return isEmoji && following.isPictograph
  }
}

extension String {
  /// Creates a string for display from untrusted bytes.
  ///
  /// UTF-8 is escaped as ``escapedForDisplay(limit:mayBeEscaped:)`` does, without a limit. If the bytes are not UTF-8,
  /// each backslash and each byte that is not printable ASCII becomes `\xHH`.
  package init(escapingForDisplay bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text.escapedForDisplay(limit: .max)
    } else {
      self = Self.escapingEachByte(of: bytes)
    }
  }

  /// Returns the bytes as a string, with `\xHH` for each backslash and each byte that is not printable ASCII.
  package static func escapingEachByte(of bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      if (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "\\") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        text += (digits.count == 1 ? "\\x0" : "\\x") + digits
      }
    }
    return text
  }
}

extension StringProtocol {
  /// Returns the string with `\u{…}` for every scalar that is invisible or could act on a terminal, and with each
  /// backslash doubled.
  ///
  /// Every string of a peer passes through this function before it is displayed or logged.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of scalars of the original string; an ellipsis replaces the rest.
  ///   - mayBeEscaped: Whether the string may be escaped already, such as a peer's message that quotes a name. If so,
  ///     backslashes are not doubled.
  /// - Returns: The escaped string.
  package func escapedForDisplay(limit: Int = 200, mayBeEscaped: Bool = false) -> String {
    let isPlain = utf8.allSatisfy { (0x20..<0x7F).contains($0) && (mayBeEscaped || $0 != UInt8(ascii: "\\")) }
    if isPlain, utf8.count <= limit { return String(self) }
    var escaped = ""
    var count = 0
    let scalars = String(self).unicodeScalars
    for index in scalars.indices {
      guard count < limit else { return escaped + "…" }
      count += 1
      let scalar = scalars[index]
      if scalar == "\\", !mayBeEscaped {
        escaped += #"\\"#
      } else if scalars.isUnseen(at: index) {
        escaped += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

extension String {
  /// The first invisible control that a file name must not contain; `nil` if there is none.
  ///
  /// Joiners between non-ASCII letters or emoji are allowed.
  package var firstInvisibleControl: Unicode.Scalar? {
    let scalars = unicodeScalars
    for index in scalars.indices where scalars[index].isInvisibleControl {
      let next = scalars.index(after: index)
      guard scalars[index].isJoiner, index > scalars.startIndex, next < scalars.endIndex,
        scalars[scalars.index(before: index)].isVisibleLetter || scalars[scalars.index(before: index)] == "\u{FE0F}",
        scalars[next].isVisibleLetter
      else { return scalars[index] }
    }
    return nil
  }

  /// Whether the string has a blank, such as a filler, and otherwise only blanks and white space.
  package var showsNothing: Bool {
    let scalars = unicodeScalars
    return scalars.allSatisfy { $0.isBlank || $0.properties.isWhitespace } && scalars.contains(where: \.isBlank)
  }
}

extension Unicode.Scalar {
  /// Whether the scalar controls how its neighbours join, as in Indic and Persian scripts and in emoji sequences.
  fileprivate var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }

  /// Whether the scalar is an emoji, and not a digit, a letter of a flag or another part of an emoji.
  fileprivate var isPictograph: Bool {
    !isASCII && properties.isEmoji && !properties.isEmojiModifier && !(0x1F1E6...0x1F1FF).contains(value)
  }

  /// Whether the scalar removes the vowel of an Indic letter before it.
  fileprivate var isVirama: Bool { properties.canonicalCombiningClass.rawValue == 9 }

  /// Whether the scalar is a letter or a mark of the Arabic script.
  fileprivate var isArabic: Bool {
    switch value {
    case 0x620...0x65F, 0x66E...0x6D3, 0x6EE...0x6FF, 0x750...0x77F, 0x8A0...0x8FF: true
    default: false
    }
  }

  /// Whether the scalar is a visible letter, mark or emoji that can join with others.
  ///
  /// ASCII is excluded: it never joins, so a joiner in it would only make two names look alike.
  fileprivate var isVisibleLetter: Bool {
    guard !isASCII, !properties.isDefaultIgnorableCodePoint else { return false }
    return switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark:
      true
    default: properties.isEmoji
    }
  }
}

extension String {
  /// Creates a string from UTF-8; `nil` if the bytes are malformed.
  ///
  /// `String(validating:as:)` takes three times as long, because it looks up generic types.
  @inline(__always)
  package init?(utf8 bytes: UnsafeRawBufferPointer) {
    guard let utf8 = try? UTF8Span(validating: Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self))) else {
      return nil
    }
    self.init(copying: utf8)
  }
}
