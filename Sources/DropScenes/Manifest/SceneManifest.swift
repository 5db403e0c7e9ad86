// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
internal import ItemCoding
public import UniformTypes

/// What an app says of its scenes in its `Info.plist`: their configurations, and the activities they go on with.
///
/// ```swift
/// let manifest = try SceneManifest(propertyList: Data(contentsOf: URL(filePath: "Info.plist")))
/// if let types = manifest.typeDeclarations { TypeRegistry.shared.declare(types) }
/// ```
///
/// Read are `UIApplicationSceneManifest`, `NSUserActivityTypes` and the declarations of types; every other key is left
/// alone. Follows Apple's
/// [`UIApplicationSceneManifest`](https://developer.apple.com/documentation/bundleresources/information-property-list/uiapplicationscenemanifest).
public struct SceneManifest: Sendable {
  /// Whether there may be more than one scene of a role at a time.
  public var supportsMultipleScenes: Bool
  /// The kinds of scenes, in the order of the list; the first of a role is the one that is taken where nobody chooses.
  public var configurations: [SceneConfiguration]
  /// The activities that the app goes on with.
  public var activityTypes: Set<String>
  /// The types that the list declares; they hold when they are declared.
  public private(set) var typeDeclarations: TypeDeclarationList?

  /// Says by hand what a property list would.
  public init(
    configurations: [SceneConfiguration], activityTypes: Set<String>, supportsMultipleScenes: Bool = true
  ) {
    self.configurations = configurations
    self.activityTypes = activityTypes
    self.supportsMultipleScenes = supportsMultipleScenes
  }

  /// Reads a property list, XML or binary.
  ///
  /// - Parameter data: The whole list, of at most 16 MiB, which may come from anybody.
  /// - Throws: `SceneManifestError`, with the way through the list to what is wrong: a list without a manifest, a
  ///   configuration without a name, a value of another kind than belongs there, two configurations of one role and name.
  public init(propertyList data: Data) throws(SceneManifestError) {
    let list: PropertyList
    do {
      // First, as it bounds what there is to read.
      typeDeclarations = try TypeDeclarationList(propertyList: data)
      list = try PropertyListDecoder().decodeForeign(PropertyList.self, from: data)
    } catch let error as TypeDeclarationListError {
      throw SceneManifestError(keyPath: error.keyPath, reason: error.reason)
    } catch {
      throw SceneManifestError(error)
    }
    supportsMultipleScenes = list.scenes.supportsMultipleScenes ?? false
    activityTypes = Set(list.activityTypes ?? [])
    configurations = []
    for (role, entries) in (list.scenes.configurations ?? [:]).sorted(by: { $0.key < $1.key }) {
      for (index, entry) in entries.enumerated() {
        let place = "UIApplicationSceneManifest.UISceneConfigurations.\(role)[\(index)]"
        guard let name = entry.name, !name.isEmpty else {
          throw SceneManifestError(keyPath: place + ".UISceneConfigurationName", reason: "a name is missing")
        }
        let configuration = SceneConfiguration(
          name: name, role: SceneRole(rawValue: role), delegateClassName: entry.delegateClassName,
          storyboardName: entry.storyboardName, sceneClassName: entry.sceneClassName)
        guard self.configuration(named: name, role: configuration.role) == nil else {
          throw SceneManifestError(
            keyPath: place, reason: "there is a configuration named \(name.escapedForDisplay()) before")
        }
        configurations.append(configuration)
      }
    }
  }

  /// The configuration of a name.
  public func configuration(named name: String, role: SceneRole = .windowApplication) -> SceneConfiguration? {
    configurations.first { $0.name == name && $0.role == role }
  }

  /// The configuration that is taken where nobody chooses.
  public func defaultConfiguration(for role: SceneRole = .windowApplication) -> SceneConfiguration? {
    configurations.first { $0.role == role }
  }
}

/// As the list has it.
private struct PropertyList: Decodable {
  struct Scenes: Decodable {
    var supportsMultipleScenes: Bool?
    var configurations: [String: [Entry]]?

    enum CodingKeys: String, CodingKey {
      case supportsMultipleScenes = "UIApplicationSupportsMultipleScenes"
      case configurations = "UISceneConfigurations"
    }
  }

  struct Entry: Decodable {
    var name: String?
    var delegateClassName: String?
    var storyboardName: String?
    var sceneClassName: String?

    enum CodingKeys: String, CodingKey {
      case name = "UISceneConfigurationName"
      case delegateClassName = "UISceneDelegateClassName"
      case storyboardName = "UISceneStoryboardFile"
      case sceneClassName = "UISceneClassName"
    }
  }

  var scenes: Scenes
  var activityTypes: [String]?

  enum CodingKeys: String, CodingKey {
    case scenes = "UIApplicationSceneManifest"
    case activityTypes = "NSUserActivityTypes"
  }
}
