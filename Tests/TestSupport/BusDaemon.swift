// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
internal import Foundation

/// A session bus of the reference implementation, which ends when the last reference is released.
package final class BusDaemon: Sendable {
  /// The program that implements the portal for file transfers, if it is installed.
  private static let portalProgram = ["/usr/libexec", "/usr/lib", "/usr/lib/xdg-desktop-portal"]
    .map { "\($0)/xdg-document-portal" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The address of the bus.
  package let address: String
  private let directory: TemporaryDirectory
  private let daemon: ChildProcess

  /// The environment of programs that use the bus.
  package var environment: [String: String] {
    [
      "DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": directory.url.path, "HOME": directory.url.path,
      "XDG_DATA_HOME": directory.url.path,
    ]
  }

  /// Starts a bus, and waits until it accepts connections.
  package init() async throws {
    directory = try TemporaryDirectory()
    let path = directory.url.path
    let (reader, output) = try SystemCalls.pipe()
    let writer = OwnedDescriptor(output)
    let sink = try OwnedDescriptor.open("/dev/null", O_WRONLY)
    daemon = try ChildProcess(
      "dbus-daemon", ["--session", "--nofork", "--nopidfile", "--print-address=1", "--address=unix:path=\(path)/bus"],
      output: writer.raw, errors: sink.raw, environment: ["XDG_RUNTIME_DIR": path])
    try writer.close()
    address = try await ChildLines(of: daemon, reader).next("the address of the bus") ?? ""
  }

  deinit {
    daemon.terminate()
  }

  /// Starts the portal for file transfers, and waits until it has mounted its file system.
  ///
  /// - Returns: `nil` if the portal is not installed, or cannot mount its file system here.
  package func startPortal() async throws -> ChildProcess? {
    guard let program = Self.portalProgram else { return nil }
    let sink = try OwnedDescriptor.open("/dev/null", O_WRONLY)
    let portal = try ChildProcess(program, [], output: sink.raw, errors: sink.raw, environment: environment)
    var isMounted = false
    try await wait(
      for: "the mount of the portal", details: { portal.state },
      until: {
        let mounts = try String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8)
        isMounted = mounts.contains(" \(directory.url.path)/doc ")
        return isMounted || portal.state.hasPrefix("Z")
      })
    return isMounted ? portal : nil
  }

  /// Returns whether a portal can be started here.
  package static func canStartPortal() async throws -> Bool {
    guard startsPeers, installedProgram("dbus-daemon") != nil else { return false }
    let portal = try await BusDaemon().startPortal()
    await portal?.stop()
    return portal != nil
  }
}
