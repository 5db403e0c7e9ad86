// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited) struct ItemProviderTests {
  @Test("a new provider offers nothing")
  func offersNothing() {
    let provider = ItemProvider()
    #expect(provider.contentTypes.isEmpty)
    #expect(provider.suggestedName == nil)
    #expect(!provider.hasRepresentation(conformingTo: .data))
  }

  @Test("types are offered in the order of their registration")
  func orderIsKept() {
    let types: [UTType] = [.png, .utf8PlainText, .jpeg, .data, .json]
    let provider = ItemProvider()
    for type in types { #expect(provider.register(type) { _ in Data() }) }
    #expect(provider.contentTypes == types)
  }

  @Test("a type that is registered already keeps its first loader")
  func secondRegistrationIsIgnored() async throws {
    let provider = ItemProvider()
    #expect(provider.register(.png) { _ in Data("first".utf8) })
    #expect(!provider.register(.png) { _ in Data("second".utf8) })
    #expect(!provider.register(UTType(importedAs: "PUBLIC.PNG")) { _ in Data("third".utf8) })
    #expect(!provider.registerFile(.png) { _ in throw Failure() })
    #expect(provider.contentTypes == [.png])
    #expect(try await provider.data(for: .png) == Data("first".utf8))
  }

  @Test("a representation serves every type that its own conforms to")
  func hasRepresentation() {
    let provider = ItemProvider()
    provider.register(.png) { _ in Data() }
    #expect(provider.hasRepresentation(conformingTo: .png))
    #expect(provider.hasRepresentation(conformingTo: .image))
    #expect(provider.hasRepresentation(conformingTo: .data))
    #expect(!provider.hasRepresentation(conformingTo: .jpeg))
    #expect(!provider.hasRepresentation(conformingTo: .text))
  }

  @Test("loaders do not run when they are registered or asked about")
  func loadersWait() {
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

  @Test("the suggested name can be changed")
  func suggestedName() {
    let provider = ItemProvider(suggestedName: "a.txt")
    #expect(provider.suggestedName == "a.txt")
    provider.suggestedName = "b.txt"
    #expect(provider.suggestedName == "b.txt")
    provider.suggestedName = nil
    #expect(provider.suggestedName == nil)
  }

  @Test("the exact number of bytes is kept where it is known")
  func byteCount() {
    let provider = ItemProvider()
    provider.register(.png, size: .exact(7)) { _ in Data(count: 7) }
    provider.registerFile(.jpeg, size: .exact(1 << 40)) { _ in throw Failure() }
    provider.register(.gif) { _ in Data() }
    #expect(provider.representations.map(\.size) == [.exact(7), .exact(1 << 40), .unknown])
  }

  @Test("a value is offered in every representation it exports, in their order")
  func offersValue() {
    let provider = ItemProvider(Hero(name: "Ajax"), suggestedName: "Ajax")
    #expect(provider.contentTypes == [.hero, .heroList, .utf8PlainText])
    #expect(provider.suggestedName == "Ajax")
  }

  @Test("a value's representations come after those registered before, whose loaders stay")
  func registersValueBehind() async throws {
    let provider = ItemProvider()
    provider.register(.utf8PlainText) { _ in Data("mine".utf8) }
    provider.register(Hero(name: "Ajax"))
    #expect(provider.contentTypes == [.utf8PlainText, .hero, .heroList])
    #expect(try await provider.data(for: .plainText) == Data("mine".utf8))
  }

  @Test("many tasks may register at once; each type is there once")
  func concurrentRegistration() async {
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

  @Test(
    "a file is offered under its name, as the type its extension stands for",
    arguments: [
      ("a.png", UTType.png), ("B.JPG", .jpeg), ("notes", .data), ("archive.gz", .gzip),
      ("x.no-such-type", UTType(importedAs: "dyn.ah62d4rv4ge80653rsr40g4brsv61a3k")),
    ])
  func contentsOfFile(name: String, type: UTType) {
    let provider = ItemProvider(contentsOf: URL(fileURLWithPath: "/nowhere/\(name)"))
    #expect(provider.suggestedName == name)
    #expect(provider.contentTypes == [type])
  }

  @Test("a file is offered as the type that is given, whatever its extension")
  func contentsOfFileWithType() {
    let provider = ItemProvider(contentsOf: URL(fileURLWithPath: "/nowhere/a.txt"), contentType: .hero)
    #expect(provider.contentTypes == [.hero])
  }
}
