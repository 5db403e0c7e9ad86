// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Representations that are too long to keep in memory.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SpooledItemTests {
  private let options = DropStreamOptions.setting { $0.limits.bytesInMemory = 1000 }

  /// Returns the path of an item's first representation, if it is a file.
  private func file(of provider: ItemProvider) async throws -> URL? {
    guard case .file(let sent) = try await provider.representations.first?.content(progress: ItemProgress())
    else { return nil }
    return sent.file
  }

  private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  private func items(of bytes: [UInt8]) async throws -> [ItemProvider] {
    try await DropStream.withReader(from: .descriptor(try pipe(holding: bytes)), options: options) {
      try await $0.collect()
    }
  }

  @Test(arguments: [1, 400, 5000]) func contentBeyondTheMemoryLimitBecomesAPrivateFile(_ chunkLength: Int) async throws
  {
    let counts = [0, 999, 1000, 1001, 6000]
    let bytes = StreamBuilder.stream {
      for count in counts { $0.add(ReceivedItem(nil, ["public.data": pattern(count)]), chunkLength: chunkLength) }
    }
    let items = try await items(of: bytes)
    #expect(items.count == counts.count)
    for (item, count) in zip(items, counts) {
      let file = try await file(of: item)
      #expect((file != nil) == (count > 1000), "\(count)")
      if let file {
        let status = try SystemCalls.statusAt(DropEndpoint.currentDirectory, file.path)
        #expect(status.permissions == 0o600 && status.size == Int64(count))
        // The file needs no descriptor while it waits.
        try expectOpenDescriptors(to: file.path, 0)
      }
      try await item.expect(Data(pattern(count)))
      #expect(item.representations.first?.size.promised == Int64(count))
    }
  }

  @Test func fileExistsAsLongAsItsProvider() async throws {
    var kept: ItemProvider? = try await items(of: StreamBuilder.stream { $0.item(pattern(5000)) }).first
    let item = try await file(of: try #require(kept))
    let url = try #require(item)
    for _ in 0..<2 {
      #expect(exists(url))
      #expect(try await kept?.data(for: .data) == Data(pattern(5000)))
    }
    kept = nil
    try await wait(for: "the removal of the file") { !exists(url) }
  }

  @Test func releasedProviderRemovesItsFileDuringTheStream() async throws {
    var builder = StreamBuilder()
    builder.item(pattern(3000))
    builder.item(pattern(2000))
    let pair = try DescriptorPair.pipe()
    try pair.send(builder.bytes)
    let options = options
    let seen = Collector<URL>()
    let task = Task {
      try await DropStream.withReader(from: pair.reader, options: options) { reader in
        for try await item in reader { seen.add(try #require(try await file(of: item))) }
      }
    }
    try await wait(for: "two files and their removal") {
      seen.values.count == 2 && seen.values.allSatisfy { !exists($0) }
    }
    task.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    try SystemCalls.close(pair.write)
  }

  @Test(arguments: [false, true]) func truncatedOrCancelledStreamLeavesNoFile(_ isCancelled: Bool) async throws {
    var builder = StreamBuilder()
    builder.offer(["a", "b"])
    builder.whole(pattern(2000))
    builder.chunk(pattern(3000))
    let pair = try DescriptorPair.pipe()
    try pair.send(builder.bytes)
    let options = options
    let task = Task { try await outcome(from: pair.reader, options: options) }
    try await pair.waitUntilRead()
    if isCancelled { task.cancel() } else { try SystemCalls.close(pair.write) }
    try requireFailure(isCancelled ? .cancelled : .truncated, try await task.value)
    if isCancelled { try SystemCalls.close(pair.write) }
    // Files of parallel tests disappear after a moment.
    try await wait(for: "the removal of all temporary files") { try openSpoolFiles().isEmpty }
  }

  /// Returns the temporary files that this process has open.
  private func openSpoolFiles() throws -> [String] {
    let temporary = FileManager.default.temporaryDirectory.path
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      return target?.hasPrefix(temporary + "/dragpipe-") == true && target?.contains("tests") == false ? target : nil
    }
  }

  @Test func spooledItemCanBeLoadedAsAFileAndForwarded() async throws {
    let items = try await items(of: StreamBuilder.stream { $0.item(pattern(5000), name: "name.bin") })
    let item = try #require(items.first)
    try await item.withFile(for: .data) { url in
      #expect(url.lastPathComponent == "name.bin")
      let content = try Data(contentsOf: url)
      #expect(content == Data(pattern(5000)))
    }
    let (written, received) = try await Carrier.pipe.carry { try await $0.write(item) }
    try written.get()
    expectItems([ReceivedItem("name.bin", ["public.data": pattern(5000)])], received)
  }
}

/// Items with a representation that fails, and items whose representations share their bytes.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct PartialItemTests {
  private static func item(_ name: String) -> ItemProvider {
    let item = ItemProvider(named: name, loading: .png) { _ in throw TestFailure("no picture") }
    item.register(.utf8PlainText) { _ in Data(name.utf8) }
    item.registerStream(.pdf) { _ in
      AsyncThrowingStream { continuation in
        continuation.yield(Data([1, 2, 3]))
        continuation.finish(throwing: TestFailure("torn"))
      }
    }
    return item
  }

  @Test(arguments: [0, 70_000]) func inspectorReportsMissingRepresentationsAndAliases(length: Int) async throws {
    let pair = try DescriptorPair.pipe()
    async let written = writing(to: pair.writer) { writer in
      let item = Self.item("x")
      item.register(.json) { _ in Data(pattern(length)) }
      item.registerAlias(.data, of: .json)
      item.registerAlias(.jpeg, of: .png)
      _ = try await writer.writeAvailable(item)
    }
    let found = try await DropStream.withInspector(from: pair.reader) {
      try await $0.reduce(into: []) { $0.append($1) }
    }
    try await written.get()
    let representations = try #require(found.first).representations
    #expect(representations.map { $0.failure != nil } == [true, false, true, false, false, true])
    #expect(representations.map(\.isAlias) == [false, false, false, false, true, true])
    #expect(representations[4].byteCount == UInt64(length) && representations[4].crc32c == representations[3].crc32c)
  }

  @Test(arguments: [5, 100_000, 2 << 20]) func aliasTakesNoBytesAndItsContentIsCreatedOnce(length: Int) async throws {
    let calls = Collector<Void>()
    let item = ItemProvider()
    item.register(.json, size: .exact(Int64(length))) { _ in
      calls.add(())
      return Data(pattern(length))
    }
    #expect(item.registerAlias(.utf8PlainText, of: .json) && item.registerAlias(.text, of: .utf8PlainText))
    #expect(!item.registerAlias(.json, of: .utf8PlainText) && !item.registerAlias(.png, of: .pdf))
    let bytes = try await writtenBytes { try await $0.write(item) }
    #expect(calls.values.count == 1 && bytes.count < length + length / 60_000 * 64 + 600)
    let content = pattern(length)
    let expected =
      ["public.json": content, "public.utf8-plain-text": content, "public.text": content]
      as KeyValuePairs<String, [UInt8]>
    try await expectItems([ReceivedItem(nil, expected)], pipeOutcome(of: bytes))
  }
}
