// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// A scene as its app sees it: the session, and the process that shows it.
public struct HostedScene: Sendable, Hashable, Identifiable {
  /// What outlives the process.
  public internal(set) var session: SceneSession
  /// By which people name it: 1 for the first that was opened.
  public let number: Int
  /// What the window shows, line by line, without characters that act on a terminal.
  public internal(set) var content: [String] = []
  /// Whether the window gets what is typed.
  public internal(set) var isKey = false
  /// The process; `nil` before its start, and after its end.
  public internal(set) var processIdentifier: Int32?
  /// Why the process has ended, where it has and should not have.
  public internal(set) var failure: String?

  /// The session's.
  public var id: SceneSession.ID { session.id }

  /// What a person calls it.
  public var title: String { session.title ?? session.configurationName }

  /// The most lines a window may show, and the most characters of each and of a title.
  static let maximumContent = (lines: 1000, characters: 500)

  /// Takes what a window wants to show.
  mutating func show(_ lines: [String]) {
    content = lines.prefix(Self.maximumContent.lines).map(Self.shown)
  }

  /// Takes what a window says of its session, but for what is the app's to say: who it is, and of which kind.
  mutating func take(_ session: SceneSession) {
    guard session.id == id else { return }
    var changed = session
    changed.configurationName = self.session.configurationName
    changed.role = self.session.role
    changed.title = session.title.map(Self.shown)
    self.session = changed
  }

  /// Text without what acts on a terminal, and no more of it than can be looked at.
  private static func shown(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(maximumContent.characters) {
      shown.append(scalar.isInvisibleControl ? "\u{FFFD}" : scalar)
    }
    return String(shown)
  }
}
