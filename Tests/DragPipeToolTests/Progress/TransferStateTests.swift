// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import ItemTransfer
import TestSupport
import Testing

@testable import DragPipeTool

@Suite("The bookkeeping of a transfer", .serialized, .limited, .timeLimit(.minutes(5)))
struct TransferStateTests {
  @Test("bytes count for the item and for all, and never overflow")
  func countsBytesWithoutOverflow() {
    var state = TransferState(keepsPhaseChanges: false)
    state.setTotal(bytes: 100, items: -1)
    #expect(state.now.totalItems == nil)
    _ = state.begin(item: "Anansi", byteCount: 40)
    state.advance(by: 40)
    _ = state.begin(item: nil, byteCount: nil)
    state.advance(by: 5)
    #expect(state.now == TransferSnapshot(item: 2, bytes: 45, totalBytes: 100, itemBytes: 5))
    state.advance(by: .max)
    #expect(state.now.bytes == .max && state.now.itemBytes == .max)
  }

  @Test("each phase change is kept once, up to a limit, and only if a reader exists")
  func keepsRecentPhaseChanges() {
    var state = TransferState(keepsPhaseChanges: true)
    for phase in [.preparing, .transferring, .transferring, .verifying] as [ItemProgress.Phase] {
      state.advance(by: 1)
      state.enter(phase)
    }
    #expect(state.takePhaseChanges().map(\.phase) == [.transferring, .verifying])
    #expect(state.takePhaseChanges().isEmpty)
    for _ in 0..<1000 {
      state.enter(.preparing)
      state.advance(by: 1)
      state.enter(.transferring)
    }
    let kept = state.takePhaseChanges()
    #expect(kept.count == TransferState.phaseChangeLimit)
    #expect(kept.last == state.now)
    state = TransferState(keepsPhaseChanges: false)
    state.enter(.verifying)
    #expect(state.takePhaseChanges().isEmpty)
  }

  @Test("bytes of a followed progress count once, however often it is read")
  func countsFollowedBytesOnce() {
    var state = TransferState(keepsPhaseChanges: true)
    _ = state.begin(item: "Mulan", byteCount: nil)
    let progress = ItemProgress()
    state.follow(progress)
    let id = state.followed[0].id
    let older = progress.snapshot
    progress.setTotal(50)
    progress.advance(by: 20)
    progress.enter(.transferring)
    for snapshot in [progress.snapshot, progress.snapshot, older] { state.count(snapshot, ofFollowed: id) }
    #expect(state.now.bytes == 20 && state.now.itemBytes == 20)
    #expect(state.now.totalItemBytes == 50)
    #expect(state.takePhaseChanges().map(\.phase) == [.transferring])
    progress.finish()
    state.count(progress.snapshot, ofFollowed: id)
    #expect(state.now.bytes == 50)
    #expect(state.followed.isEmpty)
    state.count(progress.snapshot, ofFollowed: id)
    #expect(state.now.bytes == 50)
  }

  @Test("a followed progress changes neither an unreported phase nor a stated size")
  func statedCountsMore() {
    var state = TransferState(keepsPhaseChanges: false)
    _ = state.begin(item: nil, byteCount: 10)
    state.enter(.transferring)
    let progress = ItemProgress(total: 99)
    state.follow(progress)
    state.count(progress.snapshot, ofFollowed: state.followed[0].id)
    #expect(state.now.phase == .transferring)
    #expect(state.now.totalItemBytes == 10)
    #expect(state.begin(item: nil, byteCount: nil).count == 1)
    #expect(state.followed.isEmpty)
  }
}
