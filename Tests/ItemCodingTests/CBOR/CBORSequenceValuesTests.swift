// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import TestSupport
import Testing

@testable import ItemCoding

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CBORSequenceValuesTests {
  private struct Interruption: Error {}

  private func chunks(_ chunks: [Data], _ error: (any Error)? = nil) -> AsyncThrowingStream<Data, any Error> {
    AsyncThrowingStream { continuation in
      for chunk in chunks { continuation.yield(chunk) }
      continuation.finish(throwing: error)
    }
  }

  @Test func valuesHaveTheOrderOfTheSequence() async throws {
    let bytes = try CBOREncoder().encode(sequence: ["Atalanta", "", "Jason"])
    var names: [String] = []
    for try await name in CBORSequenceReader<String>.values(in: chunks(bytes.map { Data([$0]) })) { names.append(name) }
    #expect(names == ["Atalanta", "", "Jason"])
  }

  @Test(arguments: ["01616102", "011c02", "0119"])
  func firstErrorEndsTheSequence(hex: String) async throws {
    var iterator = CBORSequenceReader<Int>.values(in: chunks([Data(hex: hex)])).makeAsyncIterator()
    #expect(try await iterator.next(isolation: nil) == 1)
    await #expect(throws: DecodingError.self) { try await iterator.next(isolation: nil) }
    #expect(try await iterator.next(isolation: nil) == nil)
  }

  @Test func errorOfTheChunksFollowsTheValuesBeforeIt() async throws {
    let values = CBORSequenceReader<Int>.values(in: chunks([Data(hex: "0119")], Interruption()))
    var iterator = values.makeAsyncIterator()
    #expect(try await iterator.next(isolation: nil) == 1)
    await #expect(throws: Interruption.self) { try await iterator.next(isolation: nil) }
  }

  @Test func cancelledTaskGetsACancellationError() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
    let (began, signal) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var numbers: [Int] = []
      for try await number in CBORSequenceReader<Int>.values(in: stream) {
        numbers.append(number)
        signal.finish()
      }
      return numbers
    }
    continuation.yield(Data([1]))
    for await _ in began {}
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
