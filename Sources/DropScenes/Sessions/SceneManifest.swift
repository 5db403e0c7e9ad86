// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials
internal import ItemCoding
public import UniformTypes

/// The scene configurations and activity types that an app declares in its `Info.plist`.
///
/// ```swift
/// let manifest = try SceneManifest(propertyList: Data(contentsOf: URL(filePath: "Info.plist")))
/// if let types = manifest.typeDeclarations { TypeRegistry.shared.declare(types) }
/// ```
///
/// The manifest reads `UIApplicationSceneManifest`, `NSUserActivityTypes` and the type declarations, and ignores all
/// other keys. Follows Apple's
/// [`UIApplicationSceneManifest`](https://developer.apple.com/documentation/bundleresources/information-property-list/uiapplicationscenemanifest).
public struct SceneManifest: Sendable {
  /// Whether a role may have more than one scene at a time.
  public var supportsMultipleScenes: Bool
  /// The scene configurations; the first configuration of a role is the default of that role.
  ///
  /// Configurations from a property list are sorted by role, and are in the order of the list within each role.
  public var configurations: [SceneConfiguration]
  /// The activity types that the app continues.
  public var activityTypes: Set<String>
  /// The types that the list declares; they take effect when the app passes them to `TypeRegistry`.
  public private(set) var typeDeclarations: TypeDeclarationList?

  /// Creates a manifest without a property list.
  public init(
    configurations: [SceneConfiguration], activityTypes: Set<String>, supportsMultipleScenes: Bool = true
  ) {
    self.configurations = configurations
    self.activityTypes = activityTypes
    self.supportsMultipleScenes = supportsMultipleScenes
  }

  /// Parses a property list, XML or binary.
  ///
  /// - Parameter data: The complete list of at most 16 MiB, which may be untrusted.
  /// - Throws: `SceneManifestError` with the key path to the fault. It throws for a list that is malformed, exceeds a
  ///   limit of `TypeDeclarationList` or lacks the manifest. It also throws for a value of the wrong type, a
  ///   configuration without a name, and a name that two configurations of a role share.
  public init(propertyList data: Data) throws(SceneManifestError) {
    let list: PropertyList
    do {
      // The type declarations are parsed first, because that limits the size of the list.
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
        let keyPath = "UIApplicationSceneManifest.UISceneConfigurations.\(role)[\(index)]"
        guard let name = entry.name, !name.isEmpty else {
          throw SceneManifestError(keyPath: keyPath + ".UISceneConfigurationName", reason: "missing name")
        }
        let configuration = SceneConfiguration(
          name: name, role: SceneRole(rawValue: role), delegateClassName: entry.delegateClassName,
          storyboardName: entry.storyboardName, sceneClassName: entry.sceneClassName)
        guard self.configuration(named: name, role: configuration.role) == nil else {
          throw SceneManifestError(
            keyPath: keyPath, reason: "duplicate configuration name \(name.escapedForDisplay())")
        }
        configurations.append(configuration)
      }
    }
  }

  /// Returns the configuration with a name.
  public func configuration(named name: String, role: SceneRole = .windowApplication) -> SceneConfiguration? {
    configurations.first { $0.name == name && $0.role == role }
  }

  /// Returns the default configuration of a role, for activities whose type has no configuration.
  public func defaultConfiguration(for role: SceneRole = .windowApplication) -> SceneConfiguration? {
    configurations.first { $0.role == role }
  }
}

/// The contents of the property list that the manifest reads.
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

/// A fault in the scene manifest of a property list.
public struct SceneManifestError: Error, Sendable, Hashable {
  /// The key path to the fault, such as `UIApplicationSceneManifest.UISceneConfigurations`; empty for the entire list.
  public let keyPath: String
  /// The reason as a phrase.
  public let reason: String

  init(keyPath: String, reason: String) {
    self.keyPath = keyPath
    self.reason = reason
  }

  init(_ error: any Error) {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      self.init(keyPath: Self.text(context.codingPath + [key]), reason: "missing key")
    case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
      self.init(keyPath: Self.text(context.codingPath), reason: "expected \(Self.phrase(for: type))")
    case DecodingError.dataCorrupted(let context):
      self.init(keyPath: Self.text(context.codingPath), reason: context.debugDescription.escapedForDisplay())
    default:
      self.init(keyPath: "", reason: "not a property list")
    }
  }

  private static func phrase(for type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "a boolean"
    case is any Sequence.Type: String(describing: type).hasPrefix("Dictionary") ? "a dictionary" : "an array"
    default: "a dictionary"
    }
  }

  private static func text(_ path: [any CodingKey]) -> String {
    path.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue.escapedForDisplay()
      }
    }
  }
}

extension SceneManifestError: CustomStringConvertible {
  /// A line with the key path and the reason.
  public var description: String { keyPath.isEmpty ? reason : "\(keyPath): \(reason)" }
}
