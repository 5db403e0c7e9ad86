// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ItemTransfer

extension ItemProgress.Snapshot {
  /// A state of a progress without phases.
  fileprivate init(_ completed: Int64, of total: Int64?, _ fraction: Double, _ ending: ItemProgress.Ending? = nil) {
    self.init(completed: completed, total: total, fraction: fraction, phase: .preparing, ending: ending)
  }
}

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemProgressTests {
  private typealias Snapshot = ItemProgress.Snapshot

  // MARK: Counting

  @Test func progressStartsAtZero() {
    #expect(ItemProgress().snapshot == Snapshot(0, of: nil, 0))
    #expect(ItemProgress(total: 4).snapshot == Snapshot(0, of: 4, 0))
    #expect(ItemProgress(total: -1).snapshot.total == nil)
  }

  @Test func advanceAddsUpToTheTotalAndIgnoresNegativeCounts() {
    let progress = ItemProgress(total: 4)
    for count in [1, 2, 0, -2, .min] as [Int64] { progress.advance(by: count) }
    #expect(progress.snapshot == Snapshot(3, of: 4, 0.75))
    progress.advance(by: 7)
    #expect(progress.snapshot == Snapshot(4, of: 4, 1))
    progress.setTotal(20)
    #expect(progress.snapshot == Snapshot(10, of: 20, 0.5))
    progress.setTotal(3)
    #expect(progress.snapshot.fraction == 1)
  }

  @Test func fractionIsZeroWhileTheTotalIsUnknown() {
    let progress = ItemProgress()
    progress.advance(by: 7)
    #expect(progress.snapshot == Snapshot(7, of: nil, 0))
    progress.setTotal(14)
    #expect(progress.snapshot.fraction == 0.5)
    progress.setTotal(-1)
    #expect(progress.snapshot.total == nil)
    progress.setTotal(nil)
    #expect(progress.snapshot.fraction == 0)
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
    #expect(progress.snapshot == Snapshot(total ?? .max, of: total, total == nil ? 0 : 1))
    progress.finish()
    #expect(progress.snapshot.completed == total ?? .max)
  }

  // MARK: Finishing

  @Test func finishCompletesTheRestAndFreezesTheState() {
    let progress = ItemProgress(total: 4)
    progress.advance(by: 1)
    progress.finish()
    let finished = Snapshot(4, of: 4, 1, .finished)
    #expect(progress.snapshot == finished)
    progress.finish()
    progress.advance(by: 1)
    progress.setTotal(nil)
    progress.child(units: 2).finish()
    #expect(progress.snapshot == finished)

    let unknown = ItemProgress()
    unknown.advance(by: 7)
    unknown.finish()
    #expect(unknown.snapshot == Snapshot(7, of: 7, 1, .finished))

    let empty = ItemProgress(total: 0)
    empty.advance(by: 1)
    #expect(empty.snapshot == Snapshot(0, of: 0, 0))
    empty.finish()
    #expect(empty.snapshot == Snapshot(0, of: 0, 1, .finished))
  }

  // MARK: Children

  @Test func childHasItsOwnScaleAndAShareOfItsParent() {
    let progress = ItemProgress(total: 10)
    progress.advance(by: 2)
    let child = progress.child(units: 8)
    #expect(child.snapshot == Snapshot(0, of: nil, 0))
    child.setTotal(1000)
    child.advance(by: 500)
    #expect(progress.snapshot == Snapshot(6, of: 10, 0.6))
    let grandchild = child.child(units: 250)
    grandchild.setTotal(10)
    grandchild.advance(by: 5)
    #expect(progress.snapshot.fraction == 0.7)
    grandchild.finish()
    #expect(progress.snapshot.fraction == 0.8)
    child.finish()
    #expect(progress.snapshot == Snapshot(10, of: 10, 1))
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
    #expect(half?.fraction == 0.5 && half?.isFinished == false)
    child = nil
    #expect(await updates?.next()?.isFinished == true)
  }

  @Test func sharesAreBetweenZeroAndTheTotal() {
    let progress = ItemProgress(total: 4)
    progress.child(units: 0).finish()
    progress.child(units: -3).finish()
    #expect(progress.snapshot.completed == 0)
    let children = (0..<3).map { _ in progress.child(units: 3) }
    for child in children { child.finish() }
    #expect(progress.snapshot == Snapshot(4, of: 4, 1))
  }

  @Test(arguments: [ItemProgress.Ending.finished, .cancelled, .failed])
  func endedProgressRetainsNoChildren(ending: ItemProgress.Ending) {
    var state = ItemProgressState(total: 9)
    _ = state.end(ending)
    for _ in 0..<10 { _ = state.addChild(units: 1) }
    let kept = Mirror(reflecting: state).descendant("childrenByID").map { Mirror(reflecting: $0).children.count }
    #expect(kept == 0)
  }

  @Test func sequentialChildrenTakeConstantMemory() {
    let progress = ItemProgress(total: 20_000)
    for _ in 0..<20_000 { progress.child(units: 1).finish() }
    #expect(progress.snapshot == Snapshot(20_000, of: 20_000, 1))
  }

  // MARK: Updates

  @Test func updatesStartWithTheCurrentStateAndEndWithTheFinalOne() async {
    let progress = ItemProgress(total: 4)
    progress.advance(by: 1)
    var updates = progress.updates.makeAsyncIterator()
    #expect(await updates.next() == Snapshot(1, of: 4, 0.25))
    progress.advance(by: 1)
    #expect(await updates.next()?.completed == 2)
    progress.setTotal(8)
    #expect(await updates.next()?.fraction == 0.25)
    progress.finish()
    #expect(await updates.next() == Snapshot(8, of: 8, 1, .finished))
    #expect(await updates.next() == nil)
    // The updates of a finished progress are its final state.
    let states = await progress.updates.reduce(into: []) { $0.append($1) }
    #expect(states == [progress.snapshot])
  }

  @Test func parentUpdatesFollowItsChildren() async {
    let progress = ItemProgress(total: 2)
    var updates = progress.updates.makeAsyncIterator()
    #expect(await updates.next()?.fraction == 0)
    let child = progress.child(units: 1)
    child.setTotal(4)
    _ = await updates.next()
    child.advance(by: 2)
    #expect(await updates.next()?.fraction == 0.25)
    child.finish()
    #expect(await updates.next()?.fraction == 0.5)
  }

  @Test func slowReaderGetsTheNewestState() async {
    let progress = ItemProgress(total: 100_000)
    var updates = progress.updates.makeAsyncIterator()
    for _ in 0..<50_000 { progress.advance(by: 1) }
    #expect(await updates.next()?.completed == 50_000)
    progress.finish()
    #expect(await updates.next()?.isFinished == true)
    #expect(await updates.next() == nil)
  }

  @Test func updatesEndWhenTheProgressIsReleased() async {
    var progress: ItemProgress? = ItemProgress(total: 4)
    let updates = progress?.updates
    progress = nil
    var last: Snapshot?
    if let updates { for await now in updates { last = now } }
    #expect(last?.isFinished == true)
  }

  @Test func updatesDoNotRetainTheWorkAndEndedReadersAreForgotten() async throws {
    weak var weakly: ItemProgress?
    do {
      let progress = ItemProgress(total: 4)
      weakly = progress
      for await _ in progress.updates { break }
      let cancelled = Task { for await _ in progress.updates {} }
      cancelled.cancel()
      await cancelled.value
      progress.advance(by: 1)
    }
    // The task may be released some time after its end.
    try await wait(for: "the release of the progress") { weakly == nil }
  }

  // MARK: Concurrent use

  @Test func concurrentUseFinishesOnce() async {
    var generator = SeededGenerator.announced("ItemProgressTests.concurrentUseFinishesOnce")
    let progress = ItemProgress(total: 8 * 200 * 3)
    let watchers = (0..<4).map { _ in
      let updates = progress.updates
      return Task {
        var (finishes, last) = (0, Snapshot(0, of: nil, 0))
        for await now in updates {
          if now.fraction > 1 || now.completed > now.total ?? .max { Issue.record("\(now)") }
          if now.isFinished { finishes += 1 }
          last = now
        }
        return (finishes, last)
      }
    }
    await withTaskGroup { group in
      for _ in 0..<8 {
        let order = (0..<200).map { _ in Int.random(in: 0..<4, using: &generator) }
        group.addTask {
          for choice in order {
            switch choice {
            case 0: progress.advance(by: 3)
            case 1:
              progress.advance(by: 1)
              progress.child(units: 2).finish()
            case 2:
              let child = progress.child(units: 3)
              child.setTotal(2)
              child.advance(by: 1)
              async let other: Void = child.advance(by: 1)
              child.advance(by: 1)
              await other
            default:
              for await _ in progress.updates { break }
              _ = progress.child(units: 3)
            }
            if progress.snapshot.fraction > 1 { Issue.record("\(progress.snapshot)") }
          }
        }
      }
    }
    #expect(progress.snapshot == Snapshot(8 * 200 * 3, of: 8 * 200 * 3, 1))
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { progress.finish() } }
    }
    for watcher in watchers {
      let (finishes, last) = await watcher.value
      #expect(finishes == 1 && last == progress.snapshot)
    }
  }

  @Test func everyReaderSeesStatesInOrderAndOneEnding() async {
    for round in 0..<(isFullRun ? 300 : 60) {
      let progress = ItemProgress(total: 100)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            var (last, ends) = (Snapshot(0, of: 100, 0), 0)
            for await now in progress.updates {
              let isLater = now.fraction >= last.fraction && now.fraction <= 1 && now.completed >= last.completed
              if !isLater { Issue.record("\(now) after \(last)") }
              last = now
              if now.ending != nil { ends += 1 }
            }
            if ends != 1 || last.isFinished && last != progress.snapshot { Issue.record("\(ends) endings, \(last)") }
          }
        }
        for _ in 0..<2 {
          group.addTask {
            let child = progress.child(units: 40)
            child.setTotal(7)
            for _ in 0..<7 { child.advance(by: 1) }
            for _ in 0..<20 { progress.advance(by: 1) }
          }
        }
        group.addTask {
          for _ in 0..<(round % 9) { await Task.yield() }
          if round.isMultiple(of: 2) { progress.finish() } else { progress.cancel() }
        }
      }
    }
  }
}
