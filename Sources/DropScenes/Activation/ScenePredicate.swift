// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A condition that a piece of text meets or not, such as the identifier of what a window is to show.
///
/// ```swift
/// let showsAjax = try ScenePredicate("SELF == 'hero/7' OR SELF BEGINSWITH[c] 'hero/7/'")
/// let shows = try ScenePredicate("SELF == %@", hero.id)
/// ```
///
/// The text is a small part of Apple's
/// [predicate format](https://developer.apple.com/library/archive/documentation/Cocoa/Conceptual/Predicates/Articles/pSyntax.html):
/// `==`, `=`, `!=`, `<>`, `BEGINSWITH`, `ENDSWITH`, `CONTAINS` and `LIKE` (`*` stands for any characters, `?` for one)
/// between `SELF` and text in single or double quotes, each with `[c]` where upper and lower case are one; `TRUEPREDICATE`
/// or `TRUE`, `FALSEPREDICATE` or `FALSE`; `AND` or `&&`, `OR` or `||`, `NOT` or `!`; parentheses. Words may be written in
/// lower case. `%@` stands for an argument, whatever is in it. Texts are compared as Swift compares them: by what they
/// look like, not by how they are encoded.
public struct ScenePredicate: Sendable, Hashable {
  /// Of what two operands are asked.
  enum Comparison: String, Sendable, Hashable {
    case equal = "=="
    case unequal = "!="
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case contains = "CONTAINS"
    case like = "LIKE"
  }

  enum Operand: Sendable, Hashable {
    case itself
    case text(String)
  }

  indirect enum Expression: Sendable, Hashable {
    case always(Bool)
    case comparison(Operand, Comparison, Operand, ignoresCase: Bool)
    case not(Expression)
    case all([Expression])
    case any([Expression])
  }

  /// The most bytes a predicate's text may have, and its arguments together.
  public static let maximumLength = 65_536
  /// The most bytes of the identifier of what a window is to show: a condition is asked for each window.
  public static let maximumIdentifierLength = 1024
  /// How deep parentheses and negations may nest.
  public static let maximumDepth = 100

  let expression: Expression

  init(_ expression: Expression) {
    self.expression = expression
  }

  /// Reads a predicate.
  ///
  /// - Parameters:
  ///   - text: The predicate, with `%@` where an argument belongs.
  ///   - arguments: As many as there are `%@`.
  /// - Throws: `ScenePredicateError`, with the place where the text goes wrong.
  public init(_ text: String, _ arguments: String...) throws(ScenePredicateError) {
    var parser = try ScenePredicateParser(text, arguments)
    expression = try parser.parse()
  }

  /// Holds for every text.
  public static let always = ScenePredicate(.always(true))
  /// Holds for none.
  public static let never = ScenePredicate(.always(false))

  /// Holds for one text; for none where that has more than ``maximumIdentifierLength`` bytes.
  public static func equal(to text: String) -> ScenePredicate {
    guard text.utf8.count <= maximumIdentifierLength else { return .never }
    return ScenePredicate(.comparison(.itself, .equal, .text(text), ignoresCase: false))
  }

  /// Whether a text meets the condition.
  public func evaluate(with text: String) -> Bool {
    expression.evaluate(with: text)
  }
}

extension ScenePredicate.Expression {
  fileprivate func evaluate(with text: String) -> Bool {
    switch self {
    case .always(let answer): answer
    case .comparison(let left, let comparison, let right, let ignoresCase):
      comparison.holds(left.text(for: text), right.text(for: text), ignoresCase: ignoresCase)
    case .not(let expression): !expression.evaluate(with: text)
    case .all(let expressions): expressions.allSatisfy { $0.evaluate(with: text) }
    case .any(let expressions): expressions.contains { $0.evaluate(with: text) }
    }
  }
}

extension ScenePredicate.Operand {
  fileprivate func text(for itself: String) -> String {
    switch self {
    case .itself: itself
    case .text(let text): text
    }
  }
}

extension ScenePredicate.Comparison {
  fileprivate func holds(_ left: String, _ right: String, ignoresCase: Bool) -> Bool {
    if ignoresCase { return holds(left.folded, right.folded, ignoresCase: false) }
    return switch self {
    case .equal: left == right
    case .unequal: left != right
    case .beginsWith: left.starts(with: right)
    case .endsWith: left.reversed().starts(with: right.reversed())
    case .contains: Array(left).contains(Array(right))
    case .like: Array(left).isLike(Array(right))
    }
  }
}

extension String {
  /// Upper case first, so that letters which only meet there (ß and ss, ς and σ) are one.
  fileprivate var folded: String { uppercased().lowercased() }
}

extension [Character] {
  /// Whether a text has these characters for its own, one after the other.
  fileprivate func contains(_ part: [Character]) -> Bool {
    guard part.count <= count else { return false }
    return (0...(count - part.count)).contains { self[$0...].starts(with: part) }
  }

  /// Whether a pattern of characters, `?` and `*` fits; in no more steps than the product of the two lengths.
  fileprivate func isLike(_ pattern: [Character]) -> Bool {
    var (index, place) = (0, 0)
    // Where the last star stands, and what it has swallowed so far.
    var retry: (place: Int, index: Int)?
    while index < count {
      if place < pattern.count, pattern[place] == "*" {
        retry = (place, index)
        place += 1
      } else if place < pattern.count, pattern[place] == "?" || pattern[place] == self[index] {
        place += 1
        index += 1
      } else if let last = retry {
        retry = (last.place, last.index + 1)
        (place, index) = (last.place + 1, last.index + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == "*" }
  }
}
