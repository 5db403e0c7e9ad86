// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Why something cannot be done with a window.
public struct SceneHostError: Error, Sendable {
  /// The kinds of reason.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// There is no such window, or several that could be meant.
    case unknownScene
    /// The window's process could not be started, or has ended.
    case sceneGone
    /// No item of the drop has an activity by which a window could be opened.
    case noActivity
    /// The app is ending, and opens nothing more.
    case ending
    /// What the other side says makes no sense.
    case invalidMessage
  }

  /// Which kind of reason.
  public let code: Code
  /// The reason in words, safe to show on a terminal.
  public let reason: String
  /// What went wrong beneath, where something did.
  public let underlyingError: (any Error)?

  init(_ code: Code, _ reason: String, underlyingError: (any Error)? = nil) {
    self.code = code
    self.reason = reason
    self.underlyingError = underlyingError
  }
}

extension SceneHostError: CustomStringConvertible {
  /// One line.
  public var description: String { reason }
}
