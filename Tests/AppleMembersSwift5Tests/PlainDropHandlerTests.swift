// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UIKit

/// A handler in the style of Swift 5: a plain class, which is not isolated to the main actor.
class PlainDropHandler {
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
        guard let name = object as? NSString else { return }
        DispatchQueue.main.async { self?.names.append(name as String) }
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

  func loadNames(of items: [UIDragItem], completed: @escaping ([String]) -> Void) {
    var names: [String] = []
    let group = DispatchGroup()
    for item in items {
      group.enter()
      item.itemProvider.loadObject(ofClass: NSString.self) { object, _ in
        DispatchQueue.main.async {
          if let name = object as? NSString { names.append(name as String) }
          group.leave()
        }
      }
    }
    group.notify(queue: .main) { completed(names) }
  }

  func drop(of items: [UIDragItem]) -> UIDropSession {
    return ItemDropSession(localDragSession: ItemDragSession(items: items))
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct PlainDropHandlerTests {
  @Test @MainActor func aPlainClassHandlesDrops() async throws {
    let handler = PlainDropHandler()
    let items = handler.itemsForBeginning(ItemDragSession(items: []), name: "Atalanta")
    let session = handler.drop(of: items)
    #expect(handler.canHandle(session) && handler.sessionDidUpdate(session).operation == .move)
    handler.performDrop(session)
    try await wait(for: "the name that the provider loads") { handler.names.count == 2 }
    #expect(handler.names == ["Atalanta", "Atalanta"])
    let loaded = await withCheckedContinuation { continuation in
      handler.loadNames(of: items) { continuation.resume(returning: $0) }
    }
    #expect(loaded == ["Atalanta"])
  }
}
