// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Truncated and corrupt files, and files with a false index.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DropFileDamageTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Returns a small file with single-frame representations, chunks, an alias and a failure.
  private func bytes() async throws -> Data {
    let path = directory.file("whole.drop").path
    let options = DropStreamOptions.setting { $0.chunkLength = 8 }
    try await DropStream.withWriter(to: .file(path), options: options) { writer in
      let first = ItemProvider(named: "first", loading: .utf8PlainText) { _ in Data("Odysseus".utf8) }
      first.registerAlias(.text, of: .utf8PlainText)
      first.registerChunks(.data, Data("Hail and farewell".utf8))
      try await writer.write(first)
      let second = ItemProvider(loading: .png) { _ in throw TestFailure("none") }
      second.register(.json) { _ in Data("{}".utf8) }
      _ = try await writer.writeAvailable(second)
    }
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  /// Returns the contents of all items of a file by its index.
  ///
  /// An error is returned as text.
  private func everything(_ path: String) async throws -> [String] {
    let file = try await DropFile(path: path)
    var found: [String] = []
    for index in 0..<file.itemCount {
      let item = try await file.item(at: index)
      for type in item.contentTypes {
        do {
          found.append("\(type) \(String(decoding: try await item.data(for: type), as: UTF8.self))")
        } catch {
          found.append("\(type) \((error.underlyingError as? DropStreamError)?.senderFailure?.reason ?? "broken")")
        }
      }
    }
    return found
  }

  @Test func truncatedOrTooLongFileIsRejectedAndItsCompleteItemsAreRecovered() async throws {
    let whole = try await bytes()
    var saved: Set<Int> = []
    for length in [whole.count - 1] + Array(stride(from: 0, to: whole.count - 1, by: isFullRun ? 1 : 7)) {
      let cut = try directory.write(whole.prefix(length), to: "cut.drop").path
      let code = try await #require(throws: DropStreamError.self) { try await DropFile(path: cut) }.code
      #expect(code == (length == 0 ? .empty : .truncated), "\(length)")
      await #expect(throws: DropStreamError.self) { try await DropFile.verify(cut) }
      let new = directory.file("new\(length).drop")
      guard length > Preamble.length else { continue }
      let recovery = try await DropFile.recover(cut, to: new.path)
      #expect(recovery.error?.code == .truncated)
      #expect(try await DropFile.verify(new.path).itemCount == recovery.itemCount)
      saved.insert(recovery.itemCount)
    }
    #expect(saved == [0, 1, 2])
    let items = try await everything(directory.file("whole.drop").path)
    #expect(try await everything(directory.file("new\(whole.count - 1).drop").path) == items)
    #expect(items.count == 5)
    let long = try directory.write(whole + Data([0]), to: "long.drop").path
    try await requireDropError(.truncated) { try await DropFile(path: long) }
    try await requireDropError(.trailingBytes) { try await DropFile.verify(long) }
  }

  @Test func flippedBitIsDetectedAndNeverYieldsWrongBytes() async throws {
    let whole = try await bytes()
    let right = Set(try await everything(directory.file("whole.drop").path))
    for offset in stride(from: 0, to: whole.count, by: isFullRun ? 1 : 5) {
      // Changes one bit of every byte, and every bit of the headers.
      for bit in offset < 120 ? 0..<8 : offset % 8..<offset % 8 + 1 {
        var damaged = whole
        damaged[offset] ^= 1 << UInt8(bit)
        let path = try directory.write(damaged, to: "damaged.drop").path
        await #expect(throws: DropStreamError.self, "byte \(offset), bit \(bit)") { try await DropFile.verify(path) }
        guard let found = try? await everything(path) else { continue }
        for each in found where !each.hasSuffix("broken") { #expect(right.contains(each), "\(offset): \(each)") }
      }
    }
  }

  /// Returns a valid file with a changed index.
  ///
  /// `items` adds the items to the stream and to the index. `names` follow the page.
  private func file(
    _ items: (inout StreamBuilder, inout DropFileIndexer) -> Void, names: [UInt64]? = nil,
    changing change: (inout DropFileIndex.Page, inout DropFileIndex.Footer) -> Void = { _, _ in }
  ) -> Data {
    var stream = StreamBuilder()
    var indexer = DropFileIndexer()
    items(&stream, &indexer)
    var page = indexer.endItem(isLast: true, at: UInt64(stream.bytes.count)) ?? DropFileIndex.Page()
    var footer = indexer.end()
    change(&page, &footer)
    var payload: [UInt8] = []
    page.append(to: &payload)
    stream.frame(FrameType.indexPage.rawValue, payload: payload)
    if let names {
      payload = (names + [UInt64(stream.bytes.count)]).flatMap { [UInt8](littleEndian: $0) }
      stream.frame(FrameType.indexNames.rawValue, payload: payload)
    }
    payload = []
    footer.append(to: &payload, at: UInt64(stream.bytes.count))
    stream.frame(FrameType.indexFooter.rawValue, payload: payload)
    stream.end()
    return Data(stream.bytes)
  }

  private func twoItems(_ change: (inout DropFileIndex.Page, inout DropFileIndex.Footer) -> Void) -> Data {
    file(
      { stream, indexer in
        for number in UInt8(1)...2 {
          indexer.beginItem(at: UInt64(stream.bytes.count), named: nil)
          stream.offer()
          indexer.addRepresentation(at: UInt64(stream.bytes.count), byteCount: 3)
          stream.whole([number, number, number])
          stream.endOfItem()
        }
      }, changing: change)
  }

  /// Returns a file of one item, whose size in the index may be wrong.
  private func oneItem(byteCount: UInt64, _ content: (inout StreamBuilder) -> Void) -> Data {
    file { stream, indexer in
      indexer.beginItem(at: UInt64(stream.bytes.count), named: nil)
      stream.offer()
      indexer.addRepresentation(at: UInt64(stream.bytes.count), byteCount: byteCount)
      content(&stream)
      stream.endOfItem()
    }
  }

  @Test func verificationDetectsAnIndexThatDiffersFromTheItems() async throws {
    let honest = try directory.write(twoItems { _, _ in }, to: "honest.drop").path
    try await DropFile.verify(honest)
    let sound = Set(try await everything(honest) + ["public.data broken"])
    let lies: [(inout DropFileIndex.Page, inout DropFileIndex.Footer) -> Void] = [
      { page, _ in page.items.swapAt(0, 1) },
      { page, _ in page.items[1].offset = page.items[0].offset },
      { page, _ in page.items[1].firstRepresentation = 0 },
      { page, _ in page.items[1].firstRepresentation = 2 },
      { page, _ in page.representations[1] = page.representations[0] },
      { page, _ in page.representations[0].byteCount = 2 },
      { page, _ in page.representations[0].byteCount = .max - 1 },
      { page, _ in page.representations[0].byteCount = .max },
      { page, _ in page.representations[0].offset = 0 },
      { page, _ in page.representations[0].offset = .max },
      { page, _ in page.representations[0].offset += 1 },
      { page, _ in page.items.removeLast() },
      { page, _ in page.representations.removeLast() },
      { _, footer in footer.itemCount = 1 },
      { _, footer in footer.itemCount = .max },
      { _, footer in footer.pages[0].offset = 16 },
      { _, footer in footer.pages[0].offset = .max },
      { _, footer in footer.pages[0].itemsBefore = 1 },
      { _, footer in footer.pages.append(footer.pages[0]) },
      { _, footer in footer.pages = [] },
      { page, footer in (page, footer) = (DropFileIndex.Page(), DropFileIndex.Footer()) },
    ]
    for (number, lie) in lies.enumerated() {
      let path = try directory.write(twoItems(lie), to: "lie.drop").path
      await #expect(throws: DropStreamError.self, "lie \(number)") { try await DropFile.verify(path) }
      // A reader that does not verify the file gets correct bytes, or an error.
      for each in (try? await everything(path)) ?? [] { #expect(sound.contains(each), "lie \(number): \(each)") }
    }
  }

  @Test func verificationDetectsNamesThatDifferFromTheItems() async throws {
    let check = { (name: String) in UInt64(Array(name.utf8).crc32c) << 32 }
    let names = [check("b"), check("a") | 1].sorted()
    for (number, stated) in [
      names, nil, [], [names[0]], names.reversed(), names + names, [names[0], names[1] | 2], [check("a"), names[1]],
      [check("c"), names[1]].sorted(), names + [.max],
    ].enumerated() {
      let content = file(
        { stream, indexer in
          for name in ["b", "a"] {
            indexer.beginItem(at: UInt64(stream.bytes.count), named: name)
            stream.offer(name: name)
            indexer.addRepresentation(at: UInt64(stream.bytes.count), byteCount: 3)
            stream.whole([1, 2, 3])
            stream.endOfItem()
          }
        }, names: stated)
      let path = try directory.write(content, to: "names.drop").path
      let failure = await failureCode { try await DropFile.verify(path) }
      #expect(failure == (number < 2 ? nil : .damaged), "\(number)")
      // A reader that does not verify the file finds the right item, or none.
      let found = try? await DropFile(path: path).items(named: "a", limit: 2)
      #expect(number < 2 ? found == [1] : found == [1] || found == [] || found == nil, "\(number)")
    }
  }

  private func content(of file: Data) async throws -> Data {
    let path = try directory.write(file, to: "made.drop").path
    return try await DropFile(path: path).item(at: 0).data(for: .data)
  }

  @Test func randomAccessFollowsTheIndexAndTheFlagsOfFrames() async throws {
    // The index marks the content as failed.
    let failed = oneItem(byteCount: .max) { $0.whole(pattern(100_000)) }
    let error = try await #require(throws: ItemProviderError.self) { try await content(of: failed) }
    #expect((error.underlyingError as? DropStreamError)?.reason.contains("the index") == true)
    let flagged = oneItem(byteCount: 3) { $0.whole([1, 2, 3], flags: FrameFlags.whole.rawValue | 2) }
    await expectFailure(.unsupported) { try await content(of: flagged) }
    let skipped = oneItem(byteCount: 3) { stream in
      stream.chunk([1, 2])
      stream.frame(0x90, payload: [9, 9, 9])
      stream.chunk([3])
      stream.endOfRepresentation(3)
    }
    #expect(try await content(of: skipped) == Data([1, 2, 3]))
    try await DropFile.verify(directory.file("made.drop").path)
  }

  @Test func aliasOfARepeatedTypeSurvivesASecondWrite() async throws {
    let offer = StreamBuilder.fields(["org.example.x", "ORG.example.X"]) + StreamBuilder.alias("public.png", of: 1)
    let stream = StreamBuilder.stream { stream in
      stream.offer(offer)
      stream.whole([1])
      stream.whole([2])
      stream.counts.representations += 1
      stream.endOfItem(3)
    }
    let old = try directory.write(Data(stream), to: "old.drop").path
    let new = directory.file("new.drop").path
    try await DropFile.recover(old, to: new)
    try await DropFile(path: new).item(at: 0).expect(Data([2]), for: .png)
  }
}
