// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemCoding
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

/// The members of `Transferable` besides its requirement.
///
/// Each test covers one row of Apple's table.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct TransferableSurfaceTests {
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
    #expect(try JSONDecoder().decode(Epic.self, from: try await epic.exported(as: nil)) == epic)
    #expect(try await epic.exported(as: .text) == epic.exported(as: .hero))
    #expect(try await epic.exported(as: .plainText) == Data("Iliad".utf8))
    _ = try await requireProviderError(.noRepresentation, .png) { try await epic.exported(as: .png) }
    let secret = Epic(title: "Iliad", isSecret: true)
    _ = try await requireProviderError(.noRepresentation, .plainText) { try await secret.exported(as: .plainText) }
  }

  @Test func exportWritesAFileWithTheSuggestedName() async throws {
    let directory = try TemporaryDirectory()
    let file = try await epic.export(to: directory.url, contentType: nil)
    #expect(file.lastPathComponent == "Iliad.hero")
    #expect(try Epic(title: "Iliad") == JSONDecoder().decode(Epic.self, from: Data(contentsOf: file)))
    _ = try await requireProviderError(.fileUnavailable, .hero) {
      try await epic.export(to: directory.url, contentType: nil)
    }
  }

  @Test func withExportedFileRemovesTheFile() async throws {
    let earlier = try filesUnderWay()
    let text = try await epic.withExportedFile(contentType: .plainText) { try String(contentsOf: $0, encoding: .utf8) }
    #expect(text == "Iliad")
    await #expect(throws: Failure()) {
      try await epic.withExportedFile(contentType: nil) { _ in throw Failure() }
    }
    try await expectNothingStays(since: earlier)
  }

  // MARK: Importing

  @Test func dataImportsByItsType() async throws {
    #expect(try await Epic(importing: Data("Odyssey".utf8), contentType: .utf8PlainText).title == "Odyssey")
    let json = try await epic.exported(as: .hero)
    #expect(try await Epic(importing: json, contentType: .hero) == epic)
    _ = try await requireProviderError(.undecodable, .hero) {
      try await Epic(importing: Data("{".utf8), contentType: .hero)
    }
    _ = try await requireProviderError(.noRepresentation, .png) { try await Epic(importing: json, contentType: .png) }
  }

  @Test func untypedDataTriesEachRepresentation() async throws {
    #expect(try await Epic(importing: try await epic.exported(as: .hero), contentType: nil) == epic)
    #expect(try await Epic(importing: Data("no JSON".utf8), contentType: nil).title == "no JSON")
    struct Strict: Codable, Transferable {
      var title: String
      static var transferRepresentation: some TransferRepresentation { CodableRepresentation(contentType: .hero) }
    }
    _ = try await requireProviderError(.undecodable, .hero) { try await Strict(importing: Data(), contentType: nil) }
  }

  @Test func fileImportsByItsIdentifiedType() async throws {
    let directory = try TemporaryDirectory()
    let text = try directory.write(Data("Aeneid".utf8), to: "book.txt")
    #expect(try await Epic(importing: text, contentType: nil).title == "Aeneid")
    let unknown = try directory.write(try await epic.exported(as: .hero), to: "book.unknown")
    #expect(try await Epic(importing: unknown, contentType: nil) == epic)
    #expect(FileManager.default.fileExists(atPath: text.path))
    _ = try await requireProviderError(.fileUnavailable, .hero) {
      try await Epic(importing: URL(fileURLWithPath: "/nowhere"), contentType: .hero)
    }
  }

  // MARK: Properties

  @Test func contentTypesFollowRepresentationsAndConditions() {
    #expect(Epic.exportedContentTypes() == [.hero, .utf8PlainText])
    #expect(epic.exportedContentTypes() == [.hero, .utf8PlainText])
    #expect(Epic(title: "", isSecret: true).exportedContentTypes() == [.hero])
    #expect(Epic.importedContentTypes() == [.hero, .plainText])
    #expect(epic.importedContentTypes() == [.hero, .plainText])
  }

  @Test func lastSuggestedNameWins() {
    struct Named: Transferable {
      static var transferRepresentation: some TransferRepresentation {
        DataRepresentation(exportedContentType: .png) { _ in Data() }.suggestedFileName("first.png")
        DataRepresentation(exportedContentType: .gif) { _ in Data() }.suggestedFileName { _ in "second.gif" }
        DataRepresentation(exportedContentType: .pdf) { _ in Data() }
      }
    }
    #expect(Named().suggestedFilename == "second.gif")
    #expect(ItemProvider(Named()).suggestedName == "second.gif")
    #expect(ItemProvider(Named(), suggestedName: "own").suggestedName == "own")
    #expect(ItemProvider(epic).suggestedName == "Iliad.hero")
    #expect(Hero(name: "Ajax").suggestedFilename == nil)
  }

  // MARK: Proxies

  private struct Title: Hashable, Transferable {
    var text: String

    static var transferRepresentation: some TransferRepresentation {
      ProxyRepresentation {
        Epic(title: $0.text)
      } importing: {
        Title(text: $0.title)
      }
    }
  }

  @Test func proxyHasAllRepresentationsConditionsAndTheName() async throws {
    #expect(Title.exportedContentTypes() == [.hero, .utf8PlainText])
    #expect(Title.importedContentTypes() == [.hero, .plainText])
    let provider = ItemProvider(Title(text: "Iliad"))
    #expect(provider.suggestedName == "Iliad.hero")
    #expect(try await provider.data(for: .plainText) == Data("Iliad".utf8))
    #expect(try await provider.value(as: Title.self) == Title(text: "Iliad"))
    #expect(try await ItemProvider(epic).value(as: Title.self) == Title(text: "Iliad"))
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
          try await Task.sleep(for: .milliseconds(1))
          return Epic(title: "slow")
        })
      }
    }
    let ajax = OneWay(hero: Hero(name: "Ajax"))
    #expect(try await ItemProvider(ajax).value(as: Hero.self) == Hero(name: "Ajax"))
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
    let error = try await requireProviderError(.representationFailed, .hero) { try await Failing().exported(as: nil) }
    #expect(error.underlyingError as? Failure == Failure())
  }

  // MARK: The builder

  @Test func builderConditionsChooseRepresentations() {
    for isOn in [true, false] {
      Switches.isOn.withLock { $0 = isOn }
      #expect(Conditional.exportedContentTypes() == (isOn ? [.png, .gif, .pdf] : [.jpeg, .pdf]))
    }
  }

  private struct Conditional: Transferable {
    static var transferRepresentation: some TransferRepresentation {
      if Switches.isOn.withLock({ $0 }) {
        DataRepresentation(exportedContentType: .png) { _ in Data() }
      } else {
        DataRepresentation(exportedContentType: .jpeg) { _ in Data() }
      }
      if Switches.isOn.withLock({ $0 }) {
        DataRepresentation(exportedContentType: .gif) { _ in Data() }
      }
      DataRepresentation(exportedContentType: .pdf) { _ in Data() }
    }
  }
}
