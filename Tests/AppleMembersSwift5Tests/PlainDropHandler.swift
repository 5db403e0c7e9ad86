// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import UIKit

// Two targets compile this file: one in Swift 5, and one in Swift 6 whose default isolation is the main actor.

/// A handler in the style of Swift 5: a plain class, which does not state an isolation.
class PlainDropHandler {
  static let shared = PlainDropHandler()

  private(set) var names: [String] = []
  private var pictures: [UIImage] = []

  func canHandle(_ session: UIDropSession) -> Bool {
    return session.hasItemsConforming(toTypeIdentifiers: ["public.text"])
      && session.canLoadObjects(ofClass: String.self) && !session.items.isEmpty
  }

  func sessionDidUpdate(_ session: UIDropSession) -> UIDropProposal {
    let proposal = UIDropProposal(operation: session.localDragSession == nil ? .copy : .move)
    proposal.isPrecise = session.allowsMoveOperation
    return proposal
  }

  func performDrop(_ session: UIDropSession) {
    let providers = session.items.map { $0.itemProvider }
    guard providers.count == session.items.map(\.itemProvider).count else { return }
    for item in session.items {
      if let name = item.localObject as? String { names.append(name) }
      let provider = item.itemProvider
      guard provider.hasItemConformingToTypeIdentifier("public.text") else { continue }
      provider.loadObject(ofClass: NSString.self) { [weak self] object, error in
        guard let name = object as? NSString as String? else { return }
        DispatchQueue.main.async { self?.names.append(name) }
      }
    }
    session.loadObjects(ofClass: UIImage.self) { objects in
      self.pictures += objects.compactMap { $0 as? UIImage }
    }
    session.progressIndicatorStyle = .none
  }

  func itemsForBeginning(_ session: UIDragSession, name: String) -> [UIDragItem] {
    session.localContext = name
    let item = UIDragItem(itemProvider: NSItemProvider(object: name as NSString))
    item.localObject = name
    return [item]
  }

  func drop(of items: [UIDragItem]) -> UIDropSession {
    return ItemDropSession(localDragSession: ItemDragSession(items: items))
  }
}
