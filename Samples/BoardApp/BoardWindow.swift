// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import DropTransport
import Foundation
import HeroCards
import ItemTransfer

/// A window with all columns and their cards, numbered from top to bottom.
actor BoardWindow {
  private let window: SceneWindow
  /// The result of the last command, which is shown above the columns.
  private var message = ""

  init(_ window: SceneWindow) {
    self.window = window
  }

  func run(_ socket: String) async throws {
    try await SharedList<BoardEntry>.connect(over: .unixSocket(named: socket)) { board in
      async let _: Void = show(board)
      async let _: Void = takeDrops(board)
      for await event in window.events {
        switch event {
        case .input(let line): message = await perform(line, board)
        case .size: break
        default: continue
        }
        try await show(board.elements, board)
      }
    }
  }

  private func show(_ board: SharedList<BoardEntry>) async throws {
    for try await change in board.changes { try await show(change.elements, board) }
  }

  private func show(_ entries: [BoardEntry], _ board: SharedList<BoardEntry>) async throws {
    var (number, column) = (0, -1)
    let rows = shownEntries(entries).enumerated().map { position, entry in
      guard entry.cardID != nil else {
        column += 1
        return SceneRow.heading(entry.column, column: column, position: position)
      }
      number += 1
      return row(number, entry, column: column, position: position, board)
    }
    var adding = SceneRow("+ Add a column", input: "add column", items: { [Self.addingItem] })
    adding.column = column + 1
    try await window.show(
      rows: SceneRow.status(message) + rows + [adding, .field("a new card for the first column", input: "card")])
  }

  /// The item of the card that adds a column: outside of all windows, it opens the window for the title.
  private static var addingItem: ItemProvider {
    let item = ItemProvider(suggestedName: "column")
    item.register(UserActivity(activityType: BoardApp.addColumn))
    return item
  }

  private func row(
    _ number: Int, _ card: BoardEntry, column: Int, position: Int, _ board: SharedList<BoardEntry>
  ) -> SceneRow {
    var row = SceneRow(
      card.title, actions: [.copy, .move], position: position,
      input: "open \(number)",
      items: { [card.item] }, dragged: { [weak self] action in await self?.dragged(card, action, board) })
    (row.column, row.prefix, row.removal) = (column, "\(number) ", "delete \(number)")
    return row
  }

  /// Removes a moved card: the source does so only after the target has kept the card.
  private func dragged(_ card: BoardEntry, _ action: DropAction, _ board: SharedList<BoardEntry>) async {
    guard action == .move else { return }
    do {
      try await Self.remove(card.id, board)
    } catch {
      message = "! \(error)"
    }
  }

  /// Removes an entry, unless a window of the board has removed it before.
  private static func remove(_ id: UUID, _ board: SharedList<BoardEntry>) async throws(SharedListError) {
    do throws(SharedListError) {
      try await board.remove(id)
    } catch {
      if error.code != .notFound { throw error }
    }
  }

  /// Returns the headers, each with the cards of its column, in the order in which the window shows them.
  ///
  /// The position of a drop is an index of this list.
  private func shownEntries(_ entries: [BoardEntry]) -> [BoardEntry] {
    entries.filter { $0.cardID == nil }.flatMap { header in
      [header] + entries.filter { $0.cardID != nil && $0.column == header.column }
    }
  }

  /// Returns the cards in the order in which the window numbers them.
  private func cards(of entries: [BoardEntry]) -> [BoardEntry] {
    shownEntries(entries).filter { $0.cardID != nil }
  }

  /// Returns the position at the end of a column, which users count from 1.
  private func position(atEndOf column: Int, in entries: [BoardEntry]) -> Int? {
    let shown = shownEntries(entries)
    let headers = shown.indices.filter { shown[$0].cardID == nil }
    guard headers.indices.contains(column - 1) else { return nil }
    return column == headers.count ? shown.count : headers[column]
  }

  // MARK: Dragging

  private func perform(_ line: String, _ board: SharedList<BoardEntry>) async -> String {
    let words = line.split(separator: " ").map(String.init)
    do {
      switch words.first {
      case "add":
        try await window.open(UserActivity(activityType: BoardApp.addColumn))
        return "type the column's title"
      case "drag": return try await drag(words, board)
      case "card":
        let text = line.dropFirst(5).trimmingCharacters(in: .whitespaces)
        guard !text.isEmpty else { return "! expected card TEXT" }
        guard let header = board.elements.first(where: { $0.cardID == nil }) else { return "! the board has no column" }
        try await board.insert(BoardEntry(column: header.column, cardID: UUID(), text: text))
        return "the card is in \(header.column)"
      case "open", "delete":
        let cards = cards(of: board.elements)
        guard let number = Int(words.last ?? ""), cards.indices.contains(number - 1) else {
          return Self.noCard(words.count > 1 ? words[1] : "nothing", among: cards)
        }
        let card = cards[number - 1]
        if words.first == "delete" {
          try await board.remove(card.id)
          return "deleted: \(card.title)"
        }
        try await window.open(card.opening)
        return "the card is shown"
      default: throw SceneAppError.unknownCommand(line)
      }
    } catch {
      return "! \(SceneApp.reason(of: error))"
    }
  }

  private static func noCard(_ word: String, among cards: [BoardEntry]) -> String {
    cards.isEmpty
      ? "! the board has no cards" : "! expected the number of a card from 1 to \(cards.count), found \(word)"
  }

  private func drag(_ words: [String], _ board: SharedList<BoardEntry>) async throws -> String {
    let cards = cards(of: board.elements)
    guard words.count > 3, words[2] == "to" else { return "! expected drag N to WINDOW [at COLUMN]" }
    if words[1] == "+" {
      _ = try await window.drag(
        [Self.addingItem], to: words[3] == "desktop" ? .desktop : .scene(words[3], position: nil))
      return "type the column's title"
    }
    guard let number = Int(words[1]), cards.indices.contains(number - 1) else {
      return Self.noCard(words[1], among: cards)
    }
    let entry = cards[number - 1]
    let position = words.count > 5 ? Int(words[5]).flatMap { self.position(atEndOf: $0, in: board.elements) } : nil
    if words.count > 5, position == nil { return "! there is no column \(words[5])" }
    let target: SceneTarget = words[3] == "desktop" ? .desktop : .scene(words[3], position: position)
    let receipt = try await window.drag([entry.item], to: target, allowing: [.copy, .move])
    // The source removes its entry only after the target has kept the card.
    if receipt.action == .move, receipt.keptItems == [0] { try await Self.remove(entry.id, board) }
    return "\(receipt.action == .move ? "moved" : "shown"): \(entry.title)"
  }

  // MARK: Dropping

  private func takeDrops(_ board: SharedList<BoardEntry>) async throws {
    for await drop in window.drops {
      do {
        try await take(drop, board)
      } catch {
        try await drop.refuse(because: "\(error)")
      }
    }
  }

  private func take(_ drop: SceneDrop, _ board: SharedList<BoardEntry>) async throws {
    let shown = shownEntries(board.elements)
    guard let position = drop.position ?? position(atEndOf: 1, in: shown), shown.indices.contains(position - 1) else {
      return try await drop.refuse(because: shown.isEmpty ? "the board has no column" : "there is no column")
    }
    let column = shown[position - 1].column
    // At the end of a column, the card is appended to all entries.
    let next = position < shown.count && shown[position].cardID != nil ? shown[position].id : nil
    let isMove = drop.actions.contains(.move)
    // All items are loaded before the first one is inserted, so that a drop is kept as a whole or not at all.
    var cards: [BoardEntry] = []
    for item in drop.items {
      guard item.canLoadValue(as: Card.self) else {
        return try await drop.refuse(because: "a board accepts only cards")
      }
      let card = try await item.value(as: Card.self)
      // A moved card keeps its identifier, so that its window continues to show it.
      let activity = isMove ? try? await item.value(as: UserActivity.self) : nil
      var cardID = UUID()
      if case .string(let identifier)? = activity?.userInfo["cardID"] {
        cardID = UUID(uuidString: identifier) ?? cardID
      }
      cards.append(BoardEntry(column: column, cardID: cardID, text: card.content))
    }
    for var card in cards {
      // The text of a card of this board may have changed since the drag began.
      let former = board.elements.last { $0.cardID == card.cardID }
      card.text = former?.text ?? card.text
      try await board.insert(card, at: board.elements.firstIndex { $0.id == next })
      if let former { try await Self.remove(former.id, board) }
    }
    try await drop.finish(isMove ? .move : .copy)
  }
}
