// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemCoding
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// Types with several representations, and the members of `Transferable` besides its requirement.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct TransferableTests {
  private struct Epic: Codable, Hashable, Transferable {
    var title: String
    var isSecret = false

    static var transferRepresentation: some TransferRepresentation {
      CodableRepresentation(contentType: .hero).suggestedFileName { "\($0.title).hero" }
      DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.title.utf8) }
        .exportingCondition { !$0.isSecret }
      DataRepresentation(importedContentType: .plainText) { Epic(title: String(decoding: $0, as: UTF8.self)) }
    }
  }

  private let epic = Epic(title: "Iliad")

  // MARK: Exporting

  @Test func exportedReturnsTheFirstConformingRepresentation() async throws {
    let hero = try await epic.exported(as: nil)
    #expect(try JSONDecoder().decode(Epic.self, from: hero) == epic)
    for (type, data) in [(UTType.hero, hero), (.text, hero), (.plainText, Data("Iliad".utf8))] {
      #expect(try await epic.exported(as: type) == data)
    }
    try await requireProviderError(.noRepresentation, .png) { try await epic.exported(as: .png) }
    let secret = Epic(title: "Iliad", isSecret: true)
    try await requireProviderError(.noRepresentation, .plainText) { try await secret.exported(as: .plainText) }
  }

  @Test func exportWritesAFileWithTheSuggestedName() async throws {
    let directory = try TemporaryDirectory()
    let file = try await epic.export(to: directory.url, contentType: nil)
    let written = try JSONDecoder().decode(Epic.self, from: Data(contentsOf: file))
    #expect(written == epic && file.lastPathComponent == "Iliad.hero")
    try await requireProviderError(.fileUnavailable, .hero) {
      try await epic.export(to: directory.url, contentType: nil)
    }
    let text = try await epic.withExportedFile(contentType: .plainText) { try String(contentsOf: $0, encoding: .utf8) }
    #expect(text == "Iliad")
    await #expect(throws: Failure()) {
      try await epic.withExportedFile(contentType: nil) { _ in throw Failure() }
    }
  }

  @Test func exportReturnsAFileThatTheRepresentationHasWrittenToItsPlace() async throws {
    struct Saved: Transferable {
      let directory: URL

      static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(exportedContentType: .plainText) { saved in
          let file = saved.directory.appendingPathComponent("saga.txt")
          try Data("Hail".utf8).write(to: file)
          return SentTransferredFile(file)
        }
        .suggestedFileName("saga.txt")
      }
    }
    struct Existing: Transferable {
      let file: URL

      static var transferRepresentation: some TransferRepresentation {
        FileRepresentation(exportedContentType: .plainText) { SentTransferredFile($0.file) }
          .suggestedFileName("saga.txt")
      }
    }
    let (own, other) = (try TemporaryDirectory(), try TemporaryDirectory())
    let saved = Saved(directory: own.url)
    // A second export replaces the file as the first did, since the representation does so.
    for directory in [own, own, other] {
      let file = try await saved.export(to: directory.url, contentType: nil)
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(file.path == directory.file("saga.txt").path && text == "Hail")
    }
    try await requireProviderError(.fileUnavailable, .plainText) {
      try await saved.export(to: other.url, contentType: nil)
    }
    // A document that the representation has only found is not an export of it.
    let existing = Existing(file: URL(fileURLWithPath: own.file("saga.txt").path))
    try await requireProviderError(.fileUnavailable, .plainText) {
      try await existing.export(to: own.url, contentType: nil)
    }
  }

  // MARK: Importing

  @Test func dataImportsByItsTypeAndUntypedDataTriesEachRepresentation() async throws {
    let json = try await epic.exported(as: .hero)
    for (data, type) in [
      (json, UTType.hero), (json, nil), (Data("Iliad".utf8), .utf8PlainText), (Data("Iliad".utf8), nil),
    ] {
      #expect(try await Epic(importing: data, contentType: type) == epic)
    }
    try await requireProviderError(.undecodable, .hero) {
      try await Epic(importing: Data("{".utf8), contentType: .hero)
    }
    try await requireProviderError(.noRepresentation, .png) { try await Epic(importing: json, contentType: .png) }
    struct Strict: Codable, Transferable {
      var title: String
      static var transferRepresentation: some TransferRepresentation { CodableRepresentation(contentType: .hero) }
    }
    try await requireProviderError(.undecodable, .hero) { try await Strict(importing: Data(), contentType: nil) }
  }

  @Test func fileImportsByItsIdentifiedType() async throws {
    let directory = try TemporaryDirectory()
    for (name, data) in [("book.txt", Data("Iliad".utf8)), ("book.unknown", try await epic.exported(as: .hero))] {
      let file = try directory.write(data, to: name)
      #expect(try await Epic(importing: file, contentType: nil) == epic)
      #expect(FileManager.default.fileExists(atPath: file.path))
    }
    try await requireProviderError(.fileUnavailable, .hero) {
      try await Epic(importing: URL(fileURLWithPath: "/nowhere"), contentType: .hero)
    }
  }

  // MARK: Lists

  private struct Many: Transferable {
    static var transferRepresentation: some TransferRepresentation {
      DataRepresentation(exportedContentType: .png) { _ in Data("png".utf8) }
      DataRepresentation(importedContentType: .jpeg) { _ in Many() }
      FileRepresentation(exportedContentType: .pdf) { _ in throw Failure() }
      DataRepresentation(contentType: .gif) { _ in
        Data("gif".utf8)
      } importing: { _ in
        Many()
      }
      FileRepresentation(importedContentType: .zip) { _ in Many() }
      DataRepresentation(exportedContentType: .svg) { _ in Data("svg".utf8) }
    }
  }

  @Test func contentTypesFollowRepresentationsAndConditions() {
    let list = Many.representations
    for types in [list.exporters.map(\.contentType), ItemProvider(Many()).contentTypes] {
      #expect(types == [.png, .pdf, .gif, .svg])
    }
    #expect(list.importers.map(\.contentType) == [.jpeg, .gif, .zip])
    let exported = [Epic.exportedContentTypes(), epic.exportedContentTypes()]
    #expect(exported == [[.hero, .utf8PlainText], [.hero, .utf8PlainText]])
    let imported = [Epic.importedContentTypes(), epic.importedContentTypes()]
    #expect(imported == [[.hero, .plainText], [.hero, .plainText]])
    #expect(Epic(title: "", isSecret: true).exportedContentTypes() == [.hero])
    #expect(
      [String.importedContentTypes(), AttributedString.importedContentTypes()] == [[.utf8PlainText], [.utf8PlainText]])
  }

  @Test func exportOnlyTypeIsListedButCannotBeLoaded() async throws {
    struct Single: Transferable {
      static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .png) { (_: Single) in Data() }
      }
    }
    #expect(ItemProvider(Single()).contentTypes == [.png] && Single.representations.importers.isEmpty)
    try await requireProviderError(.noRepresentation, nil) {
      try await ItemProvider(Single()).value(as: Single.self)
    }
  }

  @Test func theBuilderReturnsATupleOfItsRepresentationsInOrder() throws {
    struct Ode: Transferable {
      typealias Data = DataRepresentation<Ode>

      static var transferRepresentation: TupleTransferRepresentation<Ode, (Data, Data, Data)> {
        DataRepresentation(exportedContentType: .png) { _ in .init() }
        DataRepresentation(importedContentType: .gif) { _ in Ode() }
        DataRepresentation(exportedContentType: .pdf) { _ in .init() }
      }
    }
    let list = Ode.transferRepresentation.list
    #expect(list.exporters.map(\.contentType) == [.png, .pdf] && list.importers.map(\.contentType) == [.gif])
    let value = try #require(Mirror(reflecting: Ode.transferRepresentation).descendant("value"))
    #expect(Mirror(reflecting: value).children.count == 3)
    #expect(value as? (Ode.Data, Ode.Data, Ode.Data) != nil)
  }

  @Test func lastSuggestedNameWins() {
    struct Named: Transferable {
      static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .png) { _ in Data() }.suggestedFileName("first.png")
        DataRepresentation(exportedContentType: .gif) { _ in Data() }.suggestedFileName { _ in "second.gif" }
        DataRepresentation(exportedContentType: .pdf) { _ in Data() }
      }
    }
    let names = [
      Named().suggestedFilename, ItemProvider(Named()).suggestedName,
      ItemProvider(Named(), suggestedName: "own").suggestedName, ItemProvider(epic).suggestedName,
      Hero(name: "Ajax").suggestedFilename,
    ]
    #expect(names == ["second.gif", "second.gif", "own", "Iliad.hero", nil])
  }

  @Test func builderConditionsChooseRepresentations() {
    for isOn in [true, false] {
      Conditional.isOn.withLock { $0 = isOn }
      #expect(Conditional.exportedContentTypes() == (isOn ? [.png, .gif, .pdf] : [.jpeg, .pdf]))
    }
  }

  private struct Conditional: Transferable {
    static let isOn = Lock(false)

    static var transferRepresentation: some TransferRepresentation {
      if isOn.withLock({ $0 }) {
        DataRepresentation(exportedContentType: .png) { _ in Data() }
      } else {
        DataRepresentation(exportedContentType: .jpeg) { _ in Data() }
      }
      if isOn.withLock({ $0 }) {
        DataRepresentation(exportedContentType: .gif) { _ in Data() }
      }
      DataRepresentation(exportedContentType: .pdf) { _ in Data() }
    }
  }

  // MARK: Proxies

  private struct Title: Hashable, Transferable {
    var text: String

    static var transferRepresentation: some TransferRepresentation {
      ProxyRepresentation {
        Epic(title: $0.text)
      } importing: { (epic: Epic) in
        guard epic.title != "illegible" else { throw Failure() }
        return Title(text: epic.title)
      }
    }
  }

  @Test func proxyHasAllRepresentationsConditionsAndTheName() async throws {
    let types = [Title.exportedContentTypes(), Title.importedContentTypes()]
    #expect(types == [[.hero, .utf8PlainText], [.hero, .plainText]])
    let provider = ItemProvider(Title(text: "Iliad"))
    #expect(provider.suggestedName == "Iliad.hero")
    try await provider.expectText("Iliad", for: .plainText)
    for provider in [provider, ItemProvider(epic)] { try await provider.expectValue(Title(text: "Iliad")) }
  }

  @Test func proxyMayBeOneWayKeyPathOrAsynchronous() async throws {
    struct OneWay: Transferable {
      var hero: Hero

      static var transferRepresentation: some TransferRepresentation {
        ProxyRepresentation(exporting: \.hero)
        ProxyRepresentation(importing: { (epic: Epic) in OneWay(hero: Hero(name: epic.title)) })
      }
    }
    struct Slow: Transferable {
      static var transferRepresentation: some TransferRepresentation {
        ProxyRepresentation(exporting: { (_: Slow) async throws -> Epic in
          await Task.yield()
          return Epic(title: "slow")
        })
      }
    }
    let ajax = OneWay(hero: Hero(name: "Ajax"))
    try await ItemProvider(ajax).expectValue(Hero(name: "Ajax"))
    #expect(try await ItemProvider(epic).value(as: OneWay.self).hero.name == "Iliad")
    #expect(try await Slow().exported(as: .plainText) == Data("slow".utf8))
  }

  @Test func failingProxyFailsTheRepresentation() async throws {
    struct Failing: Transferable {
      static var transferRepresentation: some TransferRepresentation {
        ProxyRepresentation(exporting: { (_: Failing) throws -> Epic in throw Failure() })
      }
    }
    #expect(Failing().exportedContentTypes() == [.hero])
    try await requireProviderError(.representationFailed, .hero, from: Failure()) {
      try await Failing().exported(as: nil)
    }
  }

  private struct Outer: Transferable, Equatable {
    var text: String

    static var transferRepresentation: some TransferRepresentation {
      ProxyRepresentation {
        Title(text: $0.text)
      } importing: {
        Outer(text: $0.text)
      }
    }
  }

  @Test func nestedProxiesRoundTrip() async throws {
    let provider = ItemProvider(Outer(text: "Hail"))
    #expect(provider.contentTypes == Epic.exportedContentTypes() && provider.suggestedName == "Hail.hero")
    let load = provider.startLoading(as: Outer.self)
    #expect(try await load.value == Outer(text: "Hail"))
    #expect(load.progress.snapshot.isFinished)
    try await requireProviderError(.undecodable, .hero, from: Failure()) {
      try await ItemProvider(Epic(title: "illegible")).value(as: Outer.self)
    }
  }
}
