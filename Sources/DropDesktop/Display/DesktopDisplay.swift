// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
package import DropSystem
internal import Glibc
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
  /// An X11 display beside a compositor that lets only the window with the keyboard use the clipboard.
  private let second = Lock<Task<(display: X11Display, routing: Task<Void, Never>)?, Never>?>(nil)

  /// The connection, for the module of this package that opens windows.
  package var connection: DisplayConnection { backend.connectionForWindows }
  var options: DesktopOptions { backend.options }

  init(_ backend: any DisplayBackend) {
    self.backend = backend
  }

  /// Connects to a display.
  ///
  /// - Parameters:
  ///   - name: The name of the display in the form of the variable `DISPLAY` or `WAYLAND_DISPLAY`; `nil` uses these
  ///     variables. Only displays of this machine are allowed.
  ///   - options: The display system, timeouts and limits.
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
      display = DesktopDisplay(try await open(name, options))
    } catch {
      throw DesktopError(caught: error)
    }
    return try await display.whileRouting(body)
  }

  /// Whether a variable of the environment names a display, or the usual Wayland display exists.
  package static var isNamed: Bool {
    let names = ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "DISPLAY"]
    if names.contains(where: { ProcessVariables.value(of: $0)?.isEmpty == false }) { return true }
    let directory = ProcessVariables.value(of: "XDG_RUNTIME_DIR") ?? ""
    return !directory.isEmpty && (try? SystemCalls.statusAt(AT_FDCWD, "\(directory)/wayland-0", 0)) != nil
  }

  private static func open(_ name: String?, _ options: DesktopOptions) async throws -> any DisplayBackend {
    let variables = ProcessVariables.values(of: ["WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XDG_RUNTIME_DIR", "DISPLAY"])
    func openX11() async throws -> any DisplayBackend {
      try await X11Display.open(DisplayAddress(parsing: name ?? variables["DISPLAY"]), options)
    }
    func openWayland(_ variables: [String: String]) async throws -> any DisplayBackend {
      try await WaylandDisplay.open(.from(environment: variables), options)
    }
    if let name {
      // Only names of X11 displays have a colon.
      let isX11 = options.system.map { $0 == .x11 } ?? (name.contains(":") && !name.hasPrefix("/"))
      return try await isX11
        ? openX11()
        : openWayland(variables.merging(["WAYLAND_DISPLAY": name, "WAYLAND_SOCKET": ""]) { _, new in new })
    }
    switch options.system {
    case .x11: return try await openX11()
    case .wayland: return try await openWayland(variables)
    case nil: break
    }
    func isSet(_ name: String) -> Bool { variables[name].map { !$0.isEmpty } ?? false }
    guard isSet("WAYLAND_DISPLAY") || isSet("WAYLAND_SOCKET") else {
      if isSet("DISPLAY") { return try await openX11() }
      // A compositor may run without the variable, for example in a session of ssh.
      if isSet("XDG_RUNTIME_DIR"), let display = try? await openWayland(variables) { return display }
      throw DesktopError(.noDisplay, "no display: neither WAYLAND_DISPLAY nor DISPLAY is set")
    }
    do {
      return try await openWayland(variables)
    } catch {
      // The variable may outlive its compositor.
      guard isSet("DISPLAY"), let display = try? await openX11() else { throw error }
      return display
    }
  }

  /// Routes the events of the connection until the body returns, then closes it.
  func whileRouting<Result>(
    isolation actor: isolated (any Actor)? = #isolation, _ body: (DesktopDisplay) async throws -> Result
  ) async throws -> Result {
    // A cancelled body may need events to finish a transfer, so its cancellation does not stop the routing.
    let routing = Task { await backend.route() }
    do {
      try await prepare()
      let result = try await body(self)
      await close(routing)
      return result
    } catch {
      await close(routing)
      throw error
    }
  }

  private func prepare() async throws {
    do {
      try await backend.prepare()
    } catch {
      throw error is CancellationError ? error : DesktopError(caught: error)
    }
  }

  private func close(_ routing: Task<Void, Never>) async {
    if let second = await second.withLock({ $0.take() })?.value {
      await second.display.close()
      await second.routing.value
    }
    await backend.close()
    await routing.value
  }

  /// The display of the clipboard.
  ///
  /// Some compositors, such as that of GNOME, let only the window with the keyboard use the clipboard. There, this is the
  /// X11 display of the compositor: the clipboards of both are joined.
  var clipboardBackend: any DisplayBackend {
    get async {
      guard let wayland = backend as? WaylandDisplay, !wayland.hasClipboard,
        let name = ProcessVariables.value(of: "DISPLAY"), options.system == nil
      else { return backend }
      let task = second.withLock { second in
        let task =
          second
          ?? Task { [options] in
            guard let address = try? DisplayAddress(parsing: name),
              let display = try? await X11Display.open(address, options)
            else { return nil }
            return (display, Task { await display.route() })
          }
        second = task
        return task
      }
      return await task.value?.display ?? backend
    }
  }

  /// Whether the display shares its clipboard only with the window that has the keyboard.
  package var clipboardNeedsWindow: Bool {
    get async { (await clipboardBackend as? WaylandDisplay)?.hasClipboard == false }
  }

  /// Ends the connection at once, so that everything that uses it fails.
  package func disconnect() { backend.disconnect() }

  /// Returns a queue of all events of the connection's windows from now on.
  ///
  /// After 65,536 unread events, further events are dropped.
  package func windowEvents() -> AsyncQueue<DisplayEvent> { backend.windowEvents(limit: 65_536) }
}
