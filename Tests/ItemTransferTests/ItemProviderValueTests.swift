// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

/// `value(as:)`: the choice of a representation, and its failures.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemProviderValueTests {
  private let ajax = Hero(name: "Ajax", strength: 9)

  private func propertyList(_ hero: Hero) throws -> Data { try PropertyListEncoder().encode(hero) }

  @Test func valueRoundTrips() async throws {
    #expect(try await ItemProvider(ajax).value(as: Hero.self) == ajax)
    let inferred: Hero = try await ItemProvider(ajax).value()
    #expect(inferred == ajax)
  }

  @Test func sourceOrderDecidesTheRepresentation() async throws {
    let provider = ItemProvider()
    let plist = try propertyList(Hero(name: "from the property list"))
    provider.register(.heroList) { _ in plist }
    provider.register(.hero) { _ in Data(#"{"name":"from JSON","strength":1}"#.utf8) }
    #expect(try await provider.value(as: Hero.self).name == "from the property list")
  }

  @Test func unsupportedRepresentationsAreSkippedWithoutLoading() async throws {
    let provider = ItemProvider()
    for type in [UTType.png, .utf8PlainText, .json, .propertyList] {
      provider.register(type) { _ in
        Issue.record("the loader of \(type) ran")
        return Data()
      }
    }
    provider.register(ajax)
    #expect(try await provider.value(as: Hero.self) == ajax)
  }

  @Test func subtypeIsImportedByAnImporterOfItsParent() async throws {
    let special = UTType(exportedAs: "org.example.tests.special-hero", conformingTo: .hero)
    let provider = ItemProvider()
    provider.register(special) { _ in Data(#"{"name":"special","strength":1}"#.utf8) }
    #expect(try await provider.value(as: Hero.self).name == "special")
  }

  @Test func missingRepresentationFailsWithTheFirstImportedType() async throws {
    let provider = ItemProvider()
    provider.register(.png) { _ in Data() }
    let error = try await requireProviderError(.noRepresentation, .hero) { try await provider.value(as: Hero.self) }
    #expect(error.underlyingError == nil)
    _ = try await requireProviderError(.noRepresentation, .scroll) { try await ItemProvider().value(as: Scroll.self) }
  }

  @Test(arguments: ["", "{}", "[]", "no JSON", #"{"name":7,"strength":1}"#])
  func undecodableBytesFailWithTheDecodersReason(json: String) async throws {
    let provider = ItemProvider()
    provider.register(.hero) { _ in Data(json.utf8) }
    let error = try await requireProviderError(.undecodable, .hero) { try await provider.value(as: Hero.self) }
    #expect(error.underlyingError is DecodingError)
  }

  @Test func hostilePropertyListIsUndecodable() async throws {
    let provider = ItemProvider()
    provider.register(.heroList) { _ in Data("<plist><integer>".utf8) + [0xFA] + Data("1</integer></plist>".utf8) }
    let error = try await requireProviderError(.undecodable, .heroList) { try await provider.value(as: Hero.self) }
    #expect(error.underlyingError is DecodingError)
  }

  @Test func undecodableValueDoesNotTryTheNextRepresentation() async throws {
    let provider = ItemProvider()
    provider.register(.hero) { _ in Data("broken".utf8) }
    provider.register(.heroList) { _ in
      Issue.record("the loader ran")
      return Data()
    }
    _ = try await requireProviderError(.undecodable, .hero) { try await provider.value(as: Hero.self) }
  }

  @Test func loaderErrorIsTheSourcesFailure() async throws {
    let provider = ItemProvider()
    provider.register(.hero) { _ in throw Failure() }
    let error = try await requireProviderError(.representationFailed, .hero) {
      try await provider.value(as: Hero.self)
    }
    #expect(error.underlyingError as? Failure == Failure())
  }

  @Test func loadReportsToItsProgress() async throws {
    let provider = ItemProvider()
    provider.register(.hero) { progress in
      progress.advance(by: 5)
      return Data(#"{"name":"Ajax","strength":9}"#.utf8)
    }
    let progress = ItemProgress(total: 10)
    #expect(try await provider.value(as: Hero.self, progress: progress) == ajax)
    #expect(progress.snapshot.completed == 10)
    #expect(progress.snapshot.isFinished)
  }

  @Test func fileImportsAsAValue() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory.appendingPathComponent("ajax.hero")
      try JSONEncoder().encode(ajax).write(to: file)
      let provider = ItemProvider(contentsOf: file, contentType: .hero)
      #expect(try await provider.value(as: Hero.self) == ajax)
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
    #expect(try await provider.value(as: Hero.self) == Hero(name: "Ajax"))
    #expect(try await provider.data(for: .plainText) == Data("Ajax".utf8))
    #expect(made.count == 2)
  }
}
