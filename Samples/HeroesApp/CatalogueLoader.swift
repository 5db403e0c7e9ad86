// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeroCards

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Fetches heroes and their pictures from a server, or from a directory that stands for one.
struct CatalogueLoader {
  /// The sample data beside this file.
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

  /// The heroes, without pictures: those are fetched when somebody wants them.
  func heroes() async throws -> [Hero] {
    var reader = HeroReader()
    reader.append(try await data(at: request.url()))
    reader.finish()
    var heroes: [Hero] = []
    while let hero = try reader.next() { heroes.append(hero) }
    return heroes
  }

  /// A hero's picture, from where the catalogue says, or from the directory `images` beside a catalogue that is a file.
  func image(of hero: Hero) async throws -> Data? {
    guard let url = hero.thumbnail.url else { return nil }
    guard !request.baseURL.isFileURL else {
      let file = request.baseURL.deletingLastPathComponent().appendingPathComponent("images")
        .appendingPathComponent(url.lastPathComponent)
      return try? Data(contentsOf: file)
    }
    // A server that stands for another one has its pictures, too.
    let path = "images/" + url.lastPathComponent
    return try? await data(at: request.baseURL.deletingLastPathComponent().appendingPathComponent(path))
  }

  private func data(at url: URL) async throws -> Data {
    url.isFileURL ? try Data(contentsOf: url) : try await URLSession.shared.data(from: url).0
  }
}
