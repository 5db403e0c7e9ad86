// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HeroCards
internal import TestSupport
internal import Testing

@Suite(.serialized, .limited, .timeLimit(.minutes(5)))
struct ReaderSequenceTests {
  private struct SourceFailure: Error {}

  private func stream(_ texts: [String], failing: Bool = false) -> AsyncThrowingStream<Data, any Error> {
    AsyncThrowingStream { continuation in
      for text in texts { continuation.yield(Data(text.utf8)) }
      continuation.finish(throwing: failing ? SourceFailure() : nil)
    }
  }

  @Test func readsCardsFromChunks() async throws {
    var cards: [Card] = []
    for try await card in CardReader.cards(in: stream([#"[{"content":"a"}"#, #",{"content":"b"}]"#])) {
      cards.append(card)
    }
    #expect(cards == [Card(content: "a"), Card(content: "b")])
  }

  @Test func endsAfterFirstError() async throws {
    var iterator = HeroReader.heroes(in: stream([#"[{"id":1},{"id":"x"},{"id":3}]"#])).makeAsyncIterator()
    let first = try await iterator.next()
    #expect(first?.id == 1)
    await #expect(throws: HeroCardError.self) { _ = try await iterator.next() }
    let rest = try await iterator.next()
    #expect(rest == nil)
  }

  @Test func reportsTruncationAtEndOfChunks() async throws {
    var ids: [Int] = []
    let error = await #expect(throws: HeroCardError.self) {
      for try await hero in HeroReader.heroes(in: stream([#"[{"id":1},"#])) { ids.append(hero.id) }
    }
    #expect(ids == [1])
    #expect(error?.code == .truncated)
    #expect(error?.byteOffset == 10)
  }

  @Test func rethrowsErrorOfChunks() async throws {
    await #expect(throws: SourceFailure.self) {
      for try await _ in HeroReader.heroes(in: stream(["[{"], failing: true)) {}
    }
  }

  @Test func enforcesLimits() async throws {
    let heroes = HeroReader.heroes(
      in: stream([#"[{"id":100000}]"#]), limits: HeroCardLimits(elementBytes: 8))
    let error = await #expect(throws: HeroCardError.self) { for try await _ in heroes {} }
    #expect(error?.code == .limitExceeded)
  }

  @Test func throwsCancellationErrorEvenIfChunksEnd() async throws {
    let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
    continuation.yield(Data(#"{"id":1}"#.utf8))
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var count = 0
      for try await _ in HeroReader.heroes(in: chunks) {
        count += 1
        start.finish()
      }
      return count
    }
    for await _ in started {}
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
  }

  @Test func readsNothingIfCancelledBefore() async throws {
    let chunks = stream(["[{\"id\":1}]"])
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      for try await _ in HeroReader.heroes(in: chunks) { Issue.record("read after cancellation") }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
