// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import AppleSources

/// The sample sources for Apple's systems, with drags between two processes.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct AppleSourcesTests {
  private static let card = SagaCard(
    id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), title: "Slay the hydra",
    notes: "Bring fire.")

  private static var providers: [NSItemProvider] {
    [
      NSItemProvider(object: SagaHero(name: "Theseus", home: "Athens", deeds: ["the labyrinth"])),
      itemProvider(for: card),
      NSItemProvider(object: SagaHero(name: "Atalanta", home: "Arcadia")),
      NSItemProvider(object: "no hero" as NSString),
      NSItemProvider(object: SagaHero(name: "Theseus", home: "Athens", deeds: ["the labyrinth"])),
    ]
  }

  /// Returns the items that another process has written.
  private func drag() async throws -> [NSItemProvider] {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("pipe").path
    #expect(mkfifo(path, 0o600) == 0)
    async let items = DropStream.withReader(from: .file(path)) { items in
      var providers: [NSItemProvider] = []
      for try await item in items { providers.append(NSItemProvider(item)) }
      return providers
    }
    await #expect(processExitsWith: .success) { [path = path as String] in
      try await DropStream.withWriter(to: .descriptor(open(path, O_WRONLY))) { writer in
        for provider in AppleSourcesTests.providers { try await writer.write(provider.itemProvider) }
      }
    }
    return try await items
  }

  @Test @MainActor func dragsHeroesIntoFavouritesOfOtherProcess() async throws {
    let favourites = Favourites()
    favourites.drop(try await drag())
    #expect(try await eventually { favourites.loadingCount == 0 })
    #expect(favourites.heroes.map(\.name) == ["Atalanta", "Theseus"])
    #expect(favourites.heroes.last?.deeds == ["the labyrinth"])
  }

  @Test func cardOffersAllItsRepresentations() async throws {
    let provider = try #require(try await drag().dropFirst().first)
    #expect(provider.suggestedName == "Slay the hydra")
    #expect(provider.registeredContentTypes.map(\.identifier).first == UTType.sagaCard.identifier)
    let card: Result<SagaCard, any Error> = await withCheckedContinuation { continuation in
      _ = provider.loadTransferable(type: SagaCard.self) { continuation.resume(returning: $0) }
    }
    #expect(try card.get() == Self.card)
    #expect(try await provider.loadObject(ofClass: String.self) == "Slay the hydra")
    let text = try await provider.loadDataRepresentation(forTypeIdentifier: "public.rtf")
    #expect(String(decoding: text, as: UTF8.self).contains("Bring fire."))
    let activity = try await provider.loadObject(ofClass: NSUserActivity.self)
    #expect(activity.activityType == SagaCard.openDetailActivityType)
    #expect(activity.userInfo?[SagaCard.idKey] as? String == Self.card.id.uuidString)
    #expect(activity.targetContentIdentifier == Self.card.id.uuidString)
  }
}
