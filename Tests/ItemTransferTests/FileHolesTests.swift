// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct FileHolesTests {
  private static let least: UInt64 = 1 << 20

  /// Skips the holes and reads the data of a file whose data is at the given extents.
  ///
  /// - Returns: The length of each skipped hole, and the end of the data after it.
  private func walk(size: UInt64, data: [Range<UInt64>]) -> [(hole: UInt64, dataEnd: UInt64)] {
    var holes = FileHoles(size: size)
    var position: UInt64 = 0
    var steps: [(UInt64, UInt64)] = []
    while position < size {
      let hole = holes.length(at: position) { (offset, target) -> UInt64? in
        let extent = data.first { $0.upperBound > offset }
        return switch target {
        case .data: extent.map { max($0.lowerBound, offset) }
        case .hole: extent.map { $0.contains(offset) ? $0.upperBound : offset } ?? offset
        }
      }
      position += hole ?? 0
      steps.append((hole ?? 0, holes.dataEnd))
      guard position < size, holes.dataEnd > position else { break }
      position = holes.dataEnd
    }
    return steps
  }

  @Test func holesAreSkippedFromTheShortestWorthIt() {
    #expect(walk(size: 2 * Self.least, data: []).map(\.hole) == [2 * Self.least])
    #expect(walk(size: Self.least, data: []).map(\.hole) == [Self.least])
    #expect(walk(size: Self.least - 1, data: []).map(\.hole) == [0])
    let size = 3 * Self.least
    #expect(walk(size: size, data: [Self.least..<size]).map(\.hole) == [Self.least])
    #expect(walk(size: size, data: [Self.least - 1..<size]).map(\.hole) == [0])
    #expect(walk(size: size, data: [0..<5, 9..<size - Self.least]).map(\.hole) == [0, Self.least])
  }

  @Test func randomSparseFilesStreamAsTheirBytes() async throws {
    var random = SeededGenerator.announced("sparse files")
    let directory = try TemporaryDirectory()
    for _ in 0..<10 {
      let url = directory.file("sparse")
      let file = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      defer { close(file) }
      var expected = Data()
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let isHole = Bool.random(using: &random)
        let count = Int.random(in: 0...(isHole ? 3 << 20 : 300_000), using: &random)
        let piece = isHole ? Data(count: count) : Data(repeating: 7, count: count)
        if !isHole { piece.withUnsafeBytes { _ = pwrite(file, $0.baseAddress, count, off_t(expected.count)) } }
        expected += piece
      }
      try #require(ftruncate(file, off_t(expected.count)) == 0)
      let item = ItemProvider()
      item.registerFile(.data) { _ in SentTransferredFile(url) }
      var streamed = Data()
      for try await chunk in try await item.bytes(for: .data) { streamed += chunk }
      #expect(streamed == expected)
    }
  }

  @Test func longHolesShareTheirBytes() async throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("hole")
    try Data().write(to: url)
    try #require(truncate(url.path, 64 << 30) == 0)
    let item = ItemProvider()
    item.registerFile(.data) { _ in SentTransferredFile(url) }
    var count: UInt64 = 0
    for try await chunk in try await item.bytes(for: .data) {
      count += UInt64(chunk.count)
      #expect(chunk.isOfHole && chunk.withUnsafeBytes(\.isHole))
    }
    #expect(count == 64 << 30)
    #expect(!Data(count: 1 << 20).isOfHole && Data(count: 1 << 20).withUnsafeBytes(\.isHole))
  }
}
