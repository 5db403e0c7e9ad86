// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A condition for a string, such as the identifier of a window's content.
///
/// ```swift
/// let showsAjax = try ScenePredicate("SELF == 'hero/7' OR SELF BEGINSWITH[c] 'hero/7/'")
/// let shows = try ScenePredicate("SELF == %@", hero.id)
/// ```
///
/// A predicate is written in a subset of Apple's [predicate
/// format](https://developer.apple.com/library/archive/documentation/Cocoa/Conceptual/Predicates/Articles/pSyntax.html):
///
/// - `SELF` is the string to test.
/// - `==`, `=`, `!=`, `<>`, `BEGINSWITH`, `ENDSWITH`, `CONTAINS` and `LIKE` compare two operands, such as `SELF` and a
///   string in single or double quotes. In a pattern of `LIKE`, `*` matches any number of characters, and `?` matches
///   one character.
/// - `[c]` after a comparison ignores case.
/// - `TRUEPREDICATE` or `TRUE`, and `FALSEPREDICATE` or `FALSE`, are constants.
/// - `AND` or `&&`, `OR` or `||`, `NOT` or `!`, and parentheses combine conditions.
/// - Keywords, including `SELF`, are case-insensitive.
/// - `%@` stands for an argument, a string that is used unchanged and needs no quotes or escapes.
///
/// As in Swift, strings are equal if they are canonically equivalent, regardless of their encoding. A predicate may
/// have at most 65,536 bytes and fewer than 100 levels of parentheses and negations. All arguments together may have at
/// most 65,536 bytes.
public struct ScenePredicate: Sendable, Hashable {
  /// The operator between two operands.
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

  /// The maximum length of a predicate, and of all its arguments together, in bytes.
  static let maximumLength = 65_536
  /// The maximum length of a content identifier in bytes.
  ///
  /// It bounds the time to evaluate the conditions of all windows.
  static let maximumIdentifierLength = 1024
  /// The maximum depth of nested conditions, such as a comparison in 99 pairs of parentheses.
  static let maximumDepth = 100

  let expression: Expression

  init(_ expression: Expression) {
    self.expression = expression
  }

  /// Parses a predicate.
  ///
  /// - Parameters:
  ///   - text: The predicate, with `%@` for each argument.
  ///   - arguments: An argument for each `%@`.
  /// - Throws: `ScenePredicateError`, with the position of the fault.
  public init(_ text: String, _ arguments: String...) throws(ScenePredicateError) {
    var parser = try ScenePredicateParser(text, arguments)
    expression = try parser.parse()
  }

  /// A predicate that is true for every string.
  public static let always = ScenePredicate(.always(true))
  /// A predicate that is false for every string.
  public static let never = ScenePredicate(.always(false))

  /// Returns a predicate that is true for `text` only.
  ///
  /// If `text` exceeds 1024 bytes, the predicate is always false.
  public static func equal(to text: String) -> ScenePredicate {
    guard text.utf8.count <= maximumIdentifierLength else { return .never }
    return ScenePredicate(.comparison(.itself, .equal, .text(text), ignoresCase: false))
  }

  /// Returns whether a string meets the condition.
  public func evaluate(with text: String) -> Bool {
    expression.evaluate(with: text)
  }
}

extension ScenePredicate.Expression {
  fileprivate func evaluate(with text: String) -> Bool {
    switch self {
    case .always(let isTrue): isTrue
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
  /// The string in a form that is equal for strings that differ only in case.
  ///
  /// The conversion to upper case comes first, because ß and ss, or ς and σ, are equal only in upper case.
  fileprivate var folded: String { uppercased().lowercased() }
}

extension [Character] {
  /// Returns whether the characters contain `part` as a contiguous sequence.
  fileprivate func contains(_ part: [Character]) -> Bool {
    guard part.count <= count else { return false }
    return (0...(count - part.count)).contains { self[$0...].starts(with: part) }
  }

  /// Returns whether the characters match a pattern of characters, `?` and `*`.
  ///
  /// The number of steps is at most the product of the two lengths.
  fileprivate func isLike(_ pattern: [Character]) -> Bool {
    var (index, patternIndex) = (0, 0)
    // The position of the last `*` in the pattern, and the end of the characters that it has matched.
    var retry: (patternIndex: Int, index: Int)?
    while index < count {
      if patternIndex < pattern.count, pattern[patternIndex] == "*" {
        retry = (patternIndex, index)
        patternIndex += 1
      } else if patternIndex < pattern.count, pattern[patternIndex] == "?" || pattern[patternIndex] == self[index] {
        patternIndex += 1
        index += 1
      } else if let last = retry {
        retry = (last.patternIndex, last.index + 1)
        (patternIndex, index) = (last.patternIndex + 1, last.index + 1)
      } else {
        return false
      }
    }
    return pattern[patternIndex...].allSatisfy { $0 == "*" }
  }
}

/// A syntax error in a predicate, with its position.
public struct ScenePredicateError: Error, Sendable, Hashable {
  /// The complete predicate as a string.
  public let text: String
  /// The number of Unicode scalars before the fault.
  public let offset: Int
  /// The reason as a phrase.
  public let reason: String
}

extension ScenePredicateError: CustomStringConvertible {
  /// The reason, the position and the predicate in one line, which is safe to show on a terminal.
  public var description: String {
    "\(reason) at scalar \(offset + 1) of the predicate: \(text.escapedForDisplay())"
  }
}

/// The content that a scene can show and the content that it prefers, as conditions for content identifiers.
///
/// ```swift
/// scene.activationConditions = SceneActivationConditions(
///   canActivate: .never, prefersToActivate: .equal(to: "card/7"))
/// ```
///
/// Follows Apple's
/// [`UISceneActivationConditions`](https://developer.apple.com/documentation/uikit/uisceneactivationconditions).
public struct SceneActivationConditions: Sendable, Hashable, Codable {
  /// The condition for content that the scene can show.
  public var canActivate: ScenePredicate
  /// The condition for content that the scene prefers; a scene that prefers the content is chosen first.
  public var prefersToActivate: ScenePredicate

  /// Creates conditions; by default, the scene can show all content and prefers none.
  public init(canActivate: ScenePredicate = .always, prefersToActivate: ScenePredicate = .never) {
    self.canActivate = canActivate
    self.prefersToActivate = prefersToActivate
  }

  /// The suitability of a scene for some content; a greater value is better.
  enum Fitness: Int, Comparable {
    case none, possible, preferred

    static func < (left: Fitness, right: Fitness) -> Bool { left.rawValue < right.rawValue }
  }

  /// Returns the suitability for a content identifier; `nil` is treated as an empty identifier.
  func fitness(for targetContentIdentifier: String?) -> Fitness {
    let identifier = targetContentIdentifier ?? ""
    if prefersToActivate.evaluate(with: identifier) { return .preferred }
    return canActivate.evaluate(with: identifier) ? .possible : .none
  }
}
