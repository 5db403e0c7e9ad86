// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
internal import Foundation

/// A sway desktop without a real screen, which ends when the last reference is released, or when this process ends.
///
/// In a test that runs as root, sway runs as the user `nobody`, since it does not start as root.
package final class SwayDesktop: Sendable {
  /// The address of the compositor.
  package let address: WaylandAddress
  /// The address of Xwayland; `nil` without it.
  package let display: DisplayAddress?
  /// The variables that programs on this desktop need.
  package let environment: [String: String]
  private let directory: TemporaryDirectory
  private let process: ChildProcess
  /// The end of a pipe: sway ends when it is closed.
  private let lifeline: WaylandDescriptor

  /// The error that sway has ended, with its log.
  package struct Ended: Error {
    let log: String
  }

  /// Starts sway, and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - size: The size of the only output in physical pixels.
  ///   - scale: The scale of the output.
  ///   - xwayland: Whether Xwayland runs too.
  ///   - configuration: More lines of the configuration, such as rules for windows.
  /// - Throws: `Ended`; `WaitTimedOut` with the log; the error of a system call.
  package init(
    size: (Int, Int) = (1280, 720), scale: Double = 1, xwayland: Bool = false, configuration: [String] = []
  ) async throws {
    directory = try TemporaryDirectory()
    let (path, isRoot) = (directory.url.path, geteuid() == 0)
    let lines =
      [
        "xwayland \(xwayland ? "force" : "disable")", "default_border none",
        "output * mode --custom \(size.0)x\(size.1) scale \(scale) position 0 0",
        // Runs when the sockets exist; the new name appears with the complete content.
        "exec sh -c 'echo \"$WAYLAND_DISPLAY $SWAYSOCK $DISPLAY\" > \(path)/new; mv \(path)/new \(path)/ready'",
      ] + configuration
    try directory.write(Data(lines.joined(separator: "\n").utf8 + [0x0A]), to: "config")
    let log = try OwnedDescriptor.open(directory.file("log").path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    if isRoot {
      for name in ["config", ""] { try FileManager.default.setAttributes(Self.owner, ofItemAtPath: "\(path)/\(name)") }
    }
    if xwayland {
      // Xwayland would accept only the user of sway.
      try directory.write(Data("#!/bin/sh\nexec Xwayland -ac \"$@\"\n".utf8), to: "xwayland")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(path)/xwayland")
      // X servers put their sockets there, and only root can create it for all users.
      try? FileManager.default.createDirectory(
        atPath: "/tmp/.X11-unix", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o1777])
    }
    let script = """
      exec 3<&0; sway -c "$0/config" & sway=$!; (cat <&3; kill $sway) & wait $sway; echo "ended: $?" > "$0/ready"
      """
    let command =
      (isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : ["env"]) + ["sh", "-c", script, path]
    let (reader, writer) = try SystemCalls.pipe()
    let input = OwnedDescriptor(reader)
    lifeline = WaylandDescriptor(OwnedDescriptor(writer))
    process = try ChildProcess(
      command[0], Array(command.dropFirst()), input: input.raw, output: log.raw, errors: log.raw,
      environment: [
        "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "WLR_LIBINPUT_NO_DEVICES": "1", "XDG_RUNTIME_DIR": path,
        "HOME": path, "WLR_XWAYLAND": "\(path)/xwayland",
      ])
    let words = try await Self.ready(directory)
    environment = ["XDG_RUNTIME_DIR": path, "WAYLAND_DISPLAY": words[0], "SWAYSOCK": words[1]].merging(
      words.count > 2 ? ["DISPLAY": words[2]] : [:]
    ) { $1 }
    address = try WaylandAddress.from(environment: environment)
    display = try words.count > 2 ? DisplayAddress(parsing: words[2]) : nil
  }

  private static var owner: [FileAttributeKey: Any] { [.ownerAccountID: 65_534, .groupOwnerAccountID: 65_534] }

  /// Waits for the display, the path of the control socket and, with Xwayland, its display.
  private static func ready(_ directory: TemporaryDirectory) async throws -> [String] {
    let read = { (name: String) in (try? String(contentsOf: directory.file(name), encoding: .utf8)) ?? "" }
    var words: [String] = []
    try await wait(
      for: "sway", details: { read("log") },
      until: {
        words = read("ready").split(whereSeparator: \.isWhitespace).map(String.init)
        return !words.isEmpty
      })
    guard words.count >= 2, words[0] != "ended:" else { throw Ended(log: read("log")) }
    return words
  }

  /// The output of sway.
  package var log: String { (try? String(contentsOf: directory.file("log"), encoding: .utf8)) ?? "" }

  /// Connects to the compositor.
  package func connect() async throws(DisplayError) -> WaylandConnection {
    try await WaylandConnection.open(address, timeout: .seconds(60))
  }

  /// Stops sway before the last reference is released.
  package func stop() async {
    _ = lifeline.take()
    _ = await process.end()
  }
}
