// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import Foundation
import HeroCards
import ItemTransfer
import SceneTerminal

/// The app with its window configurations and the routes of its activities.
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

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A loader of heroes and their pictures from a server or a directory.
struct CatalogueLoader {
  /// The path of the sample catalogue.
  static var sample: String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Data/heroes.json").path
  }

  private let request: HeroCatalogueRequest

  init(_ place: String) {
    let environment = ProcessInfo.processInfo.environment
    let url = URL(string: place).flatMap { $0.scheme == nil ? nil : $0 } ?? URL(fileURLWithPath: place)
    request = HeroCatalogueRequest(
      baseURL: url, publicKey: environment["HEROES_PUBLIC_KEY"], privateKey: environment["HEROES_PRIVATE_KEY"])
  }

  /// Loads the heroes without their pictures, which are loaded later on demand.
  func heroes() async throws -> [Hero] {
    var reader = HeroReader()
    reader.append(try await data(at: request.url()))
    reader.finish()
    var heroes: [Hero] = []
    while let hero = try reader.next() { heroes.append(hero) }
    return heroes
  }

  /// Loads the picture of a hero from the directory `images` beside the catalogue, instead of the address in the hero.
  func image(of hero: Hero) async throws -> Data? {
    guard let url = hero.thumbnail.url else { return nil }
    let images = request.baseURL.deletingLastPathComponent().appendingPathComponent("images")
    return try? await data(at: images.appendingPathComponent(url.lastPathComponent))
  }

  /// The picture of a hero in a row; `nil` for a hero without one.
  func picture(of hero: Hero) -> ScenePicture? {
    guard hero.thumbnail.url != nil else { return nil }
    return ScenePicture("\(hero.id)") {
      guard let image = try await image(of: hero) else { throw SampleError(reason: "there is no picture") }
      return image
    }
  }

  private func data(at url: URL) async throws -> Data {
    if url.isFileURL { return try Data(contentsOf: url) }
    let (data, response) = try await URLSession.shared.data(from: url)
    guard let status = (response as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) else {
      throw SampleError(reason: "\(url.host ?? "the server") has no such file")
    }
    return data
  }
}
