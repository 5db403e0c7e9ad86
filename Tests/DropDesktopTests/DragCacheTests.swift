// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// The representations and types of a drag, without a display.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DragCacheTests {
  private func cached(_ item: ItemProvider, limit: Int = 64 << 20) -> (DragCache, ItemProvider) {
    let cache = DragCache(maximumBytes: limit)
    return (cache, cache.caching(item, at: 0))
  }

  @Test(arguments: [0, 1, 1 << 20, 1 << 20 + 1, 5_000_000]) func representationIsCreatedOnce(count: Int) async throws {
    let created = Collector<Int>()
    let (cache, item) = cached(DragItems.picture(count, created: created))
    let expected = DragItems.bytes(count)
    try await withThrowingTaskGroup(of: Data.self) { group in
      for _ in 0..<8 { group.addTask { try await item.data(for: .png) } }
      for try await data in group {
        let isEqual = data == expected
        #expect(isEqual)
      }
    }
    #expect(created.values == [count])
    cache.removeAll()
    _ = try await item.data(for: .png)
    #expect(created.values.count == 2)
  }

  @Test func streamsAndAliasesAreCreatedOnce() async throws {
    let created = Collector<Int>()
    let source = ItemProvider()
    source.registerStream(.png) { _ in
      created.add(1)
      return AsyncStream<Data> { continuation in
        for index in 0..<300 { continuation.yield(Data(repeating: UInt8(truncatingIfNeeded: index), count: 10_000)) }
        continuation.finish()
      }
    }
    source.registerAlias(.image, of: .png)
    let (cache, item) = cached(source)
    for type in [UTType.png, .image, .png] {
      let data = try await item.data(for: type)
      #expect(data.count == 3_000_000 && data.last == UInt8(truncatingIfNeeded: 299))
    }
    #expect(created.values == [1])
    withExtendedLifetime(cache) {}
  }

  @Test func failureIsNotStored() async throws {
    struct Failure: Error {}
    let attempts = Collector<Int>()
    let source = ItemProvider()
    source.register(.png) { _ in
      attempts.add(1)
      if attempts.values.count == 1 { throw Failure() }
      return Data([1])
    }
    let (cache, item) = cached(source)
    await #expect(throws: (any Error).self) { try await item.data(for: .png) }
    #expect(try await item.data(for: .png) == Data([1]))
    withExtendedLifetime(cache) {}
  }

  @Test func leavingCancelsLoadsThatRun() async throws {
    let started = Gate()
    let attempts = Collector<Int>()
    let source = ItemProvider()
    source.register(.png) { _ in
      attempts.add(1)
      guard attempts.values.count == 1 else { return Data([7]) }
      started.open()
      try await Task.sleep(for: .seconds(600))
      return Data()
    }
    let (cache, item) = cached(source)
    let first = Task { try await item.data(for: .png) }
    await started.wait()
    cache.cancelLoads()
    await #expect(throws: (any Error).self) { try await first.value }
    #expect(try await item.data(for: .png) == Data([7]))
    // A representation that is completely loaded stays in the cache.
    cache.cancelLoads()
    #expect(try await item.data(for: .png) == Data([7]))
    #expect(attempts.values.count == 2)
  }

  @Test func lengthIsLimited() async throws {
    let (cache, item) = cached(DragItems.picture(3_000_000), limit: 2_000_000)
    await #expect { try await item.data(for: .png) } throws: { "\($0)".contains("2000000") }
    withExtendedLifetime(cache) {}
  }

  @Test func temporaryFileIsRemoved() async throws {
    let (cache, item) = cached(DragItems.picture(3_000_000))
    let path = Collector<String>()
    for representation in item.representations {
      if case .file(let sent) = try await representation.content(progress: ItemProgress()) { path.add(sent.file.path) }
    }
    #expect(path.values.map { FileManager.default.fileExists(atPath: $0) } == [true])
    cache.removeAll()
    // The task of the load may release its result a little later.
    try await wait(for: "the removal of the file") {
      path.values.allSatisfy { !FileManager.default.fileExists(atPath: $0) }
    }
  }

  @Test func offeredTypesFollowTheDeliveryOfFiles() {
    let named = DragItems.picture(1, name: "map.png")
    let types = [
      "XdndDirectSave0", "application/octet-stream", "text/uri-list", "x-special/gnome-copied-files",
    ]
    for (delivery, item, areOffered) in [
      (.all, named, [true, true, true, false]), (.addresses, named, [false, false, true, false]),
      (.directSave, named, [true, true, false, false]), (.all, DragItems.picture(1), [false, false, false, false]),
    ] as [(DesktopDrag.PromisedFileDelivery, ItemProvider, [Bool])] {
      let targets = DragContent([item], files: delivery, limit: 1 << 20).targets
      #expect(types.map(targets.contains) == areOffered, "\(delivery)")
    }
  }

  @Test func promisedFilesAreCreatedAgainAfterAFailure() async throws {
    let attempts = Collector<Int>()
    let bad = ItemProvider(suggestedName: "b.txt")
    bad.register(.utf8PlainText) { _ in
      attempts.add(1)
      if attempts.values.count == 1 { throw CancellationError() }
      return Data("b".utf8)
    }
    let files = PromisedFiles([DragItems.text("a", name: "a.txt"), bad])
    await #expect(throws: (any Error).self) { try await files.addresses() }
    let paths = try await files.addresses().entries.map { try URIList.file($0).path }
    #expect(paths.count == 2)
    // File managers copy the permissions with the content, so they are those of any new file.
    let directory = try TemporaryDirectory()
    let new = try directory.write(Data(), to: "new").path
    let permissions = try (paths + [new]).map { path in
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(Set(permissions).count == 1)
    await files.remove()
    #expect(paths.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
  }

  @Test func iconsHaveASaneSize() {
    for (width, height, pixels, isValid) in [(0, 1, [], false), (2, 2, [1, 2, 3], false), (1, 1, [0xFFFF_FFFF], true)]
      as [(Int, Int, [UInt32], Bool)]
    {
      #expect((DesktopDrag.Icon(width: width, height: height, pixels: pixels) != nil) == isValid)
    }
  }

  @Test func theShapeOfAnIconIsTheOpaquePart() throws {
    let pixels: [UInt32] = [
      0, 0xFFFF_FFFF, 0xFFFF_FFFF, 0,
      0x8040_4040, 0xFFFF_FFFF, 0xFFFF_FFFF, 0x7F00_0000,
      0x8040_4040, 0xFFFF_FFFF, 0xFFFF_FFFF, 0x7F00_0000,
      0xFFFF_FFFF, 0, 0, 0xFFFF_FFFF,
    ]
    let icon = try #require(DesktopDrag.Icon(width: 4, height: 4, pixels: pixels))
    #expect(
      icon.visibleRectangles == [
        X11Rectangle(x: 1, y: 0, width: 2, height: 1), X11Rectangle(x: 0, y: 1, width: 3, height: 2),
        X11Rectangle(x: 0, y: 3, width: 1, height: 1), X11Rectangle(x: 3, y: 3, width: 1, height: 1),
      ])
  }
}
