// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Items with a representation that fails, and items whose representations share their bytes.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct PartialItemTests {
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
    let pair = try DescriptorPair.pipe()
    async let written = writing(to: pair.writer) { try await $0.write(item) }
    let bytes = try await readAll(pair.read)
    try await written.get()
    #expect(calls.values.count == 1)
    #expect(bytes.count < length + length / 60_000 * 64 + 600)
    let content = pattern(length)
    let expected =
      ["public.json": content, "public.utf8-plain-text": content, "public.text": content]
      as KeyValuePairs<String, [UInt8]>
    #expect(try await pipeOutcome(of: bytes) == [ReceivedItem(nil, expected)])
  }
}
