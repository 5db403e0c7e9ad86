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
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ItemProviderTests {
  // MARK: Registration

  @Test func typesKeepTheirRegistrationOrder() {
    let types: [UTType] = [.png, .utf8PlainText, .jpeg, .data, .json]
    let provider = ItemProvider()
    #expect(provider.contentTypes.isEmpty && !provider.hasRepresentation(conformingTo: .data))
    let added = types.map { provider.register($0) { _ in Data() } }
    #expect(provider.contentTypes == types && !added.contains(false))
  }

  @Test func registeredTypeKeepsItsFirstLoader() async throws {
    let provider = ItemProvider()
    var added = [(UTType.png, "first"), (.png, "second"), (UTType(importedAs: "PUBLIC.PNG"), "third")].map {
      type, text in
      provider.register(type) { _ in Data(text.utf8) }
    }
    added.append(provider.registerFile(.png) { _ in throw Failure() })
    #expect(added == [true, false, false, false] && provider.contentTypes == [.png])
    try await provider.expectText("first", for: .png)
  }

  @Test func representationConformsToItsSupertypes() {
    let provider = ItemProvider(of: .png, "")
    let types = [UTType.png, .image, .data, .jpeg, .text].filter { provider.hasRepresentation(conformingTo: $0) }
    #expect(types == [.png, .image, .data])
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
    try await provider.expectText("mine", for: .plainText)
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
    #expect(ItemVisibility.allCases.map(\.rawValue) == [0, 1, 2, 3] && ItemVisibility(rawValue: 3) == .ownProcess)
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
      let hasImage = provider.hasRepresentation(conformingTo: .image, visibleTo: audience)
      #expect(provider.contentTypes(visibleTo: audience) == types && hasImage == (audience != .all))
      #expect(provider.hasRepresentation(conformingTo: .png, visibleTo: audience) == (audience == .ownProcess))
    }
    #expect(provider.contentTypes(conformingTo: .image, visibleTo: .group) == [.gif])
    try await provider.expectText("own", for: .image)
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
    let types = [
      Secret.exportedContentTypes(), ItemProvider(Secret()).contentTypes(visibleTo: .group),
      Secret.exportedContentTypes(visibility: .team), Secret().exportedContentTypes(.ownProcess),
    ]
    #expect(types == [[.pdf], [.pdf], [.gif, .jpeg, .pdf], [.png, .gif, .jpeg, .pdf]])
  }
}

/// Changes to the registered representations.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ItemProviderEditingTests {
  private let provider = ItemProvider()
  private let registered: [UTType] = [.json, .utf8PlainText, .plainText, .png]

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
    try await items[0].expectValue("HAIL, ODYSSEUS")
    try await items[1].expectValue("FAREWELL")
  }

  @Test func replaceKeepsPositionAndVisibility() async throws {
    #expect(provider.replace(.json, size: .exact(2)) { _ in Data("{}".utf8) })
    try await provider.expectText("{}", for: .json)
    #expect(provider.contentTypes == registered && provider.contentTypes(visibleTo: .all) == [.png])
    #expect(provider.representations[0].size == .exact(2))
  }

  @Test func replaceAndMapOfUnregisteredTypeChangeNothing() {
    var changes = [UTType.mpeg4Movie, .image].map { provider.map($0) { bytes, _ in bytes } }
    changes.append(provider.replace(.mpeg4Movie) { _ in Data() })
    #expect(changes == [false, false, false] && provider.contentTypes == registered)
  }

  @Test func mapTransformsTheOldBytesOnceForEachLoad() async throws {
    let loads = Counter()
    provider.prepend(.html) { _ in
      loads.increase()
      return Data("a".utf8)
    }
    let isMapped = provider.map(.html) { bytes, _ in bytes + bytes }
    #expect(provider.map(.html) { bytes, _ in bytes + Data("2".utf8) } && isMapped && loads.count == 0)
    for _ in 0..<2 { try await provider.expectText("aa2", for: .html) }
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
    provider.replace(.json) { _ in throw Failure(reason: "storm") }
    provider.map(.json) { bytes, _ in bytes }
    for (type, reason) in [(UTType.png, "rust"), (.json, "storm")] {
      try await requireProviderError(.representationFailed, type, from: Failure(reason: reason)) {
        try await provider.data(for: type)
      }
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
    try await provider.expectText("better", for: .image)
  }

  @Test func removeTakesAllConformingTypes() {
    let removed = (0..<2).map { _ in provider.removeRepresentations(conformingTo: .text) }
    #expect(removed == [[.json, .utf8PlainText, .plainText], []] && provider.contentTypes == [.png])
  }

  @Test func aliasesOfEditedRepresentationKeepTheirBytes() async throws {
    provider.replace(.json) { _ in Data("{}".utf8) }
    try await provider.expectText("null", for: .utf8PlainText)
    #expect(provider.representations.map(\.aliasedType) == [nil, nil, .utf8PlainText, nil])
    provider.removeRepresentations(conformingTo: .utf8PlainText)
    #expect(provider.representations.map(\.aliasedType) == [nil, nil, nil])
    try await provider.expectText("null", for: .plainText)
  }
}
