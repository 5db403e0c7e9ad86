// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a scene can show, and for what it is the best place, by the identifier of the content.
///
/// ```swift
/// scene.activationConditions = SceneActivationConditions(
///   canActivate: .never, prefersToActivate: .equal(to: "card/7"))
/// ```
///
/// Follows Apple's
/// [`UISceneActivationConditions`](https://developer.apple.com/documentation/uikit/uisceneactivationconditions).
public struct SceneActivationConditions: Sendable, Hashable, Codable {
  /// For which content the scene may be used.
  public var canActivate: ScenePredicate
  /// For which content it is to be used rather than one that only may be.
  public var prefersToActivate: ScenePredicate

  /// A scene that can show everything and prefers nothing, unless something else is said.
  public init(canActivate: ScenePredicate = .always, prefersToActivate: ScenePredicate = .never) {
    self.canActivate = canActivate
    self.prefersToActivate = prefersToActivate
  }

  /// How well a scene fits; a greater one fits better.
  enum Fitness: Int, Comparable {
    case none, possible, preferred

    static func < (left: Fitness, right: Fitness) -> Bool { left.rawValue < right.rawValue }
  }

  /// How well the scene fits some content; what has no identifier fits whatever can show the empty one.
  func fitness(for targetContentIdentifier: String?) -> Fitness {
    let identifier = targetContentIdentifier ?? ""
    if prefersToActivate.evaluate(with: identifier) { return .preferred }
    return canActivate.evaluate(with: identifier) ? .possible : .none
  }
}
