// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemProgressTests {
  private typealias Snapshot = ItemProgress.Snapshot

  // MARK: Counting

  @Test func progressStartsAtZero() {
    #expect(ItemProgress().snapshot == Snapshot(completed: 0, total: nil, fraction: 0, phase: .preparing, ending: nil))
    #expect(
      ItemProgress(total: 4).snapshot == Snapshot(completed: 0, total: 4, fraction: 0, phase: .preparing, ending: nil))
    #expect(ItemProgress(total: -1).snapshot.total == nil)
  }

  @Test func advanceAddsAndIgnoresNegativeCounts() {
    let progress = ItemProgress(total: 4)
    progress.advance(by: 1)
    progress.advance(by: 2)
    progress.advance(by: 0)
    progress.advance(by: -2)
    progress.advance(by: .min)
    #expect(progress.snapshot == Snapshot(completed: 3, total: 4, fraction: 0.75, phase: .preparing, ending: nil))
  }

  @Test func completedNeverExceedsTheTotal() {
    let progress = ItemProgress(total: 4)
    progress.advance(by: 9)
    #expect(progress.snapshot == Snapshot(completed: 4, total: 4, fraction: 1, phase: .preparing, ending: nil))
    progress.setTotal(18)
    #expect(progress.snapshot.completed == 9)
    #expect(progress.snapshot.fraction == 0.5)
    progress.setTotal(3)
    #expect(progress.snapshot.fraction == 1)
  }

  @Test func fractionIsZeroWhileTheTotalIsUnknown() {
    let progress = ItemProgress()
    progress.advance(by: 7)
    #expect(progress.snapshot == Snapshot(completed: 7, total: nil, fraction: 0, phase: .preparing, ending: nil))
    progress.setTotal(14)
    #expect(progress.snapshot.fraction == 0.5)
    progress.setTotal(-1)
    #expect(progress.snapshot.total == nil)
    progress.setTotal(nil)
    #expect(progress.snapshot.fraction == 0)
  }

  @Test func emptyTotalIsCompleteOnlyWhenFinished() {
    let progress = ItemProgress(total: 0)
    #expect(progress.snapshot.fraction == 0)
    progress.advance(by: 1)
    #expect(progress.snapshot == Snapshot(completed: 0, total: 0, fraction: 0, phase: .preparing, ending: nil))
    progress.finish()
    #expect(progress.snapshot == Snapshot(completed: 0, total: 0, fraction: 1, phase: .preparing, ending: .finished))
  }

  @Test(arguments: [nil, 1, Int64.max])
  func countsDoNotOverflow(total: Int64?) {
    let progress = ItemProgress(total: total)
    progress.advance(by: .max)
    progress.advance(by: .max)
    let children = (0..<3).map { _ in progress.child(units: .max) }
    for child in children {
      child.setTotal(1)
      child.advance(by: .max)
      #expect(progress.snapshot.completed == total ?? .max)
      child.finish()
    }
    #expect(progress.snapshot.completed == total ?? .max)
    #expect(progress.snapshot.fraction == (total == nil ? 0 : 1))
    progress.finish()
    #expect(progress.snapshot.completed == total ?? .max)
  }

  // MARK: Finishing

  @Test func finishCompletesTheRestAndFreezesTheState() {
    let progress = ItemProgress(total: 4)
    progress.advance(by: 1)
    progress.finish()
    let finished = Snapshot(completed: 4, total: 4, fraction: 1, phase: .preparing, ending: .finished)
    #expect(progress.snapshot == finished)
    progress.finish()
    progress.advance(by: 1)
    progress.setTotal(nil)
    progress.child(units: 2).finish()
    #expect(progress.snapshot == finished)
  }

  @Test func finishWithoutTotalUsesTheCompletedCount() {
    let progress = ItemProgress()
    progress.advance(by: 7)
    progress.finish()
    #expect(progress.snapshot == Snapshot(completed: 7, total: 7, fraction: 1, phase: .preparing, ending: .finished))
  }

  // MARK: Children

  @Test func childHasItsOwnScaleAndAShareOfItsParent() {
    let progress = ItemProgress(total: 10)
    progress.advance(by: 2)
    let child = progress.child(units: 8)
    #expect(child.snapshot == Snapshot(completed: 0, total: nil, fraction: 0, phase: .preparing, ending: nil))
    child.setTotal(1000)
    child.advance(by: 500)
    #expect(progress.snapshot == Snapshot(completed: 6, total: 10, fraction: 0.6, phase: .preparing, ending: nil))
    child.finish()
    #expect(progress.snapshot == Snapshot(completed: 10, total: 10, fraction: 1, phase: .preparing, ending: nil))
  }

  @Test func grandchildrenCountThroughTheirParents() {
    let progress = ItemProgress(total: 4)
    let child = progress.child(units: 2)
    child.setTotal(2)
    let grandchild = child.child(units: 1)
    grandchild.setTotal(10)
    grandchild.advance(by: 5)
    #expect(progress.snapshot.fraction == 0.125)
    grandchild.finish()
    #expect(progress.snapshot.fraction == 0.25)
    child.finish()
    #expect(progress.snapshot.fraction == 0.5)
  }

  @Test func releasedChildCountsAsFinished() {
    let progress = ItemProgress(total: 4)
    do {
      let child = progress.child(units: 3)
      child.setTotal(100)
      child.advance(by: 1)
    }
    #expect(progress.snapshot.completed == 3)
    _ = progress.child(units: 1)
    #expect(progress.snapshot.fraction == 1)
  }

  @Test func childRetainsItsParent() async {
    var progress: ItemProgress? = ItemProgress(total: 2)
    var child = progress?.child(units: 1)
    var updates = progress?.updates.makeAsyncIterator()
    progress = nil
    child?.finish()
    let half = await updates?.next()
    #expect(half?.fraction == 0.5)
    #expect(half?.isFinished == false)
    child = nil
    #expect(await updates?.next()?.isFinished == true)
  }

  @Test func childWithoutPositiveUnitsHasNoShare() {
    let progress = ItemProgress(total: 4)
    progress.child(units: 0).finish()
    progress.child(units: -3).finish()
    #expect(progress.snapshot.completed == 0)
  }

  @Test func childrenBeyondTheTotalAreClamped() {
    let progress = ItemProgress(total: 4)
    let children = (0..<3).map { _ in progress.child(units: 3) }
    for child in children { child.finish() }
    #expect(progress.snapshot == Snapshot(completed: 4, total: 4, fraction: 1, phase: .preparing, ending: nil))
  }

  @Test func sequentialChildrenTakeConstantMemory() {
    let progress = ItemProgress(total: 100_000)
    for _ in 0..<100_000 { progress.child(units: 1).finish() }
    #expect(progress.snapshot.completed == 100_000)
    #expect(progress.snapshot.fraction == 1)
  }
}
