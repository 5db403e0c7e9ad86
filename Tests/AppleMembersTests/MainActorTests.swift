// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UIKit

@testable import AppleMainActor

/// Classes of a target whose default isolation is the main actor.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MainActorTests {
  @Test @MainActor func aClassInTheStyleOfSwift5HandlesDrops() async throws {
    let handler = PlainDropHandler.shared
    let session = handler.drop(of: handler.itemsForBeginning(ItemDragSession(items: []), name: "Atalanta"))
    #expect(handler.canHandle(session) && handler.sessionDidUpdate(session).operation == .move)
    handler.performDrop(session)
    try await wait(for: "the name that the provider loads") { handler.names.count == 2 }
  }

  @Test @MainActor func itemsLoadOnOtherThreadsIntoAnIsolatedList() async throws {
    MuseList.shared.add(from: NSItemProvider(object: Muse(art: "Epic poetry")))
    try await wait(for: "the muse") { !MuseList.shared.muses.isEmpty }
    #expect(MuseList.shared.muses.map(\.art) == ["Epic poetry"])
  }
}
