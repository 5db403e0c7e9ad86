// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeroCards
import ItemTransfer

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
