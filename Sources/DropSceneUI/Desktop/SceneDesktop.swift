// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropDesktop
public import DropScenes
internal import Glibc

/// The user interface of the sample apps on a desktop: each window's process shows a window of the display.
///
/// The rows of a window can be dragged into windows of any program, and drops of any program reach the window.
enum SceneDesktop {
  /// Shows a scene as a window of the display, and runs its closure until the user or the app closes the window.
  ///
  /// - Parameters:
  ///   - takesDrops: Whether the window accepts drops.
  ///   - appearance: A closure that returns the position and the size of the window.
  ///   - body: A closure that sets the window's rows.
  /// - Throws: The errors of `body`; `DesktopError` if there is no display; `DropStreamError` if the app is gone.
  static func window(
    takesDrops: Bool, appearance: (SceneWindow) -> SceneAppearance, _ body: (SceneWindow) async throws -> Void
  ) async throws {
    try await SceneWindow.run(takesDrops: takesDrops) { window in
      let appearance = appearance(window)
      try await DesktopDisplay.withConnection(to: appearance.displayName) { display in
        let view = SceneView(window, display, takesDrops: takesDrops, appearance)
        async let showing: Void = view.run()
        try await body(window)
        view.end()
        try await showing
      }
    }
  }

  /// Whether the environment names a display.
  static var hasDisplay: Bool { getenv("DISPLAY").map { $0.pointee != 0 } ?? false }
}
