// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// Why a property list says nothing of scenes that could be used.
public struct SceneManifestError: Error, Sendable, Hashable {
  /// The way through the list, such as `UIApplicationSceneManifest.UISceneConfigurations`; empty where the whole is at
  /// fault.
  public let keyPath: String
  /// What is wrong there.
  public let reason: String

  init(keyPath: String, reason: String) {
    self.keyPath = keyPath
    self.reason = reason
  }

  init(_ error: any Error) {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      self.init(keyPath: Self.text(context.codingPath + [key]), reason: "nothing is there")
    case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
      self.init(keyPath: Self.text(context.codingPath), reason: "\(Self.phrase(for: type)) is wanted")
    case DecodingError.dataCorrupted(let context):
      self.init(keyPath: Self.text(context.codingPath), reason: context.debugDescription.escapedForDisplay())
    default:
      self.init(keyPath: "", reason: "this cannot be read as a property list")
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
  /// One line: the place and what is wrong there.
  public var description: String { keyPath.isEmpty ? reason : "\(keyPath): \(reason)" }
}
