// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UIKit

extension PlainDropHandler {
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
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct PlainDropHandlerTests {
  @Test @MainActor func aPlainClassHandlesDrops() async throws {
    let handler = PlainDropHandler.shared
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
