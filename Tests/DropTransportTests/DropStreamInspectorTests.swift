// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropStreamInspectorTests {
  private func inspect(
    _ bytes: [UInt8], keeping length: @escaping @Sendable (UTType) -> Int = { _ in 0 }
  ) async throws -> [DropItemDescription] {
    try await DropStream.withInspector(from: .descriptor(try pipe(holding: bytes)), keeping: length) { inspector in
      var items: [DropItemDescription] = []
      for try await item in inspector { items.append(item) }
      return items
    }
  }

  @Test func sizesAndChecksumsDescribeTheContent() async throws {
    for chunkLength in [1, 7, nil] as [Int?] {
      let bytes = StreamBuilder.stream {
        // The name is passed on unescaped.
        $0.add(
          ReceivedItem("../\u{1B}[2J", ["public.png": Array("123456789".utf8), "public.data": []]),
          chunkLength: chunkLength)
        $0.add(ReceivedItem(nil, ["a.b": pattern(100_000)]), chunkLength: chunkLength.map { $0 * 1000 })
      }
      let items = try await inspect(bytes)
      #expect(items.map(\.suggestedName) == ["../\u{1B}[2J", nil])
      #expect(items.map { $0.representations.map(\.contentType) } == [[.png, .data], [UTType(importedAs: "a.b")]])
      #expect(items.map { $0.representations.map(\.byteCount) } == [[9, 0], [100_000]])
      #expect(items.map { $0.representations.map(\.crc32c) } == [[0xE306_9283, 0], [pattern(100_000).crc32c]])
    }
  }

  @Test func keepsOnlyTheRequestedFirstBytes() async throws {
    for chunkLength in [1, 7, nil] as [Int?] {
      let bytes = StreamBuilder.stream {
        $0.add(
          ReceivedItem("n", ["public.png": pattern(50), "a.b": pattern(10), "a.c": pattern(100)]),
          chunkLength: chunkLength)
        $0.add(ReceivedItem(nil, ["a.c": [], "a.b": pattern(9)]), chunkLength: chunkLength)
      }
      let items = try await inspect(bytes) { $0 == .png ? 0 : 10 }
      let prefixes = items.map { $0.representations.map(\.prefix) }
      #expect(prefixes == [[[], pattern(10), pattern(10)], [[], pattern(9)]].map { $0.map { Array($0) } })
      #expect(items.map { $0.representations.map(\.byteCount) } == [[50, 10, 100], [0, 9]])
    }
  }
}
