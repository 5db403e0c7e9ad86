// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Items with a representation that fails, and items whose representations share their bytes.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct PartialItemTests {
  private static func item(_ name: String) -> ItemProvider {
    let item = ItemProvider(suggestedName: name)
    item.register(.png) { _ in throw TestFailure("no picture") }
    item.register(.utf8PlainText) { _ in Data(name.utf8) }
    item.registerStream(.pdf) { _ in
      AsyncThrowingStream { continuation in
        continuation.yield(Data([1, 2, 3]))
        continuation.finish(throwing: TestFailure("torn"))
      }
    }
    return item
  }

  /// Reads the bytes that `write` writes to a pipe.
  private func reading<Value: Sendable>(
    _ write: @escaping @Sendable (DropStreamWriter) async throws -> Void,
    _ read: (DropStreamReader) async throws -> Value
  ) async throws -> Value {
    let pair = try DescriptorPair.pipe()
    async let written = writing(to: pair.writer, DropStreamOptions(), write)
    let value = try await DropStream.withReader(from: pair.reader) { try await read($0) }
    try await written.get()
    return value
  }

  @Test("a failed representation has the source's reason, and the rest of the stream is complete")
  func failedRepresentationDoesNotAffectTheRestOfTheStream() async throws {
    let items = try await reading { writer in
      for name in ["a", "b"] {
        let failures = try await writer.writeAvailable(Self.item(name))
        #expect(failures.map(\.code) == [.representationFailed, .representationFailed])
      }
    } _: { reader in
      var items: [ItemProvider] = []
      for try await item in reader { items.append(item) }
      return items
    }
    #expect(items.map(\.suggestedName) == ["a", "b"])
    for item in items {
      #expect(item.contentTypes == [.png, .utf8PlainText, .pdf])
      #expect(try await item.data(for: .utf8PlainText) == Data((item.suggestedName ?? "").utf8))
      for (type, words) in [(UTType.png, "no picture"), (.pdf, "torn")] {
        let error = try await #require(throws: ItemProviderError.self) { try await item.data(for: type) }
        #expect(error.code == .representationFailed)
        let cause = try #require(error.underlyingError as? DropStreamError)
        #expect(cause.code == .senderFailed)
        #expect(cause.senderFailure?.reason.contains(words) == true)
      }
    }
  }

  @Test("without tolerance the first failure ends the stream for both sides")
  func firstFailureEndsTheStreamByDefault() async throws {
    let pair = try DescriptorPair.pipe()
    async let written = writing(to: pair.writer) { try await $0.write(Self.item("a")) }
    let read = try await outcome(from: pair.reader)
    #expect(read.code == .senderFailed)
    #expect(await written.code == .representationFailed)
  }

  @Test("a folder keeps the items whose first representation arrived, and reports the other items")
  func folderReportsItemsWhoseFirstRepresentationFailed() async throws {
    let fixture = try FolderFixture()
    let pair = try DescriptorPair.pipe()
    async let written = writing(to: pair.writer) { writer in
      try await writer.write(ItemProvider([1], name: "first"))
      _ = try await writer.writeAvailable(Self.item("second"))
      try await writer.write(ItemProvider([3], name: "third"))
    }
    let receipt = try await fixture.folder.receive(from: pair.reader)
    try await written.get()
    #expect(receipt.files.map(\.name) == ["first", "third"])
    #expect(receipt.missing.map(\.name) == ["second"])
    #expect(receipt.missing[0].contentType == .png)
    #expect(receipt.missing[0].failure.reason.contains("no picture"))
    #expect(try fixture.names == ["first", "third"])
  }

  @Test("an inspector reports missing representations and aliases", arguments: [0, 70_000])
  func inspectorReportsMissingRepresentationsAndAliases(length: Int) async throws {
    let pair = try DescriptorPair.pipe()
    async let written = writing(to: pair.writer) { writer in
      let item = Self.item("x")
      item.register(.json) { _ in Data(pattern(length)) }
      item.registerAlias(.data, of: .json)
      item.registerAlias(.jpeg, of: .png)
      _ = try await writer.writeAvailable(item)
    }
    var found: [DropItemDescription] = []
    try await DropStream.withInspector(from: pair.reader) { for try await item in $0 { found.append(item) } }
    try await written.get()
    let representations = try #require(found.first).representations
    #expect(representations.map { $0.failure != nil } == [true, false, true, false, false, true])
    #expect(representations.map(\.isAlias) == [false, false, false, false, true, true])
    #expect(representations[4].byteCount == UInt64(length))
    #expect(representations[4].crc32c == representations[3].crc32c)
  }

  @Test("an alias takes no bytes, and its content is created once", arguments: [5, 100_000, 2 << 20])
  func aliasTakesNoBytesAndItsContentIsCreatedOnce(length: Int) async throws {
    let calls = CallCounter()
    let item = ItemProvider()
    item.register(.json, size: .exact(Int64(length))) { _ in
      calls.count()
      return Data(pattern(length))
    }
    #expect(item.registerAlias(.utf8PlainText, of: .json))
    #expect(item.registerAlias(.text, of: .utf8PlainText))
    #expect(!item.registerAlias(.json, of: .utf8PlainText))
    #expect(!item.registerAlias(.png, of: .pdf))
    let pair = try DescriptorPair.pipe()
    async let written = writing(to: pair.writer) { try await $0.write(item) }
    let bytes = try await readAll(pair.read)
    try await written.get()
    #expect(calls.value == 1)
    #expect(bytes.count < length + length / 60_000 * 64 + 600)
    let read = try await pipeOutcome(of: bytes)
    let content = pattern(length)
    #expect(
      try read.get() == [
        ReceivedItem(
          nil, ["public.json": content, "public.utf8-plain-text": content, "public.text": content])
      ])
  }
}

/// A thread-safe counter of calls.
private final class CallCounter: Sendable {
  private let calls = Lock(0)
  var value: Int { calls.withLock { $0 } }
  func count() { calls.withLock { $0 += 1 } }
}
