// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemProviderCancellationTests {
  /// Runs `body` in a task that is cancelled before its start.
  private func cancelled<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await body()
    }
    task.cancel()
    return try await task.value
  }

  private func neverAsked() -> ItemProvider {
    let provider = ItemProvider()
    for type in [UTType.png, .hero, .scroll] {
      provider.register(type) { _ in
        Issue.record("the loader ran")
        return Data()
      }
    }
    return provider
  }

  /// Returns a provider whose loader signals its start, then waits for longer than any test.
  private func waiting(_ began: Signal, type: UTType = .png) -> ItemProvider {
    let provider = ItemProvider()
    provider.register(type) { _ in
      began.send()
      try await Task.sleep(for: .seconds(600))
      return Data()
    }
    return provider
  }

  // MARK: Before

  @Test func cancelledTaskRunsNoLoader() async throws {
    let provider = neverAsked()
    let error = try await requireProviderError(.cancelled, .png) {
      try await cancelled { try await provider.data(for: .image) }
    }
    #expect(error.underlyingError == nil)
    _ = try await requireProviderError(.cancelled, .hero) {
      try await cancelled { try await provider.value(as: Hero.self) }
    }
    _ = try await requireProviderError(.cancelled, .scroll) {
      try await cancelled { try await provider.value(as: Scroll.self) }
    }
    await #expect(throws: CancellationError.self) {
      try await cancelled { try await provider.withFile(for: .image) { _ in Issue.record("the body ran") } }
    }
  }

  // MARK: During

  @Test func cancellingEndsAWaitingLoadAtOnce() async throws {
    let began = Signal()
    let provider = waiting(began)
    let task = Task { try await provider.data(for: .image) }
    await began.wait()
    task.cancel()
    _ = try await requireProviderError(.cancelled, .png) { try await task.value }
  }

  @Test func cancellingAFileLoadRunsNoBodyAndLeavesNothing() async throws {
    let earlier = try filesUnderWay()
    let began = Signal()
    let provider = waiting(began)
    let task = Task { try await provider.withFile(for: .image) { _ in Issue.record("the body ran") } }
    await began.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await expectNothingStays(since: earlier)
  }

  @Test func cancellingAValueLoadEndsItForDataAndFiles() async throws {
    let heroBegan = Signal()
    let heroes = waiting(heroBegan, type: .hero)
    let hero = Task { try await heroes.value(as: Hero.self) }
    await heroBegan.wait()
    hero.cancel()
    _ = try await requireProviderError(.cancelled, .hero) { try await hero.value }

    let scrollBegan = Signal()
    let scrolls = waiting(scrollBegan, type: .scroll)
    let scroll = Task { try await scrolls.value(as: Scroll.self) }
    await scrollBegan.wait()
    scroll.cancel()
    _ = try await requireProviderError(.cancelled, .scroll) { try await scroll.value }
  }

  @Test func resultAfterCancellationIsIgnored() async throws {
    let began = Signal()
    let provider = ItemProvider()
    provider.register(.png) { _ in
      began.send()
      while !Task.isCancelled { await Task.yield() }
      return Data("late".utf8)
    }
    let task = Task { try await provider.data(for: .png) }
    await began.wait()
    task.cancel()
    _ = try await requireProviderError(.cancelled, .png) { try await task.value }
  }

  @Test func anyErrorAfterCancellationMeansCancelled() async throws {
    let began = Signal()
    let provider = ItemProvider()
    provider.register(.png) { _ in
      began.send()
      while !Task.isCancelled { await Task.yield() }
      throw Failure(reason: "interrupted")
    }
    let task = Task { try await provider.data(for: .png) }
    await began.wait()
    task.cancel()
    let error = try await requireProviderError(.cancelled, .png) { try await task.value }
    #expect(error.underlyingError as? Failure == Failure(reason: "interrupted"))
  }

  @Test func loaderMayCancelItsOwnLoad() async throws {
    let provider = ItemProvider()
    provider.register(.png) { _ in throw CancellationError() }
    _ = try await requireProviderError(.cancelled, .png) { try await provider.data(for: .png) }
  }

  @Test func cancellingOneLoadLeavesOthersAlone() async throws {
    let began = Signal()
    let go = Signal()
    let provider = ItemProvider()
    let runs = Counter()
    provider.register(.png) { _ in
      runs.increase()
      if runs.count == 2 { began.send() }
      await go.wait()
      return Data("whole".utf8)
    }
    let first = Task { try await provider.data(for: .png) }
    while runs.count == 0 { await Task.yield() }
    let second = Task { try await provider.data(for: .png) }
    await began.wait()
    first.cancel()
    _ = try await requireProviderError(.cancelled, .png) { try await first.value }
    go.send()
    #expect(try await second.value == Data("whole".utf8))
  }

  // MARK: After

  @Test func cancellingAfterTheLoadHasNoEffect() async throws {
    let loaded = Signal()
    let provider = ItemProvider(Hero(name: "Ajax"))
    let task = Task {
      let hero = try await provider.value(as: Hero.self)
      loaded.send()
      while !Task.isCancelled { await Task.yield() }
      return hero
    }
    await loaded.wait()
    task.cancel()
    #expect(try await task.value == Hero(name: "Ajax"))
  }

  @Test func cancellingAtAnyMomentEndsTheLoadOnceAndLeavesNothing() async throws {
    let earlier = try filesUnderWay()
    var generator = SeededGenerator.announced("cancelledAtAnyMoment")
    let provider = ItemProvider(suggestedName: "a.png")
    provider.register(.png) { _ in
      try await Task.sleep(for: .microseconds(200))
      return Data("whole".utf8)
    }
    let ends = Counter()
    try await withThrowingTaskGroup { group in
      for _ in 0..<300 {
        let delay = Int.random(in: 0..<1500, using: &generator)
        group.addTask {
          let load = Task {
            try await provider.withFile(for: .image) { file in try Data(contentsOf: file) }
          }
          try await Task.sleep(for: .microseconds(delay))
          load.cancel()
          switch await load.result {
          case .success(let data): #expect(data == Data("whole".utf8))
          case .failure(is CancellationError): break
          case .failure(let error): Issue.record(error)
          }
          ends.increase()
        }
      }
      try await group.waitForAll()
    }
    #expect(ends.count == 300)
    try await expectNothingStays(since: earlier)
  }
}
