// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited) struct LaneItemsTests {
  /// Writes items named by their numbers, all of which fit into one batch.
  private func numberedStream(_ count: Int) async throws -> DropEndpoint {
    let pair = try DescriptorPair.pipe()
    try await DropStream.withWriter(to: pair.writer) { writer in
      for number in 0..<count {
        let provider = ItemProvider(suggestedName: "\(number)")
        provider.register(.data) { _ in Data([UInt8(number)]) }
        try await writer.write(provider)
      }
    }
    return pair.reader
  }

  @Test("a second iterator goes on where the first has stopped")
  func secondIterator() async throws {
    try await DropStream.withReader(from: try await numberedStream(5)) { items in
      var names: [String?] = []
      for try await item in items {
        names.append(item.suggestedName)
        if names.count == 2 { break }
      }
      for try await item in items { names.append(item.suggestedName) }
      #expect(names == ["0", "1", "2", "3", "4"])
    }
  }

  @Test("iterators at the same time share the items")
  func concurrentIterators() async throws {
    try await DropStream.withReader(from: try await numberedStream(100)) { items in
      let names = try await withThrowingTaskGroup(of: [String].self) { group in
        for _ in 0..<4 {
          group.addTask {
            var names: [String] = []
            for try await item in items { names.append(item.suggestedName ?? "") }
            return names
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(Set(names) == Set((0..<100).map(String.init)))
      #expect(names.count == 100)
    }
  }
}
