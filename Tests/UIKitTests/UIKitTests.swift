// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import Glibc
import TestSupport
import Testing

@testable import AppleSources
@testable import UIKit

/// Drags without views, and images that are not drawn.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct UIKitTests {
  /// The beginning of a JPEG picture of 258 × 513 pixels, with an application segment and fill bytes before the frame
  /// header.
  private static let jpeg = Data(
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xFF, 0xFF, 0xC2, 0, 11, 8, 2, 1, 1, 2, 1, 0, 0, 0])
  private static let png = Data(
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + [0, 0, 0, 4, 0, 0, 0, 2])

  @Test func picturesReportTheSizeOfTheirHeader() {
    // A slice does not start at index 0.
    let slice = (Data([0]) + Self.png).dropFirst()
    let images = [UIImage(data: Self.jpeg), UIImage(data: Self.png, scale: 2), UIImage(data: slice)]
    let sizes = [(258, 513), (2, 1), (4, 2)].map { CGSize(width: $0, height: $1) }
    #expect(images.map { $0?.size } == sizes)
  }

  @Test func truncatedAndEmptyPicturesAreRefused() {
    for picture in [Self.png, Self.jpeg.prefix(19)] {
      let counts = (0...picture.count).filter { UIImage(data: picture.prefix($0)) != nil }
      #expect(counts == [picture.count])
    }
    #expect(UIImage(data: Self.png, scale: 0) == nil)
    var empty = Self.png
    empty[19] = 0
    // The second picture has a segment shorter than its own length field. The third has a scan before the frame header.
    for picture in [
      empty, Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0xFF, 0xC0, 0, 11, 8, 2, 1, 1, 2]),
      Data([0xFF, 0xD8, 0xFF, 0xDA, 0, 2, 0xFF, 0xC0, 0, 11, 8, 2, 1, 1, 2]),
    ] {
      #expect(UIImage(data: picture) == nil)
    }
  }

  @Test func namedPicturesAreFilesOfTheResources() throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let heroes = directory.url.appendingPathComponent("heroes")
    try FileManager.default.createDirectory(at: heroes, withIntermediateDirectories: false)
    for name in ["ajax.png", "ajax@2x.png", "argo.jpeg", "circe@2x.png", "heroes/dido@3x.png", "medea"] {
      try directory.write(name.hasSuffix("jpeg") ? Self.jpeg : Self.png, to: name)
    }
    try directory.write(Data("Hail".utf8), to: "troy.png")
    let scales: [(String, CGFloat?)] = [
      ("ajax", 1), ("ajax.png", 1), ("ajax@2x", 1), ("argo", 1), ("argo.png", nil), ("circe", 2), ("circe.png", 2),
      ("heroes/dido", 3), ("medea", 1), ("heroes", nil), ("troy", nil), ("heroes/../ajax", nil), ("", nil), ("/", nil),
    ]
    for (name, scale) in scales {
      #expect(UIImage(named: name, in: directory.url)?.scale == scale, "\(name)")
    }
  }

  @Test func anImageWithoutAPictureHasNoData() async {
    let image = UIImage()
    #expect(image.size == .zero && image.scale == 1 && image == UIImage() && image != UIImage(data: Self.png))
    #expect(image.pngData() == nil && image.jpegData(compressionQuality: 1) == nil)
    #expect(NSItemProvider(object: image).registeredTypeIdentifiers == [])
    let error = await withCheckedContinuation { continuation in
      _ = image.loadData(withTypeIdentifier: "public.png") { continuation.resume(returning: $1 as? CocoaError) }
    }
    #expect(error?.code == .featureUnsupported)
  }

  @Test func positionsAreTheSectionAndTheRow() async {
    var path = IndexPath(row: 7, section: 2)
    #expect(path == [2, 7] && path == IndexPath(item: 7, section: 2))
    path.row = 8
    path.section -= 1
    #expect(path.item == 8 && path == [1, 8])
    await #expect(processExitsWith: .failure) { _ = (IndexPath(index: 1) as IndexPath).row }
  }

  @Test @MainActor func picturesAndRichTextOfAnotherProcessAreDropped() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.file("pipe").path
    #expect(mkfifo(path, 0o600) == 0)
    async let received = DropStream.withReader(from: .file(path)) { items in
      var providers: [NSItemProvider] = []
      for try await item in items { providers.append(NSItemProvider(item)) }
      return providers
    }
    await #expect(processExitsWith: .success) { [path = path as String] in
      let image = try #require(UIImage(data: UIKitTests.jpeg))
      let title = NSAttributedString(string: "Slay the hydra")
      try await DropStream.withWriter(to: .descriptor(open(path, O_WRONLY))) { writer in
        for object in [image, title] as [any NSItemProviderWriting] {
          try await writer.write(NSItemProvider(object: object).itemProvider)
        }
      }
    }
    let session = ItemDropSession(itemProviders: try await received)
    let board = CardDragging(cards: [])
    #expect(board.canHandle(session) && board.proposal(for: session).operation == .copy)
    await withCheckedContinuation { continuation in board.performDrop(session) { continuation.resume() } }
    #expect(board.pictures.map { $0.jpegData(compressionQuality: 1) } == [Self.jpeg])
    #expect(board.cards.map(\.title) == ["Slay the hydra"] && session.progress.isFinished)
    let titles = await objects(in: session, NSAttributedString.self)
    #expect(titles.map { ($0.value as? NSAttributedString)?.string } == ["Slay the hydra"])
  }

  @Test @MainActor func aDragWithinTheProcessKeepsItsObjects() throws {
    let card = SagaCard(id: UUID(), title: "Slay the hydra", notes: "Bring fire.")
    let board = CardDragging(cards: [card])
    let begun = ItemDragSession(items: [])
    let items = board.itemsForBeginning(begun, at: 0)
    #expect(begun.localContext as AnyObject === board && items.first?.localObject as? SagaCard == card)
    #expect(board.itemsForBeginning(begun, at: 1).isEmpty)
    let drop = ItemDropSession(localDragSession: ItemDragSession(items: items))
    #expect(board.canHandle(drop) && board.proposal(for: drop).operation == .move)
  }

  @Test func aFileThatImportsSwiftUIHasTransferable() async throws {
    let quote = SagaQuote(words: "Know thyself", speaker: "Chilon")
    let loaded = try await SagaQuote(importing: try await quote.exported(as: .json), contentType: .json)
    #expect(loaded == quote)
  }

  private struct Loaded: @unchecked Sendable {
    let value: any NSItemProviderReading
  }

  @MainActor private func objects(
    in session: ItemDropSession, _ aClass: any NSItemProviderReading.Type
  ) async -> [Loaded] {
    await withCheckedContinuation { continuation in
      session.loadObjects(ofClass: aClass) { continuation.resume(returning: $0.map(Loaded.init)) }
    }
  }

  @Test func aDropLeavesOutObjectsThatFailAndKeepsTheOrder() async {
    let broken = NSItemProvider()
    broken.registerDataRepresentation(forTypeIdentifier: "public.utf8-plain-text", visibility: .all) {
      $0(nil, CocoaError(.fileNoSuchFile))
      return nil
    }
    let providers = [NSItemProvider(object: "Hail" as NSString), broken, NSItemProvider(object: "Ajax" as NSString)]
    let session = await ItemDropSession(itemProviders: providers)
    let texts = await objects(in: session, NSString.self)
    #expect(texts.map { ($0.value as? NSString).map { "\($0)" } } == ["Hail", "Ajax"])
    let isForeign = await MainActor.run { session.localDragSession == nil && !session.allowsMoveOperation }
    #expect(await session.progress.isFinished && isForeign)
    let none = await objects(in: ItemDropSession(itemProviders: []), NSString.self)
    #expect(none.isEmpty)
  }

  @Test func wrongBytesAreNotAPicture() async {
    let provider = NSItemProvider()
    provider.registerDataRepresentation(forTypeIdentifier: "public.png", visibility: .all) {
      $0(Data("Hail".utf8), nil)
      return nil
    }
    let code = await withCheckedContinuation { continuation in
      provider.loadObject(ofClass: UIImage.self) { continuation.resume(returning: ($1 as? NSError)?.code) }
    }
    #expect(code == NSItemProvider.ErrorCode.unexpectedValueClassError.rawValue)
  }
}
