// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemVisibilityTests {
  @Test func eachLevelIncludesNearerAudiences() {
    let nearestFirst: [ItemVisibility] = [.ownProcess, .team, .group, .all]
    for (reach, visibility) in nearestFirst.enumerated() {
      for (distance, audience) in nearestFirst.enumerated() {
        #expect(visibility.includes(audience) == (distance <= reach), "\(visibility) \(audience)")
      }
    }
  }

  @Test func rawValuesMatchApples() {
    #expect(ItemVisibility.allCases.map(\.rawValue) == [0, 1, 2, 3])
    #expect(ItemVisibility(rawValue: 3) == .ownProcess)
  }

  private func provider() -> ItemProvider {
    let provider = ItemProvider()
    provider.register(.png, visibility: .ownProcess) { _ in Data("own".utf8) }
    provider.register(.jpeg, visibility: .team) { _ in Data("team".utf8) }
    provider.registerStream(.gif, visibility: .group) { _ in AsyncStream<Data> { $0.finish() } }
    provider.registerFile(.pdf) { _ in throw Failure() }
    return provider
  }

  @Test func visibleTypesAreListedInOrder() {
    let provider = provider()
    #expect(provider.contentTypes == [.png, .jpeg, .gif, .pdf])
    #expect(provider.contentTypes(visibleTo: .ownProcess) == [.png, .jpeg, .gif, .pdf])
    #expect(provider.contentTypes(visibleTo: .team) == [.jpeg, .gif, .pdf])
    #expect(provider.contentTypes(visibleTo: .group) == [.gif, .pdf])
    #expect(provider.contentTypes(visibleTo: .all) == [.pdf])
    #expect(provider.contentTypes(conformingTo: .image, visibleTo: .group) == [.gif])
    #expect(provider.hasRepresentation(conformingTo: .png))
    #expect(!provider.hasRepresentation(conformingTo: .png, visibleTo: .team))
    #expect(provider.hasRepresentation(conformingTo: .image, visibleTo: .group))
    #expect(!provider.hasRepresentation(conformingTo: .image, visibleTo: .all))
  }

  @Test func ownProcessSeesAllRepresentations() async throws {
    #expect(try await provider().data(for: .image) == Data("own".utf8))
  }

  @Test func narrowestVisibilityOfAValueWins() {
    struct Secret: Transferable {
      static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .png) { _ in Data() }.visibility(.ownProcess)
        DataRepresentation(exportedContentType: .gif) { _ in Data() }.visibility(.team).visibility(.group)
        DataRepresentation(exportedContentType: .jpeg) { _ in Data() }.visibility(.group).visibility(.team)
        DataRepresentation(exportedContentType: .pdf) { _ in Data() }
      }
    }
    #expect(Secret.exportedContentTypes() == [.pdf])
    #expect(Secret.exportedContentTypes(visibility: .team) == [.gif, .jpeg, .pdf])
    #expect(Secret().exportedContentTypes(.ownProcess) == [.png, .gif, .jpeg, .pdf])
    #expect(ItemProvider(Secret()).contentTypes(visibleTo: .group) == [.pdf])
  }
}
