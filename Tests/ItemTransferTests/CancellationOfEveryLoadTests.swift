// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CancellationOfEveryLoadTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Returns a provider whose loader signals its start, then waits for longer than any test.
  private func waiting(_ kind: LoadKind, _ began: Signal, runs: Counter = Counter()) -> ItemProvider {
    let provider = ItemProvider(suggestedName: "a.png")
    provider.register(kind.contentType) { _ in
      runs.increase()
      began.send()
      try await Task.sleep(for: .seconds(600))
      return kind.content
    }
    return provider
  }

  private func expectCancelled(_ result: Result<Data, any Error>, _ kind: LoadKind) {
    switch result {
    case .success: Issue.record("\(kind) has a result")
    case .failure(let error): #expect(isCancellation(error), "\(kind): \(error)")
    }
  }

  private func expectNothingSaved() throws {
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
  }

  @Test(arguments: LoadKind.allCases)
  func loadWithoutCancellationFinishesItsProgressOnce(kind: LoadKind) async throws {
    let provider = ItemProvider(suggestedName: "a.png")
    provider.register(kind.contentType) { _ in kind.content }
    let progress = ItemProgress()
    let ends = Task { await progress.updates.reduce(0) { $0 + ($1.isFinished ? 1 : 0) } }
    #expect(try await kind.load(provider, into: directory.url) == kind.content)
    #expect(try await kind.load(provider, into: directory.url, progress: progress) == kind.content)
    #expect(progress.snapshot.isFinished && progress.snapshot.fraction == 1)
    #expect(await ends.value == 1)
    try expectNothingSaved()
  }

  // MARK: Before

  @Test(arguments: LoadKind.allCases)
  func cancelledTaskOrProgressRunsNoLoader(kind: LoadKind) async throws {
    let runs = Counter()
    let provider = waiting(kind, Signal(), runs: runs)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await kind.load(provider, into: directory.url)
    }
    task.cancel()
    expectCancelled(await task.result, kind)
    // A handle belongs to no task, so its load starts before the task can cancel it.
    let isHandle = [.handle, .handleOfValue, .handleOfFile].contains(kind)
    if !isHandle { #expect(runs.count == 0) }
    let earlierRuns = runs.count

    let progress = ItemProgress()
    progress.cancel()
    let other = Task { try await kind.load(provider, into: directory.url, progress: progress) }
    expectCancelled(await other.result, kind)
    #expect(runs.count == earlierRuns)
    try expectNothingSaved()
  }

  // MARK: During

  @Test(arguments: LoadKind.allCases)
  func cancellingTheTaskEndsAWaitingLoad(kind: LoadKind) async throws {
    let earlier = try filesUnderWay()
    let began = Signal()
    let provider = waiting(kind, began)
    let progress = ItemProgress()
    let task = Task { try await kind.load(provider, into: directory.url, progress: progress) }
    await began.wait()
    task.cancel()
    expectCancelled(await task.result, kind)
    #expect(progress.snapshot.isCancelled && progress.snapshot.fraction < 1)
    try await expectNothingStays(since: earlier)
    try expectNothingSaved()
  }

  @Test(arguments: LoadKind.allCases)
  func cancellingTheTaskEndsALoadWithoutProgress(kind: LoadKind) async throws {
    let began = Signal()
    let provider = waiting(kind, began)
    let task = Task { try await kind.load(provider, into: directory.url) }
    await began.wait()
    task.cancel()
    expectCancelled(await task.result, kind)
  }

  @Test(arguments: LoadKind.allCases)
  func cancellingTheProgressEndsAWaitingLoad(kind: LoadKind) async throws {
    let began = Signal()
    let provider = waiting(kind, began)
    let progress = ItemProgress()
    let task = Task { try await kind.load(provider, into: directory.url, progress: progress) }
    await began.wait()
    progress.cancel()
    expectCancelled(await task.result, kind)
    try expectNothingSaved()
  }

  @Test(arguments: LoadKind.allCases)
  func cancellingAParentProgressEndsAWaitingLoad(kind: LoadKind) async throws {
    let began = Signal()
    let provider = waiting(kind, began)
    let grandparent = ItemProgress(total: 10)
    let parent = grandparent.child(units: 5)
    let child = parent.child(units: 1)
    let task = Task { try await kind.load(provider, into: directory.url, progress: child) }
    await began.wait()
    grandparent.cancel()
    expectCancelled(await task.result, kind)
    #expect(grandparent.isCancelled && parent.isCancelled && child.isCancelled)
    try expectNothingSaved()
  }

  @Test(arguments: LoadKind.allCases)
  func cancelledCallbackLoaderIsAbandoned(kind: LoadKind) async throws {
    let began = Signal()
    let provider = ItemProvider()
    let responses = ResponseKeeper()
    provider.register(kind.contentType) { _, response in
      responses.keep(response)
      began.send()
    }
    let task = Task { try await kind.load(provider, into: directory.url) }
    await began.wait()
    task.cancel()
    expectCancelled(await task.result, kind)
    responses.succeed(kind.content)
  }

  // MARK: After

  @Test(arguments: LoadKind.allCases)
  func cancellingAfterTheLoadHasNoEffect(kind: LoadKind) async throws {
    let provider = ItemProvider(suggestedName: "a.png")
    provider.register(kind.contentType) { _ in kind.content }
    let progress = ItemProgress()
    let loaded = Signal()
    let task = Task {
      let data = try await kind.load(provider, into: directory.url, progress: progress)
      loaded.send()
      while !Task.isCancelled { await Task.yield() }
      return data
    }
    await loaded.wait()
    progress.cancel()
    task.cancel()
    #expect(try await task.value == kind.content)
    #expect(progress.snapshot.isFinished && !progress.snapshot.isCancelled)
  }

  // MARK: At any moment

  @Test(arguments: LoadKind.allCases)
  func cancellingAtAnyMomentEndsTheLoadOnceAndLeavesNothing(kind: LoadKind) async throws {
    let earlier = try filesUnderWay()
    var generator = SeededGenerator.announced("\(kind)")
    let provider = ItemProvider(suggestedName: nil)
    provider.register(kind.contentType) { _ in
      try await Task.sleep(for: .microseconds(100))
      return kind.content
    }
    for round in 0..<30 {
      let delay = Int.random(in: 0..<800, using: &generator)
      let own = directory.url.appendingPathComponent("\(round)", isDirectory: true)
      try FileManager.default.createDirectory(at: own, withIntermediateDirectories: false)
      let progress = ItemProgress()
      let load = Task { try await kind.load(provider, into: own, progress: progress) }
      try await Task.sleep(for: .microseconds(delay))
      if round.isMultiple(of: 2) { load.cancel() } else { progress.cancel() }
      switch await load.result {
      case .success(let data): #expect(data == kind.content)
      case .failure(let error): #expect(isCancellation(error), "\(error)")
      }
      #expect(progress.snapshot.ending != nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: own.path).isEmpty)
    }
    try await expectNothingStays(since: earlier)
  }
}
