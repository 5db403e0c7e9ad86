// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemProviderCompat
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

/// The older interface, which loads objects or their bytes.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ItemTests {
  @Test func objectsArriveAsRegisteredAndConvertToBytes() async throws {
    let text = NSItemProvider(item: "Hail" as NSString, typeIdentifier: "public.plain-text")
    #expect(try await text.loadItem(forTypeIdentifier: "public.text") as? NSString == "Hail")
    #expect(try await text.loadDataRepresentation(forTypeIdentifier: "public.text") == Data("Hail".utf8))

    let list = NSItemProvider(item: ["Ask", "Embla"] as NSArray, typeIdentifier: "org.example.names")
    #expect(try await list.loadItem(forTypeIdentifier: "org.example.names") as? NSArray == ["Ask", "Embla"])
    let archive = try await list.loadDataRepresentation(forTypeIdentifier: "org.example.names")
    let names = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, NSString.self], from: archive)
    #expect(names as? NSArray == ["Ask", "Embla"])
    #expect(NSItemProvider(item: nil, typeIdentifier: nil).registeredTypeIdentifiers.isEmpty)
  }

  @Test func bytesBecomeURLTextOrDataByType() async throws {
    let provider = NSItemProvider()
    for (type, bytes) in [("public.url", "https://example.org"), ("public.plain-text", "Hail"), ("public.png", "x")] {
      provider.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
        completion(Data(bytes.utf8), nil)
        return nil
      }
    }
    #expect(
      try await provider.loadItem(forTypeIdentifier: "public.url") as? NSURL == NSURL(string: "https://example.org"))
    #expect(try await provider.loadItem(forTypeIdentifier: "public.plain-text") as? NSString == "Hail")
    #expect(try await provider.loadItem(forTypeIdentifier: "public.image") as? NSData == NSData(data: Data("x".utf8)))
  }

  @Test func fileURLConvertsToContentsUnlessURLRequested() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = try directory.write(Data("Hail".utf8), to: "greeting.txt")
    let contents = NSItemProvider(item: file as NSURL, typeIdentifier: "public.plain-text")
    #expect(try await contents.loadDataRepresentation(forTypeIdentifier: "public.text") == Data("Hail".utf8))
    let address = NSItemProvider(item: file as NSURL, typeIdentifier: "public.file-url")
    let bytes = try await address.loadDataRepresentation(forTypeIdentifier: "public.url")
    #expect(String(decoding: bytes, as: UTF8.self) == file.absoluteString)
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
    let provider = NSItemProvider()
    await #expect(throws: NSError.self) { try await provider.loadPreviewImage() }
    provider.registerDataRepresentation(for: .png) { completion in
      completion(Data([1]), nil)
      return nil
    }
    #expect(try await provider.loadPreviewImage() as? NSData == NSData(data: Data([1])))
    provider.previewImageHandler = { completion, _, options in
      let size = options?[NSItemProviderPreferredImageSizeKey] as? NSNumber
      completion?(NSData(data: Data([2, size?.uint8Value ?? 0])), nil)
    }
    let picture = try await provider.loadPreviewImage(options: [NSItemProviderPreferredImageSizeKey: NSNumber(value: 9)]
    )
    #expect(picture as? NSData == NSData(data: Data([2, 9])))
    #expect(try await provider.itemProvider.preview().data == Data([2, 0]))
    provider.previewImageHandler = nil
    #expect(try await provider.loadPreviewImage() as? NSData == NSData(data: Data([1])))
  }
}
