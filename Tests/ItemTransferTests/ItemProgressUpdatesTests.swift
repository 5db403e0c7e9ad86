// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ItemTransfer

/// Observers of a progress, and changes by several tasks at the same time.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct ItemProgressUpdatesTests {
  private typealias Snapshot = ItemProgress.Snapshot

  @Test func updatesStartWithTheCurrentStateAndEndWithTheFinalOne() async {
    let progress = ItemProgress(total: 4)
    progress.advance(by: 1)
    var updates = progress.updates.makeAsyncIterator()
    #expect(await updates.next()?.completed == 1)
    progress.advance(by: 1)
    #expect(await updates.next()?.completed == 2)
    progress.setTotal(8)
    #expect(await updates.next()?.fraction == 0.25)
    progress.finish()
    #expect(await updates.next() == Snapshot(completed: 8, total: 8, fraction: 1, phase: .preparing, ending: .finished))
    #expect(await updates.next() == nil)
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

  @Test func updatesOfAFinishedProgressAreItsFinalState() async {
    let progress = ItemProgress(total: 4)
    progress.finish()
    var states: [Snapshot] = []
    for await now in progress.updates { states.append(now) }
    #expect(states == [progress.snapshot])
  }

  @Test func updatesEndWhenTheProgressIsReleased() async {
    var progress: ItemProgress? = ItemProgress(total: 4)
    let updates = progress?.updates
    progress = nil
    var last: Snapshot?
    if let updates { for await now in updates { last = now } }
    #expect(last?.isFinished == true)
  }

  @Test func updatesDoNotRetainTheWorkAndEndedReadersAreForgotten() async {
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
    #expect(weakly == nil)
  }

  @Test func everyReaderGetsTheFinalState() async {
    let progress = ItemProgress(total: 1000)
    let streams = (0..<10).map { _ in progress.updates }
    let readers = streams.map { updates in
      Task { () -> Snapshot? in
        var last: Snapshot?
        for await now in updates { last = now }
        return last
      }
    }
    for _ in 0..<1000 { progress.advance(by: 1) }
    progress.finish()
    for reader in readers { #expect(await reader.value == progress.snapshot) }
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

  @Test func concurrentUseFinishesOnce() async {
    var generator = SeededGenerator.announced("ItemProgressUpdatesTests.hammer")
    let progress = ItemProgress(total: 8 * 200 * 3)
    let finishes = Counter()
    let watchers = (0..<4).map { _ in
      let updates = progress.updates
      return Task {
        for await now in updates {
          #expect(now.fraction <= 1)
          #expect(now.completed <= now.total ?? .max)
          if now.isFinished { finishes.increase() }
        }
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
            #expect(progress.snapshot.fraction <= 1)
          }
        }
      }
    }
    #expect(progress.snapshot.completed == 8 * 200 * 3)
    #expect(!progress.snapshot.isFinished)
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { progress.finish() } }
    }
    for watcher in watchers { await watcher.value }
    #expect(finishes.count == 4)
  }
}

extension ItemProgressUpdatesTests {
  @Test func readersSeeStatesInOrder() async {
    for _ in 0..<50 {
      let progress = ItemProgress(total: 400)
      let reader = Task {
        var last: Int64 = -1
        var isOrdered = true
        for await now in progress.updates {
          isOrdered = isOrdered && now.completed >= last
          last = now.completed
        }
        return (isOrdered, last)
      }
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask { for _ in 0..<100 { progress.advance(by: 1) } }
        }
      }
      progress.finish()
      let (isOrdered, last) = await reader.value
      #expect(isOrdered)
      #expect(last == 400)
    }
  }
}
