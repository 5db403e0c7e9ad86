// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import DropSystem
import Foundation
import Synchronization
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
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct CallOutTests {
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

  @Test func cancellationHandlersAreReleasedOutsideTheLock() {
    for (end, completed) in [
      ({ $0.finish() }, 2), ({ $0.cancel() }, 0), ({ $0.fail(CocoaError(.fileNoSuchFile)) }, 0),
    ] as [((ItemProgress) -> Void, Int64)] {
      let progress = ItemProgress(total: 2)
      progress.addCancellationHandler { [child = progress.child(units: 1)] in child.finish() }
      end(progress)
      #expect(progress.snapshot.completed == completed)
    }
  }

  @Test func handlersAndObserversMayEndTheirProgress() async throws {
    let progress = ItemProgress(total: 3)
    let child = progress.child(units: 1)
    let runs = Counter()
    progress.addCancellationHandler {
      progress.finish()
      progress.cancel()
      child.finish()
      _ = progress.child(units: 1)
      runs.increase()
    }
    let updates = progress.updates
    let watching = Task {
      for await now in updates where now.completed > 0 { progress.cancel() }
    }
    progress.advance(by: 1)
    await watching.value
    #expect(runs.count == 1 && progress.isCancelled)
  }

  @Test func providerCanBeReleasedLoadedAndEditedDuringALoad() async throws {
    let began = Gate()
    let goOn = Gate()
    var provider: ItemProvider? = ItemProvider()
    provider?.register(.png) { [weak provider] progress in
      let text = try await provider?.data(for: .utf8PlainText, progress: progress.child(units: 1))
      provider?.register(.pdf) { _ in Data() }
      began.open()
      await goOn.wait()
      return text ?? Data()
    }
    provider?.register(.utf8PlainText) { _ in Data("Hail".utf8) }
    let load = try #require(provider?.startLoading(.png))
    await began.wait()
    #expect(provider?.contentTypes == [.png, .utf8PlainText, .pdf])
    provider = nil
    goOn.open()
    #expect(try await load.value == Data("Hail".utf8))
  }
}

/// Loaders that respond from a callback.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ItemResponseTests {
  private func provider(_ loader: @escaping @Sendable (ItemResponse<Data>) -> Void) -> ItemProvider {
    let provider = ItemProvider()
    provider.registerCallback(.png) { _, response in loader(response) }
    return provider
  }

  @Test func responseMayComeAtOnceFromAThreadOrLater() async throws {
    let data = Data("response".utf8)
    let began = Gate()
    for early in [
      provider { $0.succeed(data) }, provider { response in DispatchQueue.global().async { response.succeed(data) } },
    ] {
      #expect(try await early.data(for: .png) == data)
    }

    let kept = Lock<(progress: ItemProgress, response: ItemResponse<Data>)?>(nil)
    let later = ItemProvider()
    later.registerCallback(.png) { progress, response in
      kept.withLock { $0 = (progress, response) }
      began.open()
    }
    async let loaded = later.data(for: .png)
    await began.wait()
    let (progress, response) = try #require(kept.withLock { $0 })
    #expect(progress.snapshot.ending == nil)
    response.succeed(data)
    #expect(try await loaded == data)
    #expect(progress.snapshot.ending == .finished)
  }

  @Test func firstResponseWins() async throws {
    let succeeding = provider { response in
      response.succeed(Data("first".utf8))
      response.succeed(Data("second".utf8))
      response.fail(Failure(reason: "third"))
    }
    try await succeeding.expectText("first", for: .png)
    let failing = provider { response in
      response.fail(Failure())
      response.succeed(Data("second".utf8))
      response.fail(Failure(reason: "third"))
    }
    try await requireProviderError(.representationFailed, .png, from: Failure()) { try await failing.data(for: .png) }
  }

  @Test func releasedResponseFailsTheLoad() async throws {
    for provider in [provider { _ in }, provider { response in DispatchQueue.global().async { _ = response } }] {
      let error = try await requireProviderError(.representationFailed, .png) { try await provider.data(for: .png) }
      #expect(error.underlyingError is ItemResponse<Data>.Missing && "\(error)".contains("without using it"))
    }
  }

  @Test func concurrentResponsesHaveOneResult() async throws {
    let provider = provider { response in
      for index in 0..<4 { DispatchQueue.global().async { response.succeed(Data([UInt8(index)])) } }
    }
    for _ in 0..<200 { #expect(try await provider.data(for: .png).count == 1) }
  }
}
