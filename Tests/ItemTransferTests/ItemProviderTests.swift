// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// The registration, the editing and the list of representations.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemProviderTests {
  // MARK: Registration

  @Test func typesKeepTheirRegistrationOrder() {
    let types: [UTType] = [.png, .utf8PlainText, .jpeg, .data, .json]
    let provider = ItemProvider()
    #expect(provider.contentTypes.isEmpty && !provider.hasRepresentation(conformingTo: .data))
    for type in types { #expect(provider.register(type) { _ in Data() }) }
    #expect(provider.contentTypes == types)
  }

  @Test func registeredTypeKeepsItsFirstLoader() async throws {
    let provider = ItemProvider()
    #expect(provider.register(.png) { _ in Data("first".utf8) })
    #expect(!provider.register(.png) { _ in Data("second".utf8) })
    #expect(!provider.register(UTType(importedAs: "PUBLIC.PNG")) { _ in Data("third".utf8) })
    #expect(!provider.registerFile(.png) { _ in throw Failure() })
    #expect(provider.contentTypes == [.png])
    #expect(try await provider.text(for: .png) == "first")
  }

  @Test func representationConformsToItsSupertypes() {
    let provider = ItemProvider(of: .png, "")
    for (type, conforms) in [
      (.png, true), (.image, true), (.data, true), (.jpeg, false), (.text, false),
    ] as [(UTType, Bool)] {
      #expect(provider.hasRepresentation(conformingTo: type) == conforms, "\(type)")
    }
  }

  @Test func suggestedNameCanBeChanged() {
    let provider = ItemProvider(suggestedName: "a.txt")
    for name in ["b.txt", nil] {
      provider.suggestedName = name
      #expect(provider.suggestedName == name)
    }
    #expect(ItemProvider(suggestedName: "a.txt").suggestedName == "a.txt" && ItemProvider().suggestedName == nil)
  }

  @Test func exactSizeIsStored() {
    let provider = ItemProvider(of: .png, size: .exact(7)) { _ in Data(count: 7) }
    provider.registerFile(.jpeg, size: .exact(1 << 40)) { _ in throw Failure() }
    provider.register(.gif) { _ in Data() }
    #expect(provider.representations.map(\.size) == [.exact(7), .exact(1 << 40), .unknown])
  }

  @Test func valueIsRegisteredAfterEarlierTypes() async throws {
    let named = ItemProvider(Hero(name: "Ajax"), suggestedName: "Ajax")
    #expect(named.contentTypes == [.hero, .heroList, .utf8PlainText] && named.suggestedName == "Ajax")
    let provider = ItemProvider(of: .utf8PlainText, "mine")
    provider.register(Hero(name: "Ajax"))
    #expect(provider.contentTypes == [.utf8PlainText, .hero, .heroList])
    #expect(try await provider.text(for: .plainText) == "mine")
  }

  @Test func concurrentRegistrationKeepsEachTypeOnce() async {
    let provider = ItemProvider()
    let taken = Counter()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for index in 0..<50 {
            let type = UTType(importedAs: "org.example.tests.concurrent.\(index)")
            if provider.register(type, loader: { _ in Data() }) { taken.increase() }
            _ = provider.contentTypes
            provider.suggestedName = "\(index)"
          }
        }
      }
    }
    let types = provider.contentTypes
    #expect(taken.count == 50 && types.count == 50 && Set(types).count == 50)
  }

  @Test(arguments: [
    ("a.png", UTType.png), ("B.JPG", .jpeg), ("notes", .data), ("archive.gz", .gzip),
    ("x.no-such-type", UTType(importedAs: "dyn.ah62d4rv4ge80653rsr40g4brsv61a3k")),
  ])
  func fileIsOfferedWithTheTypeOfItsName(name: String, type: UTType) {
    let file = URL(fileURLWithPath: "/nowhere/\(name)")
    let provider = ItemProvider(contentsOf: file)
    #expect(provider.suggestedName == name && provider.contentTypes == [type])
    #expect(ItemProvider(contentsOf: file, contentType: .hero).contentTypes == [.hero])
  }

  @Test func lastRegisteredPreviewIsLoadedElseAnImage() async throws {
    let provider = ItemProvider(of: .plainText, "")
    try await requireProviderError(.noRepresentation, .image) { try await provider.preview() }
    provider.register(.gif) { _ in Data("gif".utf8) }
    #expect(try await provider.preview() == ItemPreview(contentType: .gif, data: Data("gif".utf8)))
    let runs = Counter()
    for name in ["first", "last"] {
      provider.registerPreview(.png) { _ in
        runs.increase()
        return Data(name.utf8)
      }
    }
    #expect(runs.count == 0)
    #expect(try await provider.preview() == ItemPreview(contentType: .png, data: Data("last".utf8)))
    #expect(runs.count == 1)
  }

  // MARK: Visibility

  @Test func eachLevelIncludesNearerAudiences() {
    let nearestFirst: [ItemVisibility] = [.ownProcess, .team, .group, .all]
    for (reach, visibility) in nearestFirst.enumerated() {
      for (distance, audience) in nearestFirst.enumerated() {
        #expect(visibility.includes(audience) == (distance <= reach), "\(visibility) \(audience)")
      }
    }
    #expect(ItemVisibility.allCases.map(\.rawValue) == [0, 1, 2, 3])
    #expect(ItemVisibility(rawValue: 3) == .ownProcess)
  }

  @Test func visibleTypesAreListedInOrder() async throws {
    let provider = ItemProvider()
    provider.register(.png, visibility: .ownProcess) { _ in Data("own".utf8) }
    provider.register(.jpeg, visibility: .team) { _ in Data("team".utf8) }
    provider.registerStream(.gif, visibility: .group) { _ in AsyncStream<Data> { $0.finish() } }
    provider.registerFile(.pdf) { _ in throw Failure() }
    #expect(provider.contentTypes == [.png, .jpeg, .gif, .pdf])
    for (audience, types) in [
      (.ownProcess, [.png, .jpeg, .gif, .pdf]), (.team, [.jpeg, .gif, .pdf]), (.group, [.gif, .pdf]), (.all, [.pdf]),
    ] as [(ItemVisibility, [UTType])] {
      #expect(provider.contentTypes(visibleTo: audience) == types)
      let hasImage = provider.hasRepresentation(conformingTo: .image, visibleTo: audience)
      #expect(hasImage == (audience != .all))
    }
    #expect(provider.contentTypes(conformingTo: .image, visibleTo: .group) == [.gif])
    #expect(provider.hasRepresentation(conformingTo: .png))
    #expect(!provider.hasRepresentation(conformingTo: .png, visibleTo: .team))
    #expect(try await provider.text(for: .image) == "own")
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

/// Changes to the registered representations.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemProviderEditingTests {
  private let provider = ItemProvider()

  init() {
    provider.register(.json, visibility: .team, size: .exact(4)) { _ in Data("null".utf8) }
    provider.registerAlias(.utf8PlainText, of: .json)
    provider.registerAlias(.plainText, of: .json)
    provider.register(.png) { _ in Data("image".utf8) }
  }

  @Test func documentedFilterRuns() async throws {
    let items = [ItemProvider("Hail, Odysseus"), ItemProvider("Farewell")]
    for item in items {
      item.map(.utf8PlainText) { text, _ in Data(String(decoding: text, as: UTF8.self).uppercased().utf8) }
    }
    #expect(try await items[0].value(as: String.self) == "HAIL, ODYSSEUS")
    #expect(try await items[1].value(as: String.self) == "FAREWELL")
  }

  @Test func replaceKeepsPositionAndVisibility() async throws {
    #expect(provider.replace(.json, size: .exact(2)) { _ in Data("{}".utf8) })
    #expect(try await provider.text(for: .json) == "{}")
    #expect(provider.contentTypes == [.json, .utf8PlainText, .plainText, .png])
    #expect(provider.contentTypes(visibleTo: .all) == [.png])
    #expect(provider.representations[0].size == .exact(2))
  }

  @Test func replaceAndMapOfUnregisteredTypeChangeNothing() {
    #expect(!provider.replace(.mpeg4Movie) { _ in Data() })
    #expect(!provider.map(.mpeg4Movie) { bytes, _ in bytes })
    #expect(!provider.map(.image) { bytes, _ in bytes })
    #expect(provider.contentTypes == [.json, .utf8PlainText, .plainText, .png])
  }

  @Test func mapTransformsTheOldBytesOnceForEachLoad() async throws {
    let loads = Counter()
    provider.prepend(.html) { _ in
      loads.increase()
      return Data("a".utf8)
    }
    #expect(provider.map(.html) { bytes, _ in bytes + bytes })
    #expect(provider.map(.html) { bytes, _ in bytes + Data("2".utf8) })
    #expect(loads.count == 0)
    for _ in 0..<2 { #expect(try await provider.text(for: .html) == "aa2") }
    #expect(loads.count == 2)
  }

  @Test func mapCountsOnlyTheNewBytes() async throws {
    let chunks = AsyncStream<Data> { stream in
      stream.yield(Data(count: 100))
      stream.finish()
    }
    provider.registerStream(.zip) { _ in chunks }
    provider.map(.zip) { bytes, _ in bytes.prefix(3) }
    let progress = ItemProgress()
    var count = 0
    for try await chunk in try await provider.bytes(for: .zip, progress: progress) { count += chunk.count }
    #expect(count == 3 && progress.snapshot.completed == 3)
  }

  @Test func errorsOfTransformAndOldLoaderFailTheLoad() async throws {
    provider.map(.png) { _, _ in throw Failure(reason: "rust") }
    try await requireProviderError(.representationFailed, .png, from: Failure(reason: "rust")) {
      try await provider.data(for: .png)
    }
    provider.replace(.png) { _ in throw Failure(reason: "storm") }
    provider.map(.png) { bytes, _ in bytes }
    try await requireProviderError(.representationFailed, .png, from: Failure(reason: "storm")) {
      try await provider.data(for: .png)
    }
  }

  @Test func cancellingALoadReachesTheOldLoader() async throws {
    let started = Gate()
    let given = Lock<ItemProgress?>(nil)
    let progress = ItemProgress()
    provider.replace(.png) { inner in
      given.withLock { $0 = inner }
      started.open()
      try await Task.sleep(for: waitingLimit)
      return Data()
    }
    provider.map(.png) { bytes, _ in bytes }
    let load = Task { [provider] in try await provider.data(for: .png, progress: progress) }
    await started.wait()
    progress.cancel()
    try await requireProviderError(.cancelled, .png) { try await load.value }
    #expect(given.withLock { $0?.isCancelled } == true)
  }

  @Test func prependMovesATypeToTheFront() async throws {
    provider.prepend(.png) { _ in Data("better".utf8) }
    #expect(provider.contentTypes == [.png, .json, .utf8PlainText, .plainText])
    #expect(try await provider.text(for: .image) == "better")
  }

  @Test func removeTakesAllConformingTypes() {
    #expect(provider.removeRepresentations(conformingTo: .text) == [.json, .utf8PlainText, .plainText])
    #expect(provider.contentTypes == [.png])
    #expect(provider.removeRepresentations(conformingTo: .text).isEmpty)
  }

  @Test func aliasesOfEditedRepresentationKeepTheirBytes() async throws {
    provider.replace(.json) { _ in Data("{}".utf8) }
    #expect(try await provider.text(for: .utf8PlainText) == "null")
    #expect(provider.representations.map(\.aliasedType) == [nil, nil, .utf8PlainText, nil])
    provider.removeRepresentations(conformingTo: .utf8PlainText)
    #expect(provider.representations.map(\.aliasedType) == [nil, nil, nil])
    #expect(try await provider.text(for: .plainText) == "null")
  }
}
