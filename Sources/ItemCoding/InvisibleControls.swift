// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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
