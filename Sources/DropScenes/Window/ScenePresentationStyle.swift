// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The style in which a new window is presented.
///
/// Corresponds to
/// [`UIWindowScene.PresentationStyle`](https://developer.apple.com/documentation/uikit/uiwindowscene/presentationstyle).
/// A style is a preference: a terminal shows all windows in the same way.
public enum ScenePresentationStyle: String, Codable, Sendable, Hashable {
  /// The style that the system chooses.
  case automatic
  /// A window beside the others.
  case standard
  /// A window in the middle of the screen, in front of the others.
  case prominent
}
