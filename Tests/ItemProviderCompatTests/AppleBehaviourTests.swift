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
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct AppleBehaviourTests {
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
    let film = NSItemProvider()
    film.registerFileRepresentation(for: .movie) { completion in
      completion(movie, false, nil)
      return nil
    }
    let named = NSItemProvider()
    named.suggestedName = "holiday"
    named.registerFileRepresentation(for: .quickTimeMovie) { completion in
      completion(movie, false, nil)
      return nil
    }
    let activity = NSUserActivity(activityType: "org.example.show")
    activity.userInfo = [
      "none": Optional<Int>.none as Any, "some": Optional(7) as Any,
      "deep": [Optional<String>.none as Any, "x"] as [Any],
    ]
    return [
      "draft": draft, "published": published, "film": film, "named": named,
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

  /// Calls `body` twice: with items of this process, and with the items that another process has written.
  private func inOneProcessAndBetweenTwo(
    _ body: ([String: NSItemProvider], _ areForeign: Bool) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    try await body(Self.providers(in: directory.url), false)

    let path = directory.file("pipe").path
    #expect(mkfifo(path, 0o600) == 0)
    async let received = DropStream.withReader(from: .file(path)) { items in
      var providers: [NSItemProvider] = []
      for try await item in items { providers.append(NSItemProvider(item)) }
      return providers
    }
    await #expect(processExitsWith: .success) { [path = path as String] in
      let directory = URL(fileURLWithPath: path).deletingLastPathComponent()
      let providers = try AppleBehaviourTests.providers(in: directory)
      try await DropStream.withWriter(to: .descriptor(open(path, O_WRONLY))) { writer in
        for name in providers.keys.sorted() { try await writer.write(try #require(providers[name]).itemProvider) }
      }
    }
    let names = try Self.providers(in: directory.url).keys.sorted()
    let items = try await received
    #expect(items.count == names.count)
    try await body(Dictionary(uniqueKeysWithValues: zip(names, items)), true)
  }

  private func fileName(_ provider: NSItemProvider?, _ type: UTType) async throws -> String {
    try await #require(provider).withFileRepresentation(forTypeIdentifier: type.identifier) { $0.lastPathComponent }
  }

  @Test func aRepresentationExcludedByItsConditionIsAbsent() async throws {
    try await inOneProcessAndBetweenTwo { items, areForeign in
      let draft = try #require(items["draft"])
      await #expect(throws: NSError.self) {
        try await draft.loadDataRepresentation(forTypeIdentifier: UTType.json.identifier)
      }
      // The next representation that conforms to the type replaces it.
      let text = try await draft.loadDataRepresentation(forTypeIdentifier: UTType.text.identifier)
      #expect(String(decoding: text, as: UTF8.self) == "Owl")
      #expect(try await draft.loadObject(ofClass: String.self) == "Owl")
      if areForeign { #expect(draft.registeredTypeIdentifiers == [UTType.utf8PlainText.identifier]) }

      let published = try #require(items["published"])
      let json = try await published.loadDataRepresentation(forTypeIdentifier: UTType.text.identifier)
      #expect(try JSONDecoder().decode(Draft.self, from: json).title == "Bow")

    }
  }

  @Test func anItemWhoseRepresentationsAreAllExcludedCannotBeLoadedOrSent() async throws {
    let secret = NSItemProvider()
    secret.register(Secret())
    #expect(secret.suggestedName == "secret.json")
    let result: Result<Secret, any Error> = await withCheckedContinuation { continuation in
      _ = secret.loadTransferable(type: Secret.self) { continuation.resume(returning: $0) }
    }
    #expect(throws: NSError.self) { try result.get() }
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = directory.file("x.drop").path
    let error = await #expect(throws: DropStreamError.self) {
      try await DropStream.withWriter(to: .file(file)) { try await $0.write(secret.itemProvider) }
    }
    #expect(error?.code == .representationFailed)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func theConditionOfAnOfferedValueIsCheckedInASession() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let draft = try #require(try Self.providers(in: directory.url)["draft"])
    var pair: [CInt] = [0, 0]
    #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair) == 0)
    let (near, far) = (pair[0], pair[1])
    async let source = DropStream.withSession(over: .descriptor(near)) { session in
      try await session.offer([draft.itemProvider])
    }
    let types = try await DropStream.withSession(over: .descriptor(far)) { session in
      var types: [UTType] = []
      for try await drop in session.drops {
        #expect(drop.items[0].suggestedName == "Owl.txt")
        types = drop.items[0].contentTypes
        try await drop.finish(.copy)
      }
      return types
    }
    _ = try await source
    #expect(types == [.utf8PlainText])
  }

  @Test func filesKeepTheNameOfTheSourcesFile() async throws {
    try await inOneProcessAndBetweenTwo { items, areForeign in
      let film = try await fileName(items["film"], .movie)
      #expect(film == "IMG_0001.MOV")
      let archive = try await fileName(items["archive"], .data)
      #expect(archive == "notes.tar.gz")
      let draft = try await fileName(items["draft"], .text)
      #expect(draft == "Owl.txt")
      if areForeign {
        // In a stream, each item has only one name. It precedes the content, so it is the suggested name.
        #expect(items["film"]?.suggestedName == "IMG_0001.MOV")
      } else {
        let named = try await fileName(items["named"], .movie)
        #expect(named == "IMG_0001.MOV")
      }
    }
  }

  @Test func objectsArriveInTheClassThatProgramsExpect() async throws {
    try await inOneProcessAndBetweenTwo { items, areForeign in
      func item(_ name: String, _ type: UTType) async throws -> any NSSecureCoding {
        try await #require(items[name]).loadItem(forTypeIdentifier: type.identifier)
      }
      let list = try await item("list", .propertyList) as? NSDictionary
      #expect(list?["name"] as? String == "Ajax")
      #expect(list?["deeds"] as? [Int] == [1, 2])
      #expect(try await item("html", .html) as? NSString == "<p>Hail")
      #expect(try await item("text", .text) as? NSString == "Hail")
      #expect((try await item("link", .url) as? NSURL)?.absoluteString == "https://example.org/7")
      let address = try #require(try await item("address", .fileURL) as? NSData)
      #expect(URL(dataRepresentation: Data(referencing: address), relativeTo: nil)?.lastPathComponent == "owl.png")
      #expect((try await item("address", .url) as? NSURL)?.lastPathComponent == "owl.png")
      if areForeign {
        #expect(try await item("picture", .image) as? NSData == NSData(data: Data([1, 2])))
      } else {
        #expect((try await item("picture", .image) as? NSURL)?.lastPathComponent == "owl.png")
      }
    }
  }

  @Test func propertyListsTravelAsThemselvesAndHostileOnesAreRefused() async throws {
    let list = NSItemProvider(item: ["Ask", "Embla"] as NSArray, typeIdentifier: UTType.propertyList.identifier)
    let data = try await list.loadDataRepresentation(forTypeIdentifier: UTType.propertyList.identifier)
    #expect(try PropertyListDecoder().decode([String].self, from: data) == ["Ask", "Embla"])
    let unusable = NSItemProvider(item: NSNull(), typeIdentifier: UTType.propertyList.identifier)
    await #expect(throws: NSError.self) {
      try await unusable.loadDataRepresentation(forTypeIdentifier: UTType.propertyList.identifier)
    }
    for bytes in ["", "no list", String(repeating: "<array>", count: 100_000)] {
      let hostile = NSItemProvider()
      hostile.registerDataRepresentation(for: .propertyList) { completion in
        completion(Data(bytes.utf8), nil)
        return nil
      }
      await #expect(throws: NSError.self) {
        try await hostile.loadItem(forTypeIdentifier: UTType.propertyList.identifier)
      }
    }
  }

  @Test func emptyOptionalsOfUserInfoTravelAsNull() async throws {
    try await inOneProcessAndBetweenTwo { items, _ in
      let activity = try await #require(items["activity"]).loadObject(ofClass: NSUserActivity.self)
      #expect(activity.userInfo?["none"] is NSNull)
      #expect(activity.userInfo?["some"] as? Int == 7)
      let deep = try #require(activity.userInfo?["deep"] as? [Any])
      #expect(deep.first is NSNull)
      #expect(deep.last as? String == "x")
    }
  }

  @Test func progressIsFinishedBeforeTheHandlerRuns() async throws {
    struct Seen: Equatable {
      var isFinished: Bool?
      var fraction: Double?
      var parent: Double?
    }
    let provider = NSItemProvider()
    provider.registerDataRepresentation(for: .png) { completion in
      completion(Data([1]), nil)
      return nil
    }
    provider.registerDataRepresentation(for: .jpeg) { completion in
      completion(nil, CocoaError(.fileNoSuchFile))
      return nil
    }
    for type in [UTType.png, .jpeg] {
      for form in 0..<3 {
        let parent = Progress(totalUnitCount: 1)
        let shown = Collector<Progress>()
        let hasProgress = Gate()
        let seen: Seen = await withCheckedContinuation { continuation in
          @Sendable func look() {
            // The handler runs on a queue and may block.
            while shown.values.isEmpty { usleep(100) }
            let progress = shown.values.first
            continuation.resume(
              returning: Seen(
                isFinished: progress?.isFinished, fraction: progress?.fractionCompleted,
                parent: parent.fractionCompleted))
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
          hasProgress.open()
        }
        await hasProgress.wait()
        #expect(seen == Seen(isFinished: true, fraction: 1, parent: 1), "\(type) \(form)")
      }
    }
  }
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

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct AppleConcurrencyTests {
  @Test func itemsLoadFromAnActorWithOptionsThatAreNotSendable() async throws {
    let provider = NSItemProvider(item: "Hail" as NSString, typeIdentifier: UTType.text.identifier)
    #expect(try await Importer().text(of: provider) == "Hail")
  }
}
