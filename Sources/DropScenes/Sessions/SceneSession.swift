// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import ItemTransfer

/// A scene of an app, which outlives the process that shows it.
///
/// Follows Apple's [`UISceneSession`](https://developer.apple.com/documentation/uikit/uiscenesession).
public struct SceneSession: Sendable, Hashable, Codable, Identifiable {
  /// The unique identifier, which stays the same after a restart.
  public let id: UUID
  /// The name of the scene's configuration.
  public var configurationName: String
  /// The role of the scene.
  public var role: SceneRole
  /// The title for display.
  public var title: String?
  /// The activity that restores the scene's content after a restart.
  public var stateRestorationActivity: UserActivity?
  /// The data that the app stores with the session.
  public var userInfo: [String: UserActivityValue]
  /// The content that the scene can show and prefers.
  public var activationConditions: SceneActivationConditions

  /// Creates a session without a window.
  ///
  /// - Parameters:
  ///   - configuration: The configuration of the scene.
  ///   - id: The identifier; a new identifier by default.
  public init(_ configuration: SceneConfiguration, id: UUID = UUID()) {
    self.id = id
    configurationName = configuration.name
    role = configuration.role
    userInfo = [:]
    activationConditions = configuration.activationConditions
  }
}

/// The purpose of a scene.
public struct SceneRole: RawRepresentable, Sendable, Hashable, Codable {
  /// Apple's name of the role.
  public let rawValue: String

  /// Creates a role from any name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A window in which a user works.
  public static let windowApplication = SceneRole(rawValue: "UIWindowSceneSessionRoleApplication")
  /// A window on an external display, without interaction.
  public static let windowExternalDisplay = SceneRole(
    rawValue: "UIWindowSceneSessionRoleExternalDisplayNonInteractive")
}

/// A kind of scene, as declared in a manifest.
///
/// Follows Apple's [`UISceneConfiguration`](https://developer.apple.com/documentation/uikit/uisceneconfiguration).
public struct SceneConfiguration: Sendable, Hashable, Codable {
  /// The name by which code refers to the configuration.
  public var name: String
  /// The role of scenes with this configuration.
  public var role: SceneRole
  /// The name that the manifest gives as a delegate class, by which an app can choose the program that shows the scene.
  public var delegateClassName: String?
  /// The file that describes the first window.
  public var storyboardName: String?
  /// The name that the manifest gives as the class of the scenes.
  public var sceneClassName: String?
  /// The conditions of new scenes, which hold until a window sets its own.
  public var activationConditions: SceneActivationConditions

  /// Creates a configuration.
  public init(
    name: String, role: SceneRole = .windowApplication, delegateClassName: String? = nil,
    storyboardName: String? = nil, sceneClassName: String? = nil,
    activationConditions: SceneActivationConditions = SceneActivationConditions()
  ) {
    self.name = name
    self.role = role
    self.delegateClassName = delegateClassName
    self.storyboardName = storyboardName
    self.sceneClassName = sceneClassName
    self.activationConditions = activationConditions
  }
}
