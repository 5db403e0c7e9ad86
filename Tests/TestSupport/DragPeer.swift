// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
package import Foundation
internal import Glibc

/// A window of another toolkit in its own process, which ends when the last reference is released.
package final class DragPeer: Sendable {
  /// The toolkits.
  package enum Toolkit: String, Sendable, CaseIterable {
    case gtk3, gtk4, qt5

    /// Whether the toolkit and its Python module are installed, and tests may start programs of others.
    package var isInstalled: Bool {
      let (module, library) =
        switch self {
        case .gtk3: ("gi/__init__.py", "girepository-1.0/Gtk-3.0.typelib")
        case .gtk4: ("gi/__init__.py", "girepository-1.0/Gtk-4.0.typelib")
        case .qt5: ("PyQt5/__init__.py", "libQt5Widgets.so.5")
        }
      let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
      let exists = { FileManager.default.fileExists(atPath: "/usr/lib/" + $0) }
      return startsPeers && exists("python3/dist-packages/\(module)") && folders.contains { exists("\($0)/\(library)") }
    }

    /// Whether the toolkit can open windows on Wayland; Qt has a package of its own for them.
    package var runsOnWayland: Bool {
      let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
      return self != .qt5
        || folders.contains {
          FileManager.default.fileExists(atPath: "/usr/lib/\($0)/qt5/plugins/platforms/libqwayland-generic.so")
        }
    }
  }

  /// The Python interpreter for which Linux distributions package the toolkits.
  static let python = "/usr/bin/python3"

  private let toolkit: Toolkit
  private let process: ChildProcess
  private let lines: ChildLines

  /// Starts a peer on an X11 display, and waits until its window is visible.
  package convenience init(_ toolkit: Toolkit, _ arguments: [String], on address: DisplayAddress) async throws {
    try await self.init(
      toolkit, arguments, ["DISPLAY": "\(address)", "GDK_BACKEND": "x11", "QT_QPA_PLATFORM": "xcb"])
  }

  /// Starts a peer on a Wayland desktop, and waits until its window is visible.
  package convenience init(_ toolkit: Toolkit, _ arguments: [String], on desktop: SwayDesktop) async throws {
    try await self.init(
      toolkit, arguments,
      desktop.environment.merging(["GDK_BACKEND": "wayland", "QT_QPA_PLATFORM": "wayland"]) { $1 })
  }

  private init(_ toolkit: Toolkit, _ arguments: [String], _ environment: [String: String]) async throws {
    self.toolkit = toolkit
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Interoperability/desktop_peer.py").path
    let (input, output) = try SystemCalls.pipe()
    let writer = OwnedDescriptor(output)
    let sink = try OwnedDescriptor.open("/dev/null", O_WRONLY)
    process = try ChildProcess(
      Self.python, ["-B", script, toolkit.rawValue] + arguments, output: writer.raw, errors: sink.raw,
      environment: environment)
    try writer.close()
    lines = ChildLines(of: process, input)
    guard try await next() == "ready" else { throw NotReady() }
  }

  package struct NotReady: Error {}

  deinit {
    process.terminate()
  }

  /// Waits for the next line of output, as ``ChildLines/next(_:)`` does.
  package func next() async throws -> String? {
    try await lines.next("a line of the \(toolkit) program")
  }
}

/// Shows a folder in a window of the file manager Thunar, which ends with the display.
///
/// Creates the folder if it does not exist, and a home directory beside it.
package func openThunar(_ folder: URL, on address: DisplayAddress) throws {
  let home = folder.deletingLastPathComponent().appendingPathComponent("home").path
  for path in [home, folder.path] {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  let sink = try OwnedDescriptor.open("/dev/null", O_RDWR)
  _ = try ChildProcess(
    "dbus-run-session", ["--", "thunar", folder.path], input: sink.raw, output: sink.raw, errors: sink.raw,
    environment: [
      "DISPLAY": "\(address)", "HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home, "XDG_DATA_HOME": home,
      "GSETTINGS_BACKEND": "memory", "GIO_USE_VFS": "local", "NO_AT_BRIDGE": "1",
    ])
}
