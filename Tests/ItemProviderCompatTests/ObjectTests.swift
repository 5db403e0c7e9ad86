// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemProviderCompat
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

/// Objects of classes that encode and decode themselves, and Swift types that bridge to classes.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ObjectTests {
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
    #expect(provider.canLoadObject(ofClass: Rune.self))
    #expect(!provider.canLoadObject(ofClass: NSURL.self))
    #expect(try await provider.loadObject(ofClass: Rune.self).sign == 7)
  }

  @Test func unreadableAndMissingTypesReportDifferentErrors() async throws {
    let provider = NSItemProvider()
    provider.registerDataRepresentation(forTypeIdentifier: "org.example.rune", visibility: .all) { completion in
      completion(Data([99]), nil)
      return nil
    }
    do {
      _ = try await provider.loadObject(ofClass: Rune.self)
      Issue.record("99 is no rune")
    } catch let error as NSError {
      #expect(error.domain == NSItemProvider.errorDomain)
      #expect(error.code == NSItemProvider.ErrorCode.unexpectedValueClassError.rawValue)
      #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == CocoaError.fileReadCorruptFile.rawValue)
    }
    do {
      _ = try await provider.loadObject(ofClass: NSString.self)
      Issue.record("a rune is no text")
    } catch let error as NSError {
      #expect(error.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
    }
  }

  @Test func createsObjectOnceForEachLoad() async throws {
    let provider = NSItemProvider()
    let made = Counter()
    provider.registerObject(ofClass: Rune.self, visibility: .all) { completion in
      completion(Rune(sign: UInt8(made.next())), nil)
      return nil
    }
    #expect(made.value == 0)
    #expect(try await provider.loadObject(ofClass: Rune.self).sign == 1)
    #expect(try await provider.loadObject(ofClass: Rune.self).sign == 2)
  }

  /// An object whose initializer waits for another load to end.
  private final class Patient: NSObject, NSItemProviderReading {
    static let readableTypeIdentifiersForItemProvider = ["public.data"]

    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self {
      let done = DispatchSemaphore(value: 0)
      NSItemProvider(object: "Hail" as NSString).loadDataRepresentation(forTypeIdentifier: "public.text") { _, _ in
        done.signal()
      }
      done.wait()
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
    #expect(try await eventually { made.value == 32 })
  }

  @Test func stringsAndURLsBridgeToTheirClasses() async throws {
    let text = NSItemProvider(object: "Háv" as NSString)
    #expect(text.canLoadObject(ofClass: String.self))
    #expect(!text.canLoadObject(ofClass: URL.self))
    #expect(try await text.loadObject(ofClass: String.self) == "Háv")
    #expect(try await text.loadObject(ofClass: NSString.self) == "Háv" as NSString)

    let address = try #require(URL(string: "https://example.org/saga"))
    let link = NSItemProvider(object: address as NSURL)
    #expect(link.registeredTypeIdentifiers == ["public.url"])
    #expect(try await link.loadObject(ofClass: URL.self) == address)
    let file = NSItemProvider(object: NSURL(fileURLWithPath: "/saga.txt"))
    #expect(file.registeredTypeIdentifiers == ["public.file-url", "public.url"])
    #expect(try await file.loadObject(ofClass: URL.self).path == "/saga.txt")

    let bytes = NSItemProvider(object: NSData(data: Data([7])))
    #expect(bytes.registeredTypeIdentifiers == ["public.data"])
    #expect(try await bytes.loadObject(ofClass: Data.self) == Data([7]))
    #expect(try await bytes.loadObject(ofClass: NSMutableData.self) == NSMutableData(data: Data([7])))

    let promised = NSItemProvider()
    promised.registerObject(ofClass: String.self, visibility: .all) { completion in
      completion("later", nil)
      return nil
    }
    #expect(try await promised.loadObject(ofClass: String.self) == "later")
  }

  @Test func decodesForeignTextEncodingsAndRejectsInvalidText() async throws {
    let utf16 = Data([0xFF, 0xFE, 0x48, 0x00, 0x69, 0x00])
    for (type, data, text) in [
      ("public.utf16-external-plain-text", utf16, "Hi"), ("public.plain-text", utf16, "Hi"),
      ("public.plain-text", Data("Hæ".utf8), "Hæ"),
    ] {
      let provider = NSItemProvider()
      provider.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
        completion(data, nil)
        return nil
      }
      #expect(try await provider.loadObject(ofClass: String.self) == text)
    }
    let broken = NSItemProvider()
    broken.registerDataRepresentation(for: .utf8PlainText) { completion in
      completion(Data([0xC3, 0x28]), nil)
      return nil
    }
    await #expect(throws: NSError.self) { try await broken.loadObject(ofClass: String.self) }
  }

  @Test func registersAndLoadsTransferableValue() async throws {
    let provider = NSItemProvider()
    provider.register("Hail")
    #expect(provider.registeredContentTypes == [.utf8PlainText])
    let text: Result<String, any Error> = await withCheckedContinuation { continuation in
      _ = provider.loadTransferable(type: String.self) { continuation.resume(returning: $0) }
    }
    #expect(try text.get() == "Hail")
    let number: Result<URL, any Error> = await withCheckedContinuation { continuation in
      _ = provider.loadTransferable(type: URL.self) { continuation.resume(returning: $0) }
    }
    #expect(throws: NSError.self) { try number.get() }
  }
}
