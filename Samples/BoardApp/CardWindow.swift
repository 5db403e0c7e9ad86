// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSceneUI
import DropScenes
import DropTransport
import Foundation
import ItemTransfer

/// A window with a card.
///
/// `text WORDS` replaces the card's text in all windows.
struct CardWindow {
  private let window: SceneWindow

  init(_ window: SceneWindow) {
    self.window = window
  }

  func run(_ socket: String) async throws {
    guard let activity = window.activities.first, case .string(let text)? = activity.userInfo["cardID"],
      let cardID = UUID(uuidString: text)
    else {
      try await window.show(["! the activity has no card identifier"])
      for await _ in window.events {}
      return
    }
    try await window.update { session in
      session.stateRestorationActivity = activity
      session.activationConditions = SceneActivationConditions(
        canActivate: .never, prefersToActivate: .equal(to: activity.targetContentIdentifier ?? ""))
    }
    try await SharedList<BoardEntry>.connect(over: .unixSocket(named: socket)) { board in
      async let _: Void = show(board, cardID)
      for await event in window.events {
        switch event {
        case .activate: try await show(board.elements, cardID, "· this window was open already")
        case .input("close"): return try await window.close()
        case .input(let line):
          guard line.hasPrefix("text "), var entry = entry(in: board.elements, cardID) else {
            try await show(board.elements, cardID, "! \(SceneAppError.unknownCommand(line))")
            continue
          }
          entry.text = String(line.dropFirst(5))
          try await board.replace(entry)
        default: continue
        }
      }
    }
  }

  private func show(_ board: SharedList<BoardEntry>, _ cardID: UUID) async throws {
    for try await change in board.changes { try await show(change.elements, cardID) }
  }

  private func show(_ entries: [BoardEntry], _ cardID: UUID, _ message: String = "") async throws {
    let close = SceneRow.button("Close", input: "close")
    guard let entry = entry(in: entries, cardID) else {
      return try await window.show(rows: SceneRow.status(message) + [SceneRow("(the card is gone)"), close])
    }
    let title = entry.title.isEmpty ? "Card" : "Card “\(entry.title.prefix(30))”"
    if window.session.title != title { try await window.update { $0.title = title } }
    let field = SceneRow.field("the text of the card", value: entry.text, input: "text", isMultiline: true)
    let status = message.isEmpty ? "in \(entry.column)" : "in \(entry.column) \(message)"
    try await window.show(rows: SceneRow.status(status) + [field, close])
  }

  /// Returns the newest entry of a card.
  ///
  /// While a card is moved, it has an entry in both columns.
  private func entry(in entries: [BoardEntry], _ cardID: UUID) -> BoardEntry? {
    entries.last { $0.cardID == cardID }
  }
}

/// A window that asks for a title, adds a column with this title, and closes.
struct AddColumnWindow {
  private let window: SceneWindow

  init(_ window: SceneWindow) {
    self.window = window
  }

  func run(_ socket: String) async throws {
    let field = SceneRow.field("title of the column")
    try await window.show(rows: [.placeholder("Enter adds the column"), field])
    for await event in window.events {
      guard case .input(let title) = event else { continue }
      let isNew = try await SharedList<BoardEntry>.connect(over: .unixSocket(named: socket)) { board in
        guard !board.elements.contains(where: { $0.cardID == nil && $0.column == title }) else { return false }
        try await board.insert(BoardEntry(column: title))
        return true
      }
      if isNew { return try await window.close() }
      try await window.show(rows: SceneRow.status("the board has a column of that title") + [field])
    }
  }
}
