// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import CoreTransferable
import Foundation
import TestSupport
import Testing
import UniformTypeIdentifiers

@testable import AppleSources

/// The core of an app extension within this process, which gets items and returns results.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ExtensionTests {
  private func shared(_ attachments: NSItemProvider...) async throws -> String? {
    let item = NSExtensionItem()
    item.attachments = attachments
    let context = NSExtensionContext(inputItems: [item])
    ShareHandler().beginRequest(with: context)
    return (try await context.returnedItems.first as? NSExtensionItem)?.attributedContentText?.string
  }

  @Test func aShareHandlerReturnsWhatItsAttachmentsContain() async throws {
    let page = try #require(URL(string: "https://example.org/7")) as NSURL
    let address = NSItemProvider(item: page, typeIdentifier: "public.url")
    let note = NSItemProvider(item: "Ajax" as NSString, typeIdentifier: "public.plain-text")
    let texts = [
      try await shared(address),
      try await shared(NSItemProvider(item: "Hail" as NSString, typeIdentifier: "public.html")),
      try await shared(note, address),
    ]
    #expect(texts == ["https://example.org/7", "Hail", "https://example.org/7"])
  }

  @Test func onlyTheFirstOutcomeCounts() async throws {
    let picture = NSItemProvider(item: NSData(data: Data([1])), typeIdentifier: "public.png")
    let error = await #expect(throws: CocoaError.self) { try await shared(picture) }
    #expect(error?.code == .featureUnsupported && ShareHandler.filenameExtension(for: picture) == "png")

    let context = NSExtensionContext(inputItems: [])
    #expect(await context.completeRequest(returningItems: nil))
    context.cancelRequest(withError: CocoaError(.featureUnsupported))
    #expect(try await context.returnedItems.isEmpty)
    let hasExpired = await withCheckedContinuation { continuation in
      context.completeRequest(returningItems: nil) { continuation.resume(returning: $0) }
    }
    #expect(hasExpired)
  }

  @Test func theUserInfoOfAnItemHasItsProperties() throws {
    let item = NSExtensionItem()
    #expect(item.attachments == nil && item.userInfo?.isEmpty == true)
    item.attributedTitle = NSAttributedString(string: "Saga")
    item.userInfo?[NSExtensionItemAttributedContentTextKey] = NSAttributedString(string: "Hail")
    #expect(item.attributedContentText?.string == "Hail")
    let copy = try #require(item.copy() as? NSExtensionItem)
    item.attributedTitle = nil
    #expect(copy.attributedTitle?.string == "Saga" && item.userInfo?.count == 1)
  }

  @Test func anArchiveOfAnItemHasItsTextsAndPropertyLists() throws {
    let item = NSExtensionItem()
    item.attributedContentText = NSAttributedString(string: "Hail")
    item.attachments = [NSItemProvider(object: "Ajax" as NSString)]
    item.userInfo?["deeds"] = [1, 2]
    item.userInfo?["object"] = NSObject()
    let archive = try NSKeyedArchiver.archivedData(withRootObject: item, requiringSecureCoding: true)
    let other = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: NSExtensionItem.self, from: archive))
    #expect(other.attributedContentText?.string == "Hail" && other.userInfo?["deeds"] as? [Int] == [1, 2])
    #expect(other.userInfo?.count == 2)
  }
}
