// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropDesktop
internal import DropSystem
internal import DropWindows
internal import Synchronization

/// The display of the clipboard, with a window if the compositor shares its clipboard only with windows.
enum ClipboardDisplay {
  /// Connects to the display of the clipboard.
  ///
  /// If a window is necessary, it stays open until `body` returns. The user clicks it if it does not get the keyboard by
  /// itself. If the user closes it, the connection ends, and with it an offer of this process.
  ///
  /// - Parameters:
  ///   - options: The options of the display.
  ///   - choice: The display system of the user; `nil` to find one.
  ///   - actor: The caller's isolation; omit it.
  ///   - body: Uses the clipboard.
  /// - Returns: The result of `body`.
  /// - Throws: `cancelledByPeer` if the user closes the window; the errors of the display and of `body`.
  static func with<Result>(
    _ options: DesktopOptions, via choice: DisplayChoice?, isolation actor: isolated (any Actor)? = #isolation,
    _ body: (DesktopDisplay) async throws -> Result
  ) async throws -> Result {
    guard choice != .terminal else {
      return try await DesktopTerminal.withTerminal(options, needsDrags: false) { try await body($0.display) }
    }
    return try await withWindow(options, body)
  }

  private static func withWindow<Result>(
    _ options: DesktopOptions, isolation actor: isolated (any Actor)? = #isolation,
    _ body: (DesktopDisplay) async throws -> Result
  ) async throws -> Result {
    try await DesktopDisplay.withConnection(options: options) { display in
      guard await display.clipboardNeedsWindow else { return try await body(display) }
      let events = display.windowEvents()
      var options = WindowOptions.tool()
      (options.isDialog, options.hasFixedSize) = (true, true)
      let model = WindowModel(
        title: "Clipboard", hint: "The desktop shares the clipboard only with this window while it has the keyboard.")
      let window = try await DesktopWindow.open(on: display.connection, model, options: options)
      defer { window.close() }
      let focus = AsyncQueue<Void>()
      let isClosed = Lock(false)
      let handling = Task {
        defer { focus.close() }
        while let event = await events.next() {
          for action in try window.handle(event) {
            switch action {
            case .changedFocus(true): focus.put(())
            case .closed:
              isClosed.withLock { $0 = true }
              return display.disconnect()
            default: break
            }
          }
        }
        throw ToolFailure(.peerGone, "the display has closed the connection")
      }
      defer { handling.cancel() }
      do {
        if await focus.next() == nil {
          try Task.checkCancellation()
          try await handling.value
        }
        return try await body(display)
      } catch {
        guard isClosed.withLock({ $0 }) else { throw error }
        throw ToolFailure(.cancelledByPeer, "the window of the clipboard was closed")
      }
    }
  }
}
