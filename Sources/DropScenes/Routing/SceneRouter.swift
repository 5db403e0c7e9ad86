// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
public import ItemTransfer

/// Decides which scene goes on with an activity: one that is open, or a new one, and of which kind.
///
/// ```swift
/// let router = SceneRouter(manifest: manifest, configurationNames: ["org.example.open-card": "Card"])
/// switch try router.route(activity, among: sessions) {
/// case .activate(let id): …
/// case .open(let configuration): …
/// }
/// ```
public struct SceneRouter: Sendable {
  /// What becomes of an activity.
  public enum Route: Sendable, Hashable {
    /// A scene that is there goes on with it.
    case activate(SceneSession.ID)
    /// A new scene does.
    case open(SceneConfiguration)
  }

  /// What the app says of its scenes.
  public var manifest: SceneManifest
  /// The names of configurations by the types of the activities that they are for; the others get the first one.
  public var configurationNames: [String: String]

  /// Takes what the app says of its scenes, and which of them is for what.
  public init(manifest: SceneManifest, configurationNames: [String: String] = [:]) {
    self.manifest = manifest
    self.configurationNames = configurationNames
  }

  /// Finds a scene for an activity.
  ///
  /// Of the scenes that prefer the activity's target content identifier the first is taken, else the first that can show
  /// it, else a new one. Only scenes of the configuration that the activity is for are asked.
  ///
  /// - Parameters:
  ///   - activity: What is to be gone on with.
  ///   - sessions: Those with a scene that could be activated, the one that was used last first.
  ///   - now: When that is.
  /// - Returns: Which scene.
  /// - Throws: `SceneRoutingError`: the manifest does not list the type, nor has the configuration; entries of the user
  ///   info are missing that the activity says are required; the activity has expired; there may be one scene only, and
  ///   it cannot show this.
  public func route(
    _ activity: UserActivity, among sessions: [SceneSession], at now: Date = Date()
  ) throws(SceneRoutingError) -> Route {
    let configuration = try configuration(for: activity, at: now)
    let candidates = sessions.filter { $0.role == configuration.role }
    let fitting =
      candidates
      .filter { $0.configurationName == configuration.name }
      .map { (id: $0.id, fitness: $0.activationConditions.fitness(for: activity.targetContentIdentifier)) }
    for fitness in [SceneActivationConditions.Fitness.preferred, .possible] {
      if let found = fitting.first(where: { $0.fitness == fitness }) { return .activate(found.id) }
    }
    guard candidates.isEmpty || manifest.supportsMultipleScenes else {
      throw SceneRoutingError(.singleScene, "the app has one scene, and it cannot show \(activity.subject)")
    }
    return .open(configuration)
  }

  /// The kind of scene that goes on with an activity.
  ///
  /// - Parameters:
  ///   - activity: What is to be gone on with.
  ///   - now: When that is.
  /// - Returns: The configuration.
  /// - Throws: As ``route(_:among:at:)``, but for `singleScene`.
  public func configuration(
    for activity: UserActivity, at now: Date = Date()
  ) throws(SceneRoutingError) -> SceneConfiguration {
    let type = activity.activityType
    guard activity.targetContentIdentifier?.utf8.count ?? 0 <= ScenePredicate.maximumIdentifierLength else {
      throw SceneRoutingError(
        .unusableTarget,
        "the target of \(activity.shownType) has more than \(ScenePredicate.maximumIdentifierLength) bytes")
    }
    guard manifest.activityTypes.contains(type) else {
      throw SceneRoutingError(.unlistedActivityType, "NSUserActivityTypes does not list \(activity.shownType)")
    }
    if let date = activity.expirationDate, date <= now {
      throw SceneRoutingError(.expired, "\(activity.subject) has expired")
    }
    let missing = (activity.requiredUserInfoKeys ?? []).filter { activity.userInfo[$0] == nil }.sorted()
    guard missing.isEmpty else {
      throw SceneRoutingError(
        .missingUserInfo, "\(activity.subject) lacks \(missing.map { $0.escapedForDisplay() }.joined(separator: ", "))")
    }
    guard let name = configurationNames[type] else {
      if let configuration = manifest.defaultConfiguration() { return configuration }
      throw SceneRoutingError(.missingConfiguration, "the manifest has no configuration")
    }
    if let configuration = manifest.configuration(named: name) { return configuration }
    throw SceneRoutingError(
      .missingConfiguration,
      "the manifest has no configuration named \(name.escapedForDisplay()), for \(activity.subject)")
  }

  /// - Throws: `missingConfiguration` where the manifest has no such kind.
  func require(_ name: String, _ role: SceneRole) throws(SceneRoutingError) {
    guard manifest.configuration(named: name, role: role) == nil else { return }
    throw SceneRoutingError(
      .missingConfiguration, "the manifest has no configuration named \(name.escapedForDisplay())")
  }
}
