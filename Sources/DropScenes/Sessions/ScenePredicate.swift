// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A condition for a string, such as the identifier of a window's content.
public enum ScenePredicate: Sendable, Hashable {
  /// A predicate that is true for every string.
  case always
  /// A predicate that is false for every string.
  case never
  /// A predicate that is true for canonically equivalent strings only.
  case equal(to: String)

  /// Returns whether a string meets the condition.
  public func evaluate(with text: String) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .equal(let expected): text == expected
    }
  }
}

/// Encodes a predicate as `TRUE`, `FALSE` or `SELF == "text"`, a subset of Apple's predicate format.
extension ScenePredicate: Codable {
  private static let prefix = "SELF == \""

  /// Decodes a predicate.
  ///
  /// - Throws: `DecodingError.dataCorrupted` for any other condition.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    if text == "TRUE" {
      self = .always
    } else if text == "FALSE" {
      self = .never
    } else if let expected = Self.quoted(in: text) {
      self = .equal(to: expected)
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: #"the condition is neither TRUE, FALSE nor SELF == "text""#)
    }
  }

  /// Encodes the predicate.
  ///
  /// - Throws: The encoder's errors.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .always: try container.encode("TRUE")
    case .never: try container.encode("FALSE")
    case .equal(let text): try container.encode("\(Self.prefix)\(text.unicodeScalars.map(Self.escaped).joined())\"")
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

  /// Returns the unescaped text in the quotes; `nil` if the condition has another form.
  private static func quoted(in condition: String) -> String? {
    // Scalars are compared, since a quote may combine with the following scalar.
    var scalars = condition.unicodeScalars.dropFirst(prefix.unicodeScalars.count)
    guard condition.unicodeScalars.starts(with: prefix.unicodeScalars), scalars.popLast() == "\"" else { return nil }
    var text = String.UnicodeScalarView()
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\"": return nil
      case "\\":
        switch scalars.popFirst() {
        case "n": text.append("\n")
        case "t": text.append("\t")
        case let escaped?: text.append(escaped)
        case nil: return nil
        }
      default: text.append(scalar)
      }
    }
    return String(text)
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
}
