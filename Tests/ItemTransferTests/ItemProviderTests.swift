// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemProviderTests {
  @Test func newProviderHasNoRepresentations() {
    let provider = ItemProvider()
    #expect(provider.contentTypes.isEmpty)
    #expect(provider.suggestedName == nil)
    #expect(!provider.hasRepresentation(conformingTo: .data))
  }

  @Test func typesKeepTheirRegistrationOrder() {
    let types: [UTType] = [.png, .utf8PlainText, .jpeg, .data, .json]
    let provider = ItemProvider()
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
    #expect(try await provider.data(for: .png) == Data("first".utf8))
  }

  @Test func representationConformsToItsSupertypes() {
    let provider = ItemProvider()
    provider.register(.png) { _ in Data() }
    #expect(provider.hasRepresentation(conformingTo: .png))
    #expect(provider.hasRepresentation(conformingTo: .image))
    #expect(provider.hasRepresentation(conformingTo: .data))
    #expect(!provider.hasRepresentation(conformingTo: .jpeg))
    #expect(!provider.hasRepresentation(conformingTo: .text))
  }

  @Test func registrationRunsNoLoader() {
    let provider = ItemProvider()
    provider.register(.png) { _ in
      Issue.record("the loader ran")
      return Data()
    }
    provider.registerFile(.jpeg) { _ in
      Issue.record("the loader ran")
      throw Failure()
    }
    #expect(provider.hasRepresentation(conformingTo: .image))
    #expect(provider.contentTypes.count == 2)
  }

  @Test func suggestedNameCanBeChanged() {
    let provider = ItemProvider(suggestedName: "a.txt")
    #expect(provider.suggestedName == "a.txt")
    provider.suggestedName = "b.txt"
    #expect(provider.suggestedName == "b.txt")
    provider.suggestedName = nil
    #expect(provider.suggestedName == nil)
  }

  @Test func exactSizeIsStored() {
    let provider = ItemProvider()
    provider.register(.png, size: .exact(7)) { _ in Data(count: 7) }
    provider.registerFile(.jpeg, size: .exact(1 << 40)) { _ in throw Failure() }
    provider.register(.gif) { _ in Data() }
    #expect(provider.representations.map(\.size) == [.exact(7), .exact(1 << 40), .unknown])
  }

  @Test func valueRegistersAllItsRepresentationsInOrder() {
    let provider = ItemProvider(Hero(name: "Ajax"), suggestedName: "Ajax")
    #expect(provider.contentTypes == [.hero, .heroList, .utf8PlainText])
    #expect(provider.suggestedName == "Ajax")
  }

  @Test func valueIsRegisteredAfterEarlierTypes() async throws {
    let provider = ItemProvider()
    provider.register(.utf8PlainText) { _ in Data("mine".utf8) }
    provider.register(Hero(name: "Ajax"))
    #expect(provider.contentTypes == [.utf8PlainText, .hero, .heroList])
    #expect(try await provider.data(for: .plainText) == Data("mine".utf8))
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
    #expect(taken.count == 50)
    #expect(Set(provider.contentTypes).count == 50)
    #expect(provider.contentTypes.count == 50)
  }

  // MARK: Existing files

  @Test(arguments: [
    ("a.png", UTType.png), ("B.JPG", .jpeg), ("notes", .data), ("archive.gz", .gzip),
    ("x.no-such-type", UTType(importedAs: "dyn.ah62d4rv4ge80653rsr40g4brsv61a3k")),
  ])
  func fileIsOfferedWithTheTypeOfItsName(name: String, type: UTType) {
    let provider = ItemProvider(contentsOf: URL(fileURLWithPath: "/nowhere/\(name)"))
    #expect(provider.suggestedName == name)
    #expect(provider.contentTypes == [type])
  }

  @Test func explicitTypeOfAFileOverridesItsExtension() {
    let provider = ItemProvider(contentsOf: URL(fileURLWithPath: "/nowhere/a.txt"), contentType: .hero)
    #expect(provider.contentTypes == [.hero])
  }
}

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemPreviewTests {
  @Test func lastRegisteredPreviewIsLoadedElseAnImage() async throws {
    let provider = ItemProvider()
    provider.register(.plainText) { _ in Data() }
    _ = try await requireProviderError(.noRepresentation, .image) { try await provider.preview() }
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
    let preview = try await provider.preview()
    #expect(preview.contentType == .png && preview.data == Data("last".utf8) && runs.count == 1)
  }
}
