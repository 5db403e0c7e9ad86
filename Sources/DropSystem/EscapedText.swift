// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension Unicode.Scalar {
  /// Whether the scalar acts on a terminal or on the text around it rather than being seen: control characters, line
  /// and paragraph separators, direction marks, other format characters, and noncharacters.
  package var isInvisibleControl: Bool {
    // The general category is a search in a table; most text is plain ASCII.
    if isASCII { return value < 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    // Of those that are not assigned, the ones that never will be.
    case .unassigned: value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(value)
    default: false
    }
  }

  /// Whether nothing is seen of the scalar although it is not a control: a filler, a variation selector, an empty cell of
  /// Braille.
  package var isBlank: Bool {
    value >= 0x34F && (value == 0x2800 || properties.isDefaultIgnorableCodePoint) && !isInvisibleControl
  }
}

extension String {
  /// A JSON text that means the same, with everything in its strings that could act on a terminal written as `\uXXXX`.
  package var escapedInJSON: String {
    guard unicodeScalars.contains(where: { $0.isInvisibleControl && $0 != "\n" }) else { return self }
    var escaped = ""
    for scalar in unicodeScalars {
      // Outside of strings JSON has no control character but white space, and ours none but the line feed.
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
  /// Whether a person would not see the scalar at `index`: it is a control or blank, and does not alter a visible
  /// scalar before it, as variation selectors do.
  fileprivate func isUnseen(at index: Index) -> Bool {
    let scalar = self[index]
    if scalar.isInvisibleControl { return true }
    guard scalar.isBlank else { return false }
    guard index > startIndex, scalar.properties.generalCategory == .nonspacingMark else { return true }
    let base = self[self.index(before: index)]
    let next = self.index(after: index)
    // Of ASCII, only the keys of a telephone have emoji.
    if base.isASCII { return next == endIndex || self[next] != "\u{20E3}" }
    return base.isInvisibleControl || base.isBlank || base.properties.isWhitespace
  }
}

extension String {
  /// Text for a person of bytes that may not be UTF-8: then those that are not printable ASCII are written as `\xHH`.
  package init(escapingForDisplay bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text.escapedForDisplay(limit: .max)
    } else {
      self = Self.escapingEachByte(of: bytes)
    }
  }

  /// Writes each byte that is not printable ASCII, and the backslash, as `\xHH`.
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
  /// The text with everything that could act on a terminal, or is not seen, written as `\u{…}`, cut at `limit`
  /// characters.
  ///
  /// Whatever a peer says goes through here before a person or a log sees it.
  ///
  /// - Parameters:
  ///   - limit: How many characters are shown.
  ///   - mayBeEscaped: Whether the text may have gone through here already, such as the sentence of a peer that quotes a
  ///     name: a backslash is not doubled then.
  /// - Returns: The text.
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
  /// The first scalar that acts on the text around it, and is not there to join or part letters or emoji: none of it
  /// belongs into the name of a file.
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

  /// Whether the text has blanks, such as fillers, and beside them nothing but white space.
  package var showsNothing: Bool {
    let scalars = unicodeScalars
    return scalars.allSatisfy { $0.isBlank || $0.properties.isWhitespace } && scalars.contains(where: \.isBlank)
  }
}

extension Unicode.Scalar {
  /// Whether it says how its neighbours are joined, as in scripts of India and Persia, and in emoji of several.
  fileprivate var isJoiner: Bool { self == "\u{200C}" || self == "\u{200D}" }

  /// Whether it is something to be joined, and seen: a letter, a mark on one, an emoji.
  ///
  /// None of ASCII, which is never joined: two names would look alike for nothing.
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
  /// The text that bytes are in UTF-8; `nil` where they are none.
  ///
  /// `String(validating:as:)` takes three times as long, for looking up generic types.
  @inline(__always)
  package init?(utf8 bytes: UnsafeRawBufferPointer) {
    guard let utf8 = try? UTF8Span(validating: Span(_unsafeElements: bytes.assumingMemoryBound(to: UInt8.self))) else {
      return nil
    }
    self.init(copying: utf8)
  }
}
