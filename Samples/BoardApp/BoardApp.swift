// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import DropTransport
import Foundation
import HeroCards
import ItemTransfer
import SceneTerminal

/// The app: keeps the board, and the windows from one run to the next.
struct BoardApp {
  static let openCard = "org.dragpipe.sample.open-card"
  static let addColumn = "org.dragpipe.sample.add-column"

  private let arguments: [String]
  private let directory: URL
  private let isTemporary: Bool

  init(_ arguments: [String]) throws {
    self.arguments = arguments
    let state = try SceneTerminal.value(of: "--state", in: arguments)
    isTemporary = state == nil
    directory =
      state.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("board-\(UUID().uuidString)")
  }

  /// The files that belong to the sample.
  private static var samples: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  }

  func run() async throws -> Bool {
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { if isTemporary { try? FileManager.default.removeItem(at: directory) } }
    let manifest = try SceneManifest(
      propertyList: Data(contentsOf: Self.samples.appendingPathComponent("Info.plist")))
    let router = SceneRouter(
      manifest: manifest, configurationNames: [Self.openCard: "Card", Self.addColumn: "Add Column"])
    let store = SharedListStore(try entries())
    // The state may lie deeper than a socket's address can say.
    let name = "board-\(getpid())"
    return try await DropStream.withListener(at: .unixSocket(named: name)) { listener in
      async let _: Void = listener.serve { session in try await store.serve(session) }
      async let _: Void = save(store)
      return try await show(router, socket: name)
    }
  }

  /// The cards as they lay at the end of the last run, or else those of the sample.
  private func entries() throws -> [BoardEntry] {
    if FileManager.default.fileExists(atPath: file.path) {
      return try JSONDecoder().decode([BoardEntry].self, from: Data(contentsOf: file))
    }
    let sample = Self.samples.deletingLastPathComponent().appendingPathComponent("Data/board.json")
    return try Board(jsonData: Data(contentsOf: sample)).entries
  }

  private var file: URL { directory.appendingPathComponent("cards.json") }

  private func save(_ store: SharedListStore<BoardEntry>) async {
    do {
      for try await change in store.changes {
        try JSONEncoder().encode(change.elements).write(to: file, options: .atomic)
      }
    } catch {
      SceneTerminal.print("error: \(error)")
    }
  }

  private func show(_ router: SceneRouter, socket: String) async throws -> Bool {
    let terminal = try SceneTerminal(arguments: arguments, option: "--state DIRECTORY")
    let program = [CommandLine.arguments[0], "--window", socket]
    let command: @Sendable (SceneSession) -> [String] = { program + [$0.configurationName] }
    let restoration = SceneRestorationFile(path: directory.appendingPathComponent("scenes.drop").path)
    return try await SceneHost.run(router: router, restoration: restoration, opening: command) { host in
      do {
        try await host.restore()
      } catch {
        SceneTerminal.print("error: \(error)")
      }
      if host.scenes.isEmpty, let first = router.manifest.defaultConfiguration() { try await host.open(first) }
      return try await terminal.run(host)
    }
  }
}

/// A line of the board that all windows share: the head of a column, or a card below it.
struct BoardEntry: Codable, Sendable, Identifiable, Equatable {
  var id = UUID()
  var column: String
  /// Tells a card from all others, wherever it lies; `nil` for the head of a column.
  var cardID: UUID?
  var text = ""

  /// What a window needs to show the card.
  var opening: UserActivity {
    let identifier = cardID?.uuidString ?? ""
    var activity = UserActivity(
      activityType: BoardApp.openCard, title: text, userInfo: ["cardID": .string(identifier)],
      targetContentIdentifier: "card/\(identifier)")
    activity.requiredUserInfoKeys = ["cardID"]
    return activity
  }
}

extension Board {
  /// The board as the windows share it.
  var entries: [BoardEntry] {
    columns.flatMap { column in
      [BoardEntry(column: column.title)]
        + column.cards.map { BoardEntry(column: column.title, cardID: UUID(), text: $0.content) }
    }
  }
}
