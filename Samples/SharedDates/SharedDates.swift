// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import Foundation
import SceneTerminal

/// The app, which starts the process of the list and the windows.
struct SharedDates {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("dates-\(UUID().uuidString)")

  private static let window = SceneConfiguration(name: "Dates")

  func run(_ arguments: [String]) async throws -> Bool {
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: directory) }
    let socket = directory.appendingPathComponent("list").path
    let (store, input) = try startStore(at: socket)
    defer { try? input.fileHandleForWriting.close() }
    let program = CommandLine.arguments[0]
    let terminal = try SceneTerminal(
      arguments: arguments,
      commands: [
        ":window": { host, _ in try await host.open(Self.window) },
        ":kill-store": { _, _ in kill(store, SIGKILL) },
      ])
    let router = SceneRouter(manifest: SceneManifest(configurations: [Self.window], activityTypes: []))
    let command: @Sendable (SceneSession) -> [String] = { _ in [program, "--window", socket] }
    return try await SceneHost.run(router: router, opening: command) { host in
      for _ in 0..<2 { try await host.open(Self.window) }
      return try await terminal.run(host)
    }
  }

  /// Starts the process of the list, and waits until it accepts connections.
  private func startStore(at socket: String) throws -> (Int32, Pipe) {
    let (store, input, output) = (Process(), Pipe(), Pipe())
    store.executableURL = URL(fileURLWithPath: "/proc/self/exe")
    store.arguments = ["--store", socket]
    store.standardInput = input
    store.standardOutput = output
    try store.run()
    guard try output.fileHandleForReading.read(upToCount: 1) != nil else {
      throw SceneTerminalError(reason: "the process of the list did not start")
    }
    return (store.processIdentifier, input)
  }
}

/// An entry of the list: a date or a text.
struct Stamp: Codable, Sendable, Identifiable, Equatable {
  var id = UUID()
  var text: String

  /// Creates an entry with the current date.
  init() {
    text = Date().formatted(.iso8601)
  }

  init(_ text: String) {
    self.text = text
  }
}
