// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Reads the text of a predicate by descending through its operators, the weakest first.
struct ScenePredicateParser {
  private typealias Expression = ScenePredicate.Expression

  private let text: String
  private var tokens: ArraySlice<ScenePredicateToken>
  private var arguments: ArraySlice<String>
  private let argumentCount: Int
  private var depth = 0
  /// Of the arguments so far.
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
    if let token = tokens.first { throw error("\(token.words) is not expected") }
    if !arguments.isEmpty {
      throw error("there are \(argumentCount) arguments for \(argumentCount - arguments.count) %@")
    }
    return expression
  }

  private func error(_ reason: String) -> ScenePredicateError {
    ScenePredicateError(text: text, offset: tokens.first?.offset ?? text.unicodeScalars.count, reason: reason)
  }

  /// Takes the next token where it is one of some.
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
      throw error("there are more than \(ScenePredicate.maximumDepth) levels")
    }
    if take(.not) { return .not(try single()) }
    if take(.always(true)) { return .always(true) }
    if take(.always(false)) { return .always(false) }
    guard take(.opening) else { return try comparison() }
    let expression = try either()
    guard take(.closing) else { throw error("a closing parenthesis is missing") }
    return expression
  }

  private mutating func comparison() throws(ScenePredicateError) -> ScenePredicate.Expression {
    let left = try operand()
    guard let token = tokens.first, case .comparison(let comparison, let ignoresCase) = token.kind else {
      throw error("a comparison such as == or BEGINSWITH is missing")
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
      guard let argument = arguments.popFirst() else { throw error("there is no argument for %@") }
      length += argument.utf8.count
      guard length <= ScenePredicate.maximumLength else {
        throw error("arguments have more than \(ScenePredicate.maximumLength) bytes")
      }
      tokens = tokens.dropFirst()
      return .text(argument)
    case nil: throw error("SELF or a quoted text is missing")
    default: throw error("SELF or a quoted text is wanted, \(tokens.first?.words ?? "nothing") was found")
    }
  }
}
