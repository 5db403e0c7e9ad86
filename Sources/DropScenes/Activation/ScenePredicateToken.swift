// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A word, a sign or a quoted text of a predicate, and where it begins.
struct ScenePredicateToken {
  enum Kind: Hashable {
    case and, or, not, opening, closing, itself, argument
    case always(Bool)
    case comparison(ScenePredicate.Comparison, ignoresCase: Bool)
    case text(String)
  }

  let kind: Kind
  let offset: Int

  /// What a message calls it.
  var words: String {
    switch kind {
    case .and: "AND"
    case .or: "OR"
    case .not: "NOT"
    case .opening: "an opening parenthesis"
    case .closing: "a closing parenthesis"
    case .itself: "SELF"
    case .argument: "%@"
    case .always(let answer): answer ? "TRUE" : "FALSE"
    case .comparison(let comparison, _): comparison.rawValue
    case .text: "a quoted text"
    }
  }

  static func tokens(
    of text: String, atMost maximumLength: Int
  ) throws(ScenePredicateError) -> [ScenePredicateToken] {
    guard text.utf8.count <= maximumLength else {
      throw ScenePredicateError(text: text, offset: 0, reason: "there are more than \(maximumLength) bytes")
    }
    var scanner = Scanner(text)
    var tokens: [ScenePredicateToken] = []
    while let token = try scanner.next() { tokens.append(token) }
    return tokens
  }
}

/// Goes through the scalars of a predicate: a quote is one also where what follows it would be seen as a part of it.
private struct Scanner {
  private typealias Kind = ScenePredicateToken.Kind

  private static let signs: [(text: String, kind: ScenePredicateToken.Kind)] = [
    ("&&", .and), ("||", .or), ("==", .comparison(.equal, ignoresCase: false)),
    ("!=", .comparison(.unequal, ignoresCase: false)), ("<>", .comparison(.unequal, ignoresCase: false)),
    ("=", .comparison(.equal, ignoresCase: false)), ("!", .not), ("(", .opening), (")", .closing), ("%@", .argument),
  ]
  private static let words: [String: ScenePredicateToken.Kind] = [
    "AND": .and, "OR": .or, "NOT": .not, "SELF": .itself, "TRUE": .always(true), "TRUEPREDICATE": .always(true),
    "FALSE": .always(false), "FALSEPREDICATE": .always(false),
    "BEGINSWITH": .comparison(.beginsWith, ignoresCase: false),
    "ENDSWITH": .comparison(.endsWith, ignoresCase: false), "CONTAINS": .comparison(.contains, ignoresCase: false),
    "LIKE": .comparison(.like, ignoresCase: false),
  ]

  private let text: String
  private let scalars: [Unicode.Scalar]
  private var index = 0

  init(_ text: String) {
    self.text = text
    scalars = Array(text.unicodeScalars)
  }

  private func error(_ reason: String, at offset: Int) -> ScenePredicateError {
    ScenePredicateError(text: text, offset: offset, reason: reason)
  }

  mutating func next() throws(ScenePredicateError) -> ScenePredicateToken? {
    while index < scalars.count, scalars[index].properties.isWhitespace { index += 1 }
    guard index < scalars.count else { return nil }
    let start = index
    let kind = try scalars[index] == "'" || scalars[index] == "\"" ? quotedText() : signOrWord()
    if case .comparison(let comparison, _) = kind, index < scalars.count, scalars[index] == "[" {
      return ScenePredicateToken(kind: .comparison(comparison, ignoresCase: try modifiers()), offset: start)
    }
    return ScenePredicateToken(kind: kind, offset: start)
  }

  private mutating func signOrWord() throws(ScenePredicateError) -> ScenePredicateToken.Kind {
    if let sign = Self.signs.first(where: { scalars[index...].starts(with: $0.text.unicodeScalars) }) {
      index += sign.text.unicodeScalars.count
      return sign.kind
    }
    let start = index
    while index < scalars.count, scalars[index].properties.isAlphabetic { index += 1 }
    let word = String(String.UnicodeScalarView(scalars[start..<index]))
    if let kind = Self.words[word.uppercased()] { return kind }
    throw error(
      word.uppercased() == "MATCHES"
        ? "MATCHES is not for conditions of scenes"
        : word.isEmpty
          ? "\"\(Self.shown(scalars[start]))\" is not expected"
          : "the word \(word.escapedForDisplay(limit: 40)) is not known",
      at: start)
  }

  private mutating func quotedText() throws(ScenePredicateError) -> ScenePredicateToken.Kind {
    let start = index
    var content = String.UnicodeScalarView()
    index += 1
    while index < scalars.count {
      let scalar = scalars[index]
      index += 1
      if scalar == scalars[start] { return .text(String(content)) }
      guard scalar == "\\" else {
        content.append(scalar)
        continue
      }
      guard index < scalars.count else { break }
      switch scalars[index] {
      case "\\", "'", "\"": content.append(scalars[index])
      case "n": content.append("\n")
      case "t": content.append("\t")
      default: throw error("\\\(Self.shown(scalars[index])) stands for nothing", at: index - 1)
      }
      index += 1
    }
    throw error("the quoted text has no end", at: start)
  }

  /// A scalar as a message may show it.
  private static func shown(_ scalar: Unicode.Scalar) -> String {
    String(scalar).escapedForDisplay()
  }

  /// The `[c]` after a comparison.
  private mutating func modifiers() throws(ScenePredicateError) -> Bool {
    let start = index
    index += 1
    while index < scalars.count, scalars[index] != "]" {
      guard scalars[index] == "c" || scalars[index] == "C" else {
        throw error("of [c], [d] and the like only [c] is known", at: index)
      }
      index += 1
    }
    guard index < scalars.count, index > start + 1 else { throw error("[c] is not ended, or empty", at: start) }
    index += 1
    return true
  }
}
