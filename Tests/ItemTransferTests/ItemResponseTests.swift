// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import DropSystem
import Foundation
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemResponseTests {
  private func provider(_ loader: @escaping @Sendable (ItemResponse<Data>) -> Void) -> ItemProvider {
    let provider = ItemProvider()
    provider.register(.png) { _, response in loader(response) }
    return provider
  }

  @Test func responseMayComeAtOnceFromAThreadOrLater() async throws {
    let data = Data("answer".utf8)
    #expect(try await provider { $0.succeed(data) }.data(for: .png) == data)
    #expect(
      try await provider { response in
        DispatchQueue.global().async { response.succeed(data) }
      }.data(for: .png) == data
    )
    #expect(
      try await provider { response in
        Task {
          try? await Task.sleep(for: .milliseconds(5))
          response.succeed(data)
        }
      }.data(for: .png) == data)
  }

  @Test func failedResponseFailsTheLoad() async throws {
    let error = try await requireProviderError(.representationFailed, .png) {
      try await provider { $0.fail(Failure()) }.data(for: .png)
    }
    #expect(error.underlyingError as? Failure == Failure())
  }

  @Test(arguments: [true, false])
  func firstOfTwoResponsesWins(succeedsFirst: Bool) async throws {
    let provider = provider { response in
      if succeedsFirst { response.succeed(Data("first".utf8)) } else { response.fail(Failure()) }
      response.succeed(Data("second".utf8))
      response.fail(Failure(reason: "third"))
    }
    if succeedsFirst {
      #expect(try await provider.data(for: .png) == Data("first".utf8))
    } else {
      let error = try await requireProviderError(.representationFailed, .png) { try await provider.data(for: .png) }
      #expect(error.underlyingError as? Failure == Failure())
    }
  }

  @Test func releasedResponseFailsTheLoad() async throws {
    for provider in [provider { _ in }, provider { response in DispatchQueue.global().async { _ = response } }] {
      let error = try await requireProviderError(.representationFailed, .png) { try await provider.data(for: .png) }
      #expect(error.underlyingError is ItemResponse<Data>.Missing)
      #expect("\(error)".contains("without using it"))
    }
  }

  @Test func cancelledLoadCancelsTheLoadersProgress() async throws {
    let provider = ItemProvider()
    let given = Lock<[(progress: ItemProgress, response: ItemResponse<Data>)]>([])
    provider.register(.png) { progress, response in given.withLock { $0.append((progress, response)) } }
    let asks: [@Sendable () async throws -> Void] = [
      { _ = try await provider.data(for: .png) },
      { _ = try await provider.data(for: .png, progress: ItemProgress()) },
      { _ = try await provider.bytes(for: .png) },
      { _ = try await provider.bytes(for: .png, progress: ItemProgress()) },
      { try await provider.withFile(for: .png) { _ in } },
      { _ = try await provider.preview() },
      { _ = try await provider.value(as: Data.self) },
    ]
    for (index, ask) in asks.enumerated() {
      let load = Task { try await ask() }
      #expect(try await eventually { given.withLock { $0.count } == index + 1 })
      load.cancel()
      await #expect(throws: (any Error).self) { try await load.value }
      #expect(given.withLock { $0.last?.progress.isCancelled } == true, "\(index)")
    }
  }

  @Test func concurrentResponsesHaveOneResult() async throws {
    for _ in 0..<200 {
      let provider = provider { response in
        for index in 0..<4 { DispatchQueue.global().async { response.succeed(Data([UInt8(index)])) } }
      }
      #expect(try await provider.data(for: .png).count == 1)
    }
  }
}
