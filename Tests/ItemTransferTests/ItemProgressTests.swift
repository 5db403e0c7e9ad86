// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ItemTransfer

@Suite(.serialized, .limited) struct ItemProgressTests {
  private typealias Snapshot = ItemProgress.Snapshot

  // MARK: Counting

  @Test("a progress starts at nothing")
  func start() {
    #expect(ItemProgress().snapshot == Snapshot(completed: 0, total: nil, fraction: 0, phase: .preparing, ending: nil))
    #expect(
      ItemProgress(total: 4).snapshot == Snapshot(completed: 0, total: 4, fraction: 0, phase: .preparing, ending: nil))
    #expect(ItemProgress(total: -1).snapshot.total == nil)
  }

  @Test("work that is done counts, work taken back does not")
  func advance() {
    let progress = ItemProgress(total: 4)
    progress.advance(by: 1)
    progress.advance(by: 2)
    progress.advance(by: 0)
    progress.advance(by: -2)
    progress.advance(by: .min)
    #expect(progress.snapshot == Snapshot(completed: 3, total: 4, fraction: 0.75, phase: .preparing, ending: nil))
  }

  @Test("more work than there was to do does not count")
  func neverAboveTotal() {
    let progress = ItemProgress(total: 4)
    progress.advance(by: 9)
    #expect(progress.snapshot == Snapshot(completed: 4, total: 4, fraction: 1, phase: .preparing, ending: nil))
    progress.setTotal(18)
    #expect(progress.snapshot.completed == 9)
    #expect(progress.snapshot.fraction == 0.5)
    progress.setTotal(3)
    #expect(progress.snapshot.fraction == 1)
  }

  @Test("while the total is unknown the fraction is 0, and work counts all the same")
  func unknownTotal() {
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

  @Test("a total of nothing is done when it is finished, and not before")
  func emptyTotal() {
    let progress = ItemProgress(total: 0)
    #expect(progress.snapshot.fraction == 0)
    progress.advance(by: 1)
    #expect(progress.snapshot == Snapshot(completed: 0, total: 0, fraction: 0, phase: .preparing, ending: nil))
    progress.finish()
    #expect(progress.snapshot == Snapshot(completed: 0, total: 0, fraction: 1, phase: .preparing, ending: .finished))
  }

  @Test("counts do not overflow", arguments: [nil, 1, Int64.max])
  func overflow(total: Int64?) {
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

  @Test("finishing counts what is left as done, and nothing changes afterwards")
  func finish() {
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

  @Test("finishing without a total makes what was done the total")
  func finishWithoutTotal() {
    let progress = ItemProgress()
    progress.advance(by: 7)
    progress.finish()
    #expect(progress.snapshot == Snapshot(completed: 7, total: 7, fraction: 1, phase: .preparing, ending: .finished))
  }

  // MARK: Children

  @Test("a child has a scale of its own and a share of its parent's")
  func children() {
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

  @Test("grandchildren count through their parents")
  func grandchildren() {
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

  @Test("a child that is let go of counts as finished")
  func droppedChild() {
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

  @Test("a child keeps its parent, so that a share is never lost")
  func childKeepsParent() async {
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

  @Test("a child without units, or with negative ones, has no share")
  func childWithoutShare() {
    let progress = ItemProgress(total: 4)
    progress.child(units: 0).finish()
    progress.child(units: -3).finish()
    #expect(progress.snapshot.completed == 0)
  }

  @Test("children may have more units than their parent; it is never more than done")
  func tooManyUnits() {
    let progress = ItemProgress(total: 4)
    let children = (0..<3).map { _ in progress.child(units: 3) }
    for child in children { child.finish() }
    #expect(progress.snapshot == Snapshot(completed: 4, total: 4, fraction: 1, phase: .preparing, ending: nil))
  }

  @Test("a hundred thousand children one after the other cost no more than one")
  func manyChildren() {
    let progress = ItemProgress(total: 100_000)
    for _ in 0..<100_000 { progress.child(units: 1).finish() }
    #expect(progress.snapshot.completed == 100_000)
    #expect(progress.snapshot.fraction == 1)
  }
}
