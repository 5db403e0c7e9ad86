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

@Suite(.serialized, .limited) struct ItemResponseTests {
  private func provider(_ loader: @escaping @Sendable (ItemResponse<Data>) -> Void) -> ItemProvider {
    let provider = ItemProvider()
    provider.register(.png) { _, reply in loader(reply) }
    return provider
  }

  @Test("an answer at once, from another thread or later is the representation")
  func answers() async throws {
    let data = Data("answer".utf8)
    #expect(try await provider { $0.succeed(data) }.data(for: .png) == data)
    #expect(
      try await provider { reply in DispatchQueue.global().async { reply.succeed(data) } }.data(for: .png) == data)
    #expect(
      try await provider { reply in
        Task {
          try? await Task.sleep(for: .milliseconds(5))
          reply.succeed(data)
        }
      }.data(for: .png) == data)
  }

  @Test("a failure is the load's, with its reason")
  func failure() async throws {
    let error = try await requireProviderError(.representationFailed, .png) {
      try await provider { $0.fail(Failure()) }.data(for: .png)
    }
    #expect(error.underlyingError as? Failure == Failure())
  }

  @Test("of two answers the first one counts", arguments: [true, false])
  func twice(succeedsFirst: Bool) async throws {
    let provider = provider { reply in
      if succeedsFirst { reply.succeed(Data("first".utf8)) } else { reply.fail(Failure()) }
      reply.succeed(Data("second".utf8))
      reply.fail(Failure(reason: "third"))
    }
    if succeedsFirst {
      #expect(try await provider.data(for: .png) == Data("first".utf8))
    } else {
      let error = try await requireProviderError(.representationFailed, .png) { try await provider.data(for: .png) }
      #expect(error.underlyingError as? Failure == Failure())
    }
  }

  @Test("a loader that lets go of its reply without an answer is an error that says so")
  func never() async throws {
    for provider in [provider { _ in }, provider { reply in DispatchQueue.global().async { _ = reply } }] {
      let error = try await requireProviderError(.representationFailed, .png) { try await provider.data(for: .png) }
      #expect(error.underlyingError is ItemResponse<Data>.Missing)
      #expect("\(error)".contains("without an answer"))
    }
  }

  @Test("when a load is cancelled, the progress its loader was given is too, whoever asks")
  func cancellation() async throws {
    let provider = ItemProvider()
    let given = Lock<[(progress: ItemProgress, reply: ItemResponse<Data>)]>([])
    provider.register(.png) { progress, reply in given.withLock { $0.append((progress, reply)) } }
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

  @Test("many answers from many threads at once are one")
  func racing() async throws {
    for _ in 0..<200 {
      let provider = provider { reply in
        for index in 0..<4 { DispatchQueue.global().async { reply.succeed(Data([UInt8(index)])) } }
      }
      #expect(try await provider.data(for: .png).count == 1)
    }
  }
}
