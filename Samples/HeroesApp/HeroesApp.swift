// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import Foundation
import ItemTransfer
import SceneTerminal

/// The app: which windows there are, and which of them an activity is for.
struct HeroesApp {
  static let showHero = "org.dragpipe.sample.show-hero"
  static let configurations = ["Heroes", "Favourites", "Hero"].map { SceneConfiguration(name: $0) }

  private let arguments: [String]
  private let catalogue: String

  init(_ arguments: [String]) throws {
    self.arguments = arguments
    catalogue = try SceneTerminal.value(of: "--catalogue", in: arguments) ?? CatalogueLoader.sample
  }

  func run() async throws -> Bool {
    let terminal = try SceneTerminal(
      arguments: arguments, option: "--catalogue FILE|URL",
      commands: [":heroes": { host, _ in try await host.open(Self.configurations[0]) }])
    let manifest = SceneManifest(configurations: Self.configurations, activityTypes: [Self.showHero])
    let router = SceneRouter(manifest: manifest, configurationNames: [Self.showHero: "Hero"])
    let program = [CommandLine.arguments[0], "--window", catalogue]
    let command: @Sendable (SceneSession) -> [String] = { program + [$0.configurationName] }
    return try await SceneHost.run(router: router, opening: command) { host in
      try await host.open(Self.configurations[1])
      try await host.open(Self.configurations[0])
      return try await terminal.run(host)
    }
  }
}
