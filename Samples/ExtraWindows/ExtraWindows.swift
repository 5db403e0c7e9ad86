// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import Foundation
import SceneTerminal

/// The app, which holds the windows.
struct ExtraWindows {
  private static let window = SceneConfiguration(name: "Extra")

  func run(_ arguments: [String]) async throws -> Bool {
    let terminal = try SceneTerminal(
      arguments: arguments,
      commands: [
        ":window": { host, _ in try await host.open(Self.window) },
        ":held": { host, _ in SceneTerminal.say("\(host.scenes.count) windows, \(try Self.openDescriptors) descriptors")
        },
        ":close": { host, words in
          let scene = try host.scene(words.joined(separator: " "))
          await host.close(scene.id)
          let isGone = scene.processIdentifier.map { kill($0, 0) != 0 } ?? true
          SceneTerminal.say("window \(scene.number) is closed, its process \(isGone ? "gone" : "there")")
        },
      ])
    let router = SceneRouter(manifest: SceneManifest(configurations: [Self.window], activityTypes: []))
    let program = CommandLine.arguments[0]
    let command: @Sendable (SceneSession) -> [String] = { _ in [program, "--window"] }
    return try await SceneHost.run(router: router, opening: command) { host in
      for _ in 0..<2 { try await host.open(Self.window) }
      return try await terminal.run(host)
    }
  }

  /// What a window leaves behind when it is gone: nothing.
  private static var openDescriptors: Int {
    get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
  }
}
