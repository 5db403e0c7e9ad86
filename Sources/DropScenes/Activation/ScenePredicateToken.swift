// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

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

  static func tokens(of text: String) throws(ScenePredicateError) -> [ScenePredicateToken] {
    guard text.utf8.count <= ScenePredicate.maximumLength else {
      throw ScenePredicateError(
        text: text, offset: 0, reason: "there are more than \(ScenePredicate.maximumLength) bytes")
    }
    var scanner = Scanner(text)
    var tokens: [ScenePredicateToken] = []
    while let token = try scanner.next() { tokens.append(token) }
    return tokens
  }
}

/// Goes through the characters of a predicate.
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
  private let characters: [Character]
  private var index = 0

  init(_ text: String) {
    self.text = text
    characters = Array(text)
  }

  private func error(_ reason: String, at offset: Int) -> ScenePredicateError {
    ScenePredicateError(text: text, offset: offset, reason: reason)
  }

  mutating func next() throws(ScenePredicateError) -> ScenePredicateToken? {
    while index < characters.count, characters[index].isWhitespace { index += 1 }
    guard index < characters.count else { return nil }
    let start = index
    let kind = try characters[index] == "'" || characters[index] == "\"" ? quotedText() : signOrWord()
    if case .comparison(let comparison, _) = kind, index < characters.count, characters[index] == "[" {
      return ScenePredicateToken(kind: .comparison(comparison, ignoresCase: try modifiers()), offset: start)
    }
    return ScenePredicateToken(kind: kind, offset: start)
  }

  private mutating func signOrWord() throws(ScenePredicateError) -> ScenePredicateToken.Kind {
    if let sign = Self.signs.first(where: { characters[index...].starts(with: $0.text) }) {
      index += sign.text.count
      return sign.kind
    }
    let start = index
    while index < characters.count, characters[index].isLetter { index += 1 }
    let word = String(characters[start..<index])
    if let kind = Self.words[word.uppercased()] { return kind }
    throw error(
      word.uppercased() == "MATCHES"
        ? "MATCHES is not for conditions of scenes"
        : word.isEmpty ? "\"\(characters[start])\" is not expected" : "the word \(word) is not known", at: start)
  }

  private mutating func quotedText() throws(ScenePredicateError) -> ScenePredicateToken.Kind {
    let start = index
    var content = ""
    index += 1
    while index < characters.count {
      let character = characters[index]
      index += 1
      if character == characters[start] { return .text(content) }
      guard character == "\\" else {
        content.append(character)
        continue
      }
      guard index < characters.count else { break }
      switch characters[index] {
      case "\\", "'", "\"": content.append(characters[index])
      case "n": content.append("\n")
      case "t": content.append("\t")
      default: throw error("\\\(characters[index]) stands for nothing", at: index - 1)
      }
      index += 1
    }
    throw error("the quoted text has no end", at: start)
  }

  /// The `[c]` after a comparison.
  private mutating func modifiers() throws(ScenePredicateError) -> Bool {
    let start = index
    index += 1
    while index < characters.count, characters[index] != "]" {
      guard characters[index] == "c" || characters[index] == "C" else {
        throw error("of [c], [d] and the like only [c] is known", at: index)
      }
      index += 1
    }
    guard index < characters.count, index > start + 1 else { throw error("[c] is not ended, or empty", at: start) }
    index += 1
    return true
  }
}
