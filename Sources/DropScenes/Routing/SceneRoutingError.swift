// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import ItemTransfer

/// Why no scene goes on with an activity.
public struct SceneRoutingError: Error, Sendable, Hashable {
  /// The kinds of reason.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// The app does not say that it goes on with activities of this type.
    case unlistedActivityType
    /// Entries of the user info are missing that the activity says are required.
    case missingUserInfo
    /// What the activity is about is told in more bytes than are compared.
    case unusableTarget
    /// The activity was of use only until a date that has passed.
    case expired
    /// The app has no such configuration.
    case missingConfiguration
    /// The app has one scene at a time, and that cannot show this.
    case singleScene
  }

  /// Which kind of reason.
  public let code: Code
  /// The reason in words, safe to show on a terminal.
  public let reason: String

  init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }
}

extension SceneRoutingError: CustomStringConvertible {
  /// One line.
  public var description: String { reason }
}

extension UserActivity {
  /// The type as a message shows it.
  var shownType: String { activityType.escapedForDisplay() }

  /// What a message calls the activity.
  var subject: String {
    targetContentIdentifier.map { "\(shownType) about \($0.escapedForDisplay())" } ?? shownType
  }
}
