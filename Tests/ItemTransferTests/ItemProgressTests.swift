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

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct ItemProgressTests {
  private typealias Snapshot = ItemProgress.Snapshot

  private typealias Step = (change: (ItemProgress) -> Void, state: Snapshot)

  /// Changes the progress step by step, and expects its state after each step.
  private func expectStates(
    _ progress: ItemProgress, _ steps: Step..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (change, state) in steps {
      change(progress)
      #expect(progress.snapshot == state, sourceLocation: sourceLocation)
    }
  }

  // MARK: Counting

  @Test func countsAddUpToTheTotalAndNegativeOnesAreIgnored() {
    expectStates(
      ItemProgress(total: 4), ({ _ in }, Snapshot(0, of: 4, 0)),
      ({ for count in [1, 2, 0, -2, .min] as [Int64] { $0.advance(by: count) } }, Snapshot(3, of: 4, 0.75)),
      ({ $0.advance(by: 7) }, Snapshot(4, of: 4, 1)), ({ $0.setTotal(20) }, Snapshot(10, of: 20, 0.5)),
      ({ $0.setTotal(3) }, Snapshot(3, of: 3, 1)))
    expectStates(
      ItemProgress(total: -1), ({ _ in }, Snapshot(0, of: nil, 0)), ({ $0.advance(by: 7) }, Snapshot(7, of: nil, 0)),
      ({ $0.setTotal(14) }, Snapshot(7, of: 14, 0.5)), ({ $0.setTotal(-1) }, Snapshot(7, of: nil, 0)),
      ({ $0.setTotal(nil) }, Snapshot(7, of: nil, 0)))
    #expect(ItemProgress().snapshot == Snapshot(0, of: nil, 0))
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
    let finished = Snapshot(4, of: 4, 1, .finished)
    expectStates(
      ItemProgress(total: 4), ({ $0.advance(by: 1) }, Snapshot(1, of: 4, 0.25)), ({ $0.finish() }, finished),
      ({ $0.finish() }, finished), ({ $0.advance(by: 1) }, finished), ({ $0.setTotal(nil) }, finished),
      ({ $0.child(units: 2).finish() }, finished))
    expectStates(
      ItemProgress(), ({ $0.advance(by: 7) }, Snapshot(7, of: nil, 0)),
      ({ $0.finish() }, Snapshot(7, of: 7, 1, .finished)))
    expectStates(
      ItemProgress(total: 0), ({ $0.advance(by: 1) }, Snapshot(0, of: 0, 0)),
      ({ $0.finish() }, Snapshot(0, of: 0, 1, .finished)))
  }

  // MARK: Children

  @Test func childHasItsOwnScaleAndAShareOfItsParent() {
    let progress = ItemProgress(total: 10)
    progress.advance(by: 2)
    let child = progress.child(units: 8)
    #expect(child.snapshot == Snapshot(0, of: nil, 0))
    child.setTotal(1000)
    let grandchild = child.child(units: 250)
    grandchild.setTotal(10)
    expectStates(
      progress, ({ _ in child.advance(by: 500) }, Snapshot(6, of: 10, 0.6)),
      ({ _ in grandchild.advance(by: 5) }, Snapshot(7, of: 10, 0.7)),
      ({ _ in grandchild.finish() }, Snapshot(8, of: 10, 0.8)), ({ _ in child.finish() }, Snapshot(10, of: 10, 1)))
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
    let last = [await updates?.next()?.isFinished, await updates?.next()?.isFinished]
    #expect(last == [true, nil])
  }

  /// Each generation once took a frame of the stack.
  @Test(arguments: [0, 1, 2])
  func changeReachesTheEndOfAVeryLongChain(change: Int) {
    let first = ItemProgress(total: 1)
    var chain = [first]
    for _ in 0..<40_000 {
      chain.last?.setTotal(1)
      chain.append(chain[chain.count - 1].child(units: 1))
    }
    let last = chain[chain.count - 1]
    switch change {
    case 0:
      first.cancel()
      #expect(last.isCancelled)
    case 1:
      last.finish()
      #expect(first.snapshot == Snapshot(1, of: 1, 1))
    default:
      last.setTotal(2)
      last.advance(by: 1)
      #expect(first.snapshot == Snapshot(0, of: 1, 0.5))
    }
  }

  @Test func shareOfManyChildrenHasNoRoundingError() {
    let progress = ItemProgress(total: 3000)
    let children = (0..<1000).map { _ in progress.child(units: 3) }
    for child in children { child.setTotal(7) }
    for step in 1...7 {
      for child in children { child.advance(by: 1) }
      #expect(abs(progress.snapshot.fraction - Double(step) / 7) < 1e-6)
    }
    #expect(progress.snapshot == Snapshot(3000, of: 3000, 1))
    for child in children { child.finish() }
    #expect(progress.snapshot == Snapshot(3000, of: 3000, 1))
  }

  @Test func failureThatIsACancellationCancels() {
    for (error, ending) in [
      (Failure(), .failed), (CancellationError(), .cancelled),
      (ItemProviderError(.cancelled, contentType: nil), .cancelled),
      (ItemProviderError(.undecodable, contentType: nil), .failed),
    ] as [(any Error, ItemProgress.Ending)] {
      let progress = ItemProgress()
      progress.fail(error)
      #expect(progress.snapshot.ending == ending)
    }
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
    let children = (0..<10).map { _ in ItemProgress() }
    for child in children { _ = state.add(child, units: 1) }
    let kept = Mirror(reflecting: state).descendant("children").map { Mirror(reflecting: $0).children.count }
    #expect(kept == 0)
  }

  // MARK: Updates

  @Test func updatesStartWithTheCurrentStateAndEndWithTheFinalOne() async {
    let progress = ItemProgress(total: 4)
    progress.advance(by: 1)
    var updates = progress.updates.makeAsyncIterator()
    var states = [await updates.next()]
    progress.advance(by: 1)
    states.append(await updates.next())
    progress.setTotal(8)
    states.append(await updates.next())
    progress.finish()
    states += [await updates.next(), await updates.next()]
    let finished = Snapshot(8, of: 8, 1, .finished)
    #expect(states == [Snapshot(1, of: 4, 0.25), Snapshot(2, of: 4, 0.5), Snapshot(2, of: 8, 0.25), finished, nil])
    // The updates of a finished progress are its final state.
    let late = await progress.updates.reduce(into: []) { $0.append($1) }
    #expect(late == [finished])
  }

  @Test func parentUpdatesFollowItsChildren() async {
    let progress = ItemProgress(total: 2)
    var updates = progress.updates.makeAsyncIterator()
    var fractions = [await updates.next()?.fraction]
    let child = progress.child(units: 1)
    // A change that makes no difference to the parent is not reported.
    child.setTotal(4)
    child.advance(by: 2)
    fractions.append(await updates.next()?.fraction)
    child.finish()
    fractions.append(await updates.next()?.fraction)
    #expect(fractions == [0, 0.25, 0.5])
  }

  @Test func slowReaderGetsTheNewestState() async {
    let progress = ItemProgress(total: 100_000)
    var updates = progress.updates.makeAsyncIterator()
    for _ in 0..<50_000 { progress.advance(by: 1) }
    var states = [await updates.next()]
    progress.finish()
    states += [await updates.next(), await updates.next()]
    #expect(states == [Snapshot(50_000, of: 100_000, 0.5), Snapshot(100_000, of: 100_000, 1, .finished), nil])
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

  @Test func concurrentUseLosesNoUnit() async {
    var generator = SeededGenerator.announced("ItemProgressTests.concurrentUseLosesNoUnit")
    let progress = ItemProgress(total: 8 * 200 * 3)
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
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<(round % 9) { await Task.yield() }
            if round.isMultiple(of: 2) { progress.finish() } else { progress.cancel() }
          }
        }
      }
    }
  }
}
