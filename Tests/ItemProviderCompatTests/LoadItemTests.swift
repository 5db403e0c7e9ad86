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

/// A way to register an item, and what a load of the item returns.
private struct Registration {
  let name: String
  let type: UTType
  let expected: Loaded
  let makeProvider: (_ film: URL) throws -> NSItemProvider

  init(_ name: String, _ type: UTType, _ expected: Loaded, _ makeProvider: @escaping (URL) throws -> NSItemProvider) {
    (self.name, self.type, self.expected, self.makeProvider) = (name, type, expected, makeProvider)
  }

  private init(item: any NSSecureCoding, _ type: UTType, _ expected: Loaded) {
    self.init("item: \(Swift.type(of: item))", type, expected) { _ in
      NSItemProvider(item: item, typeIdentifier: type.identifier)
    }
  }

  static var page: NSURL { NSURL(string: "https://example.org/7") ?? NSURL(fileURLWithPath: "/") }

  static var all: [Registration] {
    [
      Registration(item: "Hail" as NSString, .plainText, .object("Hail" as NSString)),
      Registration(item: "Hail" as NSString, .data, .object("Hail" as NSString)),
      Registration(item: page, .url, .object(page)),
      Registration(item: NSURL(fileURLWithPath: "/saga.txt"), .fileURL, .object(NSURL(fileURLWithPath: "/saga.txt"))),
      Registration(item: NSNumber(value: 7), .data, .object(NSNumber(value: 7))),
      Registration(item: ["deeds": [1, 2]] as NSDictionary, .json, .object(["deeds": [1, 2]] as NSDictionary)),
      Registration(item: ["Ask", "Embla"] as NSArray, .propertyList, .object(["Ask", "Embla"] as NSArray)),
      Registration(item: NSData(data: Data("Hail".utf8)), .plainText, .object(NSData(data: Data("Hail".utf8)))),
      Registration("item: the URL of a file", .movie, .file("moving")) {
        NSItemProvider(item: $0 as NSURL, typeIdentifier: UTType.movie.identifier)
      },
      Registration("an item of a handler", .plainText, .object("Hail" as NSString)) { _ in
        let provider = NSItemProvider()
        provider.registerItem(forTypeIdentifier: UTType.plainText.identifier) { completion, _, _ in
          completion?("Hail" as NSString, nil)
        }
        return provider
      },
      Registration("bytes", .utf8PlainText, .object(NSData(data: Data("Hail".utf8)))) { _ in
        provider(UTType.utf8PlainText.identifier, "Hail")
      },
      Registration("an object", .utf8PlainText, .object(NSData(data: Data("Hail".utf8)))) { _ in
        NSItemProvider(object: "Hail" as NSString)
      },
      Registration("an object of a class", .url, .object(NSData(data: Data("https://example.org/7".utf8)))) { _ in
        let provider = NSItemProvider()
        provider.registerObject(ofClass: NSURL.self, visibility: .all) { completion in
          completion(page, nil)
          return nil
        }
        return provider
      },
      Registration("a transferable value", .utf8PlainText, .object(NSData(data: Data("Hail".utf8)))) { _ in
        let provider = NSItemProvider()
        provider.register("Hail")
        return provider
      },
      Registration("a file", .movie, .file("moving")) { film in provider(.quickTimeMovie) { $0(film) } },
      Registration("the contents of a file", .movie, .file("moving")) {
        NSItemProvider(contentsOf: $0) ?? NSItemProvider()
      },
    ]
  }
}

/// A loaded item: an object, or the contents of the file to which a URL leads.
private enum Loaded: Equatable {
  case object(NSObject)
  case file(String)
  case nothing(String)

  /// Loads an item, and removes the file that the receiver owns.
  init(_ provider: NSItemProvider, _ type: UTType, film: URL) async {
    do {
      let item = try await provider.loadItem(forTypeIdentifier: type.identifier)
      guard let address = item as? NSURL, address.isFileURL, type.conforms(to: .movie) else {
        self = (item as? NSObject).map { .object($0) } ?? .nothing("no object")
        return
      }
      let file = address as URL
      self = .file(try String(contentsOf: file, encoding: .utf8))
      if file != film { try FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    } catch {
      self = .nothing("\(error)")
    }
  }
}

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct LoadItemTests {
  /// Loads each item in each way, and expects what its registration says.
  private func expectAll(
    _ comment: Comment, _ load: ([NSItemProvider], ([NSItemProvider]) async -> Void) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let film = try directory.write(Data("moving".utf8), to: "film.mov")
    try await load(try Registration.all.map { try $0.makeProvider(film) }) { providers in
      #expect(providers.count == Registration.all.count)
      for (registration, provider) in zip(Registration.all, providers) {
        let loaded = await Loaded(provider, registration.type, film: film)
        #expect(loaded == registration.expected, "\(comment): \(registration.name), \(registration.type)")
      }
    }
  }

  @Test func anItemLoadsAsWhatWasRegisteredInOneProcess() async throws {
    try await expectAll("in process") { providers, check in await check(providers) }
  }

  @Test func anItemLoadsAsWhatWasRegisteredAfterAStream() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("items.drop").path
    try await expectAll("stream") { providers, check in
      try await DropStream.withWriter(to: .file(path)) { writer in
        for provider in providers { try await writer.write(provider.itemProvider) }
      }
      let received = try await DropStream.withReader(from: .file(path)) { items in
        var received: [NSItemProvider] = []
        for try await item in items { received.append(NSItemProvider(item)) }
        return received
      }
      await check(received)
    }
  }

  @Test func anItemLoadsAsWhatWasRegisteredInASession() async throws {
    try await expectAll("session") { providers, check in
      try await inSession(providers) { await check($0) }
    }
  }

  @Test(arguments: [
    (UTType.plainText, ItemRepresentation.Form.text, [0xE6]), (.url, .url, Array("a b".utf8)),
    (.propertyList, .propertyList, Array("none".utf8)), (.data, .propertyList, []),
    // The address of a file of the receiver as the answer to a request for a film.
    (.movie, .url, Array("file:///etc/passwd".utf8)),
  ])
  func bytesThatAreNotWhatTheSourceStatesStayBytes(
    type: UTType, form: ItemRepresentation.Form, bytes: [UInt8]
  ) async throws {
    let hostile = ItemProvider()
    hostile.register(ItemRepresentation(ItemRepresentation.Traits(contentType: type, form: form), data: Data(bytes)))
    let loaded = try await NSItemProvider(hostile).loadItem(forTypeIdentifier: type.identifier)
    #expect(loaded as? NSData == NSData(data: Data(bytes)))
  }

  @Test func utf16TextOfAHandlerArrivesAsItsBytes() async throws {
    let provider = NSItemProvider()
    provider.registerItem(forTypeIdentifier: UTType.utf16PlainText.identifier) { completion, _, _ in
      completion?(NSData(data: Data([0x48, 0, 0x69, 0])), nil)
    }
    #expect(provider.itemProvider.representations.map(\.form) == [.data])
  }

  @Test func anObjectThatChangesAfterItsRegistrationFailsInsteadOfChangingItsClass() async throws {
    let entries = NSMutableDictionary(dictionary: ["a": 1])
    let provider = NSItemProvider(item: entries, typeIdentifier: UTType.data.identifier)
    entries["b"] = NSUUID()
    await #expect(throws: NSError.self) {
      try await provider.loadDataRepresentation(forTypeIdentifier: UTType.data.identifier)
    }
  }

  @Test func anEditOfTheItemReplacesItsObject() async throws {
    let provider = NSItemProvider(item: "Hail" as NSString, typeIdentifier: UTType.plainText.identifier)
    provider.itemProvider.map(.plainText) { text, _ in Data(String(decoding: text, as: UTF8.self).uppercased().utf8) }
    #expect(try await provider.loadItem(forTypeIdentifier: UTType.plainText.identifier) as? NSString == "HAIL")
  }

  @Test func anObjectThatCannotBeAPropertyListArrivesAsItsArchive() async throws {
    let identifier = NSUUID()
    let provider = NSItemProvider(item: identifier, typeIdentifier: UTType.data.identifier)
    #expect(try await provider.loadItem(forTypeIdentifier: UTType.data.identifier) as? NSUUID == identifier)
    let archive = try await provider.loadDataRepresentation(forTypeIdentifier: UTType.data.identifier)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSUUID.self, from: archive) == identifier)
    let decimal = NSDecimalNumber(string: "0.12345678901234567890123456789")
    let exact = NSItemProvider(item: decimal, typeIdentifier: UTType.data.identifier)
    #expect(exact.itemProvider.representations.map(\.form) == [.data])
  }
}
