// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension ScenePredicate: CustomStringConvertible {
  /// The predicate as a string; parsing this string returns an equal predicate, unless it exceeds the limit of length.
  public var description: String { expression.text(within: .whole) }
}

/// Encodes a predicate as its description.
///
/// Decoding accepts longer strings than ``init(_:_:)``, because a description may escape every character.
extension ScenePredicate: Codable {
  /// The maximum length of a description in bytes, with escaped characters, words instead of signs, and added spaces.
  private static let maximumDescriptionLength = 6 * maximumLength

  /// Decodes a predicate from its description.
  ///
  /// - Throws: `DecodingError.dataCorrupted`, with the problem and its position in the string.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    do throws(ScenePredicateError) {
      var parser = try ScenePredicateParser(text, [], atMost: Self.maximumDescriptionLength)
      expression = try parser.parse()
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
    }
  }

  /// Encodes the predicate's description.
  ///
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension ScenePredicate.Expression {
  /// The operator around an expression, in ascending order of precedence; `whole` means that there is none.
  ///
  /// Inside an operator of the same or a higher precedence, `AND` and `OR` need parentheses.
  fileprivate enum Surroundings: Int {
    case whole, any, all, not
  }

  fileprivate func text(within surroundings: Surroundings) -> String {
    switch self {
    case .always(let isTrue): isTrue ? "TRUE" : "FALSE"
    case .comparison(let left, let comparison, let right, let ignoresCase):
      "\(left.text) \(comparison.rawValue)\(ignoresCase ? "[c]" : "") \(right.text)"
    case .not(let expression): "NOT " + expression.text(within: .not)
    case .all(let parts): Self.join(parts, " AND ", .all, surroundings)
    case .any(let parts): Self.join(parts, " OR ", .any, surroundings)
    }
  }

  private static func join(
    _ parts: [Self], _ word: String, _ own: Surroundings, _ surroundings: Surroundings
  ) -> String {
    let text = parts.map { $0.text(within: own) }.joined(separator: word)
    return surroundings.rawValue < own.rawValue ? text : "(\(text))"
  }
}

extension ScenePredicate.Operand {
  fileprivate var text: String {
    switch self {
    case .itself: "SELF"
    case .text(let text):
      "\"" + text.unicodeScalars.map(Self.escaped).joined() + "\""
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\\", "\"": "\\\(scalar)"
    case "\n": "\\n"
    case "\t": "\\t"
    default: String(scalar)
    }
  }
}
