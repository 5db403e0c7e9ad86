// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("Large content that is made as it is asked for", .serialized, .limited)
struct LargeContentTests {
  @Test(
    "there are as many bytes as there should be, and no two chunks are the same",
    arguments: [1, 7, 8, 262_143, 262_144, 262_145, 600_001, 1 << 20] as [Int64])
  func chunks(_ count: Int64) async throws {
    let content = LargeContent(byteCount: count)
    var chunks: [Data] = []
    for try await chunk in content { chunks.append(chunk) }
    #expect(chunks.reduce(0) { $0 + $1.count } == Int(count))
    #expect(Set(chunks).count == chunks.count)
    #expect(content.madeByteCount == count)
    // Whoever asks anew gets the same.
    var again: [Data] = []
    for try await chunk in content { again.append(chunk) }
    #expect(again == chunks)
  }

  @Test("what is not asked for is not made, however much there would be")
  func lazily() async throws {
    let content = LargeContent(byteCount: .max)
    #expect(content.madeByteCount == 0)
    var iterator = content.makeAsyncIterator()
    let chunk = try #require(try await iterator.next())
    #expect(content.madeByteCount == Int64(chunk.count))
    #expect(chunk.count <= 1 << 20)
  }
}
