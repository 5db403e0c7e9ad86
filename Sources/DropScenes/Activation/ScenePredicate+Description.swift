// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension ScenePredicate: CustomStringConvertible {
  /// The predicate as text, from which an equal one can be read.
  public var description: String { expression.text(within: .whole) }
}

/// As text: a condition is stored and sent as people write it.
///
/// A text is read back from its description, which may have some more bytes than people may write.
extension ScenePredicate: Codable {
  /// Of a text and its arguments of which everything is escaped, with words for signs and all spaces.
  private static let maximumDescriptionLength = 6 * maximumLength

  /// Reads a predicate's text.
  ///
  /// - Throws: `DecodingError.dataCorrupted`, with what is wrong in the text and where.
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

  /// Writes the text.
  ///
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension ScenePredicate.Expression {
  /// What an expression stands in, the weakest first: what binds less needs parentheses.
  fileprivate enum Surroundings: Int {
    case whole, any, all, not
  }

  fileprivate func text(within surroundings: Surroundings) -> String {
    switch self {
    case .always(let answer): answer ? "TRUE" : "FALSE"
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
