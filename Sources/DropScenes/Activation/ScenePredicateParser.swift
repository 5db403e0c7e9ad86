// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A recursive-descent parser for predicates, with a method for each level of precedence.
struct ScenePredicateParser {
  private typealias Expression = ScenePredicate.Expression

  private let text: String
  private var tokens: ArraySlice<ScenePredicateToken>
  private var arguments: ArraySlice<String>
  private let argumentCount: Int
  private var depth = 0
  /// The total length, in bytes, of the arguments that were inserted so far.
  private var length = 0

  init(
    _ text: String, _ arguments: [String], atMost maximumLength: Int = ScenePredicate.maximumLength
  ) throws(ScenePredicateError) {
    self.text = text
    self.arguments = arguments[...]
    argumentCount = arguments.count
    tokens = try ScenePredicateToken.tokens(of: text, atMost: maximumLength)[...]
  }

  mutating func parse() throws(ScenePredicateError) -> ScenePredicate.Expression {
    let expression = try either()
    if let token = tokens.first { throw error("unexpected \(token.name)") }
    if !arguments.isEmpty {
      throw error("\(argumentCount) arguments for \(argumentCount - arguments.count) placeholders %@")
    }
    return expression
  }

  private func error(_ reason: String) -> ScenePredicateError {
    ScenePredicateError(text: text, offset: tokens.first?.offset ?? text.unicodeScalars.count, reason: reason)
  }

  /// Consumes the next token if its kind is one of `kinds`, and returns whether it was consumed.
  private mutating func take(_ kinds: ScenePredicateToken.Kind...) -> Bool {
    guard let token = tokens.first, kinds.contains(token.kind) else { return false }
    tokens = tokens.dropFirst()
    return true
  }

  private mutating func either() throws(ScenePredicateError) -> ScenePredicate.Expression {
    var expressions = [try both()]
    while take(.or) { expressions.append(try both()) }
    return expressions.count == 1 ? expressions[0] : .any(expressions)
  }

  private mutating func both() throws(ScenePredicateError) -> ScenePredicate.Expression {
    var expressions = [try single()]
    while take(.and) { expressions.append(try single()) }
    return expressions.count == 1 ? expressions[0] : .all(expressions)
  }

  private mutating func single() throws(ScenePredicateError) -> ScenePredicate.Expression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= ScenePredicate.maximumDepth else {
      throw error("nesting exceeds the limit of \(ScenePredicate.maximumDepth) levels")
    }
    if take(.not) { return .not(try single()) }
    if take(.always(true)) { return .always(true) }
    if take(.always(false)) { return .always(false) }
    guard take(.opening) else { return try comparison() }
    let expression = try either()
    guard take(.closing) else { throw error("missing closing parenthesis") }
    return expression
  }

  private mutating func comparison() throws(ScenePredicateError) -> ScenePredicate.Expression {
    let left = try operand()
    guard let token = tokens.first, case .comparison(let comparison, let ignoresCase) = token.kind else {
      throw error("missing comparison such as == or BEGINSWITH")
    }
    tokens = tokens.dropFirst()
    return .comparison(left, comparison, try operand(), ignoresCase: ignoresCase)
  }

  private mutating func operand() throws(ScenePredicateError) -> ScenePredicate.Operand {
    switch tokens.first?.kind {
    case .itself:
      tokens = tokens.dropFirst()
      return .itself
    case .text(let text):
      tokens = tokens.dropFirst()
      return .text(text)
    case .argument:
      guard let argument = arguments.popFirst() else { throw error("missing argument for %@") }
      length += argument.utf8.count
      guard length <= ScenePredicate.maximumLength else {
        throw error("the arguments exceed the limit of \(ScenePredicate.maximumLength) bytes")
      }
      tokens = tokens.dropFirst()
      return .text(argument)
    case nil: throw error("missing SELF or quoted text")
    default: throw error("expected SELF or a quoted text, found \(tokens.first?.name ?? "nothing")")
    }
  }
}

/// A word, a sign or a quoted string of a predicate, with its position.
struct ScenePredicateToken {
  enum Kind: Hashable {
    case and, or, not, opening, closing, itself, argument
    case always(Bool)
    case comparison(ScenePredicate.Comparison, ignoresCase: Bool)
    case text(String)
  }

  let kind: Kind
  let offset: Int

  /// The name of the token in error messages.
  var name: String {
    switch kind {
    case .and: "AND"
    case .or: "OR"
    case .not: "NOT"
    case .opening: "an opening parenthesis"
    case .closing: "a closing parenthesis"
    case .itself: "SELF"
    case .argument: "%@"
    case .always(let isTrue): isTrue ? "TRUE" : "FALSE"
    case .comparison(let comparison, _): comparison.rawValue
    case .text: "a quoted text"
    }
  }

  static func tokens(
    of text: String, atMost maximumLength: Int
  ) throws(ScenePredicateError) -> [ScenePredicateToken] {
    guard text.utf8.count <= maximumLength else {
      throw ScenePredicateError(text: text, offset: 0, reason: "the text exceeds the limit of \(maximumLength) bytes")
    }
    var scanner = Scanner(text)
    var tokens: [ScenePredicateToken] = []
    while let token = try scanner.next() { tokens.append(token) }
    return tokens
  }
}

/// A scanner over the scalars of a predicate.
///
/// It does not use characters, since a quote may combine with the following scalar.
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
        ? "MATCHES is not supported"
        : word.isEmpty
          ? "unexpected \"\(Self.shown(scalars[start]))\""
          : "unknown word \(word.escapedForDisplay(limit: 40))",
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
      default: throw error("unknown escape \\\(Self.shown(scalars[index]))", at: index - 1)
      }
      index += 1
    }
    throw error("unterminated quoted text", at: start)
  }

  /// Returns a scalar with the escapes that error messages need.
  private static func shown(_ scalar: Unicode.Scalar) -> String {
    String(scalar).escapedForDisplay()
  }

  /// Scans the `[c]` after a comparison.
  private mutating func modifiers() throws(ScenePredicateError) -> Bool {
    let start = index
    index += 1
    while index < scalars.count, scalars[index] != "]" {
      guard scalars[index] == "c" || scalars[index] == "C" else {
        throw error("unsupported modifier; only [c] is supported", at: index)
      }
      index += 1
    }
    guard index < scalars.count, index > start + 1 else { throw error("empty or unterminated [c]", at: start) }
    index += 1
    return true
  }
}
