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
    summary: "BoardApp: cards are dragged between columns, or to the desktop as windows.",
    options: [
      "--state DIRECTORY": "keep the cards and the windows for the next run",
      "--manifest FILE": "use another property list of windows and activities",
    ],
    commands: [
      "drag N to WINDOW [at COLUMN]": "on the board: move a card, such as `drag 2 to board at 3`",
      "drag N to desktop": "on the board: open the window of a card",
      "card TEXT": "on the board: add a card to the first column",
      "delete N": "on the board: delete a card",
      "add column": "on the board: open a window for the title of a column",
      "drag + to desktop": "on the board: the same, with the card that adds a column",
      "text WORDS": "in a card's window: replace the card's text",
      "close": "in a card's window: close it",
    ])

  /// Returns the options of a window: a board is wide and accepts cards, and the other windows are small.
  static func options(of window: SceneWindow) -> SceneWindowOptions {
    switch window.session.configurationName {
    case "Board": SceneWindowOptions(dropTypes: [.card], insertsDrops: true, width: 900)
    case "Card": SceneWindowOptions(width: 380, height: 340)
    default: SceneWindowOptions(width: 380, height: 190)
    }
  }

  private let arguments: [String]

  init(_ arguments: [String]) {
    self.arguments = arguments
  }

  /// The directory of this source file, which also contains the app's manifest.
  private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  func run() async throws -> Bool {
    let app = try SceneApp(arguments: arguments, help: Self.help)
    let state = try SceneApp.value(of: "--state", in: arguments).map { try SceneStateDirectory($0) }
    let file = state.map { CardFile(url: $0.url.appendingPathComponent("cards.json")) }
    let manifest = try SceneApp.value(of: "--manifest", in: arguments).map { URL(fileURLWithPath: $0) }
    let router = try Self.router(manifest ?? Self.directory.appendingPathComponent("Info.plist"))
    let store = SharedListStore(try file?.load() ?? Self.sampleEntries)
    // Uses a short name, because the path of the state directory may be too long for a socket address.
    let name = "board-\(getpid())"
    return try await DropStream.withListener(at: .unixSocket(named: name)) { listener in
      async let _: Void = listener.serve { session in try await store.serve(session) }
      let run: () async throws -> Bool = {
        try await app.run(router, state: state, windowArguments: [name]) { host in
          if let board = router.manifest.defaultConfiguration() { try await host.open(board) }
        }
      }
      guard let file else { return try await run() }
      return try await file.whileSaving(store, run)
    }
  }

  private static func router(_ file: URL) throws -> SceneRouter {
    do {
      let manifest = try SceneManifest(propertyList: Data(contentsOf: file))
      return SceneRouter(manifest: manifest, configurationNames: [openCard: "Card", addColumn: "Add Column"])
    } catch {
      throw SceneAppError(reason: "cannot read the manifest \(file.path): \(SceneApp.reason(of: error))")
    }
  }

  /// The cards of `Data/board.json`.
  private static var sampleEntries: [BoardEntry] {
    get throws {
      let file = directory.deletingLastPathComponent().appendingPathComponent("Data/board.json")
      return try Board(jsonData: Data(contentsOf: file)).entries
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

  /// The first line of the text.
  var title: String { text.split(separator: "\n").first.map(String.init) ?? "" }

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
