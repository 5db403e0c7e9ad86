// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreTransferable
import DropTransport
import Foundation
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import AppleSources

/// The core of an app extension within this process, which gets items and returns results.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ExtensionTests {
  private func shared(_ attachments: NSItemProvider...) async throws -> String? {
    let item = NSExtensionItem()
    item.attachments = attachments
    let context = NSExtensionContext(inputItems: [item])
    ShareHandler().beginRequest(with: context)
    return (try await context.returnedItems.first as? NSExtensionItem)?.attributedContentText?.string
  }

  @Test func aShareHandlerReturnsWhatItsAttachmentsContain() async throws {
    let address = try #require(URL(string: "https://example.org/7"))
    #expect(try await shared(NSItemProvider(object: address as NSURL)) == "https://example.org/7")
    #expect(try await shared(NSItemProvider(object: "Hail" as NSString)) == "Hail")
    let note = NSItemProvider(item: "Ajax" as NSString, typeIdentifier: "public.plain-text")
    #expect(try await shared(note, NSItemProvider(object: address as NSURL)) == "https://example.org/7")
  }

  @Test func aShareHandlerTakesItemsOfAnotherStream() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let drop = DropEndpoint.file(directory.file("shared.drop").path)
    try await DropStream.withWriter(to: drop) {
      try await $0.write(NSItemProvider(object: "Hail" as NSString).itemProvider)
    }
    let text = try await DropStream.withReader(from: drop) { items in
      var text: String?
      for try await item in items { text = try await shared(NSItemProvider(item)) }
      return text
    }
    #expect(text == "Hail")
  }

  @Test func aCancelledRequestThrowsItsError() async throws {
    let picture = NSItemProvider(item: NSData(data: Data([1])), typeIdentifier: "public.png")
    let error = await #expect(throws: CocoaError.self) { try await shared(picture) }
    #expect(error?.code == .featureUnsupported)
    #expect(ShareHandler.filenameExtension(for: picture) == "png")
  }

  @Test func onlyTheFirstOutcomeCounts() async throws {
    let context = NSExtensionContext(inputItems: [])
    #expect(await context.completeRequest(returningItems: nil))
    context.cancelRequest(withError: CocoaError(.featureUnsupported))
    #expect(try await context.returnedItems.isEmpty)
    let hasExpired = await withCheckedContinuation { continuation in
      context.completeRequest(returningItems: nil) { continuation.resume(returning: $0) }
    }
    #expect(hasExpired)
    let hasOpened = await withCheckedContinuation { continuation in
      context.open(URL(fileURLWithPath: "/saga")) { continuation.resume(returning: $0) }
    }
    #expect(!hasOpened)
  }

  @Test func theUserInfoOfAnItemHasItsProperties() throws {
    let item = NSExtensionItem()
    #expect(item.attachments == nil && item.userInfo?.isEmpty == true)
    item.attributedTitle = NSAttributedString(string: "Saga")
    item.userInfo?[NSExtensionItemAttributedContentTextKey] = NSAttributedString(string: "Hail")
    #expect(item.attributedContentText?.string == "Hail")
    let copy = try #require(item.copy() as? NSExtensionItem)
    item.attributedTitle = nil
    #expect(copy.attributedTitle?.string == "Saga")
    #expect(item.userInfo?.count == 1)
  }
}
