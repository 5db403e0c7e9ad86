// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
public import FoundationEssentials

/// A scene of an app: the scene session, and the state of the process that shows it.
public struct HostedScene: Sendable, Hashable, Identifiable {
  /// The session, which outlives the process.
  public internal(set) var session: SceneSession
  /// The number of the window, starting at 1, with which users refer to the window.
  public let number: Int
  /// The content of the window, line by line, without characters that affect a terminal.
  public internal(set) var content: [String] = []
  /// Whether the window receives input.
  public internal(set) var isKey = false
  /// The process; `nil` before it starts and after it has ended.
  public internal(set) var processIdentifier: Int32?
  /// The reason for an unexpected end of the process; `nil` if there was none.
  public internal(set) var failure: String?

  /// The identifier of the session.
  public var id: SceneSession.ID { session.id }

  /// The title for display.
  public var title: String { session.title ?? session.configurationName }

  /// The maximum number of lines, and the maximum number of Unicode scalars in a line and in a title.
  static let maximumContent = (lines: 1000, characters: 500)

  /// Stores the window's content, truncated to the limits.
  mutating func show(_ lines: [String]) {
    content = lines.prefix(Self.maximumContent.lines).map(Self.shown)
  }

  /// Stores the window's changes to its scene session.
  ///
  /// The window cannot change the identifier, the configuration or the role, which belong to the app.
  mutating func take(_ session: SceneSession) {
    guard session.id == id else { return }
    var changed = session
    changed.configurationName = self.session.configurationName
    changed.role = self.session.role
    changed.title = session.title.map(Self.shown)
    self.session = changed
  }

  /// Returns a string truncated to the limit, with U+FFFD in place of characters that affect a terminal.
  private static func shown(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(maximumContent.characters) {
      shown.append(scalar.isInvisibleControl ? "\u{FFFD}" : scalar)
    }
    return String(shown)
  }
}

/// An error of an operation on a window.
public struct SceneHostError: Error, Sendable {
  /// The kinds of errors.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// No window matches, or several do; or there is no key window.
    case unknownScene
    /// The window's process could not be started, exceeded a timeout, or has ended.
    case sceneGone
    /// No item of the drop has an activity for opening a window.
    case noActivity
    /// The app is ending and opens no more windows.
    case ending
    /// A message from the peer is invalid.
    case invalidMessage
  }

  /// The kind of error.
  public let code: Code
  /// The reason as a phrase, safe to show on a terminal.
  public let reason: String
  /// The underlying error, if any.
  public let underlyingError: (any Error)?

  init(_ code: Code, _ reason: String, underlyingError: (any Error)? = nil) {
    self.code = code
    self.reason = reason
    self.underlyingError = underlyingError
  }
}

extension SceneHostError: CustomStringConvertible {
  /// The reason as a line.
  public var description: String { reason }
}
