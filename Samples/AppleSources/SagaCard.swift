// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreTransferable
import Foundation
import UniformTypeIdentifiers

extension UTType {
  static let sagaCard = UTType(exportedAs: "org.dragpipe.sample.saga-card", conformingTo: .json)
}

/// A card of a board.
///
/// It can be dragged, and an activity opens it in its own window.
struct SagaCard: Codable, Equatable, Identifiable {
  static let openDetailActivityType = "org.dragpipe.sample.open-card"
  static let idKey = "cardID"

  var id: UUID
  var title: String
  var notes: String

  /// The activity that opens a window for the card.
  var openDetailUserActivity: NSUserActivity {
    let activity = NSUserActivity(activityType: SagaCard.openDetailActivityType)
    activity.title = title
    activity.userInfo = [SagaCard.idKey: id.uuidString]
    activity.requiredUserInfoKeys = [SagaCard.idKey]
    activity.targetContentIdentifier = id.uuidString
    return activity
  }
}

extension SagaCard: Transferable {
  static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .sagaCard)
    DataRepresentation(exportedContentType: .rtf) { card in
      Data("{\\rtf1 {\\b \(card.title)}\\par \(card.notes)}".utf8)
    }
    ProxyRepresentation(exporting: \.title)
  }
}

/// Returns the item that a board window drags: the card, and the activity that opens a window for it.
func itemProvider(for card: SagaCard) -> NSItemProvider {
  let provider = NSItemProvider()
  provider.register(card)
  provider.registerObject(card.openDetailUserActivity, visibility: .all)
  provider.suggestedName = card.title
  return provider
}
