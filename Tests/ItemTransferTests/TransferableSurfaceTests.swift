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

/// The members of `Transferable` beside its requirement, one test for each row of Apple's table.
@Suite(.serialized, .limited) struct TransferableSurfaceTests {
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

  @Test("exported(as:) makes the first representation, or the first that conforms")
  func exported() async throws {
    #expect(try JSONDecoder().decode(Epic.self, from: try await epic.exported(as: nil)) == epic)
    #expect(try await epic.exported(as: .text) == epic.exported(as: .hero))
    #expect(try await epic.exported(as: .plainText) == Data("Iliad".utf8))
    _ = try await requireProviderError(.noRepresentation, .png) { try await epic.exported(as: .png) }
    let secret = Epic(title: "Iliad", isSecret: true)
    _ = try await requireProviderError(.noRepresentation, .plainText) { try await secret.exported(as: .plainText) }
  }

  @Test("export(to:contentType:) writes a file of the caller's own under the suggested name")
  func export() async throws {
    let directory = try TemporaryDirectory()
    let file = try await epic.export(to: directory.url, contentType: nil)
    #expect(file.lastPathComponent == "Iliad.hero")
    #expect(try Epic(title: "Iliad") == JSONDecoder().decode(Epic.self, from: Data(contentsOf: file)))
    _ = try await requireProviderError(.fileUnavailable, .hero) {
      try await epic.export(to: directory.url, contentType: nil)
    }
  }

  @Test("withExportedFile lends a file that is gone afterwards, whatever the closure does")
  func withExportedFile() async throws {
    let earlier = try filesUnderWay()
    let text = try await epic.withExportedFile(contentType: .plainText) { try String(contentsOf: $0, encoding: .utf8) }
    #expect(text == "Iliad")
    await #expect(throws: Failure()) {
      try await epic.withExportedFile(contentType: nil) { _ in throw Failure() }
    }
    try await expectNothingStays(since: earlier)
  }

  // MARK: Importing

  @Test("init(importing:contentType:) reads data of a type by the representation that takes it")
  func importsData() async throws {
    #expect(try await Epic(importing: Data("Odyssey".utf8), contentType: .utf8PlainText).title == "Odyssey")
    let json = try await epic.exported(as: .hero)
    #expect(try await Epic(importing: json, contentType: .hero) == epic)
    _ = try await requireProviderError(.undecodable, .hero) {
      try await Epic(importing: Data("{".utf8), contentType: .hero)
    }
    _ = try await requireProviderError(.noRepresentation, .png) { try await Epic(importing: json, contentType: .png) }
  }

  @Test("without a type, each representation is tried until one can read the data")
  func importsUntypedData() async throws {
    #expect(try await Epic(importing: try await epic.exported(as: .hero), contentType: nil) == epic)
    #expect(try await Epic(importing: Data("no JSON".utf8), contentType: nil).title == "no JSON")
    struct Strict: Codable, Transferable {
      var title: String
      static var transferRepresentation: some TransferRepresentation { CodableRepresentation(contentType: .hero) }
    }
    _ = try await requireProviderError(.undecodable, .hero) { try await Strict(importing: Data(), contentType: nil) }
  }

  @Test("a file is read as its type, told by the file where none is given")
  func importsFile() async throws {
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

  // MARK: What there is

  @Test("the content types are those of the representations, of a value those whose condition it meets")
  func contentTypes() {
    #expect(Epic.exportedContentTypes() == [.hero, .utf8PlainText])
    #expect(epic.exportedContentTypes() == [.hero, .utf8PlainText])
    #expect(Epic(title: "", isSecret: true).exportedContentTypes() == [.hero])
    #expect(Epic.importedContentTypes() == [.hero, .plainText])
    #expect(epic.importedContentTypes() == [.hero, .plainText])
  }

  @Test("the last suggested file name counts, and a provider takes it over")
  func suggestedNames() {
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

  @Test("a proxy offers and takes everything the other value does, with its conditions and its name")
  func proxy() async throws {
    #expect(Title.exportedContentTypes() == [.hero, .utf8PlainText])
    #expect(Title.importedContentTypes() == [.hero, .plainText])
    let provider = ItemProvider(Title(text: "Iliad"))
    #expect(provider.suggestedName == "Iliad.hero")
    #expect(try await provider.data(for: .plainText) == Data("Iliad".utf8))
    #expect(try await provider.value(as: Title.self) == Title(text: "Iliad"))
    #expect(try await ItemProvider(epic).value(as: Title.self) == Title(text: "Iliad"))
  }

  @Test("a proxy may go one way, by a key path, and take time")
  func proxyWays() async throws {
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

  @Test("a proxy that fails is a failed representation")
  func failingProxy() async throws {
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

  @Test("representations may depend on conditions")
  func conditions() {
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
