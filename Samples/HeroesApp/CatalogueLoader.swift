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

  /// A hero's picture, from the directory `images` beside the catalogue, which stands for where the catalogue says.
  func image(of hero: Hero) async throws -> Data? {
    guard let url = hero.thumbnail.url else { return nil }
    let images = request.baseURL.deletingLastPathComponent().appendingPathComponent("images")
    return try? await data(at: images.appendingPathComponent(url.lastPathComponent))
  }

  private func data(at url: URL) async throws -> Data {
    if url.isFileURL { return try Data(contentsOf: url) }
    let (data, response) = try await URLSession.shared.data(from: url)
    guard let status = (response as? HTTPURLResponse)?.statusCode, (200..<300).contains(status) else {
      throw SampleError(reason: "\(url.host ?? "the server") does not have it")
    }
    return data
  }
}
