// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreTransferable
import DropTransport
import Foundation
import Glibc
import ItemTransfer
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import AppleSources

/// A value whose first representation has a condition.
private struct Draft: Codable, Transferable {
  var title: String
  var isPublic: Bool

  static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .json).exportingCondition(\.isPublic)
    DataRepresentation(exportedContentType: .utf8PlainText) { Data($0.title.utf8) }
      .suggestedFileName { "\($0.title).txt" }
  }
}

/// A value with a suggested name, and with one representation that is excluded.
private struct Secret: Codable, Transferable {
  static var transferRepresentation: some TransferRepresentation {
    CodableRepresentation(contentType: .json).exportingCondition { _ in false }.suggestedFileName("secret.json")
  }
}

/// Behaviour of Apple's classes on which published programs rely, within one process and between two.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct AppleBehaviourTests {
  private static func providers(in directory: URL) throws -> [String: NSItemProvider] {
    let movie = directory.appendingPathComponent("IMG_0001.MOV")
    try Data("moving".utf8).write(to: movie)
    let archive = directory.appendingPathComponent("notes.tar.gz")
    try Data([0x1F, 0x8B]).write(to: archive)
    let picture = directory.appendingPathComponent("owl.png")
    try Data([1, 2]).write(to: picture)

    let draft = NSItemProvider()
    draft.register(Draft(title: "Owl", isPublic: false))
    let published = NSItemProvider()
    published.register(Draft(title: "Bow", isPublic: true))
    let named = provider(.quickTimeMovie) { $0(movie) }
    named.suggestedName = "holiday"
    let activity = NSUserActivity(activityType: "org.example.show")
    activity.userInfo = [
      "none": Optional<Int>.none as Any, "some": Optional(7) as Any,
      "deep": [Optional<String>.none as Any, "x"] as [Any],
    ]
    return [
      "draft": draft, "published": published, "film": provider(.movie) { $0(movie) }, "named": named,
      "archive": try #require(NSItemProvider(contentsOf: archive)),
      "picture": try #require(NSItemProvider(contentsOf: picture)),
      "address": NSItemProvider(object: picture as NSURL),
      "list": NSItemProvider(
        item: ["name": "Ajax", "deeds": [1, 2]] as NSDictionary, typeIdentifier: UTType.propertyList.identifier),
      "html": NSItemProvider(item: "<p>Hail" as NSString, typeIdentifier: UTType.html.identifier),
      "text": NSItemProvider(item: "Hail" as NSString, typeIdentifier: UTType.text.identifier),
      "link": NSItemProvider(
        item: try #require(URL(string: "https://example.org/7")) as NSURL, typeIdentifier: UTType.url.identifier),
      "activity": NSItemProvider(object: activity),
    ]
  }

  @Test func itemsBehaveAsOnAppleSystemsInOneProcessAndBetweenTwo() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let providers = try Self.providers(in: directory.url)
    let foreign = try await received { path in
      await #expect(processExitsWith: .success) { [path = path as String] in
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
        let providers = try AppleBehaviourTests.providers(in: directory)
        try await send(providers.sorted { $0.key < $1.key }.map(\.value), to: path)
      }
    }
    #expect(foreign.count == providers.count)
    let foreignByName = Dictionary(uniqueKeysWithValues: zip(providers.keys.sorted(), foreign))
    for (items, areForeign) in [(providers, false), (foreignByName, true)] {
      let item = { (name: String) in try #require(items[name]) }
      try await expectThatConditionsExcludeRepresentations(item, areForeign)
      try await expectThatFilesKeepTheirNames(item, areForeign)
      try await expectThatObjectsHaveTheirClasses(item, areForeign)
      try await expectThatEmptyOptionalsAreNull(item("activity"))
    }
  }

  private func expectThatConditionsExcludeRepresentations(
    _ item: (String) throws -> NSItemProvider, _ areForeign: Bool
  ) async throws {
    let draft = try item("draft")
    await #expect(throws: NSError.self) { try await draft.text(UTType.json.identifier) }
    // The next representation that conforms to the type replaces it.
    let titles = [try await draft.text(UTType.text.identifier), try await draft.loadObject(ofClass: String.self)]
    #expect(titles == ["Owl", "Owl"])
    if areForeign { #expect(draft.registeredTypeIdentifiers == [UTType.utf8PlainText.identifier]) }
    let json = try await item("published").loadDataRepresentation(forTypeIdentifier: UTType.text.identifier)
    #expect(try JSONDecoder().decode(Draft.self, from: json).title == "Bow")
  }

  private func expectThatFilesKeepTheirNames(
    _ item: (String) throws -> NSItemProvider, _ areForeign: Bool
  ) async throws {
    var expected: [(String, UTType, String)] = [
      ("film", .movie, "IMG_0001.MOV"), ("archive", .data, "notes.tar.gz"), ("draft", .text, "Owl.txt"),
    ]
    if areForeign {
      // In a stream, each item has only one name. It precedes the content, so it is the suggested name.
      #expect(try item("film").suggestedName == "IMG_0001.MOV")
    } else {
      expected.append(("named", .movie, "IMG_0001.MOV"))
    }
    for (name, type, fileName) in expected {
      let found = try await item(name).withFileRepresentation(forTypeIdentifier: type.identifier) {
        $0.lastPathComponent
      }
      #expect(found == fileName, "\(name)")
    }
  }

  private func expectThatObjectsHaveTheirClasses(
    _ item: (String) throws -> NSItemProvider, _ areForeign: Bool
  ) async throws {
    func object(_ name: String, _ type: UTType) async throws -> any NSSecureCoding {
      try await item(name).loadItem(forTypeIdentifier: type.identifier)
    }
    let list = try await object("list", .propertyList) as? NSDictionary
    #expect(list?["name"] as? String == "Ajax" && list?["deeds"] as? [Int] == [1, 2])
    let texts = [try await object("html", .html), try await object("text", .text)].map { $0 as? NSString }
    #expect(texts == ["<p>Hail", "Hail"])
    let link = try await object("link", .url) as? NSURL
    #expect(link?.absoluteString == "https://example.org/7")
    for type in [UTType.url, .fileURL] {
      let address = try #require(try await object("address", type) as? NSData)
      #expect(URL(dataRepresentation: Data(referencing: address), relativeTo: nil)?.lastPathComponent == "owl.png")
    }
    let picture = try #require(try await object("picture", .image) as? NSURL)
    let bytes = try Data(contentsOf: picture as URL)
    #expect(picture.lastPathComponent == "owl.png" && bytes == Data([1, 2]))
    if areForeign { try FileManager.default.removeItem(at: (picture as URL).deletingLastPathComponent()) }
  }

  private func expectThatEmptyOptionalsAreNull(_ item: NSItemProvider) async throws {
    let userInfo = try await item.loadObject(ofClass: NSUserActivity.self).userInfo
    #expect(userInfo?["none"] is NSNull && userInfo?["some"] as? Int == 7)
    let deep = try #require(userInfo?["deep"] as? [Any])
    #expect(deep.first is NSNull && deep.last as? String == "x")
  }

  @Test func anItemWhoseRepresentationsAreAllExcludedCannotBeLoadedOrSent() async throws {
    let secret = NSItemProvider()
    secret.register(Secret())
    #expect(secret.suggestedName == "secret.json")
    await #expect(throws: NSError.self) { try await secret.transferable(Secret.self) }
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = directory.file("x.drop").path
    let error = await #expect(throws: DropStreamError.self) {
      try await DropStream.withWriter(to: .file(file)) { try await $0.write(secret.itemProvider) }
    }
    #expect(error?.code == .representationFailed && !FileManager.default.fileExists(atPath: file))
  }

  @Test func theConditionOfAnOfferedValueIsCheckedInASession() async throws {
    let draft = NSItemProvider()
    draft.register(Draft(title: "Owl", isPublic: false))
    var types: [UTType] = []
    try await inSession([draft]) { items in
      #expect(items[0].suggestedName == "Owl.txt")
      types = items[0].registeredContentTypes
    }
    #expect(types == [.utf8PlainText])
  }

  @Test func propertyListsTravelAsThemselvesAndHostileOnesStayBytes() async throws {
    let type = UTType.propertyList.identifier
    let list = NSItemProvider(item: ["Ask", "Embla"] as NSArray, typeIdentifier: type)
    let data = try await list.loadDataRepresentation(forTypeIdentifier: type)
    #expect(try PropertyListDecoder().decode([String].self, from: data) == ["Ask", "Embla"])
    await #expect(throws: NSError.self) { try await NSItemProvider(item: NSNull(), typeIdentifier: type).text(type) }
    for bytes in ["", "no list", String(repeating: "<array>", count: 100_000)] {
      let hostile = ItemProvider()
      hostile.register(
        ItemRepresentation(
          ItemRepresentation.Traits(contentType: .propertyList, form: .propertyList), data: Data(bytes.utf8)))
      let loaded = try await NSItemProvider(hostile).loadItem(forTypeIdentifier: type)
      #expect(loaded as? NSData == NSData(data: Data(bytes.utf8)))
    }
  }

  @Test(arguments: [UTType.png, .jpeg], 0..<3)
  func progressIsFinishedBeforeTheHandlerRuns(type: UTType, form: Int) async throws {
    struct Seen: Equatable {
      var isFinished: Bool
      var fraction: Double
      var parent: Double
    }
    let provider = provider(UTType.png.identifier, Data([1]))
    provider.registerDataRepresentation(for: .jpeg) { completion in
      completion(nil, CocoaError(.fileNoSuchFile))
      return nil
    }
    let parent = Progress(totalUnitCount: 1)
    let shown = Collector<Progress>()
    let isShown = BlockingSignals()
    let seen: Seen? = await withCheckedContinuation { continuation in
      @Sendable func look() {
        // The handler runs on a queue and may block.
        isShown.receive()
        continuation.resume(
          returning: shown.values.first.map {
            Seen(isFinished: $0.isFinished, fraction: $0.fractionCompleted, parent: parent.fractionCompleted)
          })
      }
      let progress =
        switch form {
        case 0: provider.loadDataRepresentation(for: type) { _, _ in look() }
        case 1: provider.loadFileRepresentation(for: type) { _, _, _ in look() }
        default:
          provider.loadFileRepresentation(for: type, openInPlace: true) { file, _, _ in
            // The receiver removes a copy of a file that may be opened in place.
            if let file { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
            look()
          }
        }
      parent.addChild(progress, withPendingUnitCount: 1)
      shown.add(progress)
      isShown.send()
    }
    #expect(seen == Seen(isFinished: true, fraction: 1, parent: 1))
  }

  /// An actor that calls the API with options that are not Sendable. The test is that it compiles.
  private actor Importer {
    func item(of provider: NSItemProvider, options: [AnyHashable: Any]) async throws -> any NSSecureCoding {
      try await provider.loadItem(forTypeIdentifier: UTType.text.identifier, options: options)
    }

    func preview(of provider: NSItemProvider, options: [AnyHashable: Any]) async throws -> Bool {
      try await provider.loadPreviewImage(options: options) is NSData
    }

    func text(of provider: NSItemProvider) async throws -> String? {
      (try await item(of: provider, options: ["size": NSObject()]) as? NSString).map { "\($0)" }
    }
  }

  @Test func itemsLoadFromAnActorWithOptionsThatAreNotSendable() async throws {
    let provider = NSItemProvider(item: "Hail" as NSString, typeIdentifier: UTType.text.identifier)
    #expect(try await Importer().text(of: provider) == "Hail")
  }
}

/// The sample sources for Apple's systems.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct AppleSourcesTests {
  private static let card = SagaCard(
    id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), title: "Slay the hydra",
    notes: "Bring fire.")

  private static var providers: [NSItemProvider] {
    let theseus = SagaHero(name: "Theseus", home: "Athens", deeds: ["the labyrinth"])
    return [
      itemProvider(for: card), NSItemProvider(object: theseus),
      NSItemProvider(object: SagaHero(name: "Atalanta", home: "Arcadia")),
      NSItemProvider(object: "no hero" as NSString), NSItemProvider(object: theseus),
    ]
  }

  @Test @MainActor func heroesAndCardsAreDraggedFromAnotherProcess() async throws {
    let items = try await received { path in
      await #expect(processExitsWith: .success) { [path = path as String] in
        try await send(AppleSourcesTests.providers, to: path)
      }
    }
    let favourites = Favourites()
    favourites.drop(items)
    try await wait(for: "the heroes") { favourites.loadingCount == 0 }
    #expect(favourites.heroes.map { [$0.name] + $0.deeds } == [["Atalanta"], ["Theseus", "the labyrinth"]])
    let card = try #require(items.first)
    let titles = [card.suggestedName, try await card.loadObject(ofClass: String.self)]
    #expect(titles == ["Slay the hydra", "Slay the hydra"])
    #expect(card.registeredContentTypes.map(\.identifier).first == UTType.sagaCard.identifier)
    #expect(try await card.transferable(SagaCard.self) == Self.card)
    #expect(try await card.text("public.rtf").contains("Bring fire."))
    let activity = try await card.loadObject(ofClass: NSUserActivity.self)
    let identifiers = [activity.userInfo?[SagaCard.idKey] as? String, activity.targetContentIdentifier]
    #expect(activity.activityType == SagaCard.openDetailActivityType)
    #expect(identifiers == [Self.card.id.uuidString, Self.card.id.uuidString])
  }
}

/// The compiler's messages for code outside this package.
@Suite(.serialized, .limited, .peers("swiftc"), .timeLimit(minutes: 10)) struct AppleCompilationTests {
  @Test func aPropertyThatIsNotSendableIsAWarning() async throws {
    let source = """
      import CoreTransferable

      final class Cache: Codable { var count = 0 }

      struct Saga: Codable, Transferable {
        var cache = Cache()
        static var transferRepresentation: some TransferRepresentation { CodableRepresentation(contentType: .json) }
      }
      """
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = try directory.write(Data(source.utf8), to: "client.swift")
    let compiler = try await ProgramRun(
      "swiftc",
      [
        "-typecheck", "-swift-version", "6", "-I", builtProduct("Modules"), "-Xcc",
        "-fmodule-map-file=\(builtProduct("CDropShims.build/module.modulemap"))", file.path,
      ], within: .seconds(300))
    #expect(
      compiler.exitCode == 0 && compiler.errors.contains("warning: stored property 'cache'"), "\(compiler.errors)")
  }
}
