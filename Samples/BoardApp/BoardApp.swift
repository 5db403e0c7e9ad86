// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import DropTransport
import Foundation
import HeroCards
import ItemTransfer

/// The app.
///
/// With `--state`, it stores the board's cards and the state of its windows between two runs.
struct BoardApp {
  static let openCard = "org.dragpipe.sample.open-card"
  static let addColumn = "org.dragpipe.sample.add-column"

  private static let help = SceneAppHelp(
    name: "BoardApp",
    summary: "BoardApp: cards are dragged between columns, or to the desktop as windows.",
    options: ["--state DIRECTORY": "keep the cards and the windows for the next run"],
    commands: [
      "drag N to WINDOW [at COLUMN]": "on the board: move a card, such as `drag 2 to board at 3`",
      "drag N to desktop": "on the board: open the window of a card",
      "add column": "on the board: open a window for the title of a column",
      "bogus": "on the board: open a window that the manifest does not list",
      "drag + to desktop": "on the board: the same, with the card that adds a column",
      "text WORDS": "in a card's window: replace the card's text",
      "close": "in a card's window: close it",
    ])

  /// Returns the appearance of a window: a board is wide, and the other windows are small.
  static func appearance(of window: SceneWindow) -> SceneAppearance {
    switch window.session.configurationName {
    case "Board": SceneAppearance(width: 900)
    case "Card": SceneAppearance(width: 380, height: 340)
    default: SceneAppearance(width: 380, height: 190)
    }
  }

  private let arguments: [String]
  private let directory: URL
  private let isTemporary: Bool

  init(_ arguments: [String]) throws {
    self.arguments = arguments
    let state = try SceneApp.value(of: "--state", in: arguments)
    isTemporary = state == nil
    directory =
      state.map { URL(fileURLWithPath: $0) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent("board-\(UUID().uuidString)")
  }

  /// The directory of this source file, which also contains the app's manifest.
  private static var samples: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  }

  func run() async throws -> Bool {
    let terminal = try SceneApp(arguments: arguments, help: Self.help)
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    defer { if isTemporary { try? FileManager.default.removeItem(at: directory) } }
    let manifest = try SceneManifest(
      propertyList: Data(contentsOf: Self.samples.appendingPathComponent("Info.plist")))
    let router = SceneRouter(
      manifest: manifest, configurationNames: [Self.openCard: "Card", Self.addColumn: "Add Column"])
    let store = SharedListStore(try entries())
    // Uses a short name, because the path of the state directory may be too long for a socket address.
    let name = "board-\(getpid())"
    return try await DropStream.withListener(at: .unixSocket(named: name)) { listener in
      async let _: Void = listener.serve { session in try await store.serve(session) }
      async let _: Void = save(store)
      return try await show(router, terminal, socket: name)
    }
  }

  /// Loads the saved cards, or the cards of `Data/board.json` if there are none.
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
      SceneApp.report(error)
    }
  }

  private func show(_ router: SceneRouter, _ terminal: SceneApp, socket: String) async throws -> Bool {
    let program = [CommandLine.arguments[0], "--window", socket]
    let command: @Sendable (SceneSession) -> [String] = { program + [$0.configurationName] }
    let restoration = SceneRestorationFile(path: directory.appendingPathComponent("scenes.drop").path)
    return try await SceneHost.run(router: router, restoration: restoration, opening: command) { host in
      do {
        try await host.restore()
      } catch {
        SceneApp.report(error)
      }
      if host.scenes.isEmpty, let first = router.manifest.defaultConfiguration() { try await host.open(first) }
      return try await terminal.run(host)
    }
  }
}

/// An entry of the shared list: the header of a column, or a card in a column.
struct BoardEntry: Codable, Sendable, Identifiable, Equatable {
  var id = UUID()
  var column: String
  /// The identifier of the card, which it keeps when it moves to another column; `nil` for the header of a column.
  var cardID: UUID?
  var text = ""

  /// The activity that opens a window for the card.
  var opening: UserActivity {
    let identifier = cardID?.uuidString ?? ""
    var activity = UserActivity(
      activityType: BoardApp.openCard, title: text, userInfo: ["cardID": .string(identifier)],
      targetContentIdentifier: "card/\(identifier)")
    activity.requiredUserInfoKeys = ["cardID"]
    return activity
  }

  /// The card and the activity that opens a window for it.
  var item: ItemProvider {
    let item = ItemProvider(Card(content: text, column: column))
    item.register(opening)
    return item
  }
}

extension Board {
  /// The columns and cards of the board as entries of the shared list.
  var entries: [BoardEntry] {
    columns.flatMap { column in
      [BoardEntry(column: column.title)]
        + column.cards.map { BoardEntry(column: column.title, cardID: UUID(), text: $0.content) }
    }
  }
}
