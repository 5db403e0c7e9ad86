// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import Foundation
import HeroCards
import ItemTransfer

/// A loader of heroes and their pictures from a server or a directory.
struct CatalogueLoader {
  /// The path of the sample catalogue.
  static var sample: String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Data/heroes.json").path
  }

  private let place: String
  private let delay: Double
  private let request: HeroCatalogueRequest

  /// Creates a loader whose ``image(of:_:)`` takes at least `delay` seconds.
  init(_ place: String, delay: Double) {
    self.place = place
    self.delay = delay
    let environment = ProcessInfo.processInfo.environment
    let url = URL(string: place).flatMap { $0.scheme == nil ? nil : $0 } ?? URL(fileURLWithPath: place)
    request = HeroCatalogueRequest(
      baseURL: url, publicKey: environment["HEROES_PUBLIC_KEY"], privateKey: environment["HEROES_PRIVATE_KEY"])
  }

  /// Loads the heroes without their pictures, which are loaded later on demand.
  ///
  /// - Throws: `SampleError` with the catalogue and the cause.
  func heroes() async throws(SampleError) -> [Hero] {
    do {
      return try HeroReader.heroes(from: try await data(at: request.url()))
    } catch {
      let source = request.baseURL.host.map { host in host + (request.baseURL.port.map { ":\($0)" } ?? "") }
      throw SampleError(
        reason: "cannot load the heroes from \(source ?? place): \(SceneApp.reason(of: error))")
    }
  }

  /// Loads the picture of a hero from the directory `images` beside the catalogue, instead of the address in the hero.
  func image(of hero: Hero) async throws -> Data? {
    guard let url = hero.thumbnail.url else { return nil }
    let images = request.baseURL.deletingLastPathComponent().appendingPathComponent("images")
    return try? await data(at: images.appendingPathComponent(url.lastPathComponent))
  }

  /// Loads the picture for a drag, and counts percents.
  func image(of hero: Hero, _ progress: ItemProgress) async throws -> Data {
    progress.setTotal(100)
    if delay > 0 {
      for _ in 0..<100 {
        try await Task.sleep(for: .seconds(delay / 100))
        progress.advance(by: 1)
      }
    }
    guard let image = try await image(of: hero) else { throw SampleError(reason: "there is no picture") }
    return image
  }

  /// The picture of a hero in a row; a hero without one has the symbol of a picture.
  func picture(of hero: Hero, side: Int = 56, caption: String = "") -> ScenePicture {
    ScenePicture("\(hero.id)", caption: caption, side: side) {
      guard let image = try await image(of: hero) else { throw SampleError(reason: "there is no picture") }
      return image
    }
  }

  private func data(at url: URL) async throws -> Data {
    if url.isFileURL { return try Data(contentsOf: url) }
    return try await download(url)
  }

  /// The maximum length of an address, and of a file from a server, in bytes.
  private static let limits = (address: 8 << 10, file: 64 << 20)

  /// Loads a file from a server with the program `curl`, since `URLSession` uses a third of a core while it waits.
  private func download(_ url: URL) async throws -> Data {
    let address = url.absoluteString
    guard address.utf8.count <= Self.limits.address else { throw SampleError(reason: "the address is too long") }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("heroes-\(UUID())").path
    guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
      let file = FileHandle(forUpdatingAtPath: path)
    else { throw SampleError(reason: "there is no room for temporary files") }
    try FileManager.default.removeItem(atPath: path)
    let (process, input, errors) = (Process(), Pipe(), Pipe())
    // Foundation keeps the process, and so the descriptors.
    defer { for handle in [file, errors.fileHandleForReading] { try? handle.close() } }
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // The list of processes does not show the address, which has a signature. The size is limited in blocks of 512 bytes,
    // since old versions of curl limit only a length that the server declares.
    process.arguments = [
      "-c", "ulimit -f \(Self.limits.file / 512) && exec curl \"$@\"", "sh", "-q", "--silent", "--show-error", "--fail",
      "--location", "--proto", "=http,https", "--max-time", "60", "--config", "-",
    ]
    try input.fileHandleForWriting.write(contentsOf: Data("url = \"\(address)\"\n".utf8))
    try input.fileHandleForWriting.close()
    (process.standardInput, process.standardOutput, process.standardError) = (input, file, errors)
    let endings = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = { process in
      endings.continuation.yield(process.terminationStatus)
      endings.continuation.finish()
    }
    try process.run()
    // The sequence ends at once if the task is cancelled.
    guard let status = await endings.stream.first(where: { _ in true }) else {
      // Foundation starts processes with signals blocked, and so without an effect of SIGTERM.
      kill(process.processIdentifier, SIGKILL)
      throw CancellationError()
    }
    guard status == 0 else {
      let text = String(decoding: try errors.fileHandleForReading.read(upToCount: 4096) ?? Data(), as: UTF8.self)
      // The line is `curl: (22) REASON`.
      let reason = text.split(separator: ") ", maxSplits: 1).last?.split(separator: "\n").first
      throw SampleError(reason: reason.map(String.init) ?? "curl failed with \(status)")
    }
    try file.seek(toOffset: 0)
    return try file.readToEnd() ?? Data()
  }
}
