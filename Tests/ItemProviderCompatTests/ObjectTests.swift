// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemProviderCompat
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

/// Objects of classes that encode and decode themselves, and Swift types that bridge to classes.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ObjectTests {
  /// An object with two types, one of which is visible only in this process.
  ///
  /// It rejects the bytes of other programs.
  private final class Rune: NSObject, NSItemProviderWriting, NSItemProviderReading, Sendable {
    let sign: UInt8

    init(sign: UInt8) {
      self.sign = sign
    }

    static let writableTypeIdentifiersForItemProvider = ["org.example.rune", "org.example.secret-rune"]
    static let readableTypeIdentifiersForItemProvider = ["org.example.rune"]

    static func itemProviderVisibilityForRepresentation(
      withTypeIdentifier typeIdentifier: String
    ) -> NSItemProviderRepresentationVisibility {
      typeIdentifier.contains("secret") ? .ownProcess : .all
    }

    func loadData(
      withTypeIdentifier typeIdentifier: String,
      forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress? {
      completionHandler(Data([sign]), nil)
      return nil
    }

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Rune {
      guard let sign = data.first, sign < 24 else { throw CocoaError(.fileReadCorruptFile) }
      return Rune(sign: sign)
    }
  }

  @Test func objectsRoundTripWithinClassVisibility() async throws {
    let provider = NSItemProvider(object: Rune(sign: 7))
    #expect(provider.registeredTypeIdentifiers == ["org.example.rune", "org.example.secret-rune"])
    #expect(provider.itemProvider.contentTypes(visibleTo: .all).map(\.identifier) == ["org.example.rune"])
    #expect(provider.canLoadObject(ofClass: Rune.self) && !provider.canLoadObject(ofClass: NSURL.self))
    #expect(try await provider.loadObject(ofClass: Rune.self).sign == 7)
  }

  @Test func unreadableAndMissingTypesReportDifferentErrors() async throws {
    let provider = provider("org.example.rune", Data([99]))
    let error = try await requireItemError(.unexpectedValueClassError) {
      try await provider.loadObject(ofClass: Rune.self)
    }
    #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == CocoaError.fileReadCorruptFile.rawValue)
    try await requireItemError { try await provider.loadObject(ofClass: NSString.self) }
  }

  /// An object whose initializer waits for another load to end.
  private final class Patient: NSObject, NSItemProviderReading {
    static let readableTypeIdentifiersForItemProvider = ["public.data"]

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
      let done = BlockingSignals()
      NSItemProvider(object: "Hail" as NSString).loadDataRepresentation(forTypeIdentifier: "public.text") { _, _ in
        done.send()
      }
      done.receive()
      guard let patient = Patient() as? Self else { throw CocoaError(.featureUnsupported) }
      return patient
    }
  }

  @Test func blockingClassesDoNotOccupyTaskThreads() async throws {
    let provider = NSItemProvider(object: NSData(data: Data([1])))
    let made = Counter()
    for _ in 0..<32 {
      provider.loadObject(ofClass: Patient.self) { object, _ in if object != nil { _ = made.next() } }
    }
    try await wait(for: "all objects") { made.value == 32 }
  }

  @Test func stringsAndURLsBridgeToTheirClasses() async throws {
    let text = NSItemProvider(object: "Háv" as NSString)
    #expect(text.canLoadObject(ofClass: String.self) && !text.canLoadObject(ofClass: URL.self))
    let texts = (try await text.loadObject(ofClass: String.self), try await text.loadObject(ofClass: NSString.self))
    #expect(texts == ("Háv", "Háv" as NSString))

    let address = try #require(URL(string: "https://example.org/saga"))
    let link = NSItemProvider(object: address as NSURL)
    let file = NSItemProvider(object: NSURL(fileURLWithPath: "/saga.txt"))
    let urls = [try await link.loadObject(ofClass: URL.self), try await file.loadObject(ofClass: URL.self)]
    #expect(urls.map(\.absoluteString) == [address.absoluteString, "file:///saga.txt"])

    let bytes = NSItemProvider(object: NSData(data: Data([7])))
    let data = (
      try await bytes.loadObject(ofClass: Data.self), try await bytes.loadObject(ofClass: NSMutableData.self)
    )
    #expect(data == (Data([7]), NSMutableData(data: Data([7]))))
    #expect(
      [link, file, bytes].map(\.registeredTypeIdentifiers)
        == [["public.url"], ["public.file-url", "public.url"], ["public.data"]])

    let promised = NSItemProvider()
    promised.registerObject(ofClass: String.self, visibility: .all) { completion in
      completion("later", nil)
      return nil
    }
    #expect(try await promised.loadObject(ofClass: String.self) == "later")
  }

  @Test func aRelativeURLKeepsItsBaseInOneProcess() async throws {
    let base = try #require(URL(string: "https://example.org/sagas/"))
    let relative = try #require(NSURL(string: "ajax", relativeTo: base))
    let provider = NSItemProvider(object: relative)
    let loaded = try await provider.loadObject(ofClass: NSURL.self)
    #expect(loaded.baseURL == base && loaded.relativeString == "ajax")
    #expect(try await provider.text("public.url") == "https://example.org/sagas/ajax")
    let bare = NSItemProvider(object: try #require(NSURL(string: "ajax")))
    #expect(try await bare.loadObject(ofClass: URL.self).relativeString == "ajax")
    await #expect(throws: NSError.self) { try await bare.text("public.url") }
  }

  @Test func theProgressOfALoadIsCancellable() {
    let provider = provider("public.png") { _ in nil }
    #expect(provider.loadDataRepresentation(forTypeIdentifier: "public.png") { _, _ in }.isCancellable)
  }

  @Test func decodesForeignTextEncodingsAndRejectsInvalidText() async throws {
    let utf16 = Data([0xFF, 0xFE, 0x48, 0x00, 0x69, 0x00])
    for (type, data, text) in [
      ("public.utf16-external-plain-text", utf16, "Hi"), ("public.plain-text", utf16, "Hi"),
      ("public.plain-text", Data("Hæ".utf8), "Hæ"),
    ] {
      #expect(try await provider(type, data).loadObject(ofClass: String.self) == text)
    }
    let broken = provider("public.utf8-plain-text", Data([0xC3, 0x28]))
    await #expect(throws: NSError.self) { try await broken.loadObject(ofClass: String.self) }
  }
}

/// The older interface, which loads objects or their bytes.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ItemTests {
  @Test func objectsArriveAsRegisteredAndConvertToBytes() async throws {
    let text = NSItemProvider(item: "Hail" as NSString, typeIdentifier: "public.plain-text")
    #expect(try await text.loadItem(forTypeIdentifier: "public.text") as? NSString == "Hail")
    #expect(try await text.text("public.text") == "Hail")
    let list = NSItemProvider(item: ["Ask", "Embla"] as NSArray, typeIdentifier: "org.example.names")
    #expect(try await list.loadItem(forTypeIdentifier: "org.example.names") as? NSArray == ["Ask", "Embla"])
    let bytes = try await list.loadDataRepresentation(forTypeIdentifier: "org.example.names")
    #expect(try PropertyListDecoder().decode([String].self, from: bytes) == ["Ask", "Embla"])
    #expect(NSItemProvider(item: nil, typeIdentifier: nil).registeredTypeIdentifiers.isEmpty)
  }

  @Test func fileURLConvertsToContentsUnlessURLRequested() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = try directory.write(Data("Hail".utf8), to: "greeting.txt")
    let contents = NSItemProvider(item: file as NSURL, typeIdentifier: "public.plain-text")
    #expect(try await contents.text("public.text") == "Hail")
    let address = NSItemProvider(item: file as NSURL, typeIdentifier: "public.file-url")
    #expect(try await address.text("public.url") == file.absoluteString)
  }

  @Test func handlerReceivesOptionsAndMissingItemFails() async throws {
    let provider = NSItemProvider()
    provider.registerItem(forTypeIdentifier: "org.example.size") { completion, _, options in
      completion?(options?["size"] as? NSNumber, nil)
    }
    let item = try await provider.loadItem(forTypeIdentifier: "org.example.size", options: ["size": NSNumber(value: 7)])
    #expect(item as? NSNumber == 7)
    await #expect(throws: NSError.self) { try await provider.loadItem(forTypeIdentifier: "org.example.size") }
    // The completion handler is optional.
    let ask = { provider.loadItem(forTypeIdentifier: "org.example.size") }
    ask()
  }

  @Test func previewUsesHandlerOrFirstImage() async throws {
    func preview(_ provider: NSItemProvider, size: Int? = nil) async throws -> Data? {
      let options = size.map { [NSItemProviderPreferredImageSizeKey: NSNumber(value: $0)] }
      return (try await provider.loadPreviewImage(options: options ?? [:]) as? NSData).map { Data(referencing: $0) }
    }
    await #expect(throws: NSError.self) { try await preview(NSItemProvider()) }
    let provider = provider("public.png", Data([1]))
    #expect(try await preview(provider) == Data([1]))
    provider.previewImageHandler = { completion, _, options in
      let size = options?[NSItemProviderPreferredImageSizeKey] as? NSNumber
      completion?(NSData(data: Data([2, size?.uint8Value ?? 0])), nil)
    }
    #expect(try await preview(provider, size: 9) == Data([2, 9]))
    #expect(try await provider.itemProvider.preview().data == Data([2, 0]))
    provider.previewImageHandler = nil
    #expect(try await preview(provider) == Data([1]))
  }
}
