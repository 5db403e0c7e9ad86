// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import UIKit

/// The logic of a collection view's delegates for drags and drops, without the view itself.
@MainActor
final class CardDragging {
  private(set) var cards: [SagaCard]
  private(set) var pictures: [UIImage] = []

  init(cards: [SagaCard]) {
    self.cards = cards
  }

  func itemsForBeginning(_ session: UIDragSession, at index: Int) -> [UIDragItem] {
    guard cards.indices.contains(index) else { return [] }
    session.localContext = self
    let item = UIDragItem(itemProvider: itemProvider(for: cards[index]))
    item.localObject = cards[index]
    return [item]
  }

  func canHandle(_ session: UIDropSession) -> Bool {
    session.canLoadObjects(ofClass: UIImage.self) || session.canLoadObjects(ofClass: String.self)
  }

  func proposal(for session: UIDropSession) -> UIDropProposal {
    UIDropProposal(operation: session.localDragSession == nil ? .copy : .move)
  }

  func performDrop(_ session: UIDropSession, whenLoaded: @escaping @MainActor () -> Void) {
    session.loadObjects(ofClass: UIImage.self) { images in
      self.pictures += images.compactMap { $0 as? UIImage }
      session.loadObjects(ofClass: String.self) { titles in
        self.cards += titles.map { SagaCard(id: UUID(), title: $0, notes: "") }
        whenLoaded()
      }
    }
  }
}
