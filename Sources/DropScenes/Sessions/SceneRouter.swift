// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
public import ItemTransfer

/// A router that chooses the scene for an activity: an existing scene, or a new scene of a configuration.
///
/// ```swift
/// let router = SceneRouter(manifest: manifest, configurationNames: ["org.example.open-card": "Card"])
/// switch try router.route(activity, among: sessions) {
/// case .activate(let id): …
/// case .open(let configuration): …
/// }
/// ```
public struct SceneRouter: Sendable {
  /// The choice for an activity.
  public enum Route: Sendable, Hashable {
    /// An existing scene continues the activity.
    case activate(SceneSession.ID)
    /// A new scene of the configuration continues the activity.
    case open(SceneConfiguration)
  }

  /// The maximum length of a target content identifier in bytes.
  private static let maximumIdentifierLength = 1024

  /// The app's manifest.
  public var manifest: SceneManifest
  /// The names of configurations by activity type; activities of other types use the default configuration.
  public var configurationNames: [String: String]

  /// Creates a router from a manifest and the configurations for activity types.
  public init(manifest: SceneManifest, configurationNames: [String: String] = [:]) {
    self.manifest = manifest
    self.configurationNames = configurationNames
  }

  /// Chooses a scene for an activity.
  ///
  /// Only scenes of the activity's configuration are candidates. The first candidate that prefers the target content
  /// identifier is chosen, or else the first candidate that can show the content, or else a new scene.
  ///
  /// - Parameters:
  ///   - activity: The activity to continue.
  ///   - sessions: The sessions of scenes that can be activated, most recently used first.
  ///   - now: The current time.
  /// - Returns: The choice.
  /// - Throws: `SceneRoutingError` if the manifest lacks the activity type or the configuration. It also throws if
  ///   required entries of the user info are missing, if the target content identifier is too long, or if the activity
  ///   has expired. It throws `singleScene` if the app allows only one scene, which cannot show the content.
  public func route(
    _ activity: UserActivity, among sessions: [SceneSession], at now: Date = Date()
  ) throws(SceneRoutingError) -> Route {
    let configuration = try configuration(for: activity, at: now)
    let candidates = sessions.filter { $0.role == configuration.role }
    let fitting = candidates.filter { $0.configurationName == configuration.name }
    let target = activity.targetContentIdentifier ?? ""
    let found =
      fitting.first { $0.activationConditions.prefersToActivate.evaluate(with: target) }
      ?? fitting.first { $0.activationConditions.canActivate.evaluate(with: target) }
    if let found { return .activate(found.id) }
    guard candidates.isEmpty || manifest.supportsMultipleScenes else {
      throw SceneRoutingError(.singleScene, "the app allows one scene, which cannot show \(activity.subject)")
    }
    return .open(configuration)
  }

  /// Returns the configuration for an activity.
  ///
  /// - Parameters:
  ///   - activity: The activity to continue.
  ///   - now: The current time.
  /// - Returns: The configuration.
  /// - Throws: As ``route(_:among:at:)``, except `singleScene`.
  private func configuration(
    for activity: UserActivity, at now: Date
  ) throws(SceneRoutingError) -> SceneConfiguration {
    let type = activity.activityType
    guard activity.targetContentIdentifier?.utf8.count ?? 0 <= Self.maximumIdentifierLength else {
      throw SceneRoutingError(
        .unusableTarget,
        "the target of \(activity.shownType) exceeds the limit of \(Self.maximumIdentifierLength) bytes")
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

  /// Checks that the manifest has a configuration with a name and a role.
  ///
  /// - Throws: `missingConfiguration` if the manifest lacks it.
  func require(_ name: String, _ role: SceneRole) throws(SceneRoutingError) {
    guard manifest.configuration(named: name, role: role) == nil else { return }
    throw SceneRoutingError(
      .missingConfiguration, "the manifest has no configuration named \(name.escapedForDisplay())")
  }
}

/// The reason why no scene can continue an activity.
public struct SceneRoutingError: Error, Sendable, Hashable {
  /// The kinds of reasons.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// The manifest does not list the activity type.
    case unlistedActivityType
    /// Required entries of the user info are missing.
    case missingUserInfo
    /// The target content identifier exceeds the limit.
    case unusableTarget
    /// The activity has expired.
    case expired
    /// The manifest lacks the configuration.
    case missingConfiguration
    /// The app allows only one scene of a role at a time, and the existing scene cannot show the content.
    case singleScene
  }

  /// The kind of reason.
  public let code: Code
  /// The reason as a phrase, safe to show on a terminal.
  public let reason: String

  init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }
}

extension SceneRoutingError: CustomStringConvertible {
  /// The reason as a line.
  public var description: String { reason }
}

extension UserActivity {
  /// The activity type with the escapes that error messages need.
  var shownType: String { activityType.escapedForDisplay() }

  /// The activity in error messages: its type and target.
  var subject: String {
    targetContentIdentifier.map { "\(shownType) about \($0.escapedForDisplay())" } ?? shownType
  }
}
