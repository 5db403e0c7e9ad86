// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemProviderCompat
import ItemTransfer
import Synchronization
import TestSupport
import Testing
import UniformTypes

/// Data representations in Apple's API.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DataRepresentationTests {
  @Test func keepsInvalidIdentifierUnchanged() async throws {
    let provider = provider("dev.example/Note", "Hail")
    let isKnown = provider.hasItemConformingToTypeIdentifier("dev.example/Note")
    #expect(isKnown && provider.registeredTypeIdentifiers == ["dev.example/Note"])
    #expect(try await provider.text("dev.example/Note") == "Hail")
  }

  @Test func missingDataIsAnError() async throws {
    let loads: [@Sendable (@escaping DataCompletion) -> Progress?] = [
      { completion in
        completion(nil, nil)
        return nil
      },
      { _ in nil },
      { completion in
        Thread { completion(nil, CocoaError(.fileNoSuchFile)) }.start()
        return nil
      },
    ]
    var errors: [NSError] = []
    for provider in loads.map({ provider("a.type", load: $0) }) + [NSItemProvider()] {
      let error = try await requireItemError { try await provider.text("a.type") }
      #expect(error.localizedDescription == "Cannot load representation of type a.type")
      errors.append(error)
    }
    let underlying = errors[2].userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(underlying?.domain == NSCocoaErrorDomain)
  }

  @Test func copyOffersTheSameIndependently() throws {
    let provider = provider("public.png", "")
    let copy = try #require(provider.copy() as? NSItemProvider)
    copy.registerDataRepresentation(for: .pdf) { _ in nil }
    #expect([provider, copy].map(\.registeredContentTypes) == [[.png], [.png, .pdf]])
  }

  // MARK: Progress and cancellation

  @Test func progressFollowsSourceAndFinishes() async throws {
    let isSeen = BlockingSignals()
    let provider = provider("public.data") { completion in
      let progress = Progress(totalUnitCount: 4)
      Thread {
        progress.completedUnitCount = 2
        isSeen.receive()
        progress.completedUnitCount = 4
        isSeen.receive()
        completion(Data([1, 2, 3]), nil)
      }.start()
      return progress
    }
    let shown = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { _, _ in }
    try await wait(for: "the half") { abs(shown.fractionCompleted - 0.5) < 0.01 }
    #expect(!shown.isFinished)
    isSeen.send()
    // The progress of the source is its share of the load.
    try await wait(for: "the end of the source's progress") { shown.fractionCompleted > 0.99 }
    #expect(!shown.isFinished)
    isSeen.send()
    try await wait(for: "the end") { shown.isFinished }
    #expect(shown.fractionCompleted == 1)
  }

  @Test func cancellingProgressEndsLoadOnce() async throws {
    let (begun, isCancelled) = (Gate(), Counter())
    let provider = provider("public.data") { completion in
      let progress = Progress(totalUnitCount: 1)
      progress.cancellationHandler = {
        completion(Data([1]), nil)
        _ = isCancelled.next()
      }
      begun.open()
      return progress
    }
    let errors = Collector<NSError?>()
    let shown = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { errors.add($1 as NSError?) }
    await begun.wait()
    shown.cancel()
    try await wait(for: "the error and the cancellation") { !errors.values.isEmpty && isCancelled.value == 1 }
    // A second call would come from the queue of the first one.
    try await Task.sleep(for: .milliseconds(20))
    #expect(errors.values.map { $0?.code } == [NSItemProvider.ErrorCode.itemUnavailableError.rawValue])
  }

  @Test func cancelsSourceProgressWithLoadOrTask() async throws {
    let made = Lock<[Progress]>([])
    let kept = Lock<[DataCompletion]>([])
    let provider = provider("public.data") { completion in
      kept.withLock { $0.append(completion) }
      let progress = Progress(totalUnitCount: 1)
      made.withLock { $0.append(progress) }
      return progress
    }
    for _ in 0..<20 {
      made.withLock { $0 = [] }
      let load = Task { try await provider.itemProvider.data(for: .data) }
      let shown = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { _, _ in }
      try await wait(for: "the start of both loads") { made.withLock { $0.count } == 2 }
      load.cancel()
      shown.cancel()
      try await wait(for: "the cancellation of both loads") { made.withLock { $0.allSatisfy(\.isCancelled) } }
      await #expect(throws: ItemProviderError.self) { try await load.value }
    }
  }

  @Test func cancelsProgressReturnedAfterCancellation() async throws {
    let progress = Progress(totalUnitCount: 1)
    let mayReturn = BlockingSignals()
    let hasBegun = Gate()
    let provider = provider("public.data") { _ in
      hasBegun.open()
      mayReturn.receive()
      return progress
    }
    let load = Task { try await provider.loadDataRepresentation(forTypeIdentifier: "public.data") }
    await hasBegun.wait()
    load.cancel()
    await #expect(throws: NSError.self) { try await load.value }
    mayReturn.send()
    try await wait(for: "the cancellation") { progress.isCancelled }
  }

  @Test func ignoresCompletionAfterCancellation() async throws {
    let begun = Gate()
    let kept = Lock<DataCompletion?>(nil)
    let provider = provider("public.data") { completion in
      kept.withLock { $0 = completion }
      begun.open()
      return nil
    }
    let answers = Lock<[(data: Data?, error: NSError?)]>([])
    let shown = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in
      answers.withLock { $0.append((data, error as NSError?)) }
    }
    await begun.wait()
    #expect(answers.withLock { $0.isEmpty })
    shown.cancel()
    try await wait(for: "the end of the load") { answers.withLock { !$0.isEmpty } }
    kept.withLock { $0 }?(Data([1]), nil)
    // A second call would come from the queue of the first one.
    try await Task.sleep(for: .milliseconds(20))
    let all = answers.withLock { $0 }
    let reason = all.first?.error?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(all.count == 1 && all.first?.data == nil && reason?.code == CocoaError.userCancelled.rawValue)
  }

  @Test func cancellationBeforeStartMakesNoRequest() async throws {
    let provider = provider("public.data") { _ in nil }
    for _ in 0..<(isFullRun ? 50 : 12) {
      let count = Counter()
      let shown = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in
        if data == nil, error != nil { _ = count.next() }
      }
      shown.cancel()
      try await wait(for: "the error") { count.value > 0 }
      #expect(count.value == 1)
    }
  }

  @Test func mirrorFollowsCountsAndFinishes() async throws {
    let progress = ItemProgress()
    let mirror = Progress(mirroring: progress)
    progress.advance(by: 50)
    try await wait(for: "the count") { mirror.completedUnitCount == 50 }
    #expect(mirror.isIndeterminate && !mirror.isFinished)
    progress.setTotal(200)
    try await wait(for: "the total") { mirror.fractionCompleted == 0.25 }
    #expect(mirror.totalUnitCount == 200 && !mirror.isFinished)
    progress.finish()
    try await wait(for: "the end") { mirror.isFinished }
    #expect(mirror.fractionCompleted == 1)
    let unknown = ItemProgress()
    let other = Progress(mirroring: unknown)
    unknown.finish()
    try await wait(for: "the end without a total") { other.isFinished }
  }

  @Test func cancellingAParentCancelsTheMirrored() async throws {
    let progress = ItemProgress()
    let parent = Progress(totalUnitCount: 2)
    parent.addChild(Progress(mirroring: progress), withPendingUnitCount: 1)
    parent.cancel()
    try await wait(for: "the cancellation") { progress.isCancelled }
  }

  @Test func followedProgressIsCountedAndCancelled() async throws {
    let progress = ItemProgress()
    let source = Progress(totalUnitCount: 100)
    progress.follow(source)
    source.completedUnitCount = 50
    try await wait(for: "the count") { progress.snapshot.completed == 50 }
    #expect(progress.snapshot.total == 100)
    // Invalid counts are harmless.
    source.completedUnitCount = .min
    // The count is read every 50 ms.
    try await Task.sleep(for: .milliseconds(120))
    source.completedUnitCount = 60
    try await wait(for: "the count after an invalid one") { progress.snapshot.completed == 60 }
    source.completedUnitCount = .max
    try await wait(for: "the largest count") { progress.snapshot.completed == 100 }
    progress.cancel()
    try await wait(for: "the cancellation") { source.isCancelled }
    let late = Progress(totalUnitCount: 4)
    progress.follow(late)
    try await wait(for: "the cancellation of a late source") { late.isCancelled }
  }

  @Test func loadsAreFinishedChildrenEvenOnFailure() async throws {
    for _ in 0..<(isFullRun ? 40 : 8) {
      let parent = Progress(totalUnitCount: 10)
      for number in 0..<10 {
        let provider = number.isMultiple(of: 2) ? NSItemProvider(object: "x" as NSString) : NSItemProvider()
        let load = provider.loadDataRepresentation(forTypeIdentifier: "public.utf8-plain-text") { _, _ in }
        parent.addChild(load, withPendingUnitCount: 1)
      }
      try await wait(for: "the end of all loads") { parent.isFinished }
      #expect(parent.fractionCompleted == 1)
    }
  }

  @Test func loadUnderCancelledParentIsCancelled() async throws {
    let provider = provider("public.data") { completion in
      let progress = Progress(totalUnitCount: 1)
      progress.cancellationHandler = { completion(nil, CocoaError(.userCancelled)) }
      return progress
    }
    let failed = Counter()
    func start() {
      let parent = Progress(totalUnitCount: 1)
      parent.cancel()
      parent.becomeCurrent(withPendingUnitCount: 1)
      provider.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in
        if data == nil, error != nil { _ = failed.next() }
      }
      parent.resignCurrent()
    }
    start()
    try await wait(for: "the error") { failed.value == 1 }
  }
}
