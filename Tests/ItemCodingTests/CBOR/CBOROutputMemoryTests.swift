// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemCoding
import TestSupport
import Testing

/// Large outputs.
///
/// The encoder passes their memory to the caller instead of copying it.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CBOROutputMemoryTests {
  /// Returns numbers that differ from those of any other `seed`, so that overwritten memory is noticed.
  private func numbers(_ seed: Int, _ count: Int) -> [Int] {
    (0..<count).map { seed << 32 | $0 }
  }

  @Test func retainedOutputsAreIndependent() throws {
    var generator = SeededGenerator.announced("outputs")
    var held: [(numbers: [Int], bytes: Data)] = []
    for seed in 1...40 {
      let numbers = numbers(seed, Int.random(in: 1...60_000, using: &generator))
      held.append((numbers, try CBOREncoder().encode(numbers)))
      while held.count > 6 {
        let (numbers, bytes) = held.remove(at: Int.random(in: 0..<held.count, using: &generator))
        #expect(try CBORDecoder().decode([Int].self, from: bytes) == numbers)
      }
    }
    for (numbers, bytes) in held { #expect(try CBORDecoder().decode([Int].self, from: bytes) == numbers) }
  }

  @Test func outputsOfManyThreadsAreIndependent() async throws {
    try await withThrowingTaskGroup { group in
      for task in 1...8 {
        group.addTask {
          var last: (numbers: [Int], bytes: Data)?
          for round in 1...12 {
            let numbers = numbers(task << 8 | round, 9_000 + task * round * 300)
            let bytes = try CBOREncoder().encode(numbers)
            await Task.yield()
            #expect(try CBORDecoder().decode([Int].self, from: bytes) == numbers)
            if let last { #expect(try CBORDecoder().decode([Int].self, from: last.bytes) == last.numbers) }
            last = (numbers, bytes)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func changedOutputLeavesOthersAlone() throws {
    let numbers = numbers(1, 50_000)
    for _ in 0..<4 {
      var changed = try CBOREncoder().encode(numbers)
      let whole = changed
      changed.removeLast(changed.count / 2)
      changed.append(contentsOf: [UInt8](repeating: 0xFF, count: 300_000))
      var cut = try CBOREncoder().encode(numbers)
      cut.count = 100
      cut[0] = 0
      try expectRoundTrips(numbers)
      #expect(try CBORDecoder().decode([Int].self, from: whole) == numbers)
      #expect(changed.suffix(300_000).allSatisfy { $0 == 0xFF })
    }
  }

  @Test func outputsOfAnyLengthAreComplete() throws {
    for count in [9_000, 10_000, 8_000, 40_000, 41_000, 100_000, 9_000, 101_000] {
      let numbers = numbers(count, count)
      let texts = numbers.map { "number \($0)" }
      try expectRoundTrips(numbers)
      try expectRoundTrips(texts)
    }
  }

  @Test(arguments: [(1 << 19) - 6, (1 << 19) - 5, 1 << 19, (1 << 19) + 1, 5 << 17, 3 << 20, (32 << 20) + 1])
  func outputsAroundTheLengthsOfBlocksAreComplete(length: Int) throws {
    for round in UInt8(0)..<4 {
      var data = Data(repeating: round &+ 1, count: length)
      (data[0], data[length - 1]) = (round, round &+ 2)
      let output = try CBOREncoder().encode(data)
      #expect(output.count == length + 5 && output.dropFirst(5) == data)
    }
  }

  @Test func failedLargeOutputLeavesTheNextOneComplete() throws {
    let large = Data(repeating: 7, count: 1 << 20)
    let value = Writing { encoder in
      var container = encoder.unkeyedContainer()
      try container.encode(large)
      try container.encode(Date(timeIntervalSince1970: .infinity))
    }
    #expect(throws: EncodingError.self) { try CBOREncoder().encode(value) }
    #expect(try CBOREncoder().encode(large).dropFirst(5) == large)
  }
}
