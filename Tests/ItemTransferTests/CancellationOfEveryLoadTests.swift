// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemTransfer
import TestSupport
import Testing

@Suite(.serialized, .limited) struct CancellationOfEveryLoadTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// A provider whose loader says when it runs, and then waits for longer than any test.
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

  @Test("a load that is not cancelled has its bytes, and its progress is finished once", arguments: LoadKind.allCases)
  func whole(kind: LoadKind) async throws {
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

  @Test("a task that is cancelled already, or a progress that is, runs no loader", arguments: LoadKind.allCases)
  func before(kind: LoadKind) async throws {
    let runs = Counter()
    let provider = waiting(kind, Signal(), runs: runs)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await kind.load(provider, into: directory.url)
    }
    task.cancel()
    expectCancelled(await task.result, kind)

    let progress = ItemProgress()
    progress.cancel()
    let other = Task { try await kind.load(provider, into: directory.url, progress: progress) }
    expectCancelled(await other.result, kind)
    #expect(runs.count == 0)
    try expectNothingSaved()
  }

  // MARK: While

  @Test("cancelling the task while the loader waits ends the load", arguments: LoadKind.allCases)
  func taskWhile(kind: LoadKind) async throws {
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

  @Test("cancelling the task of a load without progress ends it", arguments: LoadKind.allCases)
  func taskWithoutProgress(kind: LoadKind) async throws {
    let began = Signal()
    let provider = waiting(kind, began)
    let task = Task { try await kind.load(provider, into: directory.url) }
    await began.wait()
    task.cancel()
    expectCancelled(await task.result, kind)
  }

  @Test("cancelling the progress while the loader waits ends the load", arguments: LoadKind.allCases)
  func progressWhile(kind: LoadKind) async throws {
    let began = Signal()
    let provider = waiting(kind, began)
    let progress = ItemProgress()
    let task = Task { try await kind.load(provider, into: directory.url, progress: progress) }
    await began.wait()
    progress.cancel()
    expectCancelled(await task.result, kind)
    try expectNothingSaved()
  }

  @Test("cancelling a parent of the progress ends the load", arguments: LoadKind.allCases)
  func parentWhile(kind: LoadKind) async throws {
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

  @Test("a loader that answers by a callback and never does is abandoned", arguments: LoadKind.allCases)
  func callbackWhile(kind: LoadKind) async throws {
    let began = Signal()
    let provider = ItemProvider()
    let replies = ReplyKeeper()
    provider.register(kind.contentType) { _, reply in
      replies.keep(reply)
      began.send()
    }
    let task = Task { try await kind.load(provider, into: directory.url) }
    await began.wait()
    task.cancel()
    expectCancelled(await task.result, kind)
    replies.succeed(kind.content)
  }

  // MARK: After

  @Test("cancelling after the load changes nothing", arguments: LoadKind.allCases)
  func after(kind: LoadKind) async throws {
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

  @Test("loads that are cancelled at any moment end once each, and leave nothing behind", arguments: LoadKind.allCases)
  func anyMoment(kind: LoadKind) async throws {
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
