// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What a scene is for.
public struct SceneRole: RawRepresentable, Sendable, Hashable, Codable {
  /// Apple's name of the role.
  public let rawValue: String

  /// Takes a name, whatever it is.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A window that a person works in.
  public static let windowApplication = SceneRole(rawValue: "UIWindowSceneSessionRoleApplication")
  /// A window on another screen, which nobody works in.
  public static let windowExternalDisplay = SceneRole(
    rawValue: "UIWindowSceneSessionRoleExternalDisplayNonInteractive")
}

/// A kind of scene.
///
/// Follows Apple's
/// [`UISceneConfiguration`](https://developer.apple.com/documentation/uikit/uisceneconfiguration).
public struct SceneConfiguration: Sendable, Hashable, Codable {
  /// By which code asks for it.
  public var name: String
  /// What its scenes are for.
  public var role: SceneRole
  /// The class that looks after its scenes; a name for the program that shows them, here.
  public var delegateClassName: String?
  /// The file that describes its first window.
  public var storyboardName: String?
  /// The class of its scenes.
  public var sceneClassName: String?

  /// Names a kind of scene.
  public init(
    name: String, role: SceneRole = .windowApplication, delegateClassName: String? = nil,
    storyboardName: String? = nil, sceneClassName: String? = nil
  ) {
    self.name = name
    self.role = role
    self.delegateClassName = delegateClassName
    self.storyboardName = storyboardName
    self.sceneClassName = sceneClassName
  }
}
