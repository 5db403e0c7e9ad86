// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemProviderCompat
import ItemTransfer
import Synchronization
import TestSupport
import Testing

/// Progress in both directions between Foundation and this package.
@Suite(.serialized, .limited, .timeLimit(.minutes(10))) struct ProgressMirrorTests {
  @Test func mirrorFollowsAndFinishes() async throws {
    let progress = ItemProgress()
    let mirror = Progress(mirroring: progress)
    #expect(mirror.isIndeterminate)
    progress.setTotal(200)
    progress.advance(by: 50)
    #expect(try await eventually { mirror.fractionCompleted == 0.25 })
    #expect(mirror.totalUnitCount == 200)
    #expect(!mirror.isFinished)
    progress.finish()
    #expect(try await eventually { mirror.isFinished })
    #expect(mirror.fractionCompleted == 1)
  }

  @Test func mirrorCountsWithUnknownTotal() async throws {
    let progress = ItemProgress()
    let mirror = Progress(mirroring: progress)
    progress.advance(by: 50)
    #expect(try await eventually { mirror.completedUnitCount == 50 })
    #expect(mirror.isIndeterminate)
    progress.finish()
    #expect(try await eventually { mirror.isFinished })
  }

  @Test func cancellingMirrorOrParentCancelsOriginal() async throws {
    let progress = ItemProgress()
    let parent = Progress(totalUnitCount: 2)
    parent.addChild(Progress(mirroring: progress), withPendingUnitCount: 1)
    parent.cancel()
    #expect(try await eventually { progress.isCancelled })
  }

  @Test func followedProgressIsCountedAndCancelled() async throws {
    let progress = ItemProgress()
    let source = Progress(totalUnitCount: 4)
    progress.follow(source)
    source.completedUnitCount = 3
    #expect(try await eventually { progress.snapshot.completed == 3 })
    #expect(progress.snapshot.total == 4)
    progress.cancel()
    #expect(try await eventually { source.isCancelled })
  }

  @Test func cancelledProgressCancelsFollowedOne() async throws {
    let progress = ItemProgress()
    progress.cancel()
    let source = Progress(totalUnitCount: 4)
    progress.follow(source)
    #expect(try await eventually { source.isCancelled })
  }

  @Test func loadsAreFinishedChildrenEvenOnFailure() async throws {
    for _ in 0..<40 {
      let parent = Progress(totalUnitCount: 10)
      for number in 0..<10 {
        let provider = number.isMultiple(of: 2) ? NSItemProvider(object: "x" as NSString) : NSItemProvider()
        let load = provider.loadDataRepresentation(forTypeIdentifier: "public.utf8-plain-text") { _, _ in }
        parent.addChild(load, withPendingUnitCount: 1)
      }
      #expect(try await eventually { parent.isFinished })
      #expect(parent.fractionCompleted == 1)
    }
  }

  @Test func loadUnderCancelledParentIsCancelled() async throws {
    let provider = NSItemProvider()
    provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { completion in
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
    #expect(try await eventually { failed.value == 1 })
  }

  @Test func handlerProgressIsItsShareOfTheLoad() async throws {
    let provider = NSItemProvider()
    let gate = Counter()
    provider.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { completion in
      let progress = Progress(totalUnitCount: 3)
      progress.completedUnitCount = 3
      Thread {
        while gate.value == 0 { Thread.sleep(forTimeInterval: 0.005) }
        completion(Data([1]), nil)
      }.start()
      return progress
    }
    let load = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { _, _ in }
    #expect(try await eventually { load.fractionCompleted > 0.99 })
    #expect(!load.isFinished)
    _ = gate.next()
    #expect(try await eventually { load.isFinished })
  }

  @Test func invalidCountsAreHarmless() async throws {
    let progress = ItemProgress()
    let source = Progress(totalUnitCount: 100)
    progress.follow(source)
    source.completedUnitCount = 50
    #expect(try await eventually { progress.snapshot.completed == 50 })
    source.completedUnitCount = .min
    try await Task.sleep(for: .milliseconds(120))
    source.completedUnitCount = 60
    #expect(try await eventually { progress.snapshot.completed == 60 })
    source.completedUnitCount = .max
    #expect(try await eventually { progress.snapshot.completed == 100 })
  }
}

/// A thread-safe counter.
final class Counter: Sendable {
  private let count = Lock(0)

  var value: Int { count.withLock { $0 } }

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
