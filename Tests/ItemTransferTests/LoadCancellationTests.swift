// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct LoadCancellationTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func expectNothingSaved(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try names(in: directory.url) == [], sourceLocation: sourceLocation)
  }

  // MARK: Every way to load

  @Test(arguments: LoadKind.allCases)
  func loadWithoutCancellationFinishesItsProgressOnce(kind: LoadKind) async throws {
    let provider = kind.provider()
    let progress = ItemProgress()
    let updates = progress.updates
    let ends = Task { await updates.reduce(0) { $0 + ($1.isFinished ? 1 : 0) } }
    #expect(try await kind.load(provider, into: directory.url) == kind.content)
    #expect(try await kind.load(provider, into: directory.url, progress: progress) == kind.content)
    #expect(progress.snapshot.isFinished && progress.snapshot.fraction == 1)
    #expect(await ends.value == 1)
    try expectNothingSaved()
  }

  @Test(arguments: LoadKind.allCases)
  func cancelledTaskOrProgressRunsNoLoader(kind: LoadKind) async throws {
    let runs = Counter()
    let provider = kind.waiting(Gate(), runs: runs)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await kind.load(provider, into: directory.url)
    }
    kind.expectCancelled(await task.result)
    // A handle belongs to no task, so its load starts before the task can cancel it.
    if !kind.isHandle { #expect(runs.count == 0) }

    let laterRuns = Counter()
    let laterProvider = kind.waiting(Gate(), runs: laterRuns)
    for _ in 0..<(isFullRun ? 300 : 20) {
      let progress = ItemProgress()
      progress.cancel()
      let load = Task { try await kind.load(laterProvider, into: directory.url, progress: progress) }
      kind.expectCancelled(await load.result)
    }
    #expect(laterRuns.count == 0)
    try expectNothingSaved()
  }

  enum Cancelled: CaseIterable {
    case task, taskWithoutProgress, progress, grandparentOfProgress
  }

  @Test(arguments: LoadKind.allCases, Cancelled.allCases)
  func cancellingEndsAWaitingLoad(kind: LoadKind, cancelled: Cancelled) async throws {
    let began = Gate()
    let provider = kind.waiting(began)
    let grandparent = ItemProgress(total: 10)
    let parent = grandparent.child(units: 5)
    let progress = parent.child(units: 1)
    let given = cancelled == .taskWithoutProgress ? nil : progress
    let load = Task { try await kind.load(provider, into: directory.url, progress: given) }
    await began.wait()
    switch cancelled {
    case .task, .taskWithoutProgress: load.cancel()
    case .progress: progress.cancel()
    case .grandparentOfProgress: grandparent.cancel()
    }
    kind.expectCancelled(await load.result)
    #expect(progress.isCancelled == (given != nil) && progress.snapshot.fraction < 1)
    #expect([grandparent, parent].allSatisfy { $0.isCancelled == (cancelled == .grandparentOfProgress) })
    try expectNothingSaved()
  }

  @Test(arguments: LoadKind.allCases, [false, true])
  func cancelledCallbackLoaderIsAbandoned(kind: LoadKind, hasProgress: Bool) async throws {
    let began = Gate()
    let provider = ItemProvider()
    let kept = Lock<(progress: ItemProgress, response: ItemResponse<Data>)?>(nil)
    provider.registerCallback(kind.contentType) { progress, response in
      kept.withLock { $0 = (progress, response) }
      began.open()
    }
    let task = Task {
      try await kind.load(provider, into: directory.url, progress: hasProgress ? ItemProgress() : nil)
    }
    await began.wait()
    task.cancel()
    kind.expectCancelled(await task.result)
    let (progress, response) = try #require(kept.withLock { $0 })
    #expect(progress.snapshot.ending == .cancelled)
    response.succeed(kind.content)
  }

  @Test(arguments: LoadKind.allCases)
  func streamThatEndsOnCancellationIsCancelled(kind: LoadKind) async throws {
    let began = Gate()
    let provider = ItemProvider()
    provider.registerStream(kind.contentType) { _ in
      let made = Counter()
      return AsyncStream<Data>(unfolding: {
        defer { made.increase() }
        guard made.count == 1 else { return kind.content }
        began.open()
        await untilCancelled()
        return nil
      })
    }
    let task = Task { try await kind.load(provider, into: directory.url) }
    await began.wait()
    task.cancel()
    kind.expectCancelled(await task.result)
    try expectNothingSaved()
  }

  @Test(arguments: LoadKind.allCases)
  func cancellingAfterTheLoadHasNoEffect(kind: LoadKind) async throws {
    let progress = ItemProgress()
    let loaded = Gate()
    let task = Task {
      let data = try await kind.load(kind.provider(), into: directory.url, progress: progress)
      loaded.open()
      await untilCancelled()
      return data
    }
    await loaded.wait()
    progress.cancel()
    task.cancel()
    #expect(try await task.value == kind.content)
    #expect(progress.snapshot.isFinished && !progress.snapshot.isCancelled)
  }

  @Test(arguments: LoadKind.allCases)
  func cancellingAtAnyMomentEndsTheLoadOnce(kind: LoadKind) async throws {
    var generator = SeededGenerator.announced("\(kind)")
    let provider = ItemProvider(of: kind.contentType) { _ in
      try await Task.sleep(for: .microseconds(100))
      return kind.content
    }
    for round in 0..<(isFullRun ? 30 : 12) {
      let delay = Int.random(in: 0..<800, using: &generator)
      let progress = ItemProgress()
      let load = Task { try await kind.load(provider, into: directory.url, progress: progress) }
      try await Task.sleep(for: .microseconds(delay))
      if round.isMultiple(of: 2) { load.cancel() } else { progress.cancel() }
      switch await load.result {
      case .success(let data): #expect(data == kind.content)
      case .failure: kind.expectCancelled(await load.result)
      }
      #expect(progress.snapshot.ending != nil)
      try expectNothingSaved()
    }
  }

  @Test(arguments: LoadKind.allCases)
  func missingRepresentationFailsTheProgress(kind: LoadKind) async throws {
    let progress = ItemProgress()
    await #expect(throws: ItemProviderError.self) {
      try await kind.load(ItemProvider(of: .pdf, ""), into: directory.url, progress: progress)
    }
    #expect(progress.snapshot.ending == .failed)
  }

  private final class Token: Sendable {}

  @Test(arguments: LoadKind.allCases)
  func endedLoadRetainsNothing(kind: LoadKind) async throws {
    let parent = ItemProgress(total: 100)
    for isCancelled in [false, true] {
      weak var token: Token?
      weak var progress: ItemProgress?
      weak var given: ItemProgress?
      let seen = Lock<ItemProgress?>(nil)
      do {
        let kept = Token()
        token = kept
        let provider = ItemProvider(of: kind.contentType, suggestedName: "a.png") { [kept] own in
          seen.withLock { $0 = own }
          if isCancelled { own.cancel() }
          return withExtendedLifetime(kept) { kind.content }
        }
        let child = parent.child(units: 1)
        progress = child
        _ = try? await kind.load(provider, into: directory.url, progress: child)
        given = seen.withLock { $0.take() }
      }
      try await wait(for: "the release of the load") { token == nil && progress == nil && given == nil }
    }
    #expect(parent.snapshot.completed == 2 && parent.snapshot.ending == nil)
  }

  // MARK: The loader

  @Test(arguments: [nil, Failure(reason: "interrupted")])
  func outcomeAfterCancellationIsIgnored(failure: Failure?) async throws {
    let began = Gate()
    let provider = ItemProvider(of: .png) { _ in
      began.open()
      await untilCancelled()
      if let failure { throw failure }
      return Data("late".utf8)
    }
    let task = Task { try await provider.data(for: .image) }
    await began.wait()
    task.cancel()
    try await requireProviderError(.cancelled, .png, from: failure) { try await task.value }
  }

  @Test func loaderMayCancelItsOwnLoad() async throws {
    let loaders: [@Sendable (ItemProgress) async throws -> Data] = [
      { _ in throw CancellationError() },
      { progress in
        progress.cancel()
        try await Task.sleep(for: waitingLimit)
        return Data()
      },
    ]
    for loader in loaders {
      try await requireProviderError(.cancelled, .png) {
        try await ItemProvider(of: .png, loader: loader).data(for: .png, progress: ItemProgress())
      }
    }
  }

  @Test func cancellingOneLoadLeavesOthersAlone() async throws {
    let began = [Gate(), Gate()]
    let go = Gate()
    let runs = Counter()
    let provider = ItemProvider(of: .png) { _ in
      runs.increase()
      began[runs.count - 1].open()
      await go.wait()
      return Data("whole".utf8)
    }
    let first = Task { try await provider.data(for: .png) }
    await began[0].wait()
    let second = Task { try await provider.data(for: .png) }
    await began[1].wait()
    first.cancel()
    try await requireProviderError(.cancelled, .png) { try await first.value }
    go.open()
    #expect(try await second.value == Data("whole".utf8))
  }

  @Test func handleCancelsItsLoadAfterTheProgressHasEnded() async throws {
    let began = Gate()
    let provider = ItemProvider(of: .png) { progress in
      progress.finish()
      began.open()
      try await Task.sleep(for: waitingLimit)
      return Data()
    }
    let load = provider.startLoading(.png)
    await began.wait()
    load.cancel()
    try await requireProviderError(.cancelled, .png) { try await load.value }
  }

  @Test func bodysCancellationErrorOfAnotherLoadPasses() async throws {
    try await requireProviderError(.cancelled, .pdf) {
      try await ItemProvider(of: .png, "").withFile(for: .png) { _ in
        throw ItemProviderError(.cancelled, contentType: .pdf)
      }
    }
  }

  // MARK: The import

  @Test(arguments: [UTType.slow, .slowFile])
  func importCanBeCancelled(type: UTType) async throws {
    for byProgress in [true, false] {
      let began = Gate()
      Slow.began.withLock { $0 = began }
      let load = ItemProvider(of: type, "x").startLoading(as: Slow.self)
      await began.wait()
      #expect(load.progress.snapshot.ending == nil)
      if byProgress { load.progress.cancel() } else { load.cancel() }
      try await requireProviderError(.cancelled, type) { try await load.value }
      #expect(load.progress.snapshot.isCancelled)
    }
  }

  @Test(arguments: [UTType.slow, .slowFile])
  func undecodableBytesFailTheProgress(type: UTType) async throws {
    let progress = ItemProgress()
    try await requireProviderError(.undecodable, type, from: Failure()) {
      try await ItemProvider(of: type, "").value(as: Slow.self, progress: progress)
    }
    #expect(progress.snapshot.ending == .failed)
  }

  // MARK: Races

  @Test func concurrentResponseAndCancellationHaveOneResult() async throws {
    for round in 0..<(isFullRun ? 1500 : 300) {
      let provider = ItemProvider()
      provider.registerCallback(.png) { _, response in
        DispatchQueue.global().async {
          switch round % 3 {
          case 0: response.succeed(Data("x".utf8))
          case 1: response.fail(Failure())
          default: break
          }
          if round.isMultiple(of: 2) { response.succeed(Data("y".utf8)) }
        }
      }
      let parent = ItemProgress(total: 1)
      let load = provider.startLoading(.png, progress: parent.child(units: 1))
      for _ in 0..<(round % 7) { await Task.yield() }
      switch round % 4 {
      case 0: load.cancel()
      case 1: parent.cancel()
      case 2: DispatchQueue.global().async { load.progress.cancel() }
      default: break
      }
      let isExpected: Bool
      do throws(ItemProviderError) {
        isExpected = try await load.value.count == 1 && load.progress.snapshot.ending != nil
      } catch {
        isExpected =
          switch error.code {
          case .cancelled: load.progress.isCancelled
          case .representationFailed: load.progress.snapshot.ending == .failed || load.progress.isCancelled
          default: false
          }
      }
      if !isExpected { Issue.record("round \(round): \(load.progress.snapshot)") }
    }
  }

  @Test(arguments: [false, true])
  func responseToACancelledProgressIsIgnored(succeeds: Bool) async throws {
    let began = Lock(0)
    let provider = ItemProvider()
    provider.registerCallback(.png) { progress, response in
      // Some of these handlers run before the handler of the load.
      for _ in 0..<24 {
        progress.addCancellationHandler {
          if succeeds { response.succeed(Data("x".utf8)) } else { response.fail(Failure()) }
          Thread.sleep(forTimeInterval: 0.005)
        }
      }
      began.withLock { $0 += 1 }
    }
    for round in 1...4 {
      let load = provider.startLoading(.png)
      try await wait(for: "loader \(round)") { began.withLock { $0 } == round }
      load.progress.cancel()
      try await requireProviderError(.cancelled, .png) { try await load.value }
    }
  }
}

extension UTType {
  fileprivate static let slow = UTType(exportedAs: "org.example.tests.slow", conformingTo: .data)
  fileprivate static let slowFile = UTType(exportedAs: "org.example.tests.slow-file", conformingTo: .data)
}

/// A value whose import waits after all bytes have arrived.
private struct Slow: Transferable {
  static let began = Lock(Gate())

  static var transferRepresentation: some TransferRepresentation {
    DataRepresentation<Slow>(importedContentType: .slow) { try await made(of: $0) }
    FileRepresentation<Slow>(importedContentType: .slowFile) { try await made(of: Data(contentsOf: $0.file)) }
  }

  private static func made(of data: Data) async throws -> Slow {
    if data.isEmpty { throw Failure() }
    began.withLock { $0 }.open()
    try await Task.sleep(for: waitingLimit)
    return Slow()
  }
}
