// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import ItemProviderCompat
import ItemTransfer
import Testing

/// Foundation's progress and this package's, each shown by the other.
@Suite(.timeLimit(.minutes(1))) struct ProgressMirrorTests {
  @Test("a mirror fills with what it shows, and is finished with it")
  func filling() async throws {
    let progress = ItemProgress()
    let mirror = Progress(mirroring: progress)
    #expect(mirror.isIndeterminate)
    progress.setTotal(200)
    progress.advance(by: 50)
    try await eventually { mirror.fractionCompleted == 0.25 }
    #expect(mirror.totalUnitCount == 200)
    #expect(!mirror.isFinished)
    progress.finish()
    try await eventually { mirror.isFinished }
    #expect(mirror.fractionCompleted == 1)
  }

  @Test("a mirror counts although nobody knows the whole, and is finished at what it has come to")
  func unknownTotal() async throws {
    let progress = ItemProgress()
    let mirror = Progress(mirroring: progress)
    progress.advance(by: 50)
    try await eventually { mirror.completedUnitCount == 50 }
    #expect(mirror.isIndeterminate)
    progress.finish()
    try await eventually { mirror.isFinished }
  }

  @Test("a mirror that is cancelled cancels what it shows, also as the child of another")
  func cancellation() async throws {
    let progress = ItemProgress()
    let parent = Progress(totalUnitCount: 2)
    parent.addChild(Progress(mirroring: progress), withPendingUnitCount: 1)
    parent.cancel()
    try await eventually { progress.isCancelled }
  }

  @Test("what follows a progress of Foundation's counts as that does, and cancels it")
  func following() async throws {
    let progress = ItemProgress()
    let source = Progress(totalUnitCount: 4)
    progress.follow(source)
    source.completedUnitCount = 3
    try await eventually { progress.snapshot.completed == 3 }
    #expect(progress.snapshot.total == 4)
    progress.cancel()
    try await eventually { source.isCancelled }
  }

  @Test("a progress that is cancelled already cancels what it is to follow")
  func followingTooLate() async throws {
    let progress = ItemProgress()
    progress.cancel()
    let source = Progress(totalUnitCount: 4)
    progress.follow(source)
    try await eventually { source.isCancelled }
  }
}
