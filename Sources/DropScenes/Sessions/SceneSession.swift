// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import ItemTransfer

/// A scene's place in an app, which outlives the process that shows it.
///
/// Follows Apple's [`UISceneSession`](https://developer.apple.com/documentation/uikit/uiscenesession).
public struct SceneSession: Sendable, Hashable, Codable, Identifiable {
  /// Tells the session from all others, also after a restart.
  public let id: UUID
  /// The kind of scene, by the name of its configuration.
  public var configurationName: String
  /// What the scene is for.
  public var role: SceneRole
  /// What a person calls it.
  public var title: String?
  /// What its scene needs to show after a restart what it showed before.
  public var stateRestorationActivity: UserActivity?
  /// What else the app keeps with it.
  public var userInfo: [String: UserActivityValue]
  /// What its scene can show, and for what it is the best place.
  public var activationConditions: SceneActivationConditions

  /// Makes a session that nobody shows yet.
  ///
  /// - Parameters:
  ///   - configuration: The kind of scene.
  ///   - id: A new one, unless it is that of a session which was before.
  public init(_ configuration: SceneConfiguration, id: UUID = UUID()) {
    self.id = id
    configurationName = configuration.name
    role = configuration.role
    userInfo = [:]
    activationConditions = SceneActivationConditions()
  }
}
