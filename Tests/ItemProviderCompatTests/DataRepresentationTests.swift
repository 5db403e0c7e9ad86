// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import Glibc
import ItemProviderCompat
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

/// Data representations in Apple's API.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct DataRepresentationTests {
  /// Returns the result of a load.
  private func load(
    _ provider: NSItemProvider, _ type: String
  ) async -> (data: Data?, error: NSError?) {
    await withCheckedContinuation { continuation in
      provider.loadDataRepresentation(forTypeIdentifier: type) { data, error in
        continuation.resume(returning: (data, error as NSError?))
      }
    }
  }

  @Test func loadsBytesOnDemandByTypeOrSupertype() async throws {
    let provider = NSItemProvider()
    let count = Lock(0)
    provider.registerDataRepresentation(forTypeIdentifier: "public.utf8-plain-text", visibility: .all) { completion in
      count.withLock { $0 += 1 }
      completion(Data("Hail".utf8), nil)
      return nil
    }
    #expect(provider.registeredTypeIdentifiers == ["public.utf8-plain-text"])
    #expect(provider.hasItemConformingToTypeIdentifier("public.text"))
    #expect(!provider.hasItemConformingToTypeIdentifier("public.image"))
    #expect(count.withLock { $0 } == 0)
    for type in ["public.utf8-plain-text", "public.plain-text", "public.data"] {
      let answer = await load(provider, type)
      #expect(answer.data == Data("Hail".utf8))
      #expect(answer.error == nil)
    }
    #expect(count.withLock { $0 } == 3)
  }

  @Test func keepsInvalidIdentifierUnchanged() async {
    let provider = NSItemProvider()
    provider.registerDataRepresentation(forTypeIdentifier: "dev.example/Note", visibility: .all) { completion in
      completion(Data([1]), nil)
      return nil
    }
    #expect(provider.registeredTypeIdentifiers == ["dev.example/Note"])
    #expect(provider.hasItemConformingToTypeIdentifier("dev.example/Note"))
    #expect(await load(provider, "dev.example/Note").data == Data([1]))
  }

  @Test func onlyFirstCompletionCounts() async {
    let provider = NSItemProvider()
    provider.registerDataRepresentation(forTypeIdentifier: "a.twice", visibility: .all) { completion in
      completion(Data([1]), nil)
      completion(Data([2]), nil)
      completion(nil, CocoaError(.fileNoSuchFile))
      return nil
    }
    provider.registerDataRepresentation(forTypeIdentifier: "a.nothing", visibility: .all) { completion in
      completion(nil, nil)
      return nil
    }
    provider.registerDataRepresentation(forTypeIdentifier: "a.forgotten", visibility: .all) { _ in nil }
    provider.registerDataRepresentation(forTypeIdentifier: "a.failure", visibility: .all) { completion in
      Thread { completion(nil, CocoaError(.fileNoSuchFile)) }.start()
      return nil
    }
    #expect(await load(provider, "a.twice").data == Data([1]))
    for type in ["a.nothing", "a.forgotten", "a.failure", "a.stranger"] {
      let error = await load(provider, type).error
      #expect(error?.domain == NSItemProvider.errorDomain, "\(type)")
      #expect(error?.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue, "\(type)")
      #expect(error?.localizedDescription == "Cannot load representation of type \(type)")
    }
    let underlying = await load(provider, "a.failure").error?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(underlying?.domain == NSCocoaErrorDomain)
  }

  @Test func progressFollowsSourceAndFinishes() async throws {
    let provider = NSItemProvider()
    let isSeen = Counter()
    provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { completion in
      let progress = Progress(totalUnitCount: 4)
      Thread {
        progress.completedUnitCount = 2
        // Continues after the test has seen the progress.
        while isSeen.value == 0 { Thread.sleep(forTimeInterval: 0.005) }
        progress.completedUnitCount = 4
        completion(Data([1, 2, 3]), nil)
      }.start()
      return progress
    }
    let shown = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { _, _ in }
    #expect(try await eventually { abs(shown.fractionCompleted - 0.5) < 0.01 })
    #expect(!shown.isFinished)
    _ = isSeen.next()
    #expect(try await eventually { shown.isFinished })
    #expect(shown.fractionCompleted == 1)
  }

  @Test func cancellingProgressEndsLoadOnce() async throws {
    let provider = NSItemProvider()
    let isCancelled = Lock(false)
    let begun = Lock(false)
    provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { completion in
      let progress = Progress(totalUnitCount: 1)
      progress.cancellationHandler = {
        isCancelled.withLock { $0 = true }
        completion(Data([1]), nil)
      }
      begun.withLock { $0 = true }
      return progress
    }
    let errors = Lock<[NSError?]>([])
    let shown = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { _, error in
      errors.withLock { $0.append(error as NSError?) }
    }
    #expect(try await eventually { begun.withLock { $0 } })
    shown.cancel()
    #expect(try await eventually { !errors.withLock { $0 }.isEmpty && isCancelled.withLock { $0 } })
    try await Task.sleep(for: .milliseconds(100))
    let all = errors.withLock { $0 }
    #expect(all.count == 1)
    #expect(all.first??.code == NSItemProvider.ErrorCode.itemUnavailableError.rawValue)
  }

  @Test func cancelsSourceProgressWithLoadOrTask() async throws {
    let provider = NSItemProvider()
    let made = Lock<[Progress]>([])
    let kept = Lock<[@Sendable (Data?, (any Error)?) -> Void]>([])
    provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { completion in
      kept.withLock { $0.append(completion) }
      let progress = Progress(totalUnitCount: 1)
      made.withLock { $0.append(progress) }
      return progress
    }
    for _ in 0..<20 {
      made.withLock { $0 = [] }
      let load = Task { try await provider.itemProvider.data(for: .data) }
      let shown = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { _, _ in }
      #expect(try await eventually { made.withLock { $0.count } == 2 })
      load.cancel()
      shown.cancel()
      #expect(try await eventually { made.withLock { $0.allSatisfy(\.isCancelled) } })
      await #expect(throws: ItemProviderError.self) { try await load.value }
    }
  }

  @Test func cancelsProgressReturnedAfterCancellation() async throws {
    let provider = NSItemProvider()
    let progress = Progress(totalUnitCount: 1)
    let mayReturn = Lock(false)
    let hasBegun = Lock(false)
    provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { _ in
      hasBegun.withLock { $0 = true }
      while !mayReturn.withLock({ $0 }) { usleep(1000) }
      return progress
    }
    let load = Task { try await provider.loadDataRepresentation(forTypeIdentifier: "public.data") }
    #expect(try await eventually { hasBegun.withLock { $0 } })
    load.cancel()
    await #expect(throws: NSError.self) { try await load.value }
    mayReturn.withLock { $0 = true }
    #expect(try await eventually { progress.isCancelled })
  }

  @Test func ignoresCompletionAfterCancellation() async throws {
    let provider = NSItemProvider()
    let kept = Lock<[@Sendable (Data?, (any Error)?) -> Void]>([])
    provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { completion in
      kept.withLock { $0.append(completion) }
      return nil
    }
    let answers = Lock<[(data: Data?, error: NSError?)]>([])
    let shown = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in
      answers.withLock { $0.append((data, error as NSError?)) }
    }
    #expect(try await eventually { kept.withLock { !$0.isEmpty } })
    try await Task.sleep(for: .milliseconds(50))
    #expect(answers.withLock { $0.isEmpty })
    shown.cancel()
    #expect(try await eventually { answers.withLock { !$0.isEmpty } })
    for completion in kept.withLock({ $0 }) { completion(Data([1]), nil) }
    try await Task.sleep(for: .milliseconds(50))
    let all = answers.withLock { $0 }
    #expect(all.count == 1)
    #expect(all.first?.data == nil)
    let reason = all.first?.error?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(reason?.code == CocoaError.userCancelled.rawValue)
  }

  @Test func cancellationBeforeStartMakesNoRequest() async throws {
    let provider = NSItemProvider()
    provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { _ in nil }
    for _ in 0..<50 {
      let count = Counter()
      let shown = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in
        if data == nil, error != nil { _ = count.next() }
      }
      shown.cancel()
      #expect(try await eventually { count.value > 0 })
      #expect(count.value == 1)
    }
  }

  @Test func copyOffersTheSameIndependently() throws {
    let provider = NSItemProvider()
    provider.registerDataRepresentation(for: .png) { _ in nil }
    let copy = try #require(provider.copy() as? NSItemProvider)
    copy.registerDataRepresentation(for: .pdf) { _ in nil }
    #expect(provider.registeredContentTypes == [.png])
    #expect(copy.registeredContentTypes == [.png, .pdf])
  }
}
