// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import Foundation
import HeroCards
import ItemTransfer

/// The app with its window configurations and the routes of its activities.
struct HeroesApp {
  static let showHero = "org.dragpipe.sample.show-hero"
  static let showList = "org.dragpipe.sample.show-heroes"
  /// Each list has a window of its own, and each hero.
  static let configurations = ["Heroes", "Favourites", "Hero"].map {
    SceneConfiguration(name: $0, activationConditions: SceneActivationConditions(canActivate: .never))
  }

  private static let help = SceneAppHelp(
    summary: "HeroesApp: heroes are dragged from a list to the favourites.",
    options: [
      "--catalogue FILE|URL": "load the heroes from a file or a server",
      "--slow SECONDS": "let each dropped picture take that long",
    ],
    commands: [
      "drag N… [to WINDOW] [at ROW]": "in the list: drop heroes, by default on the favourites",
      "star N…": "in the list: drop heroes on the favourites",
      "open N": "in the list: open a hero, as `drag N to desktop` does",
      "show N": "in a wide list: show a hero beside it; in others: open it",
      "say TEXT to WINDOW": "in the list: drop a text",
      "list": "in the list: open a further list",
      "again": "in a list that could not be loaded: try again",
      "open N, remove N": "in the favourites: open or remove a hero",
      "cancel N": "in the favourites: cancel the load of a picture",
      ":heroes": "open a further list",
    ])

  /// Returns the options of a window: heroes can be dropped on the favourites, which are beside the first list.
  static func options(of window: SceneWindow) -> SceneWindowOptions {
    let isTarget = window.session.configurationName == "Favourites"
    var options = SceneWindowOptions(dropTypes: isTarget ? [.hero] : [])
    if window.activities.isEmpty { options.position = (isTarget ? 30 + options.width : 10, 40) }
    return options
  }

  private let arguments: [String]
  private let catalogue: String
  private let delay: Double

  init(_ arguments: [String]) throws {
    self.arguments = arguments
    catalogue = try SceneApp.value(of: "--catalogue", in: arguments) ?? CatalogueLoader.sample
    let slow = try SceneApp.value(of: "--slow", in: arguments) ?? "0"
    guard let delay = Double(slow), (0...60).contains(delay) else {
      throw SceneAppError(reason: "expected --slow with seconds from 0 to 60, found \(slow)")
    }
    self.delay = delay
  }

  func run() async throws -> Bool {
    let app = try SceneApp(
      arguments: arguments, help: Self.help,
      commands: [":heroes": { host, _ in try await host.open(Self.configurations[0]) }])
    let manifest = SceneManifest(configurations: Self.configurations, activityTypes: [Self.showHero, Self.showList])
    let router = SceneRouter(manifest: manifest, configurationNames: [Self.showHero: "Hero"])
    return try await app.run(router, windowArguments: [catalogue, "\(delay)"]) { host in
      try await host.open(Self.configurations[1])
      try await host.open(Self.configurations[0])
    }
  }
}
