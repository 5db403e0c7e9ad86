// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// Registers representations that no load may request.
private func neverLoaded(_ types: [UTType], of provider: ItemProvider) {
  for type in types {
    provider.register(type) { _ in
      Issue.record("the loader of \(type) ran")
      return Data()
    }
  }
}

/// `data(for:)`: the choice of a representation, its loader and its failures.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ItemProviderLoadingTests {
  @TaskLocal private static var whose = "nobody's"

  @Test func loaderRunsOncePerLoad() async throws {
    let runs = Counter()
    let provider = ItemProvider(of: .png, suggestedName: "greeting.png") { _ in
      runs.increase()
      return Data("Hail, Odysseus".utf8)
    }
    #expect(provider.hasRepresentation(conformingTo: .image) && runs.count == 0)
    try await withThrowingTaskGroup { group in
      for _ in 0..<20 { group.addTask { try await provider.text(for: .image) } }
      for try await text in group { #expect(text == "Hail, Odysseus") }
    }
    #expect(runs.count == 20)
  }

  @Test func firstConformingRepresentationIsLoaded() async throws {
    let types: [UTType] = [.png, .utf8PlainText, .plainText, .jpeg]
    let provider = ItemProvider()
    for type in types { provider.register(type) { _ in Data(type.identifier.utf8) } }
    // An earlier type that conforms beats a later type that matches exactly.
    for (requested, loaded) in [
      (.image, .png), (.jpeg, .jpeg), (.plainText, .utf8PlainText), (.data, .png), (.item, .png),
    ] as [(UTType, UTType)] {
      try await provider.expectText(loaded.identifier, for: requested)
    }
  }

  @Test func missingRepresentationFailsWithTheRequestedType() async throws {
    let provider = ItemProvider()
    neverLoaded([.png, .plainText], of: provider)
    // A representation of a supertype does not match.
    for type in [UTType.pdf, .utf8PlainText] {
      let error = try await requireProviderError(.noRepresentation, type) { try await provider.data(for: type) }
      #expect(error.underlyingError == nil)
      try await requireProviderError(.noRepresentation, type) { try await provider.withFile(for: type) { $0 } }
    }
    try await requireProviderError(.noRepresentation, .data) { try await ItemProvider().data(for: .data) }
  }

  @Test func failedLoadDoesNotTryTheNextRepresentationAndCanBeRepeated() async throws {
    let runs = Counter()
    let provider = ItemProvider(of: .png) { _ in
      runs.increase()
      if runs.count <= 2 { throw Failure() }
      return Data("better".utf8)
    }
    neverLoaded([.jpeg], of: provider)
    for load in [{ _ = try await provider.data(for: .image) }, { try await provider.withFile(for: .image) { _ in } }] {
      try await requireProviderError(.representationFailed, .png, from: Failure(), load)
    }
    try await provider.expectText("better", for: .image)
  }

  @Test func loaderRunsInTheCallersTaskWithItsProgress() async throws {
    let provider = ItemProvider(of: .png) { progress in
      progress.setTotal(4)
      progress.advance(by: 3)
      return Data(Self.whose.utf8)
    }
    let progress = ItemProgress()
    let data = try await Self.$whose.withValue("mine") { try await provider.data(for: .png, progress: progress) }
    #expect(data == Data("mine".utf8))
    #expect([progress.snapshot.completed, progress.snapshot.total] == [4, 4] && progress.snapshot.isFinished)
  }

  @Test func fileRepresentationLoadsAsData() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("bytes".utf8), to: "a.png")
    let provider = ItemProvider(contentsOf: file)
    for text in ["bytes", ""] {
      try Data(text.utf8).write(to: file)
      try await provider.expectText(text, for: .image)
    }
    #expect(FileManager.default.fileExists(atPath: file.path))
    for unreadable in [directory.file("missing.png"), directory.url] {
      let error = try await requireProviderError(.fileUnavailable, .png) {
        try await ItemProvider(contentsOf: unreadable, contentType: .png).data(for: .image)
      }
      #expect(error.underlyingError != nil)
    }
    let failing = ItemProvider()
    failing.registerFile(.png) { _ in throw Failure() }
    try await requireProviderError(.representationFailed, .png, from: Failure()) { try await failing.data(for: .png) }
  }
}

/// `value(as:)`: the choice of a representation, and its failures.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ItemProviderValueTests {
  private let ajax = Hero(name: "Ajax", strength: 9)

  @Test func sourceOrderDecidesTheRepresentation() async throws {
    let plist = try PropertyListEncoder().encode(Hero(name: "from the property list"))
    let provider = ItemProvider(of: .heroList) { _ in plist }
    neverLoaded([.hero], of: provider)
    try await provider.expectValue(Hero(name: "from the property list"))
  }

  @Test func unsupportedRepresentationsAreSkippedWithoutLoading() async throws {
    let provider = ItemProvider()
    neverLoaded([.png, .utf8PlainText, .json, .propertyList], of: provider)
    provider.register(ajax)
    try await provider.expectValue(ajax)
  }

  @Test func subtypeIsImportedByAnImporterOfItsParent() async throws {
    let special = UTType(exportedAs: "org.example.tests.special-hero", conformingTo: .hero)
    let provider = ItemProvider(of: special, #"{"name":"special","strength":1}"#)
    try await provider.expectValue(Hero(name: "special"))
  }

  @Test func missingRepresentationFailsWithTheFirstImportedType() async throws {
    let error = try await requireProviderError(.noRepresentation, .hero) {
      try await ItemProvider(of: .png, "").value(as: Hero.self)
    }
    #expect(error.underlyingError == nil)
    try await requireProviderError(.noRepresentation, .scroll) { try await ItemProvider().value(as: Scroll.self) }
  }

  @Test(arguments: ["", "{}", "[]", "no JSON", #"{"name":7,"strength":1}"#])
  func undecodableBytesFailWithTheDecodersReason(json: String) async throws {
    let provider = ItemProvider(of: .hero, json)
    neverLoaded([.heroList], of: provider)
    let error = try await requireProviderError(.undecodable, .hero) { try await provider.value(as: Hero.self) }
    #expect(error.underlyingError is DecodingError)
  }

  @Test func loaderErrorIsTheSourcesFailure() async throws {
    try await requireProviderError(.representationFailed, .hero, from: Failure()) {
      try await ItemProvider(of: .hero) { _ in throw Failure() }.value(as: Hero.self)
    }
  }

  @Test func lazyValueIsCreatedOnceForEachLoad() async throws {
    let made = Counter()
    let provider = ItemProvider()
    provider.register(Hero.self, visibility: .group) { _ in
      made.increase()
      return Hero(name: "Ajax")
    }
    #expect(provider.contentTypes == Hero.exportedContentTypes() && made.count == 0)
    #expect(provider.contentTypes(visibleTo: .all).isEmpty)
    try await provider.expectValue(Hero(name: "Ajax"))
    try await provider.expectText("Ajax", for: .plainText)
    #expect(made.count == 2)
  }
}

/// Values and bytes in memory, which are loaded without suspension.
@Suite(.limited, .timeLimit(minutes: 5)) struct LoadingAtOnceTests {
  private struct Voyage: Transferable, Codable, Hashable {
    var harbour: String
    var isSecret = false

    static var transferRepresentation: some TransferRepresentation {
      CodableRepresentation(for: Voyage.self, contentType: .json).exportingCondition { !$0.isSecret }
      CodableRepresentation(for: Voyage.self, contentType: .data, encoder: CBOREncoder(), decoder: CBORDecoder())
        .visibility(.team)
      DataRepresentation(exportedContentType: .utf8PlainText) { (voyage: Voyage) in Data(voyage.harbour.utf8) }
        .suggestedFileName { $0.harbour + ".txt" }
    }
  }

  @Test func valueHasTheRepresentationsOfItsType() async throws {
    let provider = ItemProvider(Voyage(harbour: "Ithaca"))
    #expect(provider.contentTypes == [.json, .data, .utf8PlainText] && provider.suggestedName == "Ithaca.txt")
    #expect(provider.contentTypes(visibleTo: .all) == [.json, .utf8PlainText])
    try await provider.expectText("Ithaca", for: .utf8PlainText)
    let progress = ItemProgress()
    for progress in [nil, progress] {
      #expect(try await provider.value(as: Voyage.self, progress: progress) == Voyage(harbour: "Ithaca"))
    }
    #expect(progress.snapshot.isFinished)
    #expect(ItemProvider(Voyage(harbour: "Aeaea", isSecret: true)).contentTypes == [.data, .utf8PlainText])
  }

  @Test func cancelledTaskLoadsNoValue() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await ItemProvider(Voyage(harbour: "Ithaca")).value(as: Voyage.self)
    }
    let error = await #expect(throws: ItemProviderError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test func bytesMustHaveThePromisedSizeAndDecode() async throws {
    func provider(_ text: String, size: ItemSize = .unknown) -> ItemProvider {
      let traits = ItemRepresentation.Traits(contentType: .json, size: size)
      return ItemProvider(suggestedName: nil, only: ItemRepresentation(traits, data: Data(text.utf8)))
    }
    let short = provider("{}", size: .exact(3))
    try await requireProviderError(.wrongSize, .json) { try await short.data(for: .json) }
    try await requireProviderError(.wrongSize, .json) { try await short.value(as: Voyage.self) }
    let error = try await requireProviderError(.undecodable, .json) {
      try await provider("{").value(as: Voyage.self)
    }
    #expect(error.underlyingError is DecodingError)
  }
}
