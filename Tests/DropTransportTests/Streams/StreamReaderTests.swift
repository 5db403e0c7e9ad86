// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct StreamReaderTests {
  /// Writes items whose names are their numbers.
  ///
  /// All items fit into one batch of the reader.
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

  @Test func secondIteratorContinuesWhereTheFirstStopped() async throws {
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

  @Test func concurrentIteratorsShareTheItems() async throws {
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

  @Test func collectReturnsAllItemsInOrder() async throws {
    let items = try await DropStream.withReader(from: try await numberedStream(100)) { try await $0.collect() }
    #expect(items.map(\.suggestedName) == (0..<100).map(String.init))
    let rest = try await DropStream.withReader(from: try await numberedStream(3)) { reader in
      var iterator = reader.makeAsyncIterator()
      _ = try await iterator.next()
      return try await reader.collect(maximumCount: 2)
    }
    #expect(rest.map(\.suggestedName) == ["1", "2"])
  }

  @Test func collectRejectsMoreItemsThanTheMaximum() async throws {
    try await requireDropError(.limitExceeded) {
      try await DropStream.withReader(from: try await numberedStream(3)) { try await $0.collect(maximumCount: 2) }
    }
  }

  @Test func collectThrowsIfTheStreamIsTruncated() async throws {
    let stream = DropEndpoint.descriptor(try pipe(holding: Array(SmallStream.bytes.dropLast())))
    try await requireDropError(.truncated) { try await DropStream.withReader(from: stream) { try await $0.collect() } }
  }

  @Test func collectEndsWhenTheTaskIsCancelled() async throws {
    let pair = try DescriptorPair.pipe()
    let task = Task { try await DropStream.withReader(from: pair.reader) { try await $0.collect() }.count }
    try await Task.sleep(for: .milliseconds(30))
    task.cancel()
    try await requireDropError(.cancelled) { try await task.value }
    try SystemCalls.close(pair.write)
  }
}
