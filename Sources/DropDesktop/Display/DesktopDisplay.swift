// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
package import DropSystem
internal import Synchronization

/// A connection to a display, for the clipboard and for drags.
///
/// ```swift
/// try await DesktopDisplay.withConnection { display in
///   let texts = try await Clipboard(display).withItems { try await $0.first?.value(as: String.self) }
/// }
/// ```
///
/// While the body of ``withConnection(to:options:isolation:_:)`` runs, one task routes the events to all clipboards and
/// drags of the connection.
public final class DesktopDisplay: Sendable {
  let backend: any DisplayBackend

  /// The connection, for the module of this package that opens windows.
  package var connection: DisplayConnection { backend.connectionForWindows }
  var options: DesktopOptions { backend.options }

  init(_ backend: any DisplayBackend) {
    self.backend = backend
  }

  /// Connects to a display.
  ///
  /// - Parameters:
  ///   - name: The name of the display in the form of the variable `DISPLAY`; `nil` uses this variable. Only displays
  ///     of this machine are allowed.
  ///   - options: Timeouts and limits.
  ///   - actor: The caller's isolation; omit it.
  ///   - body: Uses the display. The connection is closed when it returns.
  /// - Returns: The result of `body`.
  /// - Throws: `noDisplay`, `timedOut`, `displayGone`, and the errors of `body`.
  public static func withConnection<Result>(
    to name: String? = nil, options: DesktopOptions = .init(), isolation actor: isolated (any Actor)? = #isolation,
    _ body: (DesktopDisplay) async throws -> Result
  ) async throws -> Result {
    let display: DesktopDisplay
    do {
      let address = try DisplayAddress(parsing: name ?? ProcessVariables.value(of: "DISPLAY"))
      display = DesktopDisplay(try await X11Display.open(address, options))
    } catch {
      throw DesktopError(caught: error)
    }
    return try await display.whileRouting(body)
  }

  /// Routes the events of the connection until the body returns, then closes it.
  func whileRouting<Result>(
    isolation actor: isolated (any Actor)? = #isolation, _ body: (DesktopDisplay) async throws -> Result
  ) async throws -> Result {
    // A cancelled body may need events to finish a transfer, so its cancellation does not stop the routing.
    let routing = Task { await backend.route() }
    do {
      let result = try await body(self)
      await backend.close()
      await routing.value
      return result
    } catch {
      await backend.close()
      await routing.value
      throw error
    }
  }

  /// Returns a queue of all events of the connection's windows from now on.
  ///
  /// After 65,536 unread events, further events are dropped.
  package func windowEvents() -> AsyncQueue<DisplayEvent> { backend.windowEvents(limit: 65_536) }
}
