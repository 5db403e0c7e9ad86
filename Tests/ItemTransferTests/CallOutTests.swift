// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import UniformTypes

@testable import ItemTransfer

/// An object that runs `body` when it is released.
private final class LastWords: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  deinit { body() }
}

/// Closures and objects of the program, which must be called and released only while no lock is held.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct CallOutTests {
  @Test func replacedPreviewIsReleasedOutsideTheLock() async throws {
    let provider = ItemProvider()
    let runs = Counter()
    do {
      let words = LastWords { [weak provider] in
        _ = provider?.contentTypes
        runs.increase()
      }
      provider.registerPreview(.png) { _ in withExtendedLifetime(words) { Data() } }
    }
    provider.registerPreview(.png) { _ in Data("new".utf8) }
    #expect(runs.count == 1)
    #expect(try await provider.preview().data == Data("new".utf8))
  }

  @Test(arguments: [0, 1, 2, 3])
  func cancellationHandlersAreReleasedOutsideTheLock(way: Int) {
    let progress = ItemProgress(total: 2)
    let id = progress.addCancellationHandler { [child = progress.child(units: 1)] in child.finish() }
    switch way {
    case 0: progress.finish()
    case 1: progress.cancel()
    case 2: progress.fail()
    default: progress.removeCancellationHandler(id)
    }
    #expect(progress.snapshot.completed == (way == 0 ? 2 : way == 3 ? 1 : 0))
  }

  @Test func handlersObserversAndLoadersMayEndTheirProgress() async throws {
    let progress = ItemProgress(total: 3)
    let child = progress.child(units: 1)
    let runs = Counter()
    _ = progress.addCancellationHandler {
      progress.finish()
      progress.cancel()
      child.finish()
      _ = progress.child(units: 1)
      runs.increase()
    }
    let watching = Task {
      for await now in progress.updates where now.completed > 0 { progress.cancel() }
    }
    while runs.count == 0 {
      progress.advance(by: 1)
      try await Task.sleep(for: .milliseconds(1))
    }
    await watching.value
    #expect(runs.count == 1 && progress.isCancelled)

    let provider = ItemProvider()
    provider.register(.png) { progress in
      progress.cancel()
      try await Task.sleep(for: .seconds(5))
      return Data()
    }
    _ = try await requireProviderError(.cancelled, .png) {
      try await provider.data(for: .png, progress: ItemProgress())
    }
  }

  // MARK: Memory

  @Test func endedProgressRetainsNoChildren() {
    for ending in [ItemProgress.Ending.finished, .cancelled, .failed] {
      var state = ItemProgressState(total: 9)
      _ = state.end(ending)
      for _ in 0..<10 { _ = state.addChild(units: 1) }
      let kept = Mirror(reflecting: state).descendant("childrenByID").map { Mirror(reflecting: $0).children.count }
      #expect(kept == 0)
    }
  }

  @Test func thousandsOfChildrenCountTheirShares() {
    let count = 1000
    let progress = ItemProgress(total: Int64(count))
    let children = (0..<count).map { _ in progress.child(units: 1) }
    for child in children {
      child.setTotal(2)
      child.advance(by: 1)
    }
    #expect(progress.snapshot.fraction == 0.5)
    for child in children { child.finish() }
    #expect(progress.snapshot.fraction == 1)
  }
}
